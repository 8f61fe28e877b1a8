//! The server on a real socket, with real certificates, and without a cluster.

mod busy;
mod client;
mod followed;
mod forged;
mod mutated;
mod pier;
mod responses;
mod scale;
mod watched;
