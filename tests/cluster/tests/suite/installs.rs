//! Installs as delivered: with the permissions of the overlay and no more.

mod approved;
mod escalated;
pub(crate) mod images;
mod invalid;
mod killed;
pub(crate) mod stage;
mod stamped;
