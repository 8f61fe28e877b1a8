//! Connections to registries of operators: the [`Address`] of a registry, the [`Dialer`], and the
//! [`Connection`].
//!
//! A [`Connection`] never reconnects, so that its owner notices when it is lost. The callers decide
//! which requests to send. The resolver reads catalogs, and the health service checks if catalogs
//! can be read. The function [`within`] ensures that no response can crash the process.

mod address;
mod connection;
mod dialer;

pub use address::{Address, ParseAddress};
pub use connection::{Connect, ConnectStage, Connection, Unanswered, is_told, within};
pub use dialer::{Dialer, PortForward, ServicePort};
