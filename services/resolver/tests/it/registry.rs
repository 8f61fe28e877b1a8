//! Tests of reading a registry as a catalog, with valid and invalid content.

mod connection;
mod copied;
mod defaults;
mod fake;
mod hostile;
mod shared;
mod valid;
mod visitors;
mod whole;
