//! Whether somebody may give permissions to an account.

use std::collections::BTreeSet;

use portolan_api::installs::Permission;
use portolan_core_install::{Access, Answers, Rule};

use crate::rights::{places, rule};

const RBAC: &str = "rbac.authorization.k8s.io";
const ALL: &str = "*";
/// The maximum number of rights that an API server is asked about.
const MOST_RIGHTS: usize = 1_000;

/// Whether somebody may give permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Giver {
    /// This has to be asked about them first.
    Asks(BTreeSet<Access>),
    /// They hold all of it, or may give what they do not hold.
    May,
    /// They may not give this.
    MayNot(Vec<Permission>),
    /// These are too many rights to ask about.
    TooMany,
}

/// Whether somebody may give permissions, by what was answered about them. A right is theirs to give if they hold it,
/// as API servers have it, or if they may make roles and bindings with rights that they do not hold. One question is
/// enough about a user who holds all rights.
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
            // What stands for all, a star, is a right of its own.
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

/// The access to every verb on every resource of the cluster.
fn everything() -> Access {
    Access {
        verb: ALL.to_owned(),
        group: ALL.to_owned(),
        resource: ALL.to_owned(),
        ..Access::default()
    }
}

/// The number of rights to ask about, those of the same rule in the same place once.
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

/// The rule of a permission, or only its paths.
fn asked(permission: &Permission, has_all: bool) -> Rule {
    let mut rule = rule(permission);
    if has_all {
        rule.resources.clear();
    }
    rule
}

/// None if that is not known yet.
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

/// Returns the accesses that are needed to give permissions that one does not hold.
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
