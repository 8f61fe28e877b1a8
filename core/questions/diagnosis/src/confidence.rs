//! The certainty of causes.

use crate::Code;

/// The certainty that a cause is the true one, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confidence {
    /// The certainty.
    pub certainty: Certainty,
    /// The proof, or the reason for the doubt, as one sentence.
    pub reason: String,
}

/// The certainty of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The cause is unknown.
    Unknown,
    /// The facts suggest the cause, but nothing has confirmed it.
    Likely,
    /// The objects, a forecast, a probe or a refusal of the API server confirm the cause.
    Proved,
}

// === impl Certainty ===

impl Certainty {
    /// Returns the certainty as one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "Unknown",
            Self::Likely => "Likely",
            Self::Proved => "Proved",
        }
    }
}

// === impl Confidence ===

impl Confidence {
    pub(crate) fn proved(reason: &str) -> Self {
        Self {
            certainty: Certainty::Proved,
            reason: reason.to_owned(),
        }
    }

    pub(crate) fn likely(reason: &str) -> Self {
        Self {
            certainty: Certainty::Likely,
            reason: reason.to_owned(),
        }
    }

    /// Returns the certainty of a cause with this code, without knowledge of the case.
    pub(crate) fn of(code: Code) -> Self {
        match code {
            Code::NotObserved => Self {
                certainty: Certainty::Unknown,
                reason: "A required object has not been read.".to_owned(),
            },
            _ => Self::proved(OBJECTS),
        }
    }
}

/// The proof by objects of the cluster.
const OBJECTS: &str = "The objects of the cluster show it.";
