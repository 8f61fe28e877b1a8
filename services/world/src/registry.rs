//! Connections to a registry of operators: its [`Address`], the [`Dialer`], and the [`Connection`].
//!
//! A [`Connection`] never reconnects, so that its owner notices when it is lost. The callers decide
//! which requests to send: the resolver reads catalogs, and the health service checks if catalogs
//! can be read. This module ensures that no response can crash the process ([`within`]).

mod address;
mod connection;
mod dialer;

pub use address::{Address, ParseAddress};
pub use connection::{Connect, ConnectStage, Connection, Unanswered, is_told, within};
pub use dialer::{Dialer, PortForward, ServicePort};
