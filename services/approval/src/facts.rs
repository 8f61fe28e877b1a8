//! Converts objects to the values that the core crate needs to review InstallPlans. This code makes
//! no decisions, and keeps all fields that the core crate reads.

mod plan;
mod residents;

pub(crate) use self::plan::plan;
pub(crate) use self::residents::{installed, subscription};
