//! Prints the permissions of an approval before it is confirmed.

use std::collections::BTreeSet;

use portolan_api::installs::{AccountRef, Permission};
use portolan_core_names::text::{Instead, harmless};
use serde_json::{Value, json};

/// Returns one line for each permission. Permissions of the ServiceAccount come first, then
/// permissions that the content grants to other subjects.
pub(super) fn render(account: &AccountRef, permissions: &[Permission]) -> String {
    let account = format!("ServiceAccount {}/{}", account.namespace, account.name);
    let mut lines = vec![format!("{account} gets:")];
    lines.extend(permissions.iter().map(|it| format!("  {}", line(it))));
    if permissions.is_empty() {
        lines = vec![format!("{account} already has all permissions")];
    }
    let passed = permissions.iter().filter(|it| !it.subjects.is_empty());
    let passed: Vec<_> = passed.collect();
    if !passed.is_empty() {
        lines.push("The objects of the Install grant some of these permissions to:".to_owned());
    }
    for permission in passed {
        let by = match permission.role.as_str() {
            "" => String::new(),
            role => format!(" through {role}, which other users may change"),
        };
        let subjects = permission.subjects.iter();
        let said = subjects.map(|subject| format!("  {subject}{by}: {}", line(permission)));
        lines.extend(said);
    }
    let lines = lines.iter().map(|it| harmless(it, Instead::Escape) + "\n");
    lines.collect()
}

/// Returns a rule with the namespace in which it applies.
fn line(permission: &Permission) -> String {
    let mut rule = json!(permission);
    if let Value::Object(fields) = &mut rule {
        fields.retain(|name, _| !["namespaces", "subjects", "role"].contains(&name.as_str()));
    }
    format!("{}: {rule}", place(&permission.namespaces))
}

fn place(namespaces: &BTreeSet<String>) -> String {
    let names: Vec<_> = namespaces.iter().map(String::as_str).collect();
    match names[..] {
        [] => "in the cluster".to_owned(),
        [namespace] => format!("in namespace {namespace}"),
        _ => format!("in namespaces {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(texts: &[&str]) -> BTreeSet<String> {
        texts.iter().map(|it| (*it).to_owned()).collect()
    }

    fn render_plain(permissions: &[Permission]) -> String {
        let account = AccountRef {
            name: "plumbus-0a1b2c3d".to_owned(),
            namespace: "portolan-installs".to_owned(),
        };
        render(&account, permissions)
    }

    #[test]
    fn prints_each_rule_with_its_namespace_and_its_subjects() {
        let own = Permission {
            api_groups: set(&[""]),
            resources: set(&["configmaps"]),
            verbs: set(&["create"]),
            namespaces: set(&["harbor", "quay"]),
            ..Permission::default()
        };
        let passed = Permission {
            resources: set(&["secrets"]),
            verbs: set(&["get"]),
            namespaces: BTreeSet::new(),
            subjects: set(&["ServiceAccount harbor/plum", "User \u{1b}[2Keve"]),
            role: "ClusterRole view".to_owned(),
            ..own.clone()
        };
        assert_eq!(
            render_plain(&[own, passed]),
            "ServiceAccount portolan-installs/plumbus-0a1b2c3d gets:\n  in namespaces harbor, \
             quay: {\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],\"verbs\":[\"create\"]}\n  \
             in the cluster: \
             {\"apiGroups\":[\"\"],\"resources\":[\"secrets\"],\"verbs\":[\"get\"]}\n\
             The objects of the Install grant some of these permissions to:\n  ServiceAccount \
             harbor/plum through ClusterRole view, which other users may change: in the cluster: \
             {\"apiGroups\":[\"\"],\"resources\":[\"secrets\"],\"verbs\":[\"get\"]}\n  User \
             \\u{1b}[2Keve through ClusterRole view, which other users may change: in the cluster: \
             {\"apiGroups\":[\"\"],\"resources\":[\"secrets\"],\"verbs\":[\"get\"]}\n"
        );
    }

    #[test]
    fn reports_no_missing_permissions() {
        let expected =
            "ServiceAccount portolan-installs/plumbus-0a1b2c3d already has all permissions\n";
        assert_eq!(render_plain(&[]), expected);
    }
}
