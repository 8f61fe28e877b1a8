//! The objects that are lost with another one, and that no member of a plan is.

use std::collections::BTreeSet;

use crate::manifest::Members;
use crate::object::{Identity, Kind};

/// The most objects that are named.
const MOST_NAMED: usize = 5;
/// What every namespace has, made by the cluster: it comes and goes with the namespace.
const OF_NAMESPACES: [(&str, &str, &str); 8] = [
    ("", "ServiceAccount", "default"),
    ("", "ConfigMap", "kube-root-ca.crt"),
    // OpenShift.
    ("", "ConfigMap", "openshift-service-ca.crt"),
    ("", "ServiceAccount", "builder"),
    ("", "ServiceAccount", "deployer"),
    (
        "rbac.authorization.k8s.io",
        "RoleBinding",
        "system:deployers",
    ),
    (
        "rbac.authorization.k8s.io",
        "RoleBinding",
        "system:image-builders",
    ),
    (
        "rbac.authorization.k8s.io",
        "RoleBinding",
        "system:image-pullers",
    ),
];

/// Objects that are no members of the plan. Members are looked at one by one besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Others {
    /// So many, and the first of them.
    Counted { count: usize, first: Vec<Identity> },
    /// The sentence of the API server.
    Unreadable(String),
}

/// An object in a namespace, as far as it is to be counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resident {
    pub identity: Identity,
    pub uid: String,
    /// The uids of its owners.
    pub owners: BTreeSet<String>,
}

impl Others {
    /// Of all objects of a kind, those that are no members.
    pub fn of_kind(objects: impl IntoIterator<Item = Identity>, members: &Members) -> Self {
        let own = identities(members);
        let others = objects.into_iter();
        Self::counted(others.filter(|identity| !own.contains(identity)))
    }

    /// Of all objects in a namespace, those that are no members, that the cluster does not make in
    /// each namespace, and that do not go with another one of them. What events tell of is lost
    /// with nobody.
    pub fn in_namespace(residents: &[Resident], members: &Members) -> Self {
        let own = identities(members);
        let uids: BTreeSet<_> = residents.iter().map(|one| one.uid.as_str()).collect();
        let others = residents.iter().filter(|one| {
            let is_owned = one.owners.iter().any(|owner| uids.contains(owner.as_str()));
            !is_owned && !is_usual(&one.identity) && !own.contains(&one.identity)
        });
        Self::counted(others.map(|one| one.identity.clone()))
    }

    fn counted(others: impl Iterator<Item = Identity>) -> Self {
        let (mut count, mut first) = (0, BTreeSet::new());
        for identity in others {
            count += 1;
            first.insert(identity);
            if first.len() > MOST_NAMED {
                first.pop_last();
            }
        }
        Self::Counted {
            count,
            first: first.into_iter().collect(),
        }
    }
}

fn identities(members: &Members) -> BTreeSet<&Identity> {
    members.iter().map(|member| &member.identity).collect()
}

fn is_usual(identity: &Identity) -> bool {
    let Kind { group, kind } = &identity.kind;
    let is_event = kind == "Event" && matches!(group.as_str(), "" | "events.k8s.io");
    is_event || OF_NAMESPACES.contains(&(group, kind, &identity.name))
}
