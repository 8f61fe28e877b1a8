//! Tests with a server on a real socket and real certificates. There is no cluster.

mod busy;
mod client;
mod followed;
mod forged;
mod mutated;
mod pier;
mod responses;
mod scale;
mod watched;
