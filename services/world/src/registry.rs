//! Connections to a registry of operators: its [`Address`], the [`Dialer`], and the [`Connection`].
//!
//! A [`Connection`] never reconnects on its own, so that its holder learns when the registry is
//! lost. Its callers decide what to request: the resolver reads catalogs, and health checks if they
//! can be read. This module makes sure that no response can do harm ([`within`]).

mod address;
mod connection;
mod dialer;

pub use address::{Address, ParseAddress};
pub use connection::{Connect, ConnectStage, Connection, Unanswered, is_told, within};
pub use dialer::{Dialer, PortForward, ServicePort};
