//! Tests the webhook behind a real API server, as delivered: with exactly the permissions of the
//! overlay.

mod away;
mod refusals;
mod renewed;
mod stage;
