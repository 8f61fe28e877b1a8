//! Renders ServiceAccounts, and roles for the permissions in the ClusterServiceVersion.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::{Manifest, Plan};
use crate::csv::{Permission, PolicyRule};
use crate::go;

const VERSION: &str = "rbac.authorization.k8s.io/v1";
const GROUP: &str = "rbac.authorization.k8s.io";
const DEFAULT: &str = "default";

/// Adds each ServiceAccount that the permissions name, except `default`, which exists in every
/// namespace.
pub(super) fn accounts(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    let strategy = &plan.bundle.csv.spec.install.spec;
    let permissions = strategy
        .permissions
        .iter()
        .chain(&strategy.cluster_permissions);
    let accounts: BTreeSet<_> = permissions.map(|entry| account(&entry.value)).collect();
    for name in accounts.into_iter().filter(|name| *name != DEFAULT) {
        manifests.push(plan.made(json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": name, "namespace": plan.namespace()},
        })));
    }
}

/// Adds roles in the watched namespaces. Adds nothing if the operator watches all namespaces.
pub(super) fn permissions(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    if plan.watches_all() {
        return;
    }
    let permissions = &plan.bundle.csv.spec.install.spec.permissions;
    for target in plan.targets {
        for entry in permissions {
            manifests.extend(pair(plan, &entry.value, Some(target)));
        }
    }
}

/// Adds roles in the whole cluster. If the operator watches all namespaces, it gets all its
/// permissions in the whole cluster, and may list namespaces.
pub(super) fn cluster_permissions(plan: &Plan<'_>, manifests: &mut Vec<Manifest>) {
    let strategy = &plan.bundle.csv.spec.install.spec;
    for entry in &strategy.cluster_permissions {
        manifests.extend(pair(plan, &entry.value, None));
    }
    if !plan.watches_all() {
        return;
    }
    for entry in &strategy.permissions {
        let mut entry = entry.value.clone();
        entry.rules.get_or_insert_default().push(PolicyRule {
            verbs: Some(["get", "list", "watch"].map(str::to_owned).to_vec()),
            api_groups: vec![String::new()],
            resources: vec!["namespaces".to_owned()],
            ..PolicyRule::default()
        });
        manifests.extend(pair(plan, &entry, None));
    }
}

fn account(entry: &Permission) -> &str {
    match entry.service_account_name.as_str() {
        "" => DEFAULT,
        name => name,
    }
}

/// Returns a role and its binding, in a namespace or in the cluster.
fn pair(plan: &Plan<'_>, entry: &Permission, namespace: Option<&str>) -> [Manifest; 2] {
    let account = account(entry);
    // Longer names are truncated later anyway, so only the first 64 bytes of the name are used.
    let csv = plan.bundle.csv.name();
    let base = format!("{}-{account}", &csv[..csv.floor_char_boundary(64)]);
    let name = go::joined(&base, &go::hash(entry));
    let (role, binding) = match namespace {
        Some(_) => ("Role", "RoleBinding"),
        None => ("ClusterRole", "ClusterRoleBinding"),
    };
    let mut metadata = json!({"name": name});
    if let Some(namespace) = namespace {
        metadata["namespace"] = namespace.into();
    }
    let rules = entry.rules.iter().flatten().map(rule);
    let subject = json!({"kind": "ServiceAccount", "name": account, "namespace": plan.namespace()});
    [
        plan.made(json!({
            "apiVersion": VERSION,
            "kind": role,
            "metadata": metadata,
            "rules": rules.collect::<Vec<_>>(),
        })),
        plan.made(json!({
            "apiVersion": VERSION,
            "kind": binding,
            "metadata": metadata,
            "subjects": [subject],
            "roleRef": {"apiGroup": GROUP, "kind": role, "name": name},
        })),
    ]
}

fn rule(rule: &PolicyRule) -> Json {
    let mut json = json!({"verbs": rule.verbs.as_deref().unwrap_or_default()});
    for (key, texts) in [
        ("apiGroups", &rule.api_groups),
        ("resources", &rule.resources),
        ("resourceNames", &rule.resource_names),
        ("nonResourceURLs", &rule.non_resource_urls),
    ] {
        if !texts.is_empty() {
            json[key] = texts.as_slice().into();
        }
    }
    json
}
