//! A sentence about a manifest, with its place.

use std::fmt;

use portolan_core_olm::State;

use crate::object::Identity;

/// The place of a resource in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub stage: usize,
    /// In its stage.
    pub index: usize,
}

/// Something that is wrong with a manifest, or with what it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub place: Place,
    /// The object, as far as its manifest says which.
    pub object: Option<Identity>,
    /// `No` for what cannot stay, `NotYet` for what may come.
    pub state: State,
    /// Printed, it goes on behind the place.
    pub sentence: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stage, index } = self;
        write!(f, "spec.stages[{stage}].resources[{index}]")
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            place, sentence, ..
        } = self;
        match &self.object {
            Some(object) => write!(f, "{place} ({object}) {sentence}"),
            None => write!(f, "{place} {sentence}"),
        }
    }
}
