//! Objects as facts: from what OLM and people write to the values that plans are judged by. Nothing
//! is decided here, and nothing is left out that the judge reads.

mod plan;
mod residents;

pub(crate) use self::plan::plan;
pub(crate) use self::residents::{installed, subscription};
