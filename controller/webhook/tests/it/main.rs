//! The decisions of the webhook as their callers see them.

mod admission;
