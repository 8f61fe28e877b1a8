//! A sentence about a manifest, with its place.

use std::fmt;

use portolan_core_olm::State;

use crate::object::Identity;

/// The place of a resource in its plan, or of a Job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub stage: usize,
    pub part: Part,
    /// In its stage, among those of its part.
    pub index: usize,
}

/// The parts of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Resource,
    Job,
    /// A rule of when objects are ready.
    Ready,
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
        let Self { stage, part, index } = self;
        let part = match part {
            Part::Resource => "resources",
            Part::Job => "jobs",
            Part::Ready => "ready",
        };
        write!(f, "spec.stages[{stage}].{part}[{index}]")
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
