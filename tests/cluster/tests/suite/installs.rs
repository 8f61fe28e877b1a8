//! Tests Installs with a controller that has only the permissions of the overlay.

mod approved;
mod escalated;
pub(crate) mod images;
mod invalid;
mod killed;
pub(crate) mod stage;
mod stamped;
