//! The webhook on a real API server, as it is delivered: with the rights of the overlay and no more.

mod away;
mod refusals;
mod renewed;
mod stage;
