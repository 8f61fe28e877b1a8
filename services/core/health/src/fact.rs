//! One thing that was looked at.

use crate::{Code, Observed, State};

/// One thing that was looked at, or that should be there and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The object, and in which state it was looked at.
    pub observed: Observed,
    /// What it says of the whole.
    pub state: State,
    /// For programs.
    pub code: Code,
    /// One sentence for a person.
    pub message: String,
    /// What changes by itself all the time, such as the number of restarts.
    pub detail: String,
    /// Whether it is worth reading although it says Yes.
    pub is_remark: bool,
    /// What it stands on, or what causes it.
    pub below: Vec<Fact>,
}

impl Fact {
    /// Whether both say the same: everything but details, and in which state objects were.
    pub fn says_as(&self, other: &Self) -> bool {
        let Self {
            observed,
            state,
            code,
            message,
            detail: _,
            is_remark,
            below,
        } = self;
        observed.object == other.observed.object
            && observed.uid == other.observed.uid
            && *state == other.state
            && *code == other.code
            && *message == other.message
            && *is_remark == other.is_remark
            && all_say_as(below, &other.below)
    }
}

/// Whether the facts of one list say what those of the other do.
pub(crate) fn all_say_as(some: &[Fact], others: &[Fact]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(a, b)| a.says_as(b))
}
