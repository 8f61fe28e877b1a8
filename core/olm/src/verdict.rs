//! What a service says of a thing: whether it is so, and if not, why.

/// The answer in one word, the better before the worse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// It is so: an operator is well, an InstallPlan may be approved.
    Yes,
    /// It is on its way, or not known.
    #[default]
    NotYet,
    /// It is not, and no waiting changes that.
    No,
}

/// Whether something is so, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict<R> {
    /// The worst that any reason says.
    pub state: State,
    /// Why it is not Yes, the worst first.
    pub reasons: Vec<R>,
}

/// Why something is not so, or what is worth knowing besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason<C, O> {
    /// What this alone would make of the Verdict.
    pub state: State,
    /// For programs.
    pub code: C,
    /// The object that the sentence is about.
    pub object: O,
    /// For a person.
    pub message: String,
}

// === impl Verdict ===

/// Nothing is known.
impl<R> Default for Verdict<R> {
    fn default() -> Self {
        Self {
            state: State::default(),
            reasons: Vec::new(),
        }
    }
}

impl<C: Ord, O: Ord> Verdict<Reason<C, O>> {
    /// The Verdict that these reasons make: the worst first, then in the order of codes and of
    /// objects, and else as they come.
    pub fn of(mut reasons: Vec<Reason<C, O>>) -> Self {
        reasons.sort_by(|a, b| {
            let worst_first = b.state.cmp(&a.state);
            worst_first.then_with(|| (&a.code, &a.object).cmp(&(&b.code, &b.object)))
        });
        let state = reasons.first().map_or(State::Yes, |worst| worst.state);
        Self { state, reasons }
    }
}
