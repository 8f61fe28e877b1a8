//! Installs as they are delivered: with the rights of the overlay and no more.

mod approved;
mod escalated;
pub(crate) mod images;
mod killed;
mod nonsense;
mod stage;
mod stamped;
