//! A fact: one observation about an object.

use portolan_core_names::text::plain;

use crate::words::Quote;
use crate::{HealthCode, ObjectVersion, State};

/// One observation about an existing object, or about an expected object that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The object, with its version when it was read.
    pub observed: ObjectVersion,
    /// The state of the fact. The verdict of an operator or catalog is computed from the states of
    /// all its facts.
    pub state: State,
    /// The code for programs.
    pub code: HealthCode,
    /// The message for users, one sentence.
    pub message: String,
    /// The details that change frequently, such as the number of restarts.
    pub detail: String,
    /// The message of another program at the end of `message`. None if there is no such message.
    pub quote: Option<Quote>,
    /// True if users should read the fact although its state is Yes.
    pub is_remark: bool,
    /// The facts that are the causes or the details of this fact.
    pub below: Vec<Fact>,
}

impl Fact {
    /// Returns a fact about an object. Escapes unsafe characters in the message, because object
    /// names in the message may contain any text.
    pub(crate) fn new(
        observed: &ObjectVersion,
        state: State,
        code: HealthCode,
        message: &str,
    ) -> Self {
        Self {
            observed: observed.clone(),
            state,
            code,
            message: plain(message),
            detail: String::new(),
            quote: None,
            is_remark: false,
            below: Vec::new(),
        }
    }

    /// Returns the fact that the object is healthy.
    pub(crate) fn fine(observed: &ObjectVersion, message: &str) -> Self {
        Self::new(observed, State::Yes, HealthCode::Healthy, message)
    }

    /// Returns a remark: a fact that users should read, but that does not affect the verdict.
    pub(crate) fn remark(observed: &ObjectVersion, code: HealthCode, message: &str) -> Self {
        Self::judged(observed, State::Yes, code, message)
    }

    /// Returns a fact with this state. If the state is Yes, the fact is a remark.
    pub(crate) fn judged(
        observed: &ObjectVersion,
        state: State,
        code: HealthCode,
        message: &str,
    ) -> Self {
        Self {
            is_remark: state == State::Yes,
            ..Self::new(observed, state, code, message)
        }
    }

    /// Returns the fact with a state that is not worse than NotYet, because the object will change
    /// soon.
    pub(crate) fn softened(self) -> Self {
        Self {
            state: self.state.min(State::NotYet),
            below: self.below.into_iter().map(Self::softened).collect(),
            ..self
        }
    }

    /// Adds a detail that changes frequently.
    pub(crate) fn with_detail(self, detail: &str) -> Self {
        Self {
            detail: plain(detail),
            ..self
        }
    }

    /// Sets the message of another program at the end of the message.
    pub(crate) fn quoting(self, quote: Option<Quote>) -> Self {
        Self {
            quote: quote.map(Quote::made_plain),
            ..self
        }
    }

    /// Adds facts that this fact is based on.
    pub(crate) fn with_below(mut self, below: impl IntoIterator<Item = Self>) -> Self {
        self.below.extend(below);
        self
    }

    /// Returns true if both facts are equal. Ignores details and object versions.
    pub fn says_as(&self, other: &Self) -> bool {
        let Self {
            observed,
            state,
            code,
            message,
            detail: _,
            quote: _,
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

/// Returns true if both lists contain equal facts in the same order. Ignores details and object
/// versions.
pub(crate) fn all_say_as(some: &[Fact], others: &[Fact]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(a, b)| a.says_as(b))
}
