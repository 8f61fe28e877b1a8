//! The objective for comparing Solutions.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::pool::Pool;
use crate::problem::{Item, Problem};

/// The counted criteria of the objective, most important first. All criteria are about extras. An
/// extra is an operator that is not installed, and that no satisfied requirement names by package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Criterion {
    /// The number of dependencies that only extras from other catalogs satisfy.
    Foreign,
    /// The number of extras for which a catalog with a higher priority contains the package.
    Outranked,
    /// The number of extras outside of their default channel.
    Elsewhere,
    /// The number of extras that are not the head of their channel.
    Behind,
    /// The number of extras that are deprecated.
    Deprecated,
    Extra,
}

/// The cost of a set of operators. A lower cost is better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cost {
    /// The position of the chosen operator among the candidates of each satisfied requirement.
    pub(crate) places: Vec<usize>,
    /// The numbers that the criteria count.
    pub(crate) counts: [usize; Criterion::ALL.len()],
    /// The extras, last extra first. They decide between sets that are equal otherwise.
    candidates: Vec<Item>,
}

/// The satisfied requirements, which determine the operators that count as extras.
#[derive(Debug)]
pub(crate) struct Scope<'p, 'a> {
    pub(crate) problem: &'p Problem<'a>,
    pub(crate) granted: Vec<usize>,
    wished: BTreeSet<crate::universe::PackageId>,
}

// === impl Criterion ===

impl Criterion {
    pub(crate) const ALL: [Self; 6] = [
        Self::Foreign,
        Self::Outranked,
        Self::Elsewhere,
        Self::Behind,
        Self::Deprecated,
        Self::Extra,
    ];
}

// === impl Scope ===

impl<'p, 'a> Scope<'p, 'a> {
    pub(crate) fn new(problem: &'p Problem<'a>, granted: Vec<usize>) -> Self {
        let wishes = granted
            .iter()
            .map(|at| &problem.question.wishes[*at].package);
        let wished = wishes.filter_map(|package| problem.universe.package(package));
        let wished = wished.collect();
        Self {
            problem,
            granted,
            wished,
        }
    }

    pub(crate) fn is_extra(&self, item: Item) -> bool {
        match item {
            Item::Resident(_) => false,
            Item::Candidate(id) => {
                let package = self.problem.universe.candidate(id).package;
                !self.wished.contains(&package)
            }
        }
    }

    /// Returns true if the criterion counts the operator. Returns false for `Foreign`, because this
    /// criterion counts pairs of operators.
    pub(crate) fn counts(&self, criterion: Criterion, item: Item) -> bool {
        let Item::Candidate(id) = item else {
            return false;
        };
        let candidate = self.problem.universe.candidate(id);
        self.is_extra(item)
            && match criterion {
                Criterion::Foreign => false,
                Criterion::Outranked => candidate.is_outranked,
                Criterion::Elsewhere => candidate.place().is_elsewhere,
                Criterion::Behind => candidate.place().is_behind,
                Criterion::Deprecated => candidate.deprecation.is_some(),
                Criterion::Extra => true,
            }
    }

    /// Returns true if `by` is an extra, and if its catalog differs from the catalog of the
    /// dependent bundle.
    pub(crate) fn is_foreign(&self, needy: Item, by: Item) -> bool {
        match (needy, by) {
            (Item::Candidate(needy), Item::Candidate(id)) => {
                let catalog = |id| self.problem.universe.candidate(id).catalog;
                self.is_extra(by) && catalog(needy) != catalog(id)
            }
            (Item::Resident(_), _) | (_, Item::Resident(_)) => false,
        }
    }

    /// Returns the cost of a set of operators. The set must be valid and sorted.
    pub(crate) fn cost(&self, items: &[Item]) -> Cost {
        let places = self.granted.iter().map(|at| {
            let aim = &self.problem.aims[*at];
            aim.place_in(items).unwrap_or(aim.picks.len())
        });
        let counts = Criterion::ALL.map(|criterion| self.count(criterion, items));
        let candidates = items.iter().filter(|item| self.is_extra(**item));
        Cost {
            places: places.collect(),
            counts,
            candidates: candidates.rev().copied().collect(),
        }
    }

    /// Returns the number that a criterion counts. The set of operators must be valid.
    pub(crate) fn count(&self, criterion: Criterion, items: &[Item]) -> usize {
        let counted = items.iter().filter(|item| self.counts(criterion, **item));
        if criterion == Criterion::Foreign {
            self.foreign(items)
        } else {
            counted.count()
        }
    }

    fn foreign(&self, items: &[Item]) -> usize {
        let problem = self.problem;
        if problem.universe.catalogs.len() < 2 {
            return 0;
        }
        let pool = Pool::of(items.iter().map(|item| problem.offer(*item)));
        let needs = items.iter().flat_map(|item| {
            let needs = problem.needs(*item).iter();
            needs.map(move |need| (*item, problem.requirement(*need)))
        });
        let only_foreign = needs.filter(|(needy, requirement)| {
            let mut by = pool.meeting(requirement).map(|at| items[at]).peekable();
            by.peek().is_some() && by.all(|by| self.is_foreign(*needy, by))
        });
        only_foreign.count()
    }
}

// === impl Cost ===

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> Ordering {
        let Self {
            places,
            counts,
            candidates,
        } = self;
        places
            .cmp(&other.places)
            .then_with(|| counts.cmp(&other.counts))
            .then_with(|| candidates.cmp(&other.candidates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(candidates: &[u32]) -> Cost {
        Cost {
            places: Vec::new(),
            counts: [0; Criterion::ALL.len()],
            candidates: candidates.iter().map(|id| Item::Candidate(*id)).collect(),
        }
    }

    #[test]
    fn compares_costs_by_the_highest_different_candidate() {
        assert!(cost(&[7, 2]) < cost(&[8, 1]));
        assert!(cost(&[8, 1]) < cost(&[8, 2]));
        assert!(cost(&[8]) < cost(&[8, 2]));
    }
}
