//! What is said of the health of a thing.

use crate::{Code, Fact, Object};

/// The answer in one word, the better before the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// It is well.
    Yes,
    /// Something is under way, or is not known.
    NotYet,
    /// Something is wrong.
    No,
}

/// Whether something is well, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The worst that any fact says.
    pub state: State,
    /// Every fact that does not say Yes: the worst first, and causes before what follows from them.
    pub reasons: Vec<Reason>,
}

/// Why something is not well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What this alone would make of the Verdict.
    pub state: State,
    /// For programs.
    pub code: Code,
    /// The object that the sentence is about.
    pub object: Object,
    /// For a person.
    pub message: String,
}

// === impl Verdict ===

impl Verdict {
    /// The Verdict that these facts make, with all below them.
    pub fn of(facts: &[Fact]) -> Self {
        let mut reasons = Vec::new();
        facts.iter().for_each(|fact| gather(fact, &mut reasons));
        reasons.sort_by(|a, b| {
            let worst_first = b.state.cmp(&a.state);
            worst_first.then_with(|| (a.code, &a.object).cmp(&(b.code, &b.object)))
        });
        let state = reasons.first().map_or(State::Yes, |worst| worst.state);
        Self { state, reasons }
    }
}

fn gather(fact: &Fact, reasons: &mut Vec<Reason>) {
    if fact.state != State::Yes {
        reasons.push(Reason {
            state: fact.state,
            code: fact.code,
            object: fact.observed.object.clone(),
            message: fact.message.clone(),
        });
    }
    fact.below.iter().for_each(|below| gather(below, reasons));
}
