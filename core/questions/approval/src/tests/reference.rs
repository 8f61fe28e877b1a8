//! A second implementation that computes allowances and a Yes. It is slower, repeats rounds over
//! all bundles, and returns no reasons. Tests compare its results with the results of the crate.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{Consent, PackageName, Version};

use crate::*;

/// A bundle with its identity, for the second implementation.
#[derive(Debug, Clone)]
struct Thing {
    identity: BundleIdentity,
    is_planned: bool,
}

/// The policies that allow each bundle of the plan, with the length of the chain of dependents.
pub(super) type Allowed = BTreeMap<String, BTreeMap<PolicyId, usize>>;

/// Returns the names of all bundles of a plan.
pub(super) fn bundles(plan: &Plan) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = plan.csvs.iter().cloned().collect();
    names.extend(plan.bundles.iter().map(|bundle| bundle.name.clone()));
    for step in &plan.steps {
        if !step.bundle.is_empty() {
            names.insert(step.bundle.clone());
        }
        if step.kind == "ClusterServiceVersion" {
            names.insert(step.name.clone());
        }
    }
    names
}

/// Computes the allowances in rounds, until a round changes nothing.
pub(super) fn allowed(all: &Namespace, plan: &Plan) -> Allowed {
    let things = things(all, plan);
    let mut allowed: Allowed = bundles(plan)
        .into_iter()
        .map(|one| (one, BTreeMap::new()))
        .collect();
    for policy in &all.policies {
        let Says::Allows(allows) = &policy.says else {
            continue;
        };
        if policy.namespace.as_ref() != Some(&all.name) {
            continue;
        }
        let mut passing: BTreeSet<&String> = BTreeSet::new();
        for (name, thing) in &things {
            if !is_consented(allows, policy, name, thing) {
                continue;
            }
            let is_update = is_update(all, name, thing);
            if thing.is_planned && (allows.updates || !is_update) {
                allowed.get_mut(name).unwrap().insert(policy.id.clone(), 0);
            }
            if allows.dependencies && (allows.updates || thing.is_planned && !is_update) {
                passing.insert(name);
            }
        }
        for round in 1.. {
            let needed: BTreeSet<&String> = things
                .iter()
                .filter(|(name, thing)| !passing.contains(name) && !is_managed(all, thing))
                .filter(|(_, thing)| {
                    let mut passing = passing.iter();
                    passing.any(|by| is_needed(&things, &things[*by], thing))
                })
                .map(|(name, _)| name)
                .collect();
            if needed.is_empty() {
                break;
            }
            for name in needed.iter().filter(|name| things[**name].is_planned) {
                allowed
                    .get_mut(*name)
                    .unwrap()
                    .insert(policy.id.clone(), round);
            }
            passing.extend(needed);
        }
    }
    allowed
}

/// Returns the bundles of the plan and the installed bundles that need a bundle.
pub(super) fn is_needed_by(all: &Namespace, plan: &Plan, bundle: &str) -> BTreeSet<String> {
    let things = things(all, plan);
    let by = things
        .iter()
        .filter(|(_, by)| is_needed(&things, by, &things[bundle]));
    by.map(|(name, _)| name.clone()).collect()
}

/// Returns the reasons why a Yes would be wrong for a plan.
pub(super) fn broken(all: &Namespace, plan: &Plan) -> Vec<String> {
    let mut broken: Vec<String> = all.unseen.clone();
    let things = things(all, plan);
    if !["RequiresApproval", "Installing"].contains(&plan.phase.as_str()) {
        broken.push("phase".to_owned());
    }
    if plan.generation.is_none() || plan.bundles.iter().any(|bundle| bundle.is_pending) {
        broken.push("not written".to_owned());
    }
    if plan.steps.iter().any(|step| step.bundle.is_empty()) {
        broken.push("stray".to_owned());
    }
    for (name, by) in allowed(all, plan) {
        let Some(thing) = things.get(&name).filter(|thing| thing.is_planned) else {
            broken.push(format!("{name} is not known"));
            continue;
        };
        if by.is_empty() {
            broken.push(format!("{name} is not allowed"));
        }
        let package = &thing.identity.package;
        if all.policies.iter().any(|policy| {
            policy.namespace.is_none()
                && policy.package == *package
                && matches!(policy.says, Says::Allows(_))
        }) {
            broken.push(format!("{name} may be another's"));
        }
        broken.extend(elsewhere(all, plan, &name, package));
    }
    broken
}

/// Returns other plans and Subscriptions that name another bundle of the package.
fn elsewhere(all: &Namespace, plan: &Plan, name: &str, package: &PackageName) -> Vec<String> {
    let mut broken = Vec::new();
    for other in all
        .plans
        .iter()
        .filter(|other| other.generation > plan.generation)
    {
        for (newer, thing) in things(all, other) {
            if thing.is_planned && thing.identity.package == *package && newer != name {
                broken.push(format!("{newer} is newer than {name}"));
            }
        }
    }
    let own: Vec<&Subscription> = all
        .subscriptions
        .iter()
        .filter(|one| one.package.as_ref() == Some(package))
        .collect();
    if own
        .iter()
        .any(|one| !one.current.is_empty() && one.current != name)
    {
        broken.push(format!("a Subscription does not name {name}"));
    }
    if !own.is_empty() && own.iter().all(|one| one.current.is_empty()) {
        broken.push(format!("no Subscription names {name}"));
    }
    for step in plan.steps.iter().filter(|step| step.kind == "Subscription") {
        let is_managed = all.policies.iter().any(|policy| {
            policy.namespace.as_ref() == Some(&all.name)
                && policy.package == *package
                && matches!(policy.says, Says::Allows(_))
        });
        if step.bundle == name && step.package.as_ref() != Some(package)
            || step.package.as_ref() == Some(package) && is_managed
        {
            broken.push(format!("{name} has a Subscription that it must not have"));
        }
    }
    broken
}

/// Returns all identified bundles of the plan, and all installed bundles.
fn things(all: &Namespace, plan: &Plan) -> BTreeMap<String, Thing> {
    let mut things = BTreeMap::new();
    for subscription in &all.subscriptions {
        let same = all
            .installed
            .iter()
            .filter(|one| one.name == subscription.installed);
        let identities: Vec<&Option<BundleIdentity>> = same.map(|one| &one.identity).collect();
        if let Some(Some(identity)) = identities.first()
            && identities.iter().all(|other| *other == identities[0])
            && Some(&identity.package) == subscription.package.as_ref()
        {
            let thing = Thing {
                identity: identity.clone(),
                is_planned: false,
            };
            things.insert(subscription.installed.clone(), thing);
        }
    }
    for name in bundles(plan) {
        let package = identity(all, plan, &name).map(|identity| identity.package);
        let replaced = replaced(plan, &name);
        things.retain(|other, thing: &mut Thing| {
            thing.is_planned
                || !replaced.contains(other) && Some(&thing.identity.package) != package.as_ref()
        });
        things.remove(&name);
        if let Some(identity) = identity(all, plan, &name) {
            things.insert(
                name,
                Thing {
                    identity,
                    is_planned: true,
                },
            );
        }
    }
    things
}

/// Returns the bundles that a bundle of the plan replaces according to any source.
fn replaced(plan: &Plan, name: &str) -> BTreeSet<String> {
    let described = plan.bundles.iter().filter(|one| one.name == name);
    described
        .map(|one| one.replaces.clone())
        .filter(|replaced| !replaced.is_empty())
        .collect()
}

/// Returns true if the other bundle satisfies a need of the bundle, and no installed bundle of
/// another package satisfies the need.
fn is_needed(things: &BTreeMap<String, Thing>, by: &Thing, other: &Thing) -> bool {
    by.identity.needs.iter().any(|need| {
        let is_met = things.values().any(|thing| {
            !thing.is_planned
                && thing.identity.package != other.identity.package
                && needs(need, thing) == Some(true)
        });
        needs(need, other) == Some(true) && !is_met
    })
}

fn identity(all: &Namespace, plan: &Plan, name: &str) -> Option<BundleIdentity> {
    let of = |source: Source| -> Vec<&BundleIdentity> {
        let described = plan
            .bundles
            .iter()
            .filter(|one| one.name == name && one.source == source);
        described
            .filter_map(|one| one.identity.as_ref()?.as_ref().ok())
            .collect()
    };
    let (lookups, steps) = (of(Source::Lookup), of(Source::Step));
    let asked: Vec<&PackageName> = all
        .subscriptions
        .iter()
        .filter(|one| one.current == name)
        .filter_map(|one| one.package.as_ref())
        .collect();
    let described: Vec<&BundleIdentity> = lookups.iter().chain(&steps).copied().collect();
    let mut packages: BTreeSet<&PackageName> = described.iter().map(|one| &one.package).collect();
    packages.extend(asked.iter().copied());
    let versions: BTreeSet<&Version> = described
        .iter()
        .filter_map(|one| one.version.as_ref())
        .collect();
    if packages.len() != 1 || versions.len() > 1 {
        return None;
    }
    let best = if lookups.is_empty() { steps } else { lookups };
    match best.as_slice() {
        [] if asked.len() == 1 => Some(BundleIdentity {
            package: asked[0].clone(),
            version: None,
            provides: BTreeSet::new(),
            needs: Vec::new(),
        }),
        [] => None,
        [first, others @ ..] => others
            .iter()
            .all(|one| one == first)
            .then(|| (*first).clone()),
    }
}

fn is_managed(all: &Namespace, thing: &Thing) -> bool {
    let mut here = all
        .policies
        .iter()
        .filter(|one| one.namespace.as_ref() == Some(&all.name));
    here.any(|policy| policy.package == thing.identity.package)
}

fn is_consented(allows: &Allows, policy: &Standing, name: &str, thing: &Thing) -> bool {
    let BundleIdentity {
        package, version, ..
    } = &thing.identity;
    let mut consents = allows.consents.iter();
    policy.package == *package
        && consents.any(|consent| match consent {
            Consent::Any => true,
            Consent::Bundle(bundle) => bundle.as_str() == name,
            Consent::Range(of, range) => {
                of == package
                    && version
                        .as_ref()
                        .is_some_and(|version| range.matches(version))
            }
        })
}

fn is_update(all: &Namespace, name: &str, thing: &Thing) -> bool {
    let package = Some(&thing.identity.package);
    let by_csv = all
        .installed
        .iter()
        .filter(|one| one.identity.as_ref().map(|identity| &identity.package) == package);
    let by_wish = all
        .subscriptions
        .iter()
        .filter(|one| one.package.as_ref() == package);
    let mut there: Vec<&str> = by_csv.map(|one| one.name.as_str()).collect();
    there.extend(
        by_wish
            .map(|one| one.installed.as_str())
            .filter(|one| !one.is_empty()),
    );
    for plan in &all.plans {
        for bundle in bundles(plan) {
            let of = identity(all, plan, &bundle).map(|identity| identity.package);
            if of.as_ref() == package {
                let replaced = replaced(plan, &bundle);
                let there_too = all
                    .installed
                    .iter()
                    .filter(|one| replaced.contains(&one.name));
                there.extend(there_too.map(|one| one.name.as_str()));
            }
        }
    }
    let is_there = all.installed.iter().any(|one| one.name == name)
        || all
            .subscriptions
            .iter()
            .any(|one| one.package.is_some() && one.installed == name);
    !there.is_empty() && !is_there
}

/// Returns true if a bundle satisfies a need. Returns None if the need cannot be evaluated.
fn needs(need: &Need, thing: &Thing) -> Option<bool> {
    let BundleIdentity {
        package,
        version,
        provides,
        ..
    } = &thing.identity;
    let all = |parts: &[Need]| {
        parts
            .iter()
            .map(|part| needs(part, thing))
            .collect::<Vec<_>>()
    };
    match need {
        Need::Package(of, range) => Some(
            of == package
                && version
                    .as_ref()
                    .is_some_and(|version| range.matches(version)),
        ),
        Need::Api(api) => Some(provides.contains(api)),
        Need::Opaque(_) => None,
        Need::All(parts) if all(parts).contains(&Some(false)) => Some(false),
        Need::All(parts) => all(parts).contains(&Some(true)).then_some(true),
        Need::Any(parts) if all(parts).contains(&Some(true)) => Some(true),
        Need::Any(parts) if all(parts).contains(&None) => None,
        Need::Any(_) => Some(false),
        Need::Not(parts) => all(parts).contains(&Some(true)).then_some(false),
    }
}
