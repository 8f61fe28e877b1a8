//! Reading the content of a registry as a catalog, for valid and invalid content.

mod connection;
mod copied;
mod defaults;
mod fake;
mod hostile;
mod shared;
mod valid;
mod visitors;
mod whole;
