//! Which operators exclude each other: those of one package, and those that provide one API.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::exclusion::Exclusion;
use super::{Encoding, Force, Rule};
use crate::problem::Item;
use crate::sat::Lit;
use crate::universe::{ApiId, CandidateId, PackageId};

/// An API that operators of several packages provide.
#[derive(Debug, Default)]
pub(super) struct Shared {
    exclusion: Exclusion,
    /// By package, that one of its bundles provides it.
    packages: BTreeMap<PackageId, Lit>,
}

// === impl Encoding ===

impl Encoding<'_, '_> {
    /// Adds the clauses by which a new operator excludes others.
    pub(super) fn exclude(&mut self, id: CandidateId, lit: Lit) {
        let problem = self.problem;
        let candidate = problem.universe.candidate(id);
        let package = candidate.package;
        if candidate.bundle.is_prohibited {
            self.hold(Rule::Prohibited(package), [!lit]);
        }
        if let Entry::Vacant(unknown) = self.packages.entry(package) {
            unknown.insert(Exclusion::default());
            self.exclude_residents(Rule::OnePackage(package), |item| {
                problem.package(item) == Some(package)
            });
        }
        self.admit_to(Rule::OnePackage(package), lit);
        for api in problem.apis(Item::Candidate(id)) {
            if let Entry::Vacant(unknown) = self.apis.entry(api) {
                unknown.insert(Shared::default());
                self.exclude_residents(Rule::OneProvider(api), |item| {
                    problem.apis(item).any(|provided| provided == api)
                });
            }
            let provider = self.provider(api, package, lit);
            if let Some(provider) = provider {
                self.admit_to(Rule::OneProvider(api), provider);
            }
        }
    }

    /// What is to be admitted for a new provider of an API, if anything is.
    ///
    /// Bundles of one package exclude each other already, so that one literal for all of them will
    /// do. Where rules can be lifted, each has to be able to do without the other.
    fn provider(&mut self, api: ApiId, package: PackageId, lit: Lit) -> Option<Lit> {
        if self.force == Force::Assumed {
            return Some(lit);
        }
        let sat = &mut self.sat;
        let shared = self.apis.entry(api).or_default();
        let known = shared.packages.get(&package).copied();
        let provider = known.unwrap_or_else(|| sat.auxiliary());
        shared.packages.insert(package, provider);
        sat.add([!lit, provider]);
        known.is_none().then_some(provider)
    }

    /// What is installed together is not told to go: it excludes only what is new.
    fn exclude_residents(&mut self, rule: Rule, concerns: impl Fn(Item) -> bool) {
        let residents = (0..).zip(&self.problem.residents);
        let residents = residents.map(|(at, _)| Item::Resident(at));
        let literals: Vec<_> = residents
            .filter(|item| concerns(*item))
            .map(|item| self.item(item))
            .collect();
        if let Some(any) = self.any_of(&literals) {
            self.admit_to(rule, any);
        }
    }

    /// A literal that holds if any of these does.
    fn any_of(&mut self, literals: &[Lit]) -> Option<Lit> {
        if let [] | [_] = literals {
            return literals.first().copied();
        }
        let any = self.sat.auxiliary();
        for lit in literals {
            self.sat.add([!*lit, any]);
        }
        Some(any)
    }

    fn admit_to(&mut self, rule: Rule, lit: Lit) {
        let guard = (self.force == Force::Assumed).then(|| self.rule(rule));
        let exclusion = match rule {
            Rule::OnePackage(package) => self.packages.entry(package).or_default(),
            Rule::OneProvider(api) => &mut self.apis.entry(api).or_default().exclusion,
            Rule::Wish(_)
            | Rule::Need(..)
            | Rule::Stays(_)
            | Rule::Prohibited(_)
            | Rule::Unknown(_) => return,
        };
        exclusion.admit(&mut self.sat, guard, lit);
    }
}
