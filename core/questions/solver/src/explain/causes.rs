//! Converts rules to the causes of a Conflict.

use std::collections::BTreeSet;

use portolan_core_names::BundleName;

use super::attempts::Attempts;
use crate::encoding::{Encoding, Owner, Rule};
use crate::problem::{Item, NeedGroup, NeedId, Problem, unprovided};
use crate::universe::{ApiId, PackageId};
use crate::{Cause, Conflict, Freshness, Required};

pub(super) fn conflict(
    encoding: &Encoding<'_, '_>,
    rules: &BTreeSet<Rule>,
    is_minimal: bool,
) -> Conflict {
    let items = encoding.items().filter(|(_, _, is_expanded)| *is_expanded);
    let mut items: Vec<_> = items.map(|(item, _, _)| item).collect();
    items.sort_unstable();
    let rules: Vec<_> = rules.iter().copied().collect();
    let told = CauseTeller {
        problem: encoding.problem,
        items: &items,
    };
    Conflict {
        causes: rules.iter().map(|rule| told.cause(*rule)).collect(),
        is_minimal,
        attempts: Attempts::new(encoding.problem, &rules).of_wishes(),
    }
}

/// Converts rules to causes.
struct CauseTeller<'e, 'p, 'a> {
    problem: &'p Problem<'a>,
    /// The expanded operators, sorted.
    items: &'e [Item],
}

// === impl CauseTeller ===

impl CauseTeller<'_, '_, '_> {
    fn cause(&self, rule: Rule) -> Cause {
        let problem = self.problem;
        match rule {
            Rule::Wish(at) => Cause::Wish {
                at,
                wish: problem.question.wishes[at].clone(),
                lack: problem.aims[at].lack.clone(),
            },
            Rule::Need(owner, subject) => self.requires(owner, subject),
            Rule::Stays(at) => Cause::Stays(problem.residents[at as usize].installed.clone()),
            Rule::OnePackage(id) => Cause::OnePackage(self.package(id)),
            Rule::OneProvider(api) => Cause::OneProvider(self.api(api)),
            Rule::Prohibited(id) => Cause::Prohibited {
                package: self.package(id),
                bundles: self.prohibited(id),
            },
            Rule::Unknown(at) => self.unknown(at),
        }
    }

    fn requires(&self, owner: Owner, subject: NeedGroup) -> Cause {
        let problem = self.problem;
        let mut needs: Vec<NeedId> = Vec::new();
        let owned = self
            .items
            .iter()
            .filter(|item| problem.owner(**item) == owner);
        for need in owned.flat_map(|item| problem.needs(*item)) {
            if problem.subject(*need) == subject && !needs.contains(need) {
                needs.push(*need);
            }
        }
        let is_hopeless = |need: &NeedId| problem.fulfilling(*need).next().is_none();
        let first = needs.first().filter(|_| needs.iter().all(is_hopeless));
        let lack = first.map(|need| unprovided(problem.universe, problem.requirement(*need)));
        let required = needs.iter().map(|need| Required {
            requirement: problem.requirement(*need).clone(),
            bundles: self
                .names(|item| problem.owner(item) == owner && problem.needs(item).contains(need)),
        });
        Cause::Requires {
            package: self.owner(owner),
            required: required.collect(),
            lack,
        }
    }

    fn owner(&self, owner: Owner) -> Option<portolan_core_names::PackageName> {
        match owner {
            Owner::Package(id) => Some(self.package(id)),
            Owner::Resident(at) => {
                let resident = &self.problem.residents[at as usize];
                resident.package_name.cloned()
            }
        }
    }

    fn package(&self, id: PackageId) -> portolan_core_names::PackageName {
        self.problem.universe.packages[id as usize].name.clone()
    }

    fn api(&self, id: ApiId) -> portolan_core_catalog::Api {
        self.problem.universe.api_of(id).clone()
    }

    /// Returns the names of the expanded operators for which `concerns` returns true. The best
    /// operator comes first, and there are no duplicates.
    fn names(&self, concerns: impl Fn(Item) -> bool) -> Vec<BundleName> {
        let items = self.items.iter().copied().filter(|item| concerns(*item));
        let mut seen = BTreeSet::new();
        let names = items.map(|item| self.problem.name(item));
        let names = names.filter(|name| seen.insert(*name));
        names.cloned().collect()
    }

    /// Returns the bundles of a package that have the property `olm.deprecated`. They are never
    /// expanded, because no model contains them.
    fn prohibited(&self, id: PackageId) -> Vec<BundleName> {
        let universe = self.problem.universe;
        let candidates = universe.packages[id as usize].candidates.clone();
        let bundles = candidates.map(|id| &universe.candidate(id).bundle);
        let mut seen = BTreeSet::new();
        let names = bundles.filter(|bundle| bundle.is_prohibited);
        let names = names.map(|bundle| &bundle.name);
        let names = names.filter(|name| seen.insert(*name));
        names.cloned().collect()
    }

    fn unknown(&self, at: usize) -> Cause {
        let catalog = &self.problem.universe.catalogs[at];
        let (why, is_stale) = match &catalog.freshness {
            Freshness::Stale(why) => (why.clone(), true),
            Freshness::Unread(why) => (why.clone(), false),
            Freshness::Serving => unreachable!("a catalog that is being served must have content"),
        };
        Cause::Unread {
            catalog: catalog.name.clone(),
            why,
            is_stale,
        }
    }
}
