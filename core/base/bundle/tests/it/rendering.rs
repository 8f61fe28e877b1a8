//! Tests how bundles are rendered to manifests.

mod api_services;
mod options;
mod webhooks;

use portolan_core_bundle::{
    Additions, Bundle, Manifest, Oddities, Options, Targets, Title, cluster_service_version, render,
};
use rstest::rstest;
use serde_json::{Value as Json, json};

use crate::kit::{CRD, CSV, ferry};

const EXTRA: &str = "manifests/extra.yaml";

fn of(names: &[&str]) -> Targets {
    Targets::Of(names.iter().map(|name| (*name).to_owned()).collect())
}

/// Returns the default options of Portolan without additions.
fn plain(targets: Targets) -> Options {
    Options {
        targets,
        additions: Additions::default(),
        ..Options::new("ns")
    }
}

#[track_caller]
fn rendered(bundle: &Bundle, options: &Options) -> Vec<Manifest> {
    let manifests = render(bundle, options);
    manifests.unwrap_or_else(|refusals| {
        let told: Vec<_> = refusals.iter().map(ToString::to_string).collect();
        panic!("the bundle must be rendered: {}", told.join("\n"))
    })
}

fn titles(manifests: &[Manifest]) -> Vec<String> {
    manifests
        .iter()
        .map(|manifest| Title(&manifest.identity()).to_string())
        .collect()
}

/// Returns the objects of a kind.
fn all_of(manifests: &[Manifest], kind: &str) -> Vec<Json> {
    let of_kind = manifests
        .iter()
        .filter(|manifest| manifest.object["kind"] == kind);
    of_kind.map(|manifest| manifest.object.clone()).collect()
}

#[track_caller]
fn one_of(manifests: &[Manifest], kind: &str) -> Json {
    let mut all = all_of(manifests, kind);
    assert_eq!(all.len(), 1, "{kind}");
    all.remove(0)
}

const CLUSTER_ROLE: &str = "ferry.v1.0.0-ferry-CLUSTER";

#[test]
fn operator_for_all_namespaces_has_cluster_permissions() {
    let manifests = rendered(&ferry().read(), &plain(Targets::Default));
    let titles = titles(&manifests);
    assert_eq!(titles[0], "ServiceAccount ns/ferryman");
    let kinds: Vec<_> = titles
        .iter()
        .map(|title| title.split(' ').next().unwrap_or(""))
        .collect();
    assert_eq!(
        kinds,
        [
            "ServiceAccount",
            "ClusterRole",
            "ClusterRoleBinding",
            "ClusterRole",
            "ClusterRoleBinding",
            "CustomResourceDefinition",
            "Deployment"
        ]
    );
    let roles = all_of(&manifests, "ClusterRole");
    let see_namespaces =
        json!({"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["namespaces"]});
    assert_eq!(
        roles[1]["rules"],
        json!([{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]}, see_namespaces])
    );
    let name = roles[0]["metadata"]["name"].as_str().expect("a name");
    assert_eq!(name.len(), CLUSTER_ROLE.len() - "CLUSTER".len() + 44);
    assert_eq!(
        all_of(&manifests, "ClusterRoleBinding")[0],
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "subjects": [{"kind": "ServiceAccount", "name": "ferryman", "namespace": "ns"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        })
    );
}

#[test]
fn operator_for_some_namespaces_has_permissions_in_each() {
    let bundle = ferry()
        .with(CSV, "name: ferry.v1.0.0", "name: example.v1.0.0")
        .with(
            CSV,
            "      permissions:\n      - serviceAccountName: ferryman",
            "      permissions:\n      - serviceAccountName: sa",
        )
        .read();
    let manifests = rendered(&bundle, &plain(of(&["a", "b"])));
    let name = "example.v1.0.0-sa-r46sxgnvym0hdhnfu1rwde004cd0apgsk0yju9fat7x";
    let wanted = ["a", "b"].map(|namespace| {
        let metadata = json!({"name": name, "namespace": namespace});
        [
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "Role",
                "metadata": metadata,
                "rules": [{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]}],
            }),
            json!({
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "RoleBinding",
                "metadata": metadata,
                "subjects": [{"kind": "ServiceAccount", "name": "sa", "namespace": "ns"}],
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            }),
        ]
    });
    let [roles, bindings] = [
        all_of(&manifests, "Role"),
        all_of(&manifests, "RoleBinding"),
    ];
    let found: Vec<_> = roles
        .into_iter()
        .zip(bindings)
        .map(|(role, binding)| [role, binding])
        .collect();
    assert_eq!(found, wanted);
    assert_eq!(
        titles(&manifests)[..2],
        ["ServiceAccount ns/ferryman", "ServiceAccount ns/sa"]
    );
}

#[test]
fn default_service_account_is_bound_and_not_rendered() {
    let bundle = ferry()
        .with(
            CSV,
            "      - serviceAccountName: ferryman\n        rules:\n        - apiGroups: [\"\"]",
            "      - rules:\n        - apiGroups: [\"\"]",
        )
        .read();
    let manifests = rendered(&bundle, &plain(of(&["ns"])));
    let binding = one_of(&manifests, "RoleBinding");
    assert_eq!(binding["subjects"][0]["name"], "default");
    assert_eq!(all_of(&manifests, "ServiceAccount").len(), 1);
}

#[test]
fn deployment_has_namespace_and_target_namespaces() {
    let bundle = ferry()
        .with(
            CSV,
            "              creationTimestamp: null",
            "              annotations: {capabilities: Full}",
        )
        .read();
    let manifests = rendered(&bundle, &plain(of(&["b", "a"])));
    let container = json!({
        "name": "manager",
        "image": "registry.example/ferry:1.0.0",
        "env": [{"name": "WATCH_NAMESPACE", "valueFrom": {"fieldRef": {
            "fieldPath": "metadata.annotations['olm.targetNamespaces']"}}}],
    });
    assert_eq!(
        one_of(&manifests, "Deployment"),
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "ferry-controller", "namespace": "ns", "labels": {"app": "ferry"}},
            "spec": {
                "replicas": 1,
                "revisionHistoryLimit": 1,
                "selector": {"matchLabels": {"app": "ferry"}},
                "template": {
                    "metadata": {
                        "labels": {"app": "ferry"},
                        "annotations": {
                            "capabilities": "Full",
                            "olm.operatorNamespace": "ns",
                            "olm.targetNamespaces": "a,b",
                            "operatorframework.io/suggested-namespace": "ferries",
                        },
                    },
                    "spec": {"serviceAccountName": "ferryman", "containers": [container]},
                },
            },
        })
    );
}

#[rstest]
#[case::all("AllNamespaces", &[""], Ok(""))]
#[case::own("OwnNamespace", &["ns"], Ok("ns"))]
#[case::another("SingleNamespace", &["other"], Ok("other"))]
#[case::several("MultiNamespace", &["b", "a"], Ok("a,b"))]
#[case::all_when_it_cannot("OwnNamespace", &[""], Err("the bundle does not support AllNamespaces; it supports OwnNamespace"))]
#[case::own_when_it_cannot("SingleNamespace", &["ns"], Err("the bundle does not support OwnNamespace; it supports SingleNamespace"))]
#[case::another_when_it_cannot("OwnNamespace", &["other"], Err("the bundle does not support SingleNamespace; it supports OwnNamespace"))]
#[case::several_with_its_own("MultiNamespace", &["ns", "other"], Err("the bundle does not support OwnNamespace; it supports MultiNamespace"))]
#[case::none("AllNamespaces", &[], Err("no namespace is given; give one, or request all"))]
#[case::no_namespace("SingleNamespace", &["Ships"], Err("\"Ships\" is not a valid name of a \
 namespace: it can contain only lower-case letters, digits and hyphens"))]
fn target_namespaces_must_match_the_install_modes(
    #[case] mode: &str,
    #[case] targets: &[&str],
    #[case] expected: Result<&str, &str>,
) {
    let modes = [
        "OwnNamespace",
        "SingleNamespace",
        "MultiNamespace",
        "AllNamespaces",
    ];
    let others = modes.iter().filter(|other| **other != mode);
    let files = others.fold(ferry(), |files, other| {
        let line = |supported| format!("  - type: {other}\n    supported: {supported}\n");
        files.with(CSV, &line(true), &line(false))
    });
    let targets = if targets == [""] {
        Targets::All
    } else {
        of(targets)
    };
    let found = render(&files.read(), &plain(targets));
    let found = found.map(|manifests| {
        let template = &one_of(&manifests, "Deployment")["spec"]["template"];
        template["metadata"]["annotations"]["olm.targetNamespaces"].clone()
    });
    let found =
        found.map_err(|refusals| refusals.iter().map(ToString::to_string).collect::<Vec<_>>());
    let expected = expected.map(Json::from);
    assert_eq!(
        found,
        expected.map_err(|sentence| vec![format!("targets: {sentence}")])
    );
}

#[test]
fn rejects_all_namespaces_if_unsupported() {
    let all = "  - type: AllNamespaces\n    supported: true\n";
    let refused = render(&ferry().with(CSV, all, "").read(), &Options::new("ns"));
    let errors: Vec<_> = refused
        .expect_err("no")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        errors,
        [
            "targets: the bundle does not support AllNamespaces; it supports MultiNamespace, OwnNamespace, \
          SingleNamespace; give the namespaces that it watches"
        ]
    );
}

#[rstest]
#[case::of_kubernetes("v1", "Secret", Some("ns"))]
#[case::of_the_cluster("rbac.authorization.k8s.io/v1", "ClusterRole", None)]
#[case::of_a_definition_for_namespaces("ferry.example/v1", "Role", Some("ns"))]
#[case::of_a_definition_for_the_cluster("barge.example/v1", "Role", None)]
#[case::of_an_unknown_group("other.example/v1", "Role", Some("ns"))]
fn scope_of_an_object_is_determined_by_its_kind(
    #[case] version: &str,
    #[case] kind: &str,
    #[case] expected: Option<&str>,
) {
    let crd = include_str!("ferry/crd.yaml").replace("kind: Ship\n", "kind: Role\n");
    let barge = crd
        .replace("ferry.example", "barge.example")
        .replace("scope: Namespaced", "scope: Cluster");
    let object = format!(
        "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a, namespace: placeholder}}\n"
    );
    let bundle = ferry()
        .without(CRD)
        .plus(CRD, &crd)
        .plus("manifests/barge.yaml", &barge)
        .plus(EXTRA, &object)
        .read();
    let manifests = rendered(&bundle, &plain(Targets::All));
    let found = manifests
        .iter()
        .find(|manifest| &*manifest.origin == EXTRA)
        .expect("it");
    assert_eq!(found.object["metadata"]["namespace"].as_str(), expected);
}

#[test]
fn result_does_not_depend_on_the_order_of_files() {
    let service = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n";
    let bundle = ferry().plus(EXTRA, service).read();
    let again = ferry()
        .without(CRD)
        .plus(EXTRA, service)
        .plus(CRD, include_str!("ferry/crd.yaml"))
        .read();
    for oddities in [Oddities::Mend, Oddities::Keep] {
        let options = Options {
            oddities,
            ..Options::new("ns")
        };
        assert_eq!(rendered(&bundle, &options), rendered(&again, &options));
    }
}

#[rstest]
#[case::all(Targets::Default, "")]
#[case::some(of(&["a", "b"]), "a,b")]
fn csv_has_target_namespaces_and_no_icon(#[case] targets: Targets, #[case] targets_text: &str) {
    let spec = "spec:\n  version: 1.0.0\n";
    let icon = "  icon: [{base64data: aWNvbg==, mediatype: image/png}]\n";
    let bundle = ferry().with(CSV, spec, &format!("{spec}{icon}")).read();
    let mut csv = cluster_service_version(&bundle, &plain(targets));
    let metadata = &csv["metadata"];
    assert_eq!(metadata["name"], "ferry.v1.0.0");
    assert_eq!(metadata["namespace"], "ns");
    let annotations = metadata["annotations"].as_object().expect("annotations");
    assert_eq!(annotations["olm.operatorNamespace"], "ns");
    assert_eq!(annotations["olm.targetNamespaces"], targets_text);
    assert_eq!(csv["kind"], "ClusterServiceVersion");
    let spec = csv["spec"].as_object_mut().expect("a spec");
    assert_eq!(spec.get("icon"), None);
    assert!(spec.contains_key("install"));
}
