//! The objects that Kubernetes deletes together with a CRD or a Namespace.

use std::collections::BTreeSet;

use portolan_core_names::{GroupKind, ObjectRef};

/// The maximum number of objects in memory. This is twice the maximum number of objects in a plan.
const MOST_LISTED: usize = 20_000;
/// The objects that the cluster itself creates in every namespace.
const OF_NAMESPACES: [(&str, &str, &str); 8] = [
    ("", "ServiceAccount", "default"),
    ("", "ConfigMap", "kube-root-ca.crt"),
    // OpenShift creates the following objects.
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

/// The result of listing objects that would be deleted too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Others {
    /// The number of objects, and the first of them.
    Counted {
        count: usize,
        first: BTreeSet<ObjectRef>,
    },
    /// The objects cannot be listed. Contains the error message of the API server.
    Unreadable(String),
}

/// An object in a namespace, reduced to the fields that are needed to count it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resident {
    pub identity: ObjectRef,
    pub uid: String,
    /// The uids of its owners.
    pub owners: BTreeSet<String>,
}

impl Others {
    /// Counts the objects of one kind.
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

    /// Counts the objects in a namespace. Events are not counted. Neither are objects that the
    /// cluster creates in every namespace, nor objects whose owner is in the same namespace.
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
