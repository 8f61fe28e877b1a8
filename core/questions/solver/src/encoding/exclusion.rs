//! Encodes the rule that at most one of many literals is true. Literals can be added later.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Encoding, Force, Rule};
use crate::problem::Item;
use crate::sat::{Lit, Sat};
use crate::universe::{ApiId, CandidateId, PackageId};

/// The rule that at most one of the added literals is true.
///
/// A chain of auxiliary literals records whether an earlier literal is true. Therefore each new
/// literal needs three clauses, regardless of the number of literals:
///
/// ```text
/// literals   a       b       c
///            v       v       v
/// one of     a  ->  a|b -> a|b|c     and never b with a, nor c with a|b
/// ```
#[derive(Debug, Default)]
pub(super) struct Exclusion {
    one_before: Option<Lit>,
}

// === impl Exclusion ===

impl Exclusion {
    /// Adds a literal. With a guard, the rule is enforced only if the guard is assumed.
    pub(super) fn admit(&mut self, sat: &mut Sat, guard: Option<Lit>, lit: Lit) {
        let Some(before) = self.one_before else {
            self.one_before = Some(lit);
            return;
        };
        let one = sat.auxiliary();
        sat.add([!before, one]);
        sat.add([!lit, one]);
        sat.add([!before, !lit].into_iter().chain(guard.map(|guard| !guard)));
        self.one_before = Some(one);
    }
}

/// An API that operators of several packages provide.
#[derive(Debug, Default)]
pub(super) struct Shared {
    exclusion: Exclusion,
    /// The literal of each package. It is true if the Solution contains a bundle of the package
    /// that provides the API.
    packages: BTreeMap<PackageId, Lit>,
}

// === impl Encoding ===

impl Encoding<'_, '_> {
    /// Adds the clauses by which a new operator and other operators exclude each other.
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

    /// Returns the literal to add for a new provider of an API. Returns None if no new literal is
    /// needed.
    ///
    /// Bundles of one package already exclude each other, so one literal is sufficient for all
    /// bundles of a package. But if rules are assumed, each rule must be valid without the other
    /// rules. Then every bundle has a separate literal.
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

    /// Adds the clauses by which residents and other operators exclude each other. Residents never
    /// exclude each other.
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

    /// Returns a literal that is true if at least one of these literals is true. Returns None for
    /// an empty list.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::SatOutcome;

    #[test]
    fn allows_at_most_one_literal_of_each_pair() {
        let mut sat = Sat::new(1_000, Default::default());
        let literals: Vec<_> = (0..5).map(|_| sat.literal()).collect();
        let mut exclusion = Exclusion::default();
        for lit in &literals {
            exclusion.admit(&mut sat, None, *lit);
        }
        for (at, one) in literals.iter().enumerate() {
            assert_eq!(sat.solve(&[*one]), SatOutcome::Model);
            for other in &literals[at + 1..] {
                assert_eq!(sat.solve(&[*one, *other]), SatOutcome::Core);
            }
        }
    }
}
