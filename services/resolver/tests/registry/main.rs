//! How what a registry tells becomes a catalog, whatever it tells.

mod connection;
mod fake;
mod hostile;
mod told;
