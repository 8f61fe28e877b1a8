//! The permissions that are lacking, as a status lists them, and the objects that give them.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::installs::{AccountRef, Permission};
use portolan_core_install::{Grant, digest};
use serde_json::{Map, Value, json};

use crate::account::owner;

const RBAC: &str = "rbac.authorization.k8s.io";
/// The number of digits of the digest of its rules that are in the name of a role.
const DIGITS: usize = 8;

/// Rules as a status tells them, one for all namespaces that want the same.
pub fn permissions(grants: &[Grant]) -> Vec<Permission> {
    let mut merged: BTreeMap<Permission, BTreeSet<String>> = BTreeMap::new();
    for Grant { namespace, rule } in grants {
        let permission = Permission {
            api_groups: rule.api_groups.clone(),
            resources: rule.resources.clone(),
            resource_names: rule.resource_names.clone(),
            non_resource_urls: rule.non_resource_urls.clone(),
            verbs: rule.verbs.clone(),
            namespaces: BTreeSet::new(),
        };
        // What holds in the cluster is not one with what holds in namespaces.
        match namespace {
            None => drop(merged.insert(permission, BTreeSet::new())),
            Some(namespace) => {
                let mut key = permission;
                key.namespaces.insert(String::new());
                merged.entry(key).or_default().insert(namespace.clone());
            }
        }
    }
    let merged = merged.into_iter().map(|(mut permission, namespaces)| {
        permission.namespaces = namespaces;
        permission
    });
    merged.collect()
}

/// The roles and bindings that give permissions to the account of an Install, and that go with it: a Role for
/// each namespace, and a ClusterRole for what holds in the cluster. They are named after what they give, so
/// that giving the same twice makes nothing new.
pub fn bindings(
    (install, uid): (&str, &str),
    account: &AccountRef,
    permissions: &[Permission],
) -> Vec<Value> {
    let mut places: BTreeMap<Option<&str>, Vec<Value>> = BTreeMap::new();
    for permission in permissions {
        let namespaces = permission.namespaces.iter().map(|it| Some(it.as_str()));
        let cluster = permission.namespaces.is_empty().then_some(None);
        for place in namespaces.chain(cluster) {
            places.entry(place).or_default().push(rule(permission));
        }
    }
    let objects = places.into_iter().flat_map(|(namespace, rules)| {
        let digest = digest(&json!([namespace, rules]));
        let (_, digits) = digest.split_once(':').unwrap_or(("", &digest));
        let digits = digits.get(..DIGITS).unwrap_or(digits);
        let mut metadata = json!({
            "name": format!("{}-{digits}", account.name),
            "ownerReferences": [owner(install, uid)],
        });
        let kind = if let Some(namespace) = namespace {
            metadata["namespace"] = json!(namespace);
            "Role"
        } else {
            "ClusterRole"
        };
        let version = format!("{RBAC}/v1");
        let role = json!({
            "apiVersion": version, "kind": kind, "metadata": metadata, "rules": rules,
        });
        let subject = json!({
            "kind": "ServiceAccount", "name": account.name, "namespace": account.namespace,
        });
        let binding = json!({
            "apiVersion": version, "kind": format!("{kind}Binding"), "metadata": metadata,
            "roleRef": {"apiGroup": RBAC, "kind": kind, "name": metadata["name"]},
            "subjects": [subject],
        });
        [role, binding]
    });
    objects.collect()
}

/// As roles have it.
fn rule(permission: &Permission) -> Value {
    let lists = [
        ("apiGroups", &permission.api_groups),
        ("resources", &permission.resources),
        ("resourceNames", &permission.resource_names),
        ("nonResourceURLs", &permission.non_resource_urls),
        ("verbs", &permission.verbs),
    ];
    let given = lists.into_iter().filter(|(_, list)| !list.is_empty());
    let fields = given.map(|(name, list)| (name.to_owned(), json!(list)));
    Value::Object(fields.collect::<Map<_, _>>())
}
