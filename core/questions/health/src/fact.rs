//! One thing that was looked at.

use portolan_core_names::text::plain;

use crate::{HealthCode, Observed, State};

/// One thing that was looked at, or that should be there and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The object, and in which state it was looked at.
    pub observed: Observed,
    /// The state that it contributes to the verdict on the whole.
    pub state: State,
    /// The code, for programs.
    pub code: HealthCode,
    /// One sentence for a person.
    pub message: String,
    /// The part that changes by itself all the time, such as the number of restarts.
    pub detail: String,
    /// Whether it is worth reading although it says Yes.
    pub is_remark: bool,
    /// The facts that it is based on, or that cause it.
    pub below: Vec<Fact>,
}

impl Fact {
    /// A fact about an object. The message is made harmless, whatever names are in it.
    pub(crate) fn new(observed: &Observed, state: State, code: HealthCode, message: &str) -> Self {
        Self {
            observed: observed.clone(),
            state,
            code,
            message: plain(message),
            detail: String::new(),
            is_remark: false,
            below: Vec::new(),
        }
    }

    /// All is well with the object.
    pub(crate) fn fine(observed: &Observed, message: &str) -> Self {
        Self::new(observed, State::Yes, HealthCode::Fine, message)
    }

    /// Something that is worth reading and changes nothing.
    pub(crate) fn remark(observed: &Observed, code: HealthCode, message: &str) -> Self {
        Self::judged(observed, State::Yes, code, message)
    }

    /// The state as it is, and a remark if that is Yes.
    pub(crate) fn judged(
        observed: &Observed,
        state: State,
        code: HealthCode,
        message: &str,
    ) -> Self {
        Self {
            is_remark: state == State::Yes,
            ..Self::new(observed, state, code, message)
        }
    }

    /// The fact as one about something that is about to change: nothing of it is worse than that.
    pub(crate) fn softened(self) -> Self {
        Self {
            state: self.state.min(State::NotYet),
            below: self.below.into_iter().map(Self::softened).collect(),
            ..self
        }
    }

    /// The fact with what changes by itself.
    pub(crate) fn with_detail(self, detail: &str) -> Self {
        Self {
            detail: plain(detail),
            ..self
        }
    }

    /// The fact with more that it stands on.
    pub(crate) fn with_below(mut self, below: impl IntoIterator<Item = Self>) -> Self {
        self.below.extend(below);
        self
    }

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
