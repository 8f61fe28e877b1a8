//! Tests of the permissions that a bundle grants, and the permissions that its installation
//! requires.

use portolan_core_bundle::{
    Additions, Manifest, Options, Permissions, Targets, permissions, render,
};
use rstest::rstest;

use crate::kit::{CSV, Files, ferry, titles};

fn manifests(files: Files, targets: Targets) -> Vec<Manifest> {
    let options = Options {
        targets,
        additions: Additions::default(),
        ..Options::new("ns")
    };
    render(&files.read(), &options).expect("manifests")
}

fn of(files: Files, targets: Targets) -> Permissions {
    permissions(&manifests(files, targets))
}

fn texts<T: ToString>(all: &[T]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

fn own() -> Targets {
    Targets::Of(["ns".to_owned()].into())
}

#[test]
fn operator_has_the_permissions_of_its_roles() {
    let permissions = of(ferry(), own());
    let grants: Vec<_> = permissions
        .operator
        .iter()
        .map(|grant| {
            let rules = texts(grant.rules.as_deref().unwrap_or_default()).join("; ");
            format!("{} in {}: {rules}", grant.account, grant.extent)
        })
        .collect();
    assert_eq!(
        grants,
        [
            "ns/ferryman in the cluster: * ships of ferry.example",
            "ns/ferryman in namespace ns: get, list pods"
        ]
    );
}

#[test]
fn installer_needs_permissions_for_the_objects_and_the_granted_rules() {
    let permissions = of(ferry(), own());
    assert_eq!(
        texts(&permissions.installer),
        [
            "create, get, patch customresourcedefinitions of apiextensions.k8s.io in the cluster",
            "create, get, patch clusterrolebindings, clusterroles of rbac.authorization.k8s.io in the cluster",
            "create, get, patch serviceaccounts in namespace ns",
            "create, get, patch deployments of apps in namespace ns",
            "create, get, patch rolebindings, roles of rbac.authorization.k8s.io in namespace ns",
        ]
    );
    assert_eq!(
        texts(&permissions.instead),
        [
            "* ships of ferry.example in the cluster",
            "get, list pods in namespace ns"
        ]
    );
    let escalation: Vec<_> = permissions
        .escalation
        .iter()
        .map(|permission| {
            let verbs: Vec<_> = permission.rule.verbs.iter().map(String::as_str).collect();
            let resources: Vec<_> = permission
                .rule
                .resources
                .iter()
                .map(String::as_str)
                .collect();
            let names = permission.rule.resource_names.len();
            format!(
                "{} {names} {} in {}",
                verbs.join(","),
                resources.join(","),
                permission.extent
            )
        })
        .collect();
    assert_eq!(
        escalation,
        [
            "bind 1 clusterroles in the cluster",
            "escalate 0 clusterroles in the cluster",
            "bind 1 roles in namespace ns",
            "escalate 0 roles in namespace ns",
        ]
    );
    assert_eq!(permissions.unknown, []);
}

#[test]
fn role_missing_in_the_bundle_is_named() {
    let files = ferry().plus("manifests/extra.yaml", include_str!("ferry/extra.yaml"));
    let permissions = of(files, own());
    assert_eq!(titles(&permissions.unknown), ["ClusterRole view"]);
    let grant = permissions
        .operator
        .iter()
        .find(|grant| grant.account == "system/ferryman");
    assert_eq!(grant.map(|grant| grant.rules.clone()), Some(None));
}

#[test]
fn custom_resources_are_named_by_their_crd() {
    let ship = "apiVersion: ferry.example/v1\nkind: Role\nmetadata: {name: a}\n";
    let crd = include_str!("ferry/crd.yaml").replace("kind: Ship\n", "kind: Role\n");
    let files = ferry()
        .without(crate::kit::CRD)
        .plus(crate::kit::CRD, &crd)
        .plus("manifests/extra.yaml", ship);
    let permissions = of(files, own());
    let needed = texts(&permissions.installer);
    assert!(
        needed.contains(&"create, get, patch ships of ferry.example in namespace ns".to_owned()),
        "{needed:#?}"
    );
}

/// Returns the bundle `ferry` with this rule instead of the operator's rule for ships.
fn with_rule(rule: &str) -> Files {
    let old = "        - apiGroups: [ferry.example]\n          resources: [ships]\n          verbs: [\"*\"]\n";
    ferry().with(CSV, old, &format!("        - {rule}\n"))
}

#[rstest]
#[case::the_same("{apiGroups: [a], resources: [b], verbs: [get]}", "{apiGroups: [a], resources: [b], verbs: [get]}", &[])]
#[case::additional_verb(
    "{apiGroups: [a], resources: [b], verbs: [get]}",
    "{apiGroups: [a], resources: [b, c], verbs: [get, list]}",
    &["list b of a in the cluster", "get, list c of a in the cluster"]
)]
#[case::a_star_covers_all("{apiGroups: ['*'], resources: ['*'], verbs: ['*']}", "{apiGroups: [a], resources: [b/c], verbs: [get]}", &[])]
#[case::star_exceeds_a_list_of_all_verbs(
    "{apiGroups: [a], resources: [b], verbs: [get]}",
    "{apiGroups: [a], resources: [b], verbs: ['*']}",
    &["* b of a in the cluster"]
)]
#[case::a_part_of_all("{apiGroups: [a], resources: ['*/scale'], verbs: [get]}", "{apiGroups: [a], resources: [b/scale], verbs: [get]}", &[])]
#[case::a_resource_is_not_its_parts(
    "{apiGroups: [a], resources: [b], verbs: [get]}",
    "{apiGroups: [a], resources: [b/scale], verbs: [get]}",
    &["get b/scale of a in the cluster"]
)]
#[case::rule_for_all_names_covers_rule_for_one_name("{apiGroups: [a], resources: [b], verbs: [get]}", "{apiGroups: [a], resources: [b], resourceNames: [c], verbs: [get]}", &[])]
#[case::rule_for_one_name_does_not_cover_rule_for_all_names(
    "{apiGroups: [a], resources: [b], resourceNames: [c], verbs: [get]}",
    "{apiGroups: [a], resources: [b], verbs: [get]}",
    &["get b of a in the cluster"]
)]
#[case::a_path("{nonResourceURLs: [/metrics/*], verbs: [get]}", "{nonResourceURLs: [/metrics/a, /live], verbs: [get]}", &["get /live in the cluster"])]
fn new_rules_have_the_expected_additional_permissions(
    #[case] old: &str,
    #[case] new: &str,
    #[case] expected: &[&str],
) {
    let (old, new) = (of(with_rule(old), own()), of(with_rule(new), own()));
    assert_eq!(texts(&new.beyond(&old).permissions), expected);
}

#[test]
fn cluster_wide_permission_exceeds_the_same_permission_in_a_namespace() {
    let (all, own) = (of(ferry(), Targets::All), of(ferry(), own()));
    assert_eq!(texts(&own.beyond(&all).permissions), Vec::<String>::new());
    assert_eq!(
        texts(&all.beyond(&own).permissions),
        [
            "get, list, watch namespaces in the cluster",
            "get, list pods in the cluster"
        ]
    );
}

#[test]
fn unknown_resource_name_is_guessed() {
    let foreign = "apiVersion: iam.example/v1\nkind: Role\nmetadata: {name: a}\n";
    let permissions = of(ferry().plus("manifests/extra.yaml", foreign), own());
    assert_eq!(
        texts(&permissions.guessed),
        ["create, get, patch roles of iam.example in namespace ns"]
    );
    assert!(
        texts(&permissions.installer)
            .iter()
            .all(|it| !it.contains("iam.example"))
    );
}
