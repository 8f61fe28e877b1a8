//! The bundles that the consent of a policy covers: the consented bundles, their dependencies, the
//! dependencies of these, and so on.

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
    /// The policy does not allow updates, and the operator is already installed.
    NoUpdates,
}

/// The bundles of an InstallPlan and the installed bundles that the consent of one policy covers.
///
/// # Guarantees
///
/// Each bundle is covered once, with as few dependencies in between as possible. Bundles whose
/// policies are all known come first. Therefore cyclic dependencies cause no endless loop.
#[derive(Debug)]
pub(crate) struct Coverage<'a> {
    /// The policy.
    pub(crate) policy: &'a Standing,
    /// For each covered bundle, the bundle that needs it. None if the policy consents to the bundle
    /// directly.
    from: BTreeMap<&'a str, Option<&'a str>>,
    /// The bundles that the policy consents to directly, each with its consent.
    consents: BTreeMap<&'a str, &'a Consent>,
    /// The bundles that extend the consent to their needs, in the order in which they are covered.
    passing: Vec<(&'a str, KnownBundle<'a>)>,
}

/// A bundle that is needed in another version.
#[derive(Debug)]
pub(crate) struct Miss<'a> {
    /// The bundle that needs the other version.
    pub(crate) by: &'a str,
    /// The versions that are needed.
    pub(crate) range: &'a VersionRange,
}

/// The bundles that may require each other: the bundles of a plan, and the installed bundles that
/// the plan does not replace.
#[derive(Debug)]
pub(crate) struct Dependencies<'a> {
    /// The bundles by name. The flag is true for bundles of the plan.
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

    /// Returns the bundles of the plan and the installed bundles that need this bundle.
    pub(crate) fn asking(&self, bundle: &KnownBundle<'_>) -> BTreeSet<&'a str> {
        let bundles = self.bundles.iter();
        let others = bundles.filter(|(name, _)| **name != bundle.bundle.as_str());
        others
            .filter(|(_, (other, _))| self.needs(other, bundle))
            .map(|(name, _)| *name)
            .collect()
    }

    /// Returns true if the other bundle, and nothing else, satisfies a need of the bundle.
    fn needs(&self, by: &KnownBundle<'_>, other: &KnownBundle<'_>) -> bool {
        let mut needs = by.needs().iter();
        needs.any(|need| is_for(need, other) && !self.is_met_without(need, other))
    }

    /// Returns true if installed operators of other packages satisfy a need. The package of the
    /// bundle is ignored.
    fn is_met_without(&self, need: &Need, bundle: &KnownBundle<'_>) -> bool {
        let mut installed = self.bundles.values().filter(|(_, is_planned)| !is_planned);
        installed.any(|(known, _)| known.package != bundle.package && is_for(need, known))
    }

    /// Returns for each policy the bundles that its consent covers. If the policy has a
    /// restriction, returns the bundles that it would cover without the restriction.
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
    /// Returns the consent and the chain of bundles through which the consent covers this bundle.
    /// The chain starts with the bundle that the policy allows. Returns None if the bundle is not
    /// covered, or if the policy allows it directly.
    pub(crate) fn chain(&self, bundle: &str) -> Option<(&'a Consent, Vec<&'a str>)> {
        let mut chain = vec![(*self.from.get(bundle)?)?];
        while let Some(Some(before)) = chain.last().and_then(|name| self.from.get(name)) {
            chain.push(before);
        }
        chain.reverse();
        Some((self.consents.get(chain.first()?)?, chain))
    }

    /// Returns the policies with an unknown namespace that may interrupt the chain.
    pub(crate) fn doubts(&self, facts: &Facts<'a>, chain: &[&str]) -> Vec<&'a Standing> {
        let on_it = self.passing.iter().filter(|(name, _)| chain.contains(name));
        on_it
            .flat_map(|(_, known)| facts.doubts(known.package))
            .collect()
    }

    /// Returns a bundle that needs the package of this bundle in other versions, with these
    /// versions. Returns None if there is no such bundle.
    pub(crate) fn miss(&self, bundle: &KnownBundle<'_>) -> Option<Miss<'a>> {
        self.passing.iter().find_map(|(by, known)| {
            let range = missed(known.needs(), bundle)?;
            Some(Miss { by, range })
        })
    }
}

/// Returns the reason why a policy that allows a bundle does not allow its dependencies. Returns
/// None if it allows them. For an installed bundle or an upgrade, the policy must allow upgrades.
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

/// Returns the next bundle. Returns None at the end. Bundles that other policies may forbid come
/// last.
fn next<'a>(now: &mut VecDeque<&'a str>, later: &mut VecDeque<&'a str>) -> Option<(&'a str, bool)> {
    match now.pop_front() {
        Some(name) => Some((name, false)),
        None => later.pop_front().map(|name| (name, true)),
    }
}
