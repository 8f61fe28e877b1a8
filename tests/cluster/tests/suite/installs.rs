//! Installs as delivered: with the permissions of the overlay and no more.

mod approved;
mod escalated;
pub(crate) mod images;
mod killed;
mod nonsense;
mod stage;
mod stamped;
