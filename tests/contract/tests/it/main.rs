//! Tests of the guarantees that the shell gives for all servers, on real ports.

mod balance;
mod clients;
mod connections;
mod deadlines;
mod drain;
mod health;
mod limits;
mod metrics;
mod reflection;
mod replicas;
mod retries;
mod security;
