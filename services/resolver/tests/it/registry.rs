//! How what a registry tells becomes a catalog, whatever it tells.

mod connection;
mod copied;
mod defaults;
mod fake;
mod hostile;
mod shared;
mod told;
mod visitors;
mod whole;
