//! Tests of small bundles whose output would be huge or slow without limits.

use std::fmt::Write as _;

use portolan_core_bundle::{
    Additions, Manifest, Options, Permissions, Release, breaks, difference, permissions, render,
    validate,
};
use serde_json::{Map, Value as Json, json};

use crate::kit::{CRD, CSV, Files, fault_lines, ferry};

/// Returns a YAML list of `number` texts.
fn list(what: &str, number: usize) -> String {
    let texts: Vec<_> = (0..number).map(|at| format!("{what}{at}")).collect();
    format!("[{}]", texts.join(", "))
}

fn manifests(files: Files) -> Vec<Manifest> {
    let options = Options {
        additions: Additions::default(),
        ..Options::new("ns")
    };
    render(&files.read(), &options).expect("manifests")
}

fn of(rules: &str) -> Permissions {
    let old = "        - apiGroups: [ferry.example]\n          resources: [ships]\n          verbs: [\"*\"]\n";
    permissions(&manifests(ferry().with(CSV, old, rules)))
}

/// The rule in this test grants four hundred million single permissions.
#[test]
fn huge_rbac_rule_is_compared_as_a_whole() {
    let (groups, resources, verbs) = (list("g", 2000), list("r", 2000), list("v", 100));
    let rule = |resources: &str| {
        format!(
            "        - apiGroups: {groups}\n          resources: {resources}\n          verbs: {verbs}\n"
        )
    };
    let huge = of(&rule(&resources));
    assert_eq!(huge.beyond(&huge).whole, 0, "equal rules are equal");
    let beyond = huge.beyond(&of(&rule("[r0]")));
    assert_eq!(beyond.whole, 1);
    let sentence = beyond.permissions[0].to_string();
    assert!(sentence.ends_with("1960 more in the cluster"), "{sentence}");
    assert!(sentence.len() < 2000, "{sentence}");
}

#[test]
fn many_rules_are_not_compared_pairwise() {
    let rules = |what: &str| {
        let rule =
            |at| format!("        - {{apiGroups: [{what}{at}], resources: [a], verbs: [get]}}\n");
        (0..20_000).map(rule).collect::<String>()
    };
    let beyond = of(&rules("a")).beyond(&of(&rules("b")));
    assert_eq!(beyond.permissions.len(), 20_000);
    assert!(beyond.whole > 0);
}

#[test]
fn difference_names_rbac_rules_that_are_compared_as_a_whole() {
    let old = "        - apiGroups: [ferry.example]\n";
    let new = format!("        - apiGroups: {}\n", list("g", 3_000_000 / 3));
    let (old, new) = (ferry(), ferry().with(CSV, old, &new));
    // This bundle exceeds the maximum number of values.
    assert_eq!(
        fault_lines(&new.try_read().expect_err("too much")),
        "error: manifests/ferry.clusterserviceversion.yaml:37: more than 1000000 values in total"
    );
    let new = ferry().with(
        CSV,
        "        - apiGroups: [ferry.example]\n          resources: [ships]\n",
        &format!(
            "        - apiGroups: {}\n          resources: {}\n",
            list("g", 2000),
            list("r", 2000)
        ),
    );
    let (old, new) = (old.read(), new.read());
    let render = |bundle| render(bundle, &Options::new("ns")).expect("manifests");
    let (old_manifests, new_manifests) = (render(&old), render(&new));
    let found = difference(
        Release {
            bundle: &old,
            manifests: &old_manifests,
        },
        Release {
            bundle: &new,
            manifests: &new_manifests,
        },
    );
    assert_eq!(
        found.coarse,
        ["1 rules of roles are too many to compare one by one; all of them are listed"]
    );
}

/// Each unknown field has a path, and all paths begin with the same long key.
#[test]
fn fields_below_a_long_key_have_shortened_paths() {
    let key = "k".repeat(1000);
    let fields: String = (0..20_000).map(|at| format!("f{at}: 1, ")).collect();
    let bundle = ferry()
        .with(
            CRD,
            "              berths:\n",
            &format!("              {key}: {{{fields}}}\n              berths:\n"),
        )
        .read();
    let warnings = bundle.warnings();
    let longest = warnings.iter().map(|fault| fault.to_string().len()).max();
    assert!(longest.is_some_and(|longest| longest < 600), "{longest:?}");
    let last = warnings.iter().rev().take(2).map(ToString::to_string);
    assert_eq!(
        last.collect::<Vec<_>>(),
        [
            "the bundle: 1 more faults are not listed",
            "manifests/ships.ferry.example.yaml:24: a CustomResourceDefinition has no field `spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk....f999`, so it is dropped"
        ]
    );
}

fn crd(versions: &[Json]) -> Json {
    json!({"kind": "CustomResourceDefinition", "spec": {"versions": versions}})
}

fn version(name: &str, schema: Json) -> Json {
    json!({"name": name, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}})
}

/// The schema has a property with a long name, and many properties below it.
#[test]
fn wide_schema_below_long_key_is_compared_without_all_paths() {
    let below = |number: usize| {
        let fields: Map<String, Json> = (0..number)
            .map(|at| (format!("f{at}"), json!({})))
            .collect();
        json!({"properties": {"k".repeat(1_000_000): {"properties": fields}}})
    };
    let (old, new) = (below(50_000), below(1));
    let found = breaks(&crd(&[version("v1", old)]), &crd(&[version("v1", new)]));
    assert_eq!(found.len(), 1001);
    assert_eq!(
        found[0].to_string(),
        "v1: unhandled: there are more differences than the 1000 that are listed"
    );
    let bytes: usize = found.iter().map(|found| found.to_string().len()).sum();
    assert!(bytes < 1_000_000, "{bytes}");
}

#[test]
fn schema_lists_are_not_compared_pairwise() {
    let of = |what: &str| {
        let values: Vec<_> = (0..200_000).map(|at| format!("{what}{at}")).collect();
        crd(&[version("v1", json!({"enum": values, "required": values}))])
    };
    let found: Vec<_> = breaks(&of("a"), &of("b"))
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("v1: required: newly required: b0, b1, "));
    assert!(found[0].ends_with("b19, 199980 more"), "{}", found[0]);
}

#[test]
fn many_served_versions_are_not_compared_pairwise() {
    let versions = |text: &str| -> Vec<_> {
        let schema = json!({"type": "object", "description": text});
        (0..5000)
            .map(|at| version(&format!("v{at}"), schema.clone()))
            .collect()
    };
    let [old, new] = ["old", "new"].map(|text| crd(&versions(text)));
    let found = breaks(&old, &new);
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "unhandled: 5000 served versions are too many to compare all pairs; at most 16 \
             versions are compared"
        ]
    );
}

/// Returns deployments with an empty spec, as YAML.
fn deployments(number: usize) -> String {
    let mut text = String::new();
    for at in 0..number {
        writeln!(text, "      - name: d{at}\n        spec: {{}}").expect("memory");
    }
    text
}

#[test]
fn rejects_large_annotations_copied_to_thousands_of_deployments() {
    let files = ferry()
        .with(
            CSV,
            "    capabilities: Basic Install\n",
            &format!("    capabilities: {}\n", "a".repeat(1_000_000)),
        )
        .and(CSV, &deployments(10_000));
    let bundle = files.read();
    let refusals = render(&bundle, &Options::new("ns")).expect_err("too much");
    let refusals: Vec<_> = refusals.iter().map(ToString::to_string).collect();
    assert_eq!(
        refusals,
        [
            "the annotations of the ClusterServiceVersion, which each Deployment gets, would make \
             the manifests larger than 67108864 bytes"
        ]
    );
    // Every deployment has a fault, so the list of faults is truncated.
    assert_eq!(validate(&bundle).len(), 1001);
}

#[test]
fn many_webhooks_and_deployments_are_not_matched_pairwise() {
    let mut webhooks = String::new();
    for at in 0..20_000 {
        let hook = "type: ValidatingAdmissionWebhook, sideEffects: None";
        writeln!(
            webhooks,
            "  - {{{hook}, generateName: w{at}, deploymentName: d{at}}}"
        )
        .expect("memory");
    }
    let files = ferry().and(CSV, &deployments(20_000)).webhooks(&webhooks);
    let manifests = manifests(files);
    let services = manifests
        .iter()
        .filter(|manifest| manifest.object["kind"] == "Service");
    assert_eq!(services.count(), 20_000);
}

/// Each document has only a few bytes, but its aliases expand to the maximum number of values.
#[test]
fn documents_of_a_bundle_share_one_limit_of_values() {
    let mut laughs = "kind: Secret\nx0: &x0 [ha]\n".to_owned();
    for line in 1..6 {
        let alias = format!("*x{}, ", line - 1).repeat(9);
        writeln!(laughs, "x{line}: &x{line} [{alias}]").expect("memory");
    }
    let many = format!("---\n{laughs}").repeat(2000);
    let faults = ferry().plus("manifests/extra.yaml", &many).try_read();
    let faults = faults.expect_err("too much");
    let errors: Vec<_> = faults
        .iter()
        .filter(|fault| fault.severity == portolan_core_bundle::Severity::Error)
        .map(|fault| fault.sentence.as_str())
        .collect();
    assert_eq!(errors, ["more than 1000000 values in total"]);
}

#[test]
fn long_names_are_truncated_in_faults() {
    let long = "N".repeat(1_000_000);
    let files = ferry().with(
        CSV,
        "      - name: ferry-controller\n",
        &format!("      - name: {long}\n"),
    );
    let faults = validate(&files.read());
    assert!(faults.iter().all(|fault| fault.to_string().len() < 600));
}
