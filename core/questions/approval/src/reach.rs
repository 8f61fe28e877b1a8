//! Finds the bundles that the consent of a policy covers: the consented bundles, and all direct and
//! indirect dependencies of these bundles.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use portolan_core_names::{Consent, VersionRange};

use crate::facts::{Facts, consent};
use crate::identity::{Brought, KnownBundle};
use crate::need::{is_for, missed};
use crate::{Allows, Need, Standing};

/// The reason why a policy does not allow the dependencies of an allowed bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Restriction {
    /// The policy does not allow dependencies.
    NoDependencies,
    /// The policy does not allow updates, and the bundle is installed or would update an installed
    /// bundle.
    NoUpdates,
}

/// The bundles of an InstallPlan and the installed bundles that the consent of one policy covers.
///
/// # Guarantees
///
/// Each bundle is covered only once, so cyclic dependencies cause no endless loop. Bundles whose
/// policies are all known pass their consent on first. Among these, the shortest chain of
/// dependencies is used.
#[derive(Debug)]
pub(crate) struct Coverage<'a> {
    /// The policy whose consents are passed on to dependencies.
    pub(crate) policy: &'a Standing,
    /// The covered bundles by name, each with the bundle that needs it. None if the policy consents
    /// to the bundle directly.
    from: BTreeMap<&'a str, Option<&'a str>>,
    /// The bundles that the policy consents to directly, each with its consent.
    consents: BTreeMap<&'a str, &'a Consent>,
    /// The covered bundles whose dependencies were searched, in the order of the search.
    passing: Vec<(&'a str, KnownBundle<'a>)>,
}

/// A bundle that requires another version of a package.
#[derive(Debug)]
pub(crate) struct Miss<'a> {
    /// The bundle that requires the other version.
    pub(crate) by: &'a str,
    /// The versions that the other bundle requires.
    pub(crate) range: &'a VersionRange,
}

/// The bundles that may need each other: the bundles of a plan, and the installed bundles that the
/// plan does not replace.
#[derive(Debug)]
pub(crate) struct Dependencies<'a> {
    /// The bundles by name. The flag is true for bundles of the plan, and false for installed
    /// bundles.
    bundles: BTreeMap<&'a str, (KnownBundle<'a>, bool)>,
}

// === impl Dependencies ===

impl<'a> Dependencies<'a> {
    pub(crate) fn new(facts: &Facts<'a>, brought: &[Brought<'a>]) -> Self {
        let installed = facts.installed.iter();
        let mut bundles: BTreeMap<&str, (KnownBundle<'_>, bool)> = installed
            .map(|(name, known)| (*name, (known.clone(), false)))
            .collect();
        for bundle in brought {
            let leaves = |name: &str, known: &KnownBundle<'_>| {
                bundle.all_replaced().any(|replaced| replaced == name)
                    || bundle.package() == Some(known.package)
            };
            bundles.retain(|name, (known, is_planned)| *is_planned || !leaves(name, known));
        }
        for bundle in brought {
            match &bundle.is {
                Ok(known) => bundles.insert(bundle.name, (known.clone(), true)),
                Err(_) => bundles.remove(bundle.name),
            };
        }
        Self { bundles }
    }

    /// Returns the bundles of the plan and the installed bundles that need `bundle`.
    pub(crate) fn asking(&self, bundle: &KnownBundle<'_>) -> BTreeSet<&'a str> {
        let bundles = self.bundles.iter();
        let others = bundles.filter(|(name, _)| **name != bundle.bundle.as_str());
        others
            .filter(|(_, (other, _))| self.needs(other, bundle))
            .map(|(name, _)| *name)
            .collect()
    }

    /// Returns true if bundle `other` satisfies a need of bundle `by`, and no installed operator of
    /// another package already satisfies this need.
    fn needs(&self, by: &KnownBundle<'_>, other: &KnownBundle<'_>) -> bool {
        let mut needs = by.needs().iter();
        needs.any(|need| is_for(need, other) && !self.is_met_without(need, other))
    }

    /// Returns true if an installed operator of another package than the bundle's package satisfies
    /// a need.
    fn is_met_without(&self, need: &Need, bundle: &KnownBundle<'_>) -> bool {
        let mut installed = self.bundles.values().filter(|(_, is_planned)| !is_planned);
        installed.any(|(known, _)| known.package != bundle.package && is_for(need, known))
    }

    /// Returns the bundles that the consent of each policy covers. With a restriction, returns the
    /// bundles that policies with this restriction would cover if they did not have it.
    pub(crate) fn reaches(
        &self,
        facts: &Facts<'a>,
        restriction: Option<Restriction>,
    ) -> Vec<Coverage<'a>> {
        let policies = facts.allowing();
        let reaches =
            policies.map(|(policy, allows)| self.reach(facts, policy, allows, restriction));
        let mut reaches: Vec<Coverage<'_>> =
            reaches.filter(|reach| !reach.consents.is_empty()).collect();
        reaches.sort_by_key(|reach| &reach.policy.id);
        reaches
    }

    fn reach(
        &self,
        facts: &Facts<'a>,
        policy: &'a Standing,
        allows: &'a Allows,
        restriction: Option<Restriction>,
    ) -> Coverage<'a> {
        let own = self
            .bundles
            .iter()
            .filter(|(_, (known, _))| *known.package == policy.package);
        let consents: BTreeMap<&str, &Consent> = own
            .filter(|(_, (known, is_planned))| {
                restriction_of(facts, allows, known, *is_planned) == restriction
            })
            .filter_map(|(name, (known, _))| Some((*name, consent(allows, known)?)))
            .collect();
        let from = consents.keys().map(|name| (*name, None)).collect();
        let mut reach = Coverage {
            policy,
            from,
            consents,
            passing: Vec::new(),
        };
        let mut now: VecDeque<&str> = reach.consents.keys().copied().collect();
        let mut later = VecDeque::new();
        while let Some((name, is_late)) = next(&mut now, &mut later) {
            let (known, _) = &self.bundles[name];
            if !is_late && facts.doubts(known.package).next().is_some() {
                later.push_back(name);
                continue;
            }
            reach.passing.push((name, known.clone()));
            for (needed, (other, _)) in &self.bundles {
                let is_free = facts.managers(other.package).is_empty();
                if is_free && !reach.from.contains_key(needed) && self.needs(known, other) {
                    reach.from.insert(needed, Some(name));
                    now.push_back(needed);
                }
            }
        }
        reach
    }
}

// === impl Coverage ===

impl<'a> Coverage<'a> {
    /// Returns the consent that covers this bundle through its dependents. Also returns the chain
    /// of these dependents, from the bundle with the consent to the direct dependent. Returns None
    /// if the bundle is not covered, or if the policy consents to it directly.
    pub(crate) fn chain(&self, bundle: &str) -> Option<(&'a Consent, Vec<&'a str>)> {
        let mut chain = vec![(*self.from.get(bundle)?)?];
        while let Some(Some(before)) = chain.last().and_then(|name| self.from.get(name)) {
            chain.push(before);
        }
        chain.reverse();
        Some((self.consents.get(chain.first()?)?, chain))
    }

    /// Returns the policies with an unknown namespace that may deny a bundle of the chain. Then the
    /// chain would no longer allow the bundle at its end.
    pub(crate) fn doubts(&self, facts: &Facts<'a>, chain: &[&str]) -> Vec<&'a Standing> {
        let on_it = self.passing.iter().filter(|(name, _)| chain.contains(name));
        on_it
            .flat_map(|(_, known)| facts.doubts(known.package))
            .collect()
    }

    /// Returns a covered bundle that requires other versions of this bundle's package, with these
    /// versions. Returns None if no such bundle exists.
    pub(crate) fn miss(&self, bundle: &KnownBundle<'_>) -> Option<Miss<'a>> {
        self.passing.iter().find_map(|(by, known)| {
            let range = missed(known.needs(), bundle)?;
            Some(Miss { by, range })
        })
    }
}

/// Returns the reason why a policy that allows a bundle does not allow the dependencies of the
/// bundle. Returns None if the policy allows these dependencies. If the bundle is installed or is
/// an upgrade, the policy must also allow upgrades.
fn restriction_of(
    facts: &Facts<'_>,
    allows: &Allows,
    known: &KnownBundle<'_>,
    is_planned: bool,
) -> Option<Restriction> {
    let is_update = !is_planned || facts.other_installed(known).is_some();
    if !allows.dependencies {
        Some(Restriction::NoDependencies)
    } else if is_update && !allows.updates {
        Some(Restriction::NoUpdates)
    } else {
        None
    }
}

/// Returns the next bundle, with true if it comes from `later`. The queue `later` contains bundles
/// that policies with an unknown namespace may deny. Returns None if both queues are empty.
fn next<'a>(now: &mut VecDeque<&'a str>, later: &mut VecDeque<&'a str>) -> Option<(&'a str, bool)> {
    match now.pop_front() {
        Some(name) => Some((name, false)),
        None => later.pop_front().map(|name| (name, true)),
    }
}
