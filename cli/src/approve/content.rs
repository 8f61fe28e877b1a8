//! The objects of an InstallPlan of OLM, with the permissions that they grant.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::print::{Branch, Page, Span};

/// The kinds of objects that contain RBAC rules.
const ROLES: [&str; 2] = ["Role", "ClusterRole"];

/// Appends the objects that a plan creates or changes, grouped by bundle.
pub(super) fn append_objects(page: &mut Page, plan: &Value) {
    let bundles = objects(plan);
    if bundles.is_empty() {
        return;
    }
    page.section("Objects that OLM creates or changes");
    let bundles: Vec<_> = bundles
        .into_iter()
        .map(|(bundle, below)| Branch {
            line: vec![Span::heading(bundle)],
            below,
        })
        .collect();
    page.tree(&bundles);
}

/// Returns the objects of each bundle, by the name of the bundle. The objects keep the order of the
/// InstallPlan.
fn objects(plan: &Value) -> BTreeMap<&str, Vec<Branch>> {
    let mut bundles = BTreeMap::<&str, Vec<Branch>>::new();
    for step in list(&plan["status"]["plan"]) {
        let bundle = step["resolving"].as_str().unwrap_or_default();
        bundles.entry(bundle).or_default().push(object(step));
    }
    bundles
}

fn object(step: &Value) -> Branch {
    let resource = &step["resource"];
    let text = |field: &str| resource[field].as_str().unwrap_or_default();
    let below = if ROLES.contains(&text("kind")) {
        rules(text("manifest"))
    } else {
        Vec::new()
    };
    Branch {
        line: vec![Span::plain(format!("{} {}", text("kind"), text("name")))],
        below,
    }
}

/// Returns the rules of a role, one line for each rule.
fn rules(manifest: &str) -> Vec<Branch> {
    let role: Value = serde_json::from_str(manifest).unwrap_or_default();
    let Some(rules) = role["rules"].as_array() else {
        let unknown = "the InstallPlan does not contain the rules of this role";
        return vec![Branch::leaf([Span::warning(unknown)])];
    };
    let rules = rules.iter().map(|it| Branch::leaf([Span::plain(rule(it))]));
    rules.collect()
}

/// Returns a rule as text, such as "get, list pods, services in apps".
fn rule(rule: &Value) -> String {
    let texts = |field: &str| {
        let texts = list(&rule[field]).map(|it| it.as_str().unwrap_or_default());
        texts.collect::<Vec<_>>().join(", ")
    };
    let mut text = texts("verbs");
    for field in ["resources", "nonResourceURLs"] {
        let names = texts(field);
        if !names.is_empty() {
            text += &format!(" {names}");
        }
    }
    let groups: Vec<_> = list(&rule["apiGroups"])
        .filter_map(Value::as_str)
        .filter(|group| !group.is_empty())
        .collect();
    if !groups.is_empty() {
        text += &format!(" in {}", groups.join(", "));
    }
    let names = texts("resourceNames");
    if !names.is_empty() {
        text += &format!(", only {names}");
    }
    text
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(kind: &str, name: &str, manifest: &str) -> Value {
        json!({
            "resolving": "ferry.v2.0.0",
            "resource": {"kind": kind, "name": name, "manifest": manifest},
        })
    }

    #[test]
    fn lists_objects_with_their_rules() {
        let role = json!({"rules": [
            {"verbs": ["get", "list"], "resources": ["pods", "secrets"], "apiGroups": ["", "apps"]},
            {"verbs": ["get"], "nonResourceURLs": ["/metrics"]},
            {"verbs": ["*"], "resources": ["leases"], "apiGroups": ["coordination.k8s.io"],
             "resourceNames": ["ferry"]},
        ]});
        let plan = json!({"status": {"plan": [
            step("ClusterServiceVersion", "ferry.v2.0.0", "{}"),
            step("CustomResourceDefinition", "ferries.example.com", "{}"),
            step("ClusterRole", "ferry-x", &role.to_string()),
            step("Role", "ferry-y", "{\"kind\":\"ConfigMap\"}"),
        ]}});
        let mut page = Page::default();
        append_objects(&mut page, &plan);
        let text = anstream::adapter::strip_str(&page.into_text()).to_string();
        for line in [
            "ferry.v2.0.0",
            "CustomResourceDefinition ferries.example.com",
            "get, list pods, secrets in apps",
            "get /metrics",
            "* leases in coordination.k8s.io, only ferry",
            "the InstallPlan does not contain the rules of this role",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn plan_without_steps_has_no_objects() {
        let mut page = Page::default();
        append_objects(&mut page, &json!({}));
        assert_eq!(page.into_text(), "");
    }
}
