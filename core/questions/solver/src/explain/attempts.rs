//! Collects the failed attempts to satisfy requirements, with the causes of their failure.

use std::collections::BTreeSet;

use crate::Attempt;
use crate::encoding::Rule;
use crate::problem::{Item, NeedGroup, NeedId, Problem};

/// The maximum depth of the attempts, because deeper trees are hard to read.
const DEEPEST: usize = 10;
const MOST: usize = 6;

/// Collects the attempts that fail because of some causes.
pub(super) struct Attempts<'e, 'p, 'a> {
    problem: &'p Problem<'a>,
    causes: &'e [Rule],
    /// The dependencies whose attempts are already listed.
    told: BTreeSet<NeedId>,
}

// === impl Attempts ===

impl<'e, 'p, 'a> Attempts<'e, 'p, 'a> {
    pub(super) fn new(problem: &'p Problem<'a>, causes: &'e [Rule]) -> Self {
        Self {
            problem,
            causes,
            told: BTreeSet::new(),
        }
    }

    /// Returns one attempt for each requirement among the causes, in order.
    pub(super) fn of_wishes(mut self) -> Vec<Attempt> {
        let problem = self.problem;
        let wishes = self.causes.iter().enumerate();
        let wishes = wishes.filter_map(|(place, rule)| match rule {
            Rule::Wish(at) => Some((place, *at)),
            Rule::Need(..)
            | Rule::Stays(_)
            | Rule::OnePackage(_)
            | Rule::OneProvider(_)
            | Rule::Prohibited(_)
            | Rule::Unknown(_) => None,
        });
        let wishes: Vec<_> = wishes.collect();
        let attempts = wishes.into_iter().map(|(place, at)| {
            let picks = problem.aims[at].picks.iter().map(|pick| pick.item);
            Attempt {
                bundles: Vec::new(),
                causes: vec![place],
                attempts: self.of_items(picks.collect(), DEEPEST),
            }
        });
        attempts.collect()
    }

    /// Returns the attempts to use these operators. Operators that fail because of the same causes
    /// have one common attempt.
    fn of_items(&mut self, items: Vec<Item>, depth: usize) -> Vec<Attempt> {
        let mut groups: Vec<(Vec<usize>, Vec<Item>)> = Vec::new();
        for item in items {
            let causes = self.causes_of(item);
            match groups.iter_mut().find(|(known, _)| *known == causes) {
                Some((_, alike)) => alike.push(item),
                None => groups.push((causes, vec![item])),
            }
        }
        let groups = groups.into_iter().filter(|(causes, _)| !causes.is_empty());
        let groups: Vec<_> = groups.take(MOST).collect();
        let attempts = groups.into_iter().map(|(causes, alike)| Attempt {
            bundles: self.names(&alike),
            attempts: self.of_needs(&causes, &alike, depth),
            causes,
        });
        attempts.collect()
    }

    /// Iterates over the dependencies of an operator that belong to a group.
    fn needs(&self, item: Item, subject: NeedGroup) -> impl Iterator<Item = NeedId> {
        let needs = self.problem.needs(item).iter().copied();
        needs.filter(move |need| self.problem.subject(*need) == subject)
    }

    /// Returns the attempts to satisfy the dependencies of some operators. Skips dependencies whose
    /// attempts are already listed.
    fn of_needs(&mut self, causes: &[usize], alike: &[Item], depth: usize) -> Vec<Attempt> {
        let mut attempts = Vec::new();
        for cause in causes {
            let Rule::Need(_, subject) = self.causes[*cause] else {
                continue;
            };
            let needs = alike.iter().flat_map(|item| self.needs(*item, subject));
            let needs: BTreeSet<_> = needs.filter(|need| !self.told.contains(need)).collect();
            if depth > 0 && !needs.is_empty() {
                let items = needs.iter().flat_map(|need| self.problem.fulfilling(*need));
                let items: BTreeSet<_> = items.collect();
                self.told.extend(needs);
                attempts.extend(self.of_items(items.into_iter().collect(), depth - 1));
            }
        }
        attempts
    }

    /// Returns the causes that exclude an operator, as indexes of `causes`.
    fn causes_of(&self, item: Item) -> Vec<usize> {
        let problem = self.problem;
        let package = problem.package(item);
        let speaks = |rule: &Rule| match *rule {
            Rule::Need(owner, subject) => {
                problem.owner(item) == owner && self.needs(item, subject).next().is_some()
            }
            Rule::OnePackage(id) => package == Some(id),
            Rule::OneProvider(api) => problem.apis(item).any(|provided| provided == api),
            Rule::Prohibited(id) => package == Some(id) && problem.is_prohibited(item),
            Rule::Stays(at) => self.stands_in_the_way(at, item),
            Rule::Wish(_) | Rule::Unknown(_) => false,
        };
        let causes = self.causes.iter().enumerate();
        let causes = causes.filter(|(_, rule)| speaks(rule));
        causes.map(|(place, _)| place).collect()
    }

    /// Returns true if a cause excludes `item` because of an installed operator. Both operators
    /// have the same package, or provide the same API.
    fn stands_in_the_way(&self, at: u32, item: Item) -> bool {
        let resident = Item::Resident(at);
        let problem = self.problem;
        item != resident
            && self.causes.iter().any(|rule| match *rule {
                Rule::OnePackage(id) => [item, resident]
                    .iter()
                    .all(|item| problem.package(*item) == Some(id)),
                Rule::OneProvider(api) => [item, resident]
                    .iter()
                    .all(|item| problem.apis(*item).any(|provided| provided == api)),
                Rule::Wish(_)
                | Rule::Need(..)
                | Rule::Stays(_)
                | Rule::Prohibited(_)
                | Rule::Unknown(_) => false,
            })
    }

    fn names(&self, items: &[Item]) -> Vec<portolan_core_names::BundleName> {
        let mut seen = BTreeSet::new();
        let names = items.iter().map(|item| self.problem.name(*item));
        let names = names.filter(|name| seen.insert(*name));
        names.cloned().collect()
    }
}
