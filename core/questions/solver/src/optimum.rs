//! Finds the best set of operators that satisfies all rules.

use std::collections::{BTreeMap, BTreeSet};

use crate::cost::{Criterion, Scope};
use crate::encoding::Encoding;
use crate::problem::Item;
use crate::sat::{Lit, SatOutcome};
use crate::universe::PackageId;
use crate::{Optimality, check};

/// The search for the best model. It improves a model until no better model exists.
///
/// Clauses are created when they are needed. Therefore a pass computes its minimum from a subset of
/// the rules, so the minimum is a lower bound. A model that satisfies all rules and reaches this
/// minimum is the best model. If no model reaches the minimum, the pass has created new clauses,
/// and another pass follows.
pub(crate) struct Optimum<'e, 'p, 'a> {
    scope: Scope<'p, 'a>,
    encoding: &'e mut Encoding<'p, 'a>,
    /// The literals of the satisfied requirements.
    wishes: Vec<Lit>,
    /// The operators of a model that satisfies all rules, sorted.
    pub(crate) chosen: Vec<Item>,
}

/// The error for a search that used up its budget.
struct BudgetExhausted;

/// The minimum of one pass.
#[derive(Debug, Default)]
struct Least {
    places: Vec<usize>,
    counts: Vec<usize>,
    /// The extras that the pass decided individually, sorted.
    extras: Vec<Item>,
}

/// The elements that already have a literal for counting.
#[derive(Debug, Default)]
struct Counted {
    /// The number of operators that are already processed.
    items: usize,
    packages: BTreeMap<PackageId, Lit>,
    /// The operators whose dependencies are already processed.
    needy: BTreeSet<Item>,
}

// === impl Optimum ===

impl<'e, 'p, 'a> Optimum<'e, 'p, 'a> {
    /// Starts from the last model of the encoding, which satisfies the requirements of the scope.
    pub(crate) fn new(scope: Scope<'p, 'a>, encoding: &'e mut Encoding<'p, 'a>) -> Self {
        let wishes = scope.granted.iter();
        let wishes = wishes.map(|at| encoding.rule(crate::encoding::Rule::Wish(*at)));
        Self {
            wishes: wishes.collect(),
            chosen: encoding.chosen(),
            scope,
            encoding,
        }
    }

    /// Improves the model until it is the best model, or until the budget is used up.
    pub(crate) fn find(mut self) -> (Vec<Item>, Optimality) {
        loop {
            let round = self.encoding.sat.auxiliary();
            match self.pass(round) {
                Ok(least) if self.has(&least) => return (self.chosen, Optimality::Best),
                Ok(_) => self.encoding.sat.add([!round]),
                Err(BudgetExhausted) => {
                    let chosen = check::polished(&self.scope, self.chosen);
                    let steps = self.encoding.sat.steps();
                    return (chosen, Optimality::NoSingleChangeBetters { steps });
                }
            }
        }
    }

    /// Returns true if the model reaches the minimum of a pass.
    fn has(&self, least: &Least) -> bool {
        let cost = self.scope.cost(&self.chosen);
        let mut extras = self
            .chosen
            .iter()
            .filter(|item| self.scope.is_extra(**item));
        cost.places == least.places
            && cost.counts[..] == least.counts
            && extras.all(|extra| least.extras.binary_search(extra).is_ok())
    }

    /// Minimizes one criterion after the other. Each minimum is kept for the rest of the pass.
    fn pass(&mut self, round: Lit) -> Result<Least, BudgetExhausted> {
        let mut least = Least::default();
        for at in 0..self.scope.granted.len() {
            least.places.push(self.place(round, at)?);
        }
        for criterion in Criterion::ALL {
            least.counts.push(self.count(round, criterion)?);
            // If the counts of the model differ from the minima, the model contains operators that
            // had no literal for counting yet. The pass then ends early.
            let counts = self.scope.cost(&self.chosen).counts;
            if !counts.starts_with(&least.counts) {
                return Ok(least);
            }
        }
        least.extras = self.extras(round)?;
        Ok(least)
    }

    /// Returns the position of the best candidate that a requirement can have. Keeps this candidate
    /// for the rest of the pass.
    fn place(&mut self, round: Lit, at: usize) -> Result<usize, BudgetExhausted> {
        let problem = self.scope.problem;
        let picks = &problem.aims[self.scope.granted[at]].picks;
        for (place, pick) in picks.iter().enumerate() {
            let lit = self.encoding.item(pick.item);
            if self.chose(pick.item) || self.is_possible(round, &[lit])? {
                self.encoding.sat.add([!round, lit]);
                return Ok(place);
            }
        }
        Ok(picks.len())
    }

    /// Returns the minimum count of a criterion.
    ///
    /// The search first assumes that all counted literals are false. Each contradiction proves that
    /// at least one literal of its core is true, so the minimum increases by one. From then on, the
    /// search assumes that no second literal of this core is true. This algorithm is called PM-RES,
    /// a core-guided MaxSAT algorithm.
    fn count(&mut self, round: Lit, criterion: Criterion) -> Result<usize, BudgetExhausted> {
        let mut counted = Counted::default();
        let mut bad = self.counted(round, criterion, &mut counted);
        let mut least = 0;
        while self.scope.count(criterion, &self.chosen) > least {
            let none: Vec<_> = bad.iter().map(|lit| !*lit).collect();
            if self.is_possible(round, &none)? {
                // A new model may contain operators that were not counted yet.
                let more = self.counted(round, criterion, &mut counted);
                if more.is_empty() {
                    break;
                }
                bad.extend(more);
                continue;
            }
            least += 1;
            let sat = &mut self.encoding.sat;
            let (core, rest) = bad.into_iter().partition(|lit| sat.is_in_core(!*lit));
            bad = rest;
            bad.extend(self.seconds(round, core));
        }
        for lit in bad {
            self.encoding.sat.add([!round, !lit]);
        }
        Ok(least)
    }

    /// Returns new literals to count instead of the literals of a core. If `k` literals of the core
    /// are true, at least `k - 1` of the new literals are true.
    fn seconds(&mut self, round: Lit, core: Vec<Lit>) -> Vec<Lit> {
        let sat = &mut self.encoding.sat;
        sat.add(core.iter().copied().chain([!round]));
        let mut behind = core.into_iter().rev();
        let Some(mut any) = behind.next() else {
            return Vec::new();
        };
        let mut seconds = Vec::new();
        for lit in behind {
            let second = sat.auxiliary();
            sat.add([!lit, !any, second]);
            seconds.push(second);
            let more = sat.auxiliary();
            sat.add([!lit, more]);
            sat.add([!any, more]);
            any = more;
        }
        seconds
    }

    /// Returns literals for the elements that a criterion counts and that have no literal for
    /// counting yet.
    fn counted(&mut self, round: Lit, criterion: Criterion, counted: &mut Counted) -> Vec<Lit> {
        let items: Vec<_> = self.encoding.items().collect();
        match criterion {
            Criterion::Foreign => self.foreign(round, &items, counted),
            Criterion::Outranked
            | Criterion::Elsewhere
            | Criterion::Behind
            | Criterion::Deprecated
            | Criterion::Extra => self.packages(criterion, &items, counted),
        }
    }

    /// Returns new literals for counting, one for each package. A model contains at most one bundle
    /// of a package, so one literal for all of its bundles is sufficient.
    fn packages(
        &mut self,
        criterion: Criterion,
        items: &[(Item, Lit, bool)],
        counted: &mut Counted,
    ) -> Vec<Lit> {
        let mut new = Vec::new();
        let known = counted.items;
        counted.items = items.len();
        for (item, lit, _) in &items[known..] {
            let package = self.scope.problem.package(*item);
            let Some(package) = package.filter(|_| self.scope.counts(criterion, *item)) else {
                continue;
            };
            let sat = &mut self.encoding.sat;
            let any = *counted.packages.entry(package).or_insert_with(|| {
                new.push(sat.auxiliary());
                new[new.len() - 1]
            });
            sat.add([!*lit, any]);
        }
        new
    }

    fn foreign(
        &mut self,
        round: Lit,
        items: &[(Item, Lit, bool)],
        counted: &mut Counted,
    ) -> Vec<Lit> {
        let problem = self.scope.problem;
        if problem.universe.catalogs.len() < 2 {
            return Vec::new();
        }
        let mut new = Vec::new();
        let expanded = items.iter().filter(|(_, _, is_expanded)| *is_expanded);
        for (needy, lit, _) in expanded {
            if !counted.needy.insert(*needy) {
                continue;
            }
            for need in problem.needs(*needy) {
                let by: Vec<_> = problem.fulfilling(*need).collect();
                let is_foreign = |by: &&Item| self.scope.is_foreign(*needy, **by);
                let (foreign, near): (Vec<&Item>, Vec<&Item>) = by.iter().partition(is_foreign);
                if foreign.is_empty() {
                    continue;
                }
                let only_foreign = self.encoding.sat.auxiliary();
                let near: Vec<_> = near.into_iter().map(|by| self.encoding.item(*by)).collect();
                let clause = near.into_iter().chain([!round, !*lit, only_foreign]);
                self.encoding.sat.add(clause);
                new.push(only_foreign);
            }
        }
        new
    }

    /// Decides for each extra, last extra first, if the model needs it. Excludes extras that the
    /// model does not need. Returns all extras that were decided.
    fn extras(&mut self, round: Lit) -> Result<Vec<Item>, BudgetExhausted> {
        let items = self.encoding.items();
        let extras = items.filter(|(item, _, _)| self.scope.is_extra(*item));
        let mut extras: Vec<_> = extras.map(|(item, lit, _)| (item, lit)).collect();
        extras.sort_unstable_by_key(|(item, _)| *item);
        for (item, lit) in extras.iter().rev() {
            let is_needed = self.chose(*item) && !self.is_possible(round, &[!*lit])?;
            let held = if is_needed { *lit } else { !*lit };
            self.encoding.sat.add([!round, held]);
        }
        Ok(extras.into_iter().map(|(item, _)| item).collect())
    }

    fn chose(&self, item: Item) -> bool {
        self.chosen.binary_search(&item).is_ok()
    }

    /// Returns true if a model satisfies these literals. The search then continues from this model.
    fn is_possible(&mut self, round: Lit, with: &[Lit]) -> Result<bool, BudgetExhausted> {
        let assumed: Vec<_> = self
            .wishes
            .iter()
            .chain([&round])
            .chain(with)
            .copied()
            .collect();
        match self.encoding.solve(|_| assumed.clone()) {
            SatOutcome::Model => {
                self.chosen = self.encoding.chosen();
                Ok(true)
            }
            SatOutcome::Core => Ok(false),
            SatOutcome::Nothing => Err(BudgetExhausted),
        }
    }
}
