//! Tests of options that change Deployments or add objects.

use std::collections::BTreeSet;

use portolan_core_bundle::{Config, Options, Proxy, Targets};
use rstest::rstest;
use serde_json::{Value as Json, json};

use super::{all_of, one_of, plain, rendered, titles};
use crate::kit::{CSV, ferry};

/// Returns the Deployment of the bundle `ferry`, rendered with this config.
fn configured(config: Json) -> Json {
    let options = Options {
        config: Config::parse(&config).expect("a config"),
        ..plain(Targets::All)
    };
    let bundle = ferry()
        .with(CSV, "              containers:", "              nodeSelector: {a: b}\n              affinity: {nodeAffinity: {}, podAffinity: {}}\n              containers:")
        .read();
    one_of(&rendered(&bundle, &options), "Deployment")
}

#[rstest]
#[case::a_variable_takes_the_place_of_its_name(
    json!({"env": [{"name": "WATCH_NAMESPACE", "value": "a"}, {"name": "B", "value": "b"}]}),
    "/spec/template/spec/containers/0/env",
    json!([{"name": "WATCH_NAMESPACE", "value": "a"}, {"name": "B", "value": "b"}])
)]
#[case::volumes_are_added(
    json!({"volumes": [{"name": "a", "emptyDir": {}}]}),
    "/spec/template/spec/volumes",
    json!([{"name": "a", "emptyDir": {}}])
)]
#[case::resources_take_the_place_of_all(
    json!({"resources": {"limits": {"cpu": "1"}}}),
    "/spec/template/spec/containers/0/resources",
    json!({"limits": {"cpu": "1"}})
)]
#[case::tolerations_that_are_equal_are_added_once(
    json!({"tolerations": [{"key": "a"}, {"key": "a"}]}),
    "/spec/template/spec/tolerations",
    json!([{"key": "a"}])
)]
#[case::an_empty_node_selector_clears(json!({"nodeSelector": {}}), "/spec/template/spec/nodeSelector", json!({}))]
#[case::an_empty_affinity_clears(json!({"affinity": {}}), "/spec/template/spec/affinity", json!(null))]
#[case::an_empty_part_of_an_affinity_clears_it(
    json!({"affinity": {"nodeAffinity": {}}}),
    "/spec/template/spec/affinity",
    json!({"podAffinity": {}})
)]
#[case::an_annotation_is_added(
    json!({"annotations": {"capabilities": "other", "a": "b"}}),
    "/metadata/annotations",
    json!({"capabilities": "other", "a": "b"})
)]
#[case::an_existing_annotation_stays(
    json!({"annotations": {"capabilities": "other"}}),
    "/spec/template/metadata/annotations/capabilities",
    json!("Basic Install")
)]
#[case::nothing_leaves_no_trace(json!({}), "/spec/template/spec/tolerations", json!(null))]
fn config_changes_deployments(#[case] config: Json, #[case] pointer: &str, #[case] expected: Json) {
    let deployment = configured(config);
    assert_eq!(
        deployment.pointer(pointer).cloned().unwrap_or_default(),
        expected
    );
}

#[rstest]
#[case::no_object(json!([]), &["a config is an object"])]
#[case::other_types(
    json!({"env": 1, "resources": {"limits": []}}),
    &["`env` is the number 1, not a list", "`resources.limits` is a list, not an object"]
)]
#[case::unknown_fields(
    json!({"environment": [], "env": [{"name": "A", "amount": "b"}]}),
    &["there is no field `env[0].amount`", "there is no field `environment`"]
)]
fn rejects_invalid_config(#[case] config: Json, #[case] expected: &[&str]) {
    assert_eq!(Config::parse(&config).expect_err("no config"), expected);
}

#[rstest]
#[case::the_proxy_of_the_cluster(json!({}), json!(["WATCH_NAMESPACE", "HTTPS_PROXY", "NO_PROXY"]))]
#[case::another_way_out(
    json!({"env": [{"name": "HTTP_PROXY", "value": "mine"}]}),
    json!(["WATCH_NAMESPACE", "HTTP_PROXY"])
)]
fn proxy_is_added_to_the_environment(#[case] config: Json, #[case] expected: Json) {
    let mut options = plain(Targets::All);
    options.config = Config::parse(&config).expect("a config");
    options.additions.proxy = Proxy {
        http: String::new(),
        https: "https://proxy.example".to_owned(),
        no_proxy: ".svc".to_owned(),
    };
    let manifests = rendered(&ferry().read(), &options);
    let deployment = one_of(&manifests, "Deployment");
    let env = deployment.pointer("/spec/template/spec/containers/0/env");
    let names = env
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .map(|env| env["name"].clone());
    assert_eq!(Json::Array(names.collect()), expected);
}

#[test]
fn tenants_get_roles_for_each_api() {
    let bundle = ferry().read();
    let before: BTreeSet<_> = titles(&rendered(&bundle, &plain(Targets::All)))
        .into_iter()
        .collect();
    let manifests = rendered(&bundle, &Options::new("ns"));
    let added = titles(&manifests)
        .into_iter()
        .filter(|title| !before.contains(title));
    assert_eq!(
        added.collect::<Vec<_>>(),
        ["admin", "edit", "view", "crdview"]
            .map(|suffix| format!("ClusterRole ships.ferry.example-v1-{suffix}"))
    );
    let role = |suffix: &str| {
        let name = format!("ships.ferry.example-v1-{suffix}");
        let mut roles = all_of(&manifests, "ClusterRole").into_iter();
        roles
            .find(|role| role["metadata"]["name"] == name)
            .expect("a role")
    };
    let label = |of: &str| json!({format!("rbac.authorization.k8s.io/aggregate-to-{of}"): "true"});
    assert_eq!(role("edit")["metadata"]["labels"], label("edit"));
    assert_eq!(
        role("edit")["rules"],
        json!([{"apiGroups": ["ferry.example"], "resources": ["ships"],
            "verbs": ["create", "update", "patch", "delete"]}])
    );
    assert_eq!(role("crdview")["metadata"]["labels"], label("view"));
    assert_eq!(
        role("crdview")["rules"],
        json!([{"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"],
            "resourceNames": ["ships.ferry.example"], "verbs": ["get"]}])
    );
}

#[test]
fn renders_namespace_from_the_suggested_template() {
    let template = "    operatorframework.io/suggested-namespace-template: '{\"metadata\": {\"name\": \"ferries\", \
                    \"labels\": {\"a\": \"b\"}}}'";
    let bundle = ferry()
        .with(CSV, "    capabilities: Basic Install", template)
        .read();
    let manifests = rendered(&bundle, &Options::new("ns"));
    assert_eq!(
        manifests[0].object,
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns", "labels": {"a": "b"}}})
    );
    assert_eq!(bundle.suggested_namespace().as_deref(), Some("ferries"));
    let without = rendered(&bundle, &plain(Targets::All));
    assert_eq!(all_of(&without, "Namespace"), Vec::<Json>::new());
}
