//! The server on a real socket, with real certificates, and without a cluster.

mod client;
mod followed;
mod forged;
mod mutated;
mod pier;
mod scale;
mod told;
mod watched;
