//! Whether somebody may give permissions to an account.

use std::collections::BTreeSet;

use portolan_api::installs::Permission;
use portolan_core_install::{Access, Answers};

const RBAC: &str = "rbac.authorization.k8s.io";

/// Whether somebody may give permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Giver {
    /// This has to be asked about them first.
    Asks(BTreeSet<Access>),
    /// They hold all of it, or may give what they do not hold.
    May,
    /// They may not give this.
    MayNot(Vec<Permission>),
}

/// Whether somebody may give permissions, by what was answered about them. A right is theirs to give if they hold it,
/// as API servers have it, or if they may make roles and bindings with rights that they do not hold.
pub fn giver(permissions: &[Permission], answers: &Answers) -> Giver {
    let (mut asks, mut lacking) = (BTreeSet::new(), Vec::new());
    for permission in permissions {
        for place in places(permission) {
            match may(&rights(permission, place), answers) {
                Some(true) => {}
                None => asks.extend(unknown(&rights(permission, place), answers)),
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

/// Whether each right among the one is among the other, word for word.
pub(crate) fn covers(given: &[Permission], lacking: &[Permission]) -> bool {
    all_rights(lacking).is_subset(&all_rights(given))
}

fn all_rights(permissions: &[Permission]) -> BTreeSet<Access> {
    let rights = permissions.iter().flat_map(|permission| {
        let places = places(permission).into_iter();
        places.flat_map(move |place| rights(permission, place))
    });
    rights.collect()
}

/// Returns the namespaces in which the permission is to hold; None is the whole cluster.
fn places(permission: &Permission) -> Vec<Option<&str>> {
    if permission.namespaces.is_empty() {
        return vec![None];
    }
    let namespaces = permission.namespaces.iter();
    namespaces.map(|it| Some(it.as_str())).collect()
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

/// Each right of a rule alone. What stands for all, a star, is a right of its own.
fn rights(permission: &Permission, place: Option<&str>) -> Vec<Access> {
    let mut all = Vec::new();
    for verb in &permission.verbs {
        for path in &permission.non_resource_urls {
            all.push(Access {
                verb: verb.clone(),
                group: String::new(),
                resource: String::new(),
                namespace: None,
                name: None,
                path: Some(path.clone()),
            });
        }
        for group in &permission.api_groups {
            for resource in &permission.resources {
                let access = |name: Option<&String>| Access {
                    verb: verb.clone(),
                    group: group.clone(),
                    resource: resource.clone(),
                    namespace: place.map(str::to_owned),
                    name: name.cloned(),
                    path: None,
                };
                let names = permission.resource_names.iter();
                all.extend(names.map(|name| access(Some(name))));
                all.extend(permission.resource_names.is_empty().then(|| access(None)));
            }
        }
    }
    all
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
