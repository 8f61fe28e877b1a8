//! Converts objects of OLM and of users to the values that the core needs to judge plans. This code
//! makes no decisions, and keeps all values that the core reads.

mod plan;
mod residents;

pub(crate) use self::plan::plan;
pub(crate) use self::residents::{installed, subscription};
