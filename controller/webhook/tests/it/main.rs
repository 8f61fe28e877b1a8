//! Decisions of the webhook from the view of its callers.

mod admission;
