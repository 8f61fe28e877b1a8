//! The dependencies of a bundle, and whether the cluster has them.

use portolan_api::operator::{DependencyStatus, Reason};
use portolan_core_names::VersionRange;
use serde_json::Value;

use super::Observation;
use super::report::UndatedCondition;
use crate::fleet::{Fleet, Member};
use crate::question::{Api, Installation, Requirements};

/// The lower end of every range that has none.
const LOWEST: &str = "0.0.0-0";

/// Returns the dependencies of a bundle, one entry each.
pub(super) fn dependencies(
    observed: &Observation,
    bundle: &str,
    requires: &Requirements,
) -> Vec<DependencyStatus> {
    let fleet = &observed.fleet;
    let packages = requires.packages.iter();
    let packages = packages.map(|(package, range)| of_package(fleet, package, range));
    let apis = requires.apis.iter().map(|api| of_api(observed, api));
    let constraints = requires.constraints.iter().map(|it| of_constraint(it));
    let all = packages.chain(apis).chain(constraints);
    all.map(|dependency| DependencyStatus {
        bundle: bundle.to_owned(),
        ..dependency
    })
    .collect()
}

fn of_package(fleet: &Fleet, package: &str, range: &str) -> DependencyStatus {
    let installed = installations(fleet).find(|it| it.package == package);
    let parsed = VersionRange::parse(range).ok();
    let least = parsed.and_then(|range| range.spans().next().map(|(least, _)| least.to_string()));
    let is_met = |it: &Installation| VersionRange::may_match(range, &it.version);
    DependencyStatus {
        name: package.to_owned(),
        minimum_version: least.filter(|least| least != LOWEST),
        range: Some(range.to_owned()),
        satisfied: Some(installed.is_some_and(is_met)),
        installed: installed.map(|it| it.version.clone()),
        ..DependencyStatus::default()
    }
}

fn of_api(observed: &Observation, api: &Api) -> DependencyStatus {
    let name = api.to_string();
    let installed = installations(&observed.fleet).find(|it| it.provides.contains(api));
    // The status of an Operator whose plan is missing does not say what it provides.
    let mut members = observed.fleet.members.values();
    let may_be = installed.is_none() && members.any(|it| it.lost().is_some());
    let mut before = observed.status.dependencies.iter();
    if let Some(before) = before.find(|it| may_be && it.name == name) {
        return before.clone();
    }
    DependencyStatus {
        name,
        satisfied: Some(installed.is_some()),
        installed: installed.map(|it| it.version.clone()),
        ..DependencyStatus::default()
    }
}

/// Only the resolver judges compound constraints.
fn of_constraint(constraint: &str) -> DependencyStatus {
    let parsed: Value = serde_json::from_str(constraint).unwrap_or_default();
    let message = parsed["failureMessage"].as_str();
    DependencyStatus {
        name: message.unwrap_or("compound constraint").to_owned(),
        constraint: Some(constraint.to_owned()),
        ..DependencyStatus::default()
    }
}

/// All that is installed, by whomever.
fn installations(fleet: &Fleet) -> impl Iterator<Item = &Installation> {
    let members = fleet.members.values().map(AsRef::as_ref);
    let own = members.filter_map(Member::installed);
    let others = fleet.present.iter().map(|it| &it.installs);
    own.map(|hop| &hop.facts.installs)
        .chain(others.filter(|it| !it.bundle.is_empty()))
}

/// Whether all of them are satisfied; None if there are none.
pub(super) fn met(dependencies: &[DependencyStatus]) -> Option<UndatedCondition> {
    if dependencies.is_empty() {
        return None;
    }
    let missing = dependencies.iter().filter(|it| it.satisfied == Some(false));
    let missing: Vec<_> = missing.map(sentence).collect();
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
        ..
    } = dependency;
    let range = range.as_ref().map(|range| format!(" {range}"));
    let there = match installed {
        Some(version) => format!("{name} {version} is installed"),
        None => "it is not installed".to_owned(),
    };
    format!(
        "{bundle} requires {name}{}; {there}",
        range.unwrap_or_default()
    )
}
