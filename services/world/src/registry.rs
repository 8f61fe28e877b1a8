//! Connections to a registry of operators: its [`Address`], the [`Dialer`], and the [`Connection`].
//!
//! A [`Connection`] is never opened again behind the back of its holder, who so learns the moment at
//! which the registry is gone. What is asked over it is the business of the
//! resolver, which reads catalogs, and of health, which wants to know whether they can be read; that
//! nothing that comes back does harm is seen to here ([`within`]).

mod address;
mod connection;
mod dialer;

pub use address::{Address, ParseAddress};
pub use connection::{Connect, ConnectStage, Connection, Unanswered, is_told, within};
pub use dialer::{Dialer, PortForward, ServicePort};
