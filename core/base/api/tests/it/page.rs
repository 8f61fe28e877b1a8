//! Tests of the examples on the docs page about policies.

use std::collections::BTreeSet;

use kube_core::CustomResourceExt as _;
use portolan_api::{Intent, OperatorPolicy, Removal};
use serde_json::{Value, json};

use crate::policies::policy;

const PAGE: &str = include_str!("../../../../../docs/operator-policy.md");

/// Returns the lines of a block on the page, starting with line `first`.
fn block(first: &str) -> String {
    let lines = PAGE
        .lines()
        .skip_while(|line| line.strip_prefix("    ") != Some(first));
    let block = lines.map_while(|line| line.strip_prefix("    "));
    block.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_pinned_policy_of_the_page_is_valid_and_restricts() {
    let mut json: Value = serde_saphyr::from_str(&block("spec:")).expect("YAML");
    json["metadata"] = json!({"name": "sloop", "namespace": "managed"});
    let intent = Intent::parse(&policy(json)).expect("a valid policy");
    assert!(intent.is_enforced() && intent.restricts(), "{intent:?}");
}

/// Returns the policies in the YAML blocks of the page.
fn policies() -> Vec<Value> {
    let blocks = PAGE.split("```yaml\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap_or_default());
    let parse = |block| serde_saphyr::from_str(block).expect("YAML");
    blocks.map(parse).collect()
}

fn meant(policy: Value) -> Intent {
    let policy: OperatorPolicy = serde_json::from_value(policy).expect("an OperatorPolicy");
    Intent::parse(&policy).expect("a valid policy")
}

/// Collects the paths of all fields in a manifest. Does not descend into lists, or into objects
/// that other APIs define.
fn fields(at: &str, value: &Value, all: &mut BTreeSet<String>) {
    let Some(object) = value.as_object() else {
        return;
    };
    for (name, value) in object {
        let path = format!("{at}.{name}");
        let is_others = path == "spec.subscription.config" || path == "spec.operatorGroup.target";
        if !is_others {
            fields(&path, value, all);
        }
        all.insert(path);
    }
}

/// Collects the paths of all fields that a schema declares.
fn declared(at: &str, schema: &Value, all: &mut BTreeSet<String>) {
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{at}.{name}");
        declared(&path, schema, all);
        all.insert(path);
    }
}

#[test]
fn the_complete_policies_of_the_page_are_valid_and_have_every_field() {
    let mut shown = BTreeSet::new();
    let policies = policies();
    assert_eq!(policies.len(), 2, "one for each form");
    for policy in policies {
        fields("spec", &policy["spec"], &mut shown);
        let intent = meant(policy);
        assert!(intent.is_enforced(), "{intent:?}");
    }
    let crd = serde_json::to_value(OperatorPolicy::crd()).expect("JSON");
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let mut all = BTreeSet::new();
    declared("spec", &schema["properties"]["spec"], &mut all);
    // The page documents the selector of namespaces without an example.
    all.retain(|path| !path.starts_with("spec.operatorGroup.selector"));
    assert_eq!(shown, all);
}

#[test]
fn page_documents_the_defaults_of_the_design_form() {
    let whole = policies().remove(0);
    let minimal = json!({
        "apiVersion": whole["apiVersion"],
        "kind": whole["kind"],
        "metadata": whole["metadata"],
        "spec": {"subscription": {"name": "sloop"}, "allowedCSVs": whole["spec"]["allowedCSVs"]},
    });
    let (whole, minimal) = (meant(whole), meant(minimal));
    assert_eq!(whole.effects, minimal.effects);
    let fates = |intent: &Intent| {
        let Removal {
            operator_groups,
            subscriptions,
            cluster_service_versions,
            install_plans,
            custom_resource_definitions,
            api_service_definitions,
        } = intent.removal;
        [
            operator_groups,
            subscriptions,
            cluster_service_versions,
            install_plans,
            custom_resource_definitions,
            api_service_definitions,
        ]
        .map(|removing| removing.remove)
    };
    assert_eq!(fates(&whole), fates(&minimal));
}
