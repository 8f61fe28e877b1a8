//! Checks if a user may grant permissions to a ServiceAccount.

use std::collections::BTreeSet;

use portolan_api::installs::Permission;
use portolan_core_install::{Access, Answers, Rule};

use crate::rights::{places, rule};

const RBAC: &str = "rbac.authorization.k8s.io";
const ALL: &str = "*";
/// The maximum number of rights that are reviewed for one user.
const MOST_RIGHTS: usize = 1_000;

/// The result of the check if a user may grant permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Giver {
    /// These access reviews must be made first.
    Asks(BTreeSet<Access>),
    /// The user has all these permissions, or may grant permissions without having them.
    May,
    /// The user may not grant these permissions.
    MayNot(Vec<Permission>),
    /// The permissions contain too many rights to review.
    TooMany,
}

/// Checks if a user may grant permissions. `answers` contains the known results of access reviews
/// for this user.
///
/// A user may grant the rights that the user has. A user who may create roles and bindings, and has
/// the verbs `escalate` and `bind`, may grant any right. If a user has all rights on resources, one
/// review shows this.
pub fn giver(permissions: &[Permission], answers: &Answers) -> Giver {
    let everything = everything();
    let Some(&has_all) = answers.get(&everything) else {
        return Giver::Asks([everything].into());
    };
    if count(permissions, has_all) > MOST_RIGHTS {
        return Giver::TooMany;
    }
    let (mut asks, mut lacking) = (BTreeSet::new(), Vec::new());
    for permission in permissions {
        for place in places(permission) {
            // If the user has all rights on resources, only the rights on paths must be reviewed.
            let rights = asked(permission, has_all).accesses(place);
            match may(&rights, answers) {
                Some(true) => {}
                None => asks.extend(unknown(&rights, answers)),
                Some(false) => match may(&escalation(place), answers) {
                    Some(true) => {}
                    None => asks.extend(unknown(&escalation(place), answers)),
                    Some(false) => lacking.push(Permission {
                        namespaces: place.map(str::to_owned).into_iter().collect(),
                        ..permission.clone()
                    }),
                },
            }
        }
    }
    match (asks.is_empty(), lacking.is_empty()) {
        (false, _) => Giver::Asks(asks),
        (true, true) => Giver::May,
        (true, false) => Giver::MayNot(lacking),
    }
}

/// Returns the access with which a user may do everything with all resources of the cluster.
fn everything() -> Access {
    Access {
        verb: ALL.to_owned(),
        group: ALL.to_owned(),
        resource: ALL.to_owned(),
        ..Access::default()
    }
}

/// Returns the number of rights to review. If several permissions contain the same rule for the
/// same namespace, this rule is counted once.
fn count(permissions: &[Permission], has_all: bool) -> usize {
    let rules = permissions.iter().flat_map(|permission| {
        let rule = asked(permission, has_all);
        let places = places(permission).into_iter();
        places.map(move |place| (place, rule.clone()))
    });
    let rules: BTreeSet<_> = rules.collect();
    let counts = rules.iter().map(|(_, rule)| rule.count());
    counts.fold(0, usize::saturating_add)
}

/// Returns the part of a permission's rule that must be reviewed. If the user has all rights on
/// resources, only non-resource paths remain.
fn asked(permission: &Permission, has_all: bool) -> Rule {
    let mut rule = rule(permission);
    if has_all {
        rule.resources.clear();
    }
    rule
}

/// Returns true if all accesses are allowed, and false if one is denied. Returns None if a result
/// is missing.
fn may(accesses: &[Access], answers: &Answers) -> Option<bool> {
    let mut all = Some(true);
    for access in accesses {
        match answers.get(access) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

fn unknown(accesses: &[Access], answers: &Answers) -> BTreeSet<Access> {
    let unknown = accesses.iter().filter(|it| !answers.contains_key(it));
    unknown.cloned().collect()
}

/// Returns the accesses that a user needs to grant permissions without having them.
fn escalation(place: Option<&str>) -> Vec<Access> {
    let (roles, bindings) = match place {
        Some(_) => ("roles", "rolebindings"),
        None => ("clusterroles", "clusterrolebindings"),
    };
    let verbs = [
        ("create", roles),
        ("escalate", roles),
        ("bind", roles),
        ("create", bindings),
    ];
    let accesses = verbs.map(|(verb, resource)| Access {
        verb: verb.to_owned(),
        group: RBAC.to_owned(),
        resource: resource.to_owned(),
        namespace: place.map(str::to_owned),
        name: None,
        path: None,
    });
    accesses.into()
}
