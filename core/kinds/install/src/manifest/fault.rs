//! A fault of a manifest: a sentence, and the location of the manifest in the plan.

use std::fmt;

use portolan_core_names::ObjectRef;
use portolan_core_olm::State;

/// The location of a resource, a Job or a readiness rule in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourcePlace {
    pub stage: usize,
    pub part: Part,
    /// The index in its list of the stage.
    pub index: usize,
}

/// The lists that a stage contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Resource,
    Job,
    /// The list of rules that decide when objects are ready.
    Ready,
}

/// A fault of a manifest, or of an object that the manifest refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestFault {
    pub place: ResourcePlace,
    /// The object that the manifest describes. None if the manifest does not identify an object.
    pub object: Option<ObjectRef>,
    /// `No` for a permanent fault, `NotYet` for content that may appear later.
    pub state: State,
    /// The end of the message. It follows the location of the manifest.
    pub sentence: String,
}

impl fmt::Display for ResourcePlace {
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

impl fmt::Display for ManifestFault {
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
