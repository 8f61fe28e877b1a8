//! The dependencies of a bundle, and the operators in the cluster that satisfy them.
//!
//! An Operator that is being deleted still satisfies the dependencies of its current users, because
//! these users are deleted first. The Operator does not satisfy new dependencies.

use std::collections::BTreeMap;

use portolan_api::operator::{DependencyStatus, Reason};
use portolan_core_names::text::{cut, one_line};
use portolan_core_names::{Gvk, VersionRange};
use serde_json::Value;

use super::report::UndatedCondition;
use super::{Halt, Observation};
use crate::fleet::Fleet;
use crate::member::FleetMember;
use crate::question::{Installation, Requirements};

/// The lower bound of a range that specifies no lower bound.
const LOWEST: &str = "0.0.0-0";
/// The maximum number of dependencies that a status lists for each bundle.
const MOST_LISTED: usize = 100;
/// The maximum number of missing dependencies that a condition names.
const MOST_MISSING: usize = 10;
/// The maximum number of characters in the message of a constraint.
const LONGEST_MESSAGE: usize = 256;
/// The maximum number of bytes of a constraint in a status.
const LONGEST_CONSTRAINT: usize = 4096;

/// An operator that may satisfy a dependency.
#[derive(Clone, Copy)]
struct Provider<'f> {
    installs: &'f Installation,
    /// The Operator that installed this operator. None if another installer installed it.
    member: Option<&'f FleetMember>,
    /// True if all objects of the operator were applied.
    is_applied: bool,
}

/// Returns one entry for each dependency of a member's bundle.
pub(super) fn dependencies(
    (observed, member): (&Observation, &FleetMember),
    bundle: &str,
    requires: &Requirements,
) -> Vec<DependencyStatus> {
    let case = (&*observed.fleet, member);
    let packages = requires.packages.iter();
    let packages = packages.map(|(package, range)| of_package(case, package, range));
    let apis = requires.apis.iter();
    let apis = apis.map(|api| of_api((observed, member), api));
    let constraints = requires.constraints.iter().map(|it| of_constraint(it));
    let all = packages.chain(apis).chain(constraints);
    all.map(|dependency| DependencyStatus {
        bundle: bundle.to_owned(),
        ..dependency
    })
    .collect()
}

/// Returns the entries that a status lists: at most [`MOST_LISTED`] for each bundle. If there are
/// more, the last entry contains the number of omitted entries.
pub(super) fn listed(all: Vec<DependencyStatus>) -> Vec<DependencyStatus> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for one in &all {
        *counts.entry(one.bundle.clone()).or_default() += 1;
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let kept = all.into_iter().filter_map(|one| {
        let count = counts.get(&one.bundle).copied().unwrap_or_default();
        let seen = seen.entry(one.bundle.clone()).or_default();
        *seen += 1;
        match (*seen).cmp(&MOST_LISTED) {
            std::cmp::Ordering::Equal if count > MOST_LISTED => {
                Some(left_out(one.bundle, count - MOST_LISTED + 1))
            }
            std::cmp::Ordering::Less | std::cmp::Ordering::Equal => Some(one),
            std::cmp::Ordering::Greater => None,
        }
    });
    kept.collect()
}

fn left_out(bundle: String, count: usize) -> DependencyStatus {
    DependencyStatus {
        name: format!("{count} more dependencies"),
        bundle,
        constraint: Some(String::new()),
        ..DependencyStatus::default()
    }
}

/// Returns an error if a dependency of the next version is satisfied only by Operators that are
/// being deleted.
///
/// # Errors
/// Returns `WaitingForDependencies` with the first such dependency.
pub(super) fn lasting(
    fleet: &Fleet,
    member: &FleetMember,
    (bundle, requires): (&str, &Requirements),
) -> Result<(), Halt> {
    let packages = requires.packages.iter().map(|(package, range)| {
        let is_met = |it: &Installation| {
            it.package == *package && VersionRange::may_match(range, &it.version)
        };
        (format!("{package} {range}"), leaving(fleet, member, is_met))
    });
    let apis = requires.apis.iter().map(|api| {
        let is_met = |it: &Installation| it.provides.contains(api);
        (api.to_string(), leaving(fleet, member, is_met))
    });
    let mut all = packages.chain(apis);
    let Some((name, leaving)) = all.find_map(|(name, it)| Some((name, it?))) else {
        return Ok(());
    };
    let sentence = format!(
        "{bundle} requires {name}, but Operator {}, which installs {name}, is being deleted; \
         when it is gone, create it again",
        leaving.name
    );
    Err(Halt::no(Reason::WaitingForDependencies, sentence))
}

/// Returns the Operator that satisfies a dependency and is being deleted. Returns None if another
/// operator also satisfies the dependency, or if no operator satisfies it.
fn leaving<'f>(
    fleet: &'f Fleet,
    member: &FleetMember,
    is_met: impl Fn(&Installation) -> bool,
) -> Option<&'f FleetMember> {
    let all: Vec<_> = providers(fleet).filter(|it| is_met(it.installs)).collect();
    let is_any_left = all.iter().any(|it| !it.is_leaving(member));
    let first = all.first().filter(|_| !is_any_left)?;
    first.member
}

fn of_package(
    (fleet, member): (&Fleet, &FleetMember),
    package: &str,
    range: &str,
) -> DependencyStatus {
    let all = providers(fleet).filter(|it| it.is_applied && it.installs.package == package);
    let provider = all.min_by_key(|it| it.is_leaving(member));
    let parsed = VersionRange::parse(range).ok();
    let least = parsed.and_then(|range| range.spans().next().map(|(least, _)| least.to_string()));
    let is_met = |it: &Installation| VersionRange::may_match(range, &it.version);
    DependencyStatus {
        name: package.to_owned(),
        minimum_version: least.filter(|least| least != LOWEST),
        range: Some(range.to_owned()),
        ..provided(member, provider, is_met)
    }
}

fn of_api((observed, member): (&Observation, &FleetMember), api: &Gvk) -> DependencyStatus {
    let name = api.to_string();
    let all = providers(&observed.fleet);
    let all = all.filter(|it| it.is_applied && it.installs.provides.contains(api));
    let provider = all.min_by_key(|it| it.is_leaving(member));
    // While the plan of an Operator is missing, the APIs that it provides are unknown, so the
    // previous entry of the status is kept.
    let mut members = observed.fleet.members.values();
    let may_be = provider.is_none() && members.any(|it| it.lost().is_some());
    let mut before = observed.status.dependencies.iter();
    if let Some(before) = before.find(|it| may_be && it.name == name) {
        return before.clone();
    }
    DependencyStatus {
        name,
        ..provided(member, provider, |_| true)
    }
}

/// Returns the fields of an entry that describe the operator that provides the dependency. `is_met`
/// checks its version.
fn provided(
    member: &FleetMember,
    provider: Option<Provider<'_>>,
    is_met: impl Fn(&Installation) -> bool,
) -> DependencyStatus {
    let satisfied = provider.is_some_and(|it| is_met(it.installs) && !it.is_leaving(member));
    let owner = provider.and_then(|it| it.member);
    DependencyStatus {
        satisfied: Some(satisfied),
        installed: provider.map(|it| it.installs.version.clone()),
        terminating: owner.is_some_and(|it| it.is_terminating),
        ..DependencyStatus::default()
    }
}

/// Returns the entry for a compound constraint. Only the resolver evaluates such constraints, so
/// the entry does not contain whether the constraint is satisfied.
fn of_constraint(constraint: &str) -> DependencyStatus {
    let parsed: Value = serde_json::from_str(constraint).unwrap_or_default();
    let message = parsed["failureMessage"].as_str();
    let message = message.map(|it| cut(&one_line(it), LONGEST_MESSAGE));
    let is_short = constraint.len() <= LONGEST_CONSTRAINT;
    DependencyStatus {
        name: message.unwrap_or_else(|| "compound constraint".to_owned()),
        constraint: Some(if is_short { constraint } else { "" }.to_owned()),
        ..DependencyStatus::default()
    }
}

/// Returns the operators that are installed or being installed by Operators or by other installers.
fn providers(fleet: &Fleet) -> impl Iterator<Item = Provider<'_>> {
    let members = fleet.members.values().map(AsRef::as_ref);
    let own = members.filter_map(|member: &FleetMember| {
        Some(Provider {
            installs: member.offered()?,
            member: Some(member),
            is_applied: member.installed().is_some(),
        })
    });
    let others = fleet.present.iter().map(|it| Provider {
        installs: &it.installs,
        member: None,
        is_applied: true,
    });
    own.chain(others.filter(|it| !it.installs.bundle.is_empty()))
}

impl Provider<'_> {
    /// Returns true if the provider is being deleted and the deletion does not wait for the member.
    /// The deletion does not wait if the member does not use the provider yet, or if a user forces
    /// the deletion.
    fn is_leaving(self, member: &FleetMember) -> bool {
        let owner = self.member.filter(|it| it.name != member.name);
        owner.is_some_and(|it| it.is_terminating && (it.is_forced || member.uses(it).is_none()))
    }
}

/// Returns the condition about these dependencies. Returns None if there are no dependencies.
pub(super) fn met(dependencies: &[DependencyStatus]) -> Option<UndatedCondition> {
    if dependencies.is_empty() {
        return None;
    }
    let missing = dependencies.iter().filter(|it| it.satisfied == Some(false));
    let count = missing.clone().count();
    let mut missing: Vec<_> = missing.take(MOST_MISSING).map(sentence).collect();
    if count > MOST_MISSING {
        missing.push(format!("{} more are missing", count - MOST_MISSING));
    }
    Some(if missing.is_empty() {
        let sentence = "all required packages and APIs are installed";
        UndatedCondition::yes(Reason::DependenciesSatisfied, sentence)
    } else {
        UndatedCondition::no(Reason::DependenciesMissing, missing.join("; "))
    })
}

fn sentence(dependency: &DependencyStatus) -> String {
    let DependencyStatus {
        bundle,
        name,
        range,
        installed,
        terminating,
        ..
    } = dependency;
    let range = range.as_ref().map(|range| format!(" {range}"));
    let there = match (installed, terminating) {
        (Some(version), true) => format!("{name} {version} is being deleted"),
        (Some(version), false) => format!("{name} {version} is installed"),
        (None, _) => format!("{name} is not installed"),
    };
    format!(
        "{bundle} requires {name}{}; {there}",
        range.unwrap_or_default()
    )
}
