//! The roles that members bind, and the rights in these roles.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::Value;

use super::access::Access;
use super::rule::Rule;
use super::{Need, RBAC};
use crate::manifest::{Member, Members};
use crate::object::{items, text};

/// The rules of roles. None if the role does not exist, cannot be read, or aggregates other roles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Roles(BTreeMap<ObjectRef, Option<Vec<Rule>>>);

impl Roles {
    /// Adds a role as read from the API server. Pass None for `role` if it does not exist or cannot
    /// be read.
    pub fn insert(&mut self, identity: ObjectRef, role: Option<&Value>) {
        self.0.insert(identity, role.map(rules));
    }

    /// Returns the roles that must be read: members bind them, but they are neither members
    /// themselves nor read already.
    pub fn unknown(&self, members: &Members) -> BTreeSet<ObjectRef> {
        let own: BTreeSet<_> = members.iter().map(|member| &member.identity).collect();
        let bindings = members.iter().filter(|member| {
            let GroupKind { group, kind } = &member.identity.kind;
            group == RBAC && is_binding(kind)
        });
        let roles = bindings.map(|member| {
            let namespace = member.identity.namespace.as_deref().unwrap_or_default();
            identity(bound(&member.manifest, namespace))
        });
        roles
            .filter(|role| !self.0.contains_key(role) && !own.contains(role))
            .collect()
    }

    /// Returns the rules of a role. Returns None if they are unknown.
    pub fn rules(&self, role: &ObjectRef) -> Option<&[Rule]> {
        self.0.get(role)?.as_deref()
    }

    pub(super) fn with_members(&self, members: &Members) -> Self {
        let mut roles = self.clone();
        let new = members
            .iter()
            .filter(|member| member.identity.kind.group == RBAC);
        for member in new.filter(|member| is_role(&member.identity.kind.kind)) {
            // The rules of a role that aggregates other roles are unknown, because other roles may
            // add rules later. To write such a role, a ServiceAccount needs the verb `escalate`,
            // unless it has all permissions. To bind the role, it needs `bind`. If the role exists,
            // the API server checks the rules that it has at that time.
            let role = Some(&member.manifest).filter(|role| role.get("aggregationRule").is_none());
            roles.insert(member.identity.clone(), role);
        }
        roles
    }
}

pub(super) fn is_role(kind: &str) -> bool {
    matches!(kind, "Role" | "ClusterRole")
}

pub(super) fn is_binding(kind: &str) -> bool {
    matches!(kind, "RoleBinding" | "ClusterRoleBinding")
}

pub(super) fn rules(role: &Value) -> Vec<Rule> {
    items(role, "/rules").iter().map(Rule::of).collect()
}

/// Returns the identity of a role from its kind, namespace and name. For a ClusterRole, the
/// namespace is empty.
pub(super) fn identity((kind, namespace, name): (&str, &str, &str)) -> ObjectRef {
    ObjectRef {
        kind: GroupKind::new(RBAC, kind),
        namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
        name: name.to_owned(),
    }
}

/// Returns the permission that is needed to write a role or a binding. Returns None for other
/// members. `left` is the number of rights that may still be reviewed.
pub(super) fn escalation(member: &Member, roles: &Roles, left: &mut usize) -> Option<Need> {
    let identity = &member.identity;
    if identity.kind.group != RBAC {
        return None;
    }
    let namespace = identity.namespace.as_deref().unwrap_or_default();
    let (verb, role) = match identity.kind.kind.as_str() {
        kind if is_role(kind) => ("escalate", (kind, namespace, identity.name.as_str())),
        kind if is_binding(kind) => ("bind", bound(&member.manifest, namespace)),
        _ => return None,
    };
    let rules = roles.0.get(&self::identity(role)).and_then(Option::as_ref);
    let (kind, _, name) = role;
    let counts = rules.into_iter().flatten().map(Rule::count);
    let count = counts.fold(0, usize::saturating_add);
    let is_large = count > *left;
    if !is_large {
        *left -= count;
    }
    let given = rules.filter(|_| !is_large).map(|rules| {
        let accesses = rules
            .iter()
            .flat_map(|rule| rule.accesses(identity.namespace.as_deref()));
        accesses.collect()
    });
    let whole = Access {
        verb: verb.to_owned(),
        group: RBAC.to_owned(),
        resource: if kind == "Role" {
            "roles"
        } else {
            "clusterroles"
        }
        .to_owned(),
        namespace: identity.namespace.clone(),
        ..Access::default()
    };
    Some(Need {
        whole,
        names: match verb {
            "bind" => [name.to_owned()].into(),
            _ => BTreeSet::new(),
        },
        instead: given,
        large: is_large.then(|| format!("the {kind} {name}")),
    })
}

/// Returns the role that a binding refers to.
pub(super) fn bound<'m>(binding: &'m Value, namespace: &'m str) -> (&'m str, &'m str, &'m str) {
    let kind = text(binding, "/roleRef/kind");
    let namespace = if kind == "Role" { namespace } else { "" };
    (kind, namespace, text(binding, "/roleRef/name"))
}
