//! The trail: the assumed values of variables, and the values that follow from them.

use std::collections::BTreeSet;

use super::GaveUp;
use crate::formula::{Formula, Rule, Var};

/// The indexes of clauses that together cause a contradiction.
pub(super) type Core = BTreeSet<usize>;

/// The values of variables, in the order in which they became known.
///
/// If a clause leaves only one possible value for a variable, the variable gets this value. The
/// trail draws no other conclusions. OLM detects failing guesses with the same rule, so the same
/// guesses fail here and in OLM.
#[derive(Debug)]
pub(super) struct Trail<'f> {
    pub(super) formula: &'f Formula,
    /// True for each clause that is active. Inactive clauses are ignored.
    pub(super) is_active: Vec<bool>,
    values: Vec<Option<bool>>,
    /// The clause that determined the value of each variable. None if the value is assumed or
    /// unknown.
    causes: Vec<Option<usize>>,
    known: Vec<Var>,
    /// The clauses to examine after a variable becomes false (index 0) or true (index 1).
    watches: [Vec<Vec<usize>>; 2],
    patience: u64,
}

// === impl Trail ===

impl<'f> Trail<'f> {
    pub(super) fn new(formula: &'f Formula, patience: u64) -> Self {
        let mut watches = [
            vec![Vec::new(); formula.vars],
            vec![Vec::new(); formula.vars],
        ];
        for (at, clause) in formula.clauses.iter().enumerate() {
            let (on_true, on_false): (&[Var], &[Var]) = match &clause.rule {
                // These clauses force their values before any assumption, so no later change
                // affects them.
                Rule::Must(_) | Rule::Never(_) => continue,
                // A requirement that contains its own variable is always satisfied.
                Rule::AnyOf(var, choices) if choices.contains(var) => continue,
                Rule::AnyOf(var, choices) => (std::slice::from_ref(var), choices),
                Rule::AtMostOne(vars) => (vars, &[]),
            };
            on_false.iter().for_each(|var| watches[0][*var].push(at));
            on_true.iter().for_each(|var| watches[1][*var].push(at));
        }
        Self {
            formula,
            is_active: vec![true; formula.clauses.len()],
            values: vec![None; formula.vars],
            causes: vec![None; formula.vars],
            known: Vec::new(),
            watches,
            patience,
        }
    }

    pub(super) fn value(&self, var: Var) -> Option<bool> {
        self.values[var]
    }

    /// Returns the length of the trail, for use as an argument of [`back`](Self::back).
    pub(super) fn mark(&self) -> usize {
        self.known.len()
    }

    /// Removes the values that became known after the trail had length `mark`.
    pub(super) fn back(&mut self, mark: usize) {
        for var in self.known.drain(mark..) {
            self.values[var] = None;
            self.causes[var] = None;
        }
    }

    /// Removes all values. Then derives the values that follow without any assumption.
    pub(super) fn start(&mut self) -> Result<Result<(), Core>, GaveUp> {
        self.back(0);
        let from = self.mark();
        for at in 0..self.formula.clauses.len() {
            if self.is_active[at]
                && let Err(core) = self.look(at)?
            {
                return Ok(Err(core));
            }
        }
        self.follow(from)
    }

    /// Assumes a value, and derives the values that follow from it. Fails if the variable has the
    /// other value, or if a clause is violated.
    pub(super) fn assume(&mut self, var: Var, value: bool) -> Result<Result<(), Core>, GaveUp> {
        match self.values[var] {
            Some(known) if known == value => return Ok(Ok(())),
            Some(_) => return Ok(Err(self.causes_of([var]))),
            None => {}
        }
        let from = self.mark();
        self.set(var, value, None);
        self.follow(from)
    }

    fn set(&mut self, var: Var, value: bool, cause: Option<usize>) {
        self.values[var] = Some(value);
        self.causes[var] = cause;
        self.known.push(var);
    }

    /// Examines the clauses that the newly known variables affect.
    fn follow(&mut self, mut from: usize) -> Result<Result<(), Core>, GaveUp> {
        while let Some(var) = self.known.get(from).copied() {
            from += 1;
            let side = usize::from(self.values[var] == Some(true));
            for nth in 0..self.watches[side][var].len() {
                let at = self.watches[side][var][nth];
                if self.is_active[at]
                    && let Err(core) = self.look(at)?
                {
                    return Ok(Err(core));
                }
            }
        }
        Ok(Ok(()))
    }

    /// Sets the variables for which a clause leaves only one value. Fails if the clause is
    /// violated.
    fn look(&mut self, at: usize) -> Result<Result<(), Core>, GaveUp> {
        let formula = self.formula;
        let rule = &formula.clauses[at].rule;
        self.pay(rule.size())?;
        let forced: Vec<(Var, bool)> = match rule {
            Rule::Must(var) => vec![(*var, true)],
            Rule::Never(var) => vec![(*var, false)],
            Rule::AnyOf(var, choices) => self.forced_by_choice(*var, choices),
            Rule::AtMostOne(vars) => match vars.iter().find(|var| self.is(**var, true)) {
                Some(only) => {
                    let others = vars.iter().filter(|var| *var != only);
                    others.map(|var| (*var, false)).collect()
                }
                None => Vec::new(),
            },
        };
        for (var, value) in forced {
            match self.values[var] {
                None => self.set(var, value, Some(at)),
                Some(known) if known == value => {}
                Some(_) => return Ok(Err(self.contradiction(at))),
            }
        }
        Ok(Ok(()))
    }

    pub(super) fn pay(&mut self, steps: usize) -> Result<(), GaveUp> {
        let left = self.patience.checked_sub(steps as u64);
        self.patience = left.ok_or(GaveUp)?;
        Ok(())
    }

    fn is(&self, var: Var, value: bool) -> bool {
        self.values[var] == Some(value)
    }

    /// Returns the only remaining candidate with value true. If no candidate remains, returns the
    /// requiring variable with value false.
    fn forced_by_choice(&self, var: Var, choices: &[Var]) -> Vec<(Var, bool)> {
        let is_settled = self.is(var, false)
            || choices.contains(&var)
            || choices.iter().any(|choice| self.is(*choice, true));
        if is_settled {
            return Vec::new();
        }
        let mut left = choices.iter().filter(|choice| !self.is(**choice, false));
        match (left.next(), left.next()) {
            (None, _) => vec![(var, false)],
            (Some(only), None) if self.is(var, true) => vec![(*only, true)],
            (Some(_), _) => Vec::new(),
        }
    }

    /// Returns the violated clause, together with all clauses that led to the violation.
    pub(super) fn contradiction(&self, at: usize) -> Core {
        let mut core = match &self.formula.clauses[at].rule {
            Rule::Must(var) | Rule::Never(var) => self.causes_of([*var]),
            Rule::AnyOf(var, choices) => self.causes_of(choices.iter().copied().chain([*var])),
            Rule::AtMostOne(vars) => {
                let there = vars.iter().copied().filter(|var| self.is(*var, true));
                self.causes_of(there)
            }
        };
        core.insert(at);
        core
    }

    /// Returns the clauses that led to the values of some variables.
    fn causes_of(&self, vars: impl IntoIterator<Item = Var>) -> Core {
        let mut core = Core::new();
        let mut stack: Vec<_> = vars.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(var) = stack.pop() {
            if !seen.insert(var) {
                continue;
            }
            let Some(at) = self.causes[var] else {
                continue;
            };
            core.insert(at);
            match &self.formula.clauses[at].rule {
                Rule::Must(_) | Rule::Never(_) => {}
                Rule::AnyOf(var, choices) => {
                    let known = choices
                        .iter()
                        .filter(|choice| self.values[**choice].is_some());
                    stack.extend(known.copied().chain([*var]));
                }
                Rule::AtMostOne(vars) => {
                    stack.extend(vars.iter().copied().filter(|var| self.is(*var, true)));
                }
            }
        }
        core
    }
}
