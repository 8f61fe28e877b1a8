//! Approval as its callers see it.

mod consent;
