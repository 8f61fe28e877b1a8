//! The graph of a package, and what can be asked of it.
//!
//! An edge leads from a bundle to one that may follow it in a single update. It exists where an
//! entry of a channel names the older bundle in `replaces` or `skips`, or covers its version with
//! `skipRange`; the older bundle need not be in the catalog. The head of a channel is an entry
//! that no other entry replaces or skips.
//!
//! Everything here is a function of its arguments: no clock, no I/O, no hash order. That nothing
//! can be reached is an answer with [`Reason`]s; only a question about something that is not in
//! the catalog is refused.

#![warn(clippy::wildcard_enum_match_arm)]

mod channel;
mod reason;
mod upgrades;

pub use channel::{Edge, heads};
pub use reason::Reason;
pub use upgrades::{Head, Installed, UnknownChannel, Update, Upgrades, list_upgrades};
