//! Wraps the SAT solver, and limits its steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batsat::{Callbacks, ClauseKind, Solver, SolverInterface, SolverOpts, lbool};

pub(crate) use batsat::Lit;

/// A SAT solver with clauses that are solved repeatedly under different assumptions.
pub(crate) struct Sat {
    solver: Solver<Meter>,
    clause: Vec<Lit>,
}

/// The result of a solver call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SatOutcome {
    Model,
    /// The assumptions contradict each other. [`Sat::is_in_core`] returns true for the assumptions
    /// that cause this.
    Core,
    /// The solver used up its steps, or the caller stopped it.
    Nothing,
}

/// Counts the steps: contradictions and solver calls.
#[derive(Debug)]
struct Meter {
    taken: u32,
    most: u32,
    abandoned: Arc<AtomicBool>,
}

impl Callbacks for Meter {
    fn on_new_clause(&mut self, _: &[Lit], _: ClauseKind) {
        self.taken = self.taken.saturating_add(1);
    }

    fn stop(&self) -> bool {
        self.taken > self.most || self.abandoned.load(Ordering::Relaxed)
    }
}

// === impl Sat ===

impl Sat {
    /// Returns a solver that stops after this number of steps, or after `abandoned` is set.
    pub(crate) fn new(steps: u32, abandoned: Arc<AtomicBool>) -> Self {
        let meter = Meter {
            taken: 0,
            most: steps,
            abandoned,
        };
        Self {
            solver: Solver::new(SolverOpts::default(), meter),
            clause: Vec::new(),
        }
    }

    /// Returns a new literal. The solver prefers the value false for it.
    pub(crate) fn literal(&mut self) -> Lit {
        Lit::new(self.solver.new_var(lbool::UNDEF, true), true)
    }

    /// Returns a new literal that the solver does not have to choose. Its value is assumed, or
    /// follows from other literals.
    pub(crate) fn auxiliary(&mut self) -> Lit {
        Lit::new(self.solver.new_var(lbool::UNDEF, false), true)
    }

    /// Adds a clause. At least one literal of the clause must be true.
    pub(crate) fn add(&mut self, clause: impl IntoIterator<Item = Lit>) {
        self.clause.clear();
        self.clause.extend(clause);
        self.solver.add_clause_reuse(&mut self.clause);
    }

    /// Searches for a model that satisfies all assumptions.
    pub(crate) fn solve(&mut self, assumptions: &[Lit]) -> SatOutcome {
        let meter = self.solver.cb_mut();
        meter.taken = meter.taken.saturating_add(1);
        if meter.stop() {
            return SatOutcome::Nothing;
        }
        match self.solver.solve_limited(assumptions) {
            found if found == lbool::TRUE => SatOutcome::Model,
            found if found == lbool::FALSE => SatOutcome::Core,
            _ => SatOutcome::Nothing,
        }
    }

    /// Returns true if the literal is true in the last model.
    pub(crate) fn holds(&self, literal: Lit) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }

    /// Returns true if the assumption contributes to the last contradiction.
    pub(crate) fn is_in_core(&self, assumption: Lit) -> bool {
        self.solver.unsat_core_contains_var(assumption.var())
    }

    /// Limits the number of further steps.
    pub(crate) fn spend_at_most(&mut self, steps: u32) {
        let meter = self.solver.cb_mut();
        meter.most = meter.taken.saturating_add(steps);
    }

    pub(crate) fn steps(&self) -> u32 {
        let Meter { taken, most, .. } = self.solver.cb();
        *taken.min(most)
    }

    pub(crate) fn has_budget(&self) -> bool {
        !self.solver.cb().stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_contains_only_contradicting_literals() {
        let mut sat = Sat::new(100, Arc::default());
        let [a, b, c] = [sat.literal(), sat.literal(), sat.literal()];
        sat.add([!a, !b]);
        assert_eq!(sat.solve(&[a, c]), SatOutcome::Model);
        assert_eq!(
            (sat.holds(a), sat.holds(b), sat.holds(c)),
            (true, false, true)
        );
        assert_eq!(sat.solve(&[c, a, b]), SatOutcome::Core);
        assert_eq!(
            [a, b, c].map(|literal| sat.is_in_core(literal)),
            [true, true, false]
        );
    }

    #[test]
    fn model_sets_unneeded_literals_to_false() {
        let mut sat = Sat::new(100, Arc::default());
        let literals: Vec<_> = (0..10).map(|_| sat.literal()).collect();
        assert_eq!(sat.solve(&[]), SatOutcome::Model);
        assert!(literals.iter().all(|literal| !sat.holds(*literal)));
    }

    #[test]
    fn stops_search_when_the_caller_abandons_it() {
        let abandoned = Arc::new(AtomicBool::new(false));
        let mut sat = Sat::new(100, abandoned.clone());
        let _ = sat.literal();
        assert_eq!(sat.solve(&[]), SatOutcome::Model);
        abandoned.store(true, Ordering::Relaxed);
        assert_eq!(sat.solve(&[]), SatOutcome::Nothing);
        assert!(!sat.has_budget());
    }

    #[test]
    fn returns_nothing_if_the_budget_is_used_up() {
        let mut sat = Sat::new(1, Arc::default());
        let _ = sat.literal();
        assert_eq!(sat.solve(&[]), SatOutcome::Model);
        assert_eq!(sat.solve(&[]), SatOutcome::Nothing);
    }
}
