//! Approval as its callers use it.

mod consent;
