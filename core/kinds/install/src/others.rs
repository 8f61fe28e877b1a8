//! The objects that would be deleted together with another object.

use std::collections::BTreeSet;

use portolan_core_names::{GroupKind, ObjectRef};

/// The maximum number of objects that are kept in memory: twice the maximum of a plan.
const MOST_LISTED: usize = 20_000;
/// The objects that the cluster creates in every namespace and deletes with the namespace.
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

/// The result of listing objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Others {
    /// The number of objects, and the first of these objects.
    Counted {
        count: usize,
        first: BTreeSet<ObjectRef>,
    },
    /// The error message of the API server.
    Unreadable(String),
}

/// An object in a namespace, with the fields needed for counting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resident {
    pub identity: ObjectRef,
    pub uid: String,
    /// The uids of its owners.
    pub owners: BTreeSet<String>,
}

impl Others {
    /// Counts the objects of a kind.
    pub fn of_kind(objects: impl IntoIterator<Item = ObjectRef>) -> Self {
        let (mut count, mut first) = (0, BTreeSet::new());
        for identity in objects {
            count += 1;
            first.insert(identity);
            if first.len() > MOST_LISTED {
                first.pop_last();
            }
        }
        Self::Counted { count, first }
    }

    /// Counts the objects in a namespace. Leaves out Events, objects that the cluster creates in
    /// each namespace, and objects that another object in the namespace owns.
    pub fn in_namespace(residents: &[Resident]) -> Self {
        let uids: BTreeSet<_> = residents.iter().map(|one| one.uid.as_str()).collect();
        let others = residents.iter().filter(|one| {
            let is_owned = one.owners.iter().any(|owner| uids.contains(owner.as_str()));
            !is_owned && !is_usual(&one.identity)
        });
        Self::of_kind(others.map(|one| one.identity.clone()))
    }
}

fn is_usual(identity: &ObjectRef) -> bool {
    let GroupKind { group, kind } = &identity.kind;
    let is_event = kind == "Event" && matches!(group.as_str(), "" | "events.k8s.io");
    is_event || OF_NAMESPACES.contains(&(group, kind, &identity.name))
}
