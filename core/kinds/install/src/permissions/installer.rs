//! The permissions that a ServiceAccount lacks to install a bundle with OLM v1.
//!
//! OLM v1 before 1.11 reads, creates, patches and deletes all objects of a bundle as the
//! ServiceAccount of the ClusterExtension. The API server accepts a role or a binding only if the
//! ServiceAccount has all rights of the role, or may use the verb `escalate` or `bind`.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{GroupKind, ObjectRef};
use serde_json::Value;

use super::roles::{bound, identity, is_binding, is_role, rules};
use super::{Access, Grant, MOST_RIGHTS, RBAC, Rule};
use crate::object::{items, text};

/// The verbs for the watches that OLM v1 opens after the installation.
const WATCH: [&str; 2] = ["list", "watch"];

/// A ServiceAccount: its namespace and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountName<'a> {
    pub namespace: &'a str,
    pub name: &'a str,
}

/// The roles and bindings of a cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClusterRoles {
    roles: BTreeMap<ObjectRef, Vec<Rule>>,
    bindings: Vec<Value>,
}

/// The objects of the next bundle, and those of the installed bundle.
#[derive(Debug, Clone, Copy)]
pub struct BundleObjects<'a> {
    pub next: &'a [Value],
    /// Empty if no bundle is installed.
    pub installed: &'a [Value],
}

/// The missing permissions of a ServiceAccount.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingRights {
    /// The permissions without which the bundle is not installed.
    pub to_install: Vec<Grant>,
    /// The permissions that OLM v1 uses after the installation: to watch the objects, and to delete
    /// the objects that the next bundle does not have.
    pub afterwards: Vec<Grant>,
    /// The roles whose rules were not compared.
    pub not_compared: Vec<ObjectRef>,
}

/// A comparison of the required and the existing permissions.
struct Comparison<'a> {
    held: Vec<Grant>,
    cluster: &'a ClusterRoles,
    /// The roles of the next bundle.
    own: BTreeMap<ObjectRef, Vec<Rule>>,
    lacking: BTreeSet<Access>,
    not_compared: BTreeSet<ObjectRef>,
    /// The number of rights of roles that may still be compared.
    left: usize,
}

// === impl ClusterRoles ===

impl ClusterRoles {
    /// Adds a role or a binding. Ignores other kinds.
    pub fn add(&mut self, object: &Value) {
        let named = ObjectRef::of(object);
        if named.kind.group != RBAC {
            return;
        }
        if is_role(&named.kind.kind) {
            self.roles.insert(named, rules(object));
        } else if is_binding(&named.kind.kind) {
            self.bindings.push(object.clone());
        }
    }

    /// Returns the rules that bindings grant to a ServiceAccount.
    pub fn granted_to(&self, account: AccountName<'_>) -> Vec<Grant> {
        let bindings = self.bindings.iter();
        let bindings = bindings.filter(|it| {
            let mut subjects = items(it, "/subjects").iter();
            subjects.any(|subject| is_subject(subject, account))
        });
        let grants = bindings.flat_map(|binding| {
            let namespace = text(binding, "/metadata/namespace");
            let role = identity(bound(binding, namespace));
            let rules = self.roles.get(&role).into_iter().flatten();
            rules.map(move |rule| Grant {
                namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
                rule: rule.clone(),
            })
        });
        grants.collect()
    }

    /// Returns the permissions that a ServiceAccount lacks to replace the installed bundle by the
    /// next bundle. Objects that both bundles have unchanged are only read.
    pub fn missing(&self, account: AccountName<'_>, objects: BundleObjects<'_>) -> MissingRights {
        let BundleObjects { next, installed } = objects;
        let before: BTreeMap<_, _> = installed.iter().map(|it| (ObjectRef::of(it), it)).collect();
        let after: BTreeSet<_> = next.iter().map(ObjectRef::of).collect();
        let own = next.iter().map(|it| (ObjectRef::of(it), it));
        let own = own.filter(|(named, _)| named.kind.group == RBAC && is_role(&named.kind.kind));
        let mut comparison = Comparison {
            held: self.granted_to(account),
            cluster: self,
            own: own.map(|(named, role)| (named, rules(role))).collect(),
            lacking: BTreeSet::new(),
            not_compared: BTreeSet::new(),
            left: MOST_RIGHTS,
        };
        for object in next {
            let named = ObjectRef::of(object);
            comparison.object(&named, object, before.get(&named).copied());
        }
        let to_install = std::mem::take(&mut comparison.lacking);
        for gone in before.keys().filter(|named| !after.contains(*named)) {
            comparison.verbs(gone, &["get", "delete"]);
        }
        let kinds: BTreeSet<_> = after.into_iter().map(|it| it.kind).collect();
        for kind in kinds {
            comparison.watches(&kind);
        }
        MissingRights {
            to_install: Grant::all(to_install.into_iter().collect()),
            afterwards: Grant::all(comparison.lacking.into_iter().collect()),
            not_compared: comparison.not_compared.into_iter().collect(),
        }
    }
}

fn is_subject(subject: &Value, AccountName { namespace, name }: AccountName<'_>) -> bool {
    let called = text(subject, "/name");
    match text(subject, "/kind") {
        "ServiceAccount" => called == name && text(subject, "/namespace") == namespace,
        "User" => called == format!("system:serviceaccount:{namespace}:{name}"),
        "Group" => {
            called == "system:authenticated"
                || called == "system:serviceaccounts"
                || called == format!("system:serviceaccounts:{namespace}")
        }
        _ => false,
    }
}

// === impl Comparison ===

impl Comparison<'_> {
    /// Compares the permissions for an object of the next bundle.
    fn object(&mut self, named: &ObjectRef, object: &Value, before: Option<&Value>) {
        self.verbs(named, &["get"]);
        match before {
            Some(before) if before == object => return,
            Some(_) => self.verbs(named, &["patch"]),
            // The permission to create objects does not depend on their names.
            None => self.require([access(
                "create",
                &named.kind,
                named.namespace.as_deref(),
                None,
            )]),
        }
        if named.kind.group != RBAC {
            return;
        }
        let is_same = |fields: &[&str]| {
            before.is_some_and(|before| fields.iter().all(|it| before[*it] == object[*it]))
        };
        if is_role(&named.kind.kind) && !is_same(&["rules", "aggregationRule"]) {
            self.escalation("escalate", named, named.namespace.as_deref());
        } else if is_binding(&named.kind.kind) && !is_same(&["subjects", "roleRef"]) {
            let namespace = named.namespace.as_deref();
            let role = identity(bound(object, namespace.unwrap_or_default()));
            self.escalation("bind", &role, namespace);
        }
    }

    /// Compares the rights of a role that is written or bound in a namespace or in the cluster.
    fn escalation(&mut self, verb: &str, role: &ObjectRef, namespace: Option<&str>) {
        if self.holds(&access(verb, &role.kind, namespace, Some(&role.name))) {
            return;
        }
        let rules = self.own.get(role).or_else(|| self.cluster.roles.get(role));
        let Some(rules) = rules.cloned() else {
            self.not_compared.insert(role.clone());
            return;
        };
        let counts = rules.iter().map(Rule::count);
        let count = counts.fold(0, usize::saturating_add);
        if count > self.left {
            self.not_compared.insert(role.clone());
            return;
        }
        self.left -= count;
        for rule in rules {
            self.require(rule.accesses(namespace));
        }
    }

    fn watches(&mut self, kind: &GroupKind) {
        self.require(WATCH.map(|verb| access(verb, kind, None, None)));
    }

    fn verbs(&mut self, named: &ObjectRef, verbs: &[&str]) {
        let namespace = named.namespace.as_deref();
        let accesses = verbs
            .iter()
            .map(|verb| access(verb, &named.kind, namespace, Some(&named.name)));
        self.require(accesses.collect::<Vec<_>>());
    }

    fn require(&mut self, accesses: impl IntoIterator<Item = Access>) {
        for access in accesses {
            if !self.holds(&access) {
                self.lacking.insert(access);
            }
        }
    }

    fn holds(&self, access: &Access) -> bool {
        self.held.iter().any(|Grant { namespace, rule }| {
            let is_there = namespace.is_none() || *namespace == access.namespace;
            is_there && rule.allows(access)
        })
    }
}

fn access(verb: &str, kind: &GroupKind, namespace: Option<&str>, name: Option<&str>) -> Access {
    Access {
        verb: verb.to_owned(),
        group: kind.group.clone(),
        resource: plural(&kind.kind),
        namespace: namespace.map(str::to_owned),
        name: name.map(str::to_owned),
        path: None,
    }
}

/// Returns the name of a kind in URLs. All kinds that bundles may contain have a regular name.
fn plural(kind: &str) -> String {
    let name = kind.to_ascii_lowercase();
    let stem = name.strip_suffix('y');
    if let Some(stem) = stem.filter(|it| !it.ends_with(['a', 'e', 'o', 'u'])) {
        return format!("{stem}ies");
    }
    let ending = if name.ends_with(['s', 'x']) {
        "es"
    } else {
        "s"
    };
    format!("{name}{ending}")
}
