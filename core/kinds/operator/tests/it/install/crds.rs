//! Tests of CRDs that change in a new version.

use portolan_api::operator::{ACCEPT_BREAKS, APPROVE, ConditionType};
use portolan_core_names::Gvk;
use portolan_core_operator::{Answer, Installation, Installer, Present, decide};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, definition, wish};

#[test]
fn data_loss_must_be_accepted_before_the_upgrade() {
    let mut cluster = Cluster::with_ferry_installed();
    defines(&mut cluster, &[("1.0.0", &["a", "b"]), ("1.1.0", &["a"])]);
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.reported("ferry"),
        "False CrdUpgradeUnsafe: ferry.v1.0.0 -> ferry.v1.1.0: custom resources may lose data: \
         ships.ferry.example: v1: .spec.b: existingFieldRemoval: the field is gone (type string \
         -> none); to accept this: kubectl annotate --overwrite \
         operators.operators.operatorframework.io ferry \
         operators.portolan.dev/accept-breaks=ferry.v1.1.0"
    );
    cluster.annotate("ferry", ACCEPT_BREAKS, "ferry.v1.1.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// Adds versions of ferry whose CRDs have the given fields.
fn defines(cluster: &mut Cluster, versions: &[(&str, &[&str])]) {
    for (version, fields) in versions {
        let bundle = format!("ferry.v{version}");
        cluster.definitions.insert(bundle, definition(fields));
    }
    cluster.carry_out();
}

/// An uninstalled operator leaves its CRD. The custom resources may contain fields that the CRD of
/// the next installation lacks.
#[test]
fn crd_in_the_cluster_is_compared_before_first_installation() {
    let mut cluster = Cluster::with_ferry();
    cluster.there = vec![definition(&["a", "b"])];
    defines(&mut cluster, &[("1.0.0", &["a"]), ("1.1.0", &["a", "b"])]);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.reported("ferry"),
        "False CrdUpgradeUnsafe: nothing -> ferry.v1.0.0: custom resources may lose data: \
         ships.ferry.example: v1: .spec.b: existingFieldRemoval: the field is gone (type string \
         -> none); to accept this: kubectl annotate --overwrite \
         operators.operators.operatorframework.io ferry \
         operators.portolan.dev/accept-breaks=ferry.v1.0.0"
    );
    cluster.annotate("ferry", ACCEPT_BREAKS, "ferry.v1.0.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
}

/// OLM never deletes CRDs, and never removes its label from them.
#[test]
fn crd_left_by_olm_is_taken_over_once_no_csv_provides_its_kind() {
    let mut cluster = Cluster::with_ferry();
    let mut there = definition(&["a"]);
    there["metadata"]["labels"] = json!({"olm.managed": "true"});
    cluster.there = vec![there];
    cluster
        .definitions
        .insert("ferry.v1.2.0".to_owned(), definition(&["a"]));
    let api = Gvk {
        group: "ferry.example".to_owned(),
        version: "v1".to_owned(),
        kind: "Ship".to_owned(),
    };
    cluster.present.push(Present {
        object: "ClusterServiceVersion olm/tug.v1.0.0".to_owned(),
        by: Installer::Olm,
        installs: Installation {
            package: "tug".to_owned(),
            bundle: "tug.v1.0.0".to_owned(),
            provides: [api].into(),
            ..Installation::default()
        },
        csv: None,
    });
    cluster.put(
        "ferry",
        json!({"packageName": "ferry", "approval": "Manual"}),
    );
    cluster.settle();
    let collisions = |cluster: &Cluster| cluster.plans["ferry-1"]["spec"]["collisions"].clone();
    assert_eq!(collisions(&cluster), "IfUnowned");
    cluster.present.clear();
    cluster.settle();
    assert_eq!(collisions(&cluster), "Adopt");
    cluster.annotate("ferry", APPROVE, "ferry.v1.2.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[rstest]
#[case::helm(json!({"annotations": {"meta.helm.sh/release-name": "ferry"}}))]
#[case::argo_cd(json!({"annotations": {"argocd.argoproj.io/tracking-id": "ferry"}}))]
#[case::flux(json!({"labels": {"kustomize.toolkit.fluxcd.io/name": "ferry"}}))]
#[case::cluster_extension(json!({"labels": {"olm.operatorframework.io/owner-name": "ferry"}}))]
#[case::controller(json!({"ownerReferences": [{"kind": "Dock", "name": "a", "controller": true}]}))]
#[case::plan(json!({"managedFields": [{"manager": "plans.portolan.dev/u-other"}]}))]
fn crd_of_another_owner_is_not_taken_over_because_of_the_label_of_olm(#[case] metadata: Value) {
    let mut cluster = Cluster::with_ferry();
    let mut there = definition(&["a"]);
    for (key, value) in metadata.as_object().expect("metadata") {
        there["metadata"][key] = value.clone();
    }
    there["metadata"]["labels"]["olm.managed"] = json!("true");
    cluster.there = vec![there];
    cluster
        .definitions
        .insert("ferry.v1.2.0".to_owned(), definition(&["a"]));
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(cluster.plans["ferry-1"]["spec"]["collisions"], "IfUnowned");
}

/// The controller does not watch CRDs, so it reads them again after some time.
#[test]
fn crd_on_the_cluster_is_read_again_until_it_is_repaired() {
    let mut cluster = Cluster::with_ferry();
    cluster.there = vec![definition(&["a", "b"])];
    defines(&mut cluster, &[("1.0.0", &["a"])]);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    let said = cluster.reported("ferry");
    assert!(said.starts_with("False CrdUpgradeUnsafe: "), "{said}");
    let until = |cluster: &Cluster| cluster.decide("ferry").until.map(|at| at.as_second());
    assert_eq!(until(&cluster), Some(60));
    cluster.there = vec![definition(&["a"])];
    cluster.wait(60);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    assert_eq!(until(&cluster), None);
}

#[rstest]
#[case::refused(Answer::Refused("forbidden".to_owned()), "PermissionMissing")]
#[case::unavailable(Answer::Unavailable("timeout".to_owned()), "CrdUpgradeUnsafe")]
fn failed_read_of_a_crd_is_retried(#[case] answer: Answer<Vec<Value>>, #[case] reason: &str) {
    let mut cluster = Cluster::with_ferry();
    defines(&mut cluster, &[("1.0.0", &["a"])]);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    let (_, mut observed) = cluster.decide_by("ferry");
    assert!(!observed.live.is_empty(), "CRDs are read");
    for it in observed.live.values_mut() {
        *it = answer.clone();
    }
    let decision = decide(&observed);
    let installing = decision.status.condition(ConditionType::Installing);
    assert_eq!(installing.map(|it| &*it.reason), Some(reason));
    assert_eq!(decision.until.map(|at| at.as_second()), Some(60));
}

#[test]
fn leaves_other_existing_objects_beside_a_crd_left_by_olm() {
    let mut cluster = Cluster::with_ferry();
    let mut there = definition(&["a"]);
    there["metadata"]["labels"] = json!({"olm.managed": "true"});
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "ferry", "namespace": "harbor"},
    });
    cluster.there = vec![there, deployment];
    cluster
        .definitions
        .insert("ferry.v1.2.0".to_owned(), definition(&["a"]));
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(cluster.plans["ferry-1"]["spec"]["collisions"], "IfUnowned");
}

/// OLM creates ClusterRoles for the users of a CRD, and never deletes these ClusterRoles.
#[rstest]
#[case::role_of_the_crd("ships.ferry.example", json!({"olm.managed": "true"}), "Adopt")]
#[case::role_of_another_crd("tugs.ferry.example", json!({"olm.managed": "true"}), "IfUnowned")]
#[case::role_without_label("ships.ferry.example", json!({}), "IfUnowned")]
#[case::role_of_another_owner(
    "ships.ferry.example",
    json!({"olm.managed": "true", "applyset.kubernetes.io/part-of": "a"}),
    "IfUnowned"
)]
fn roles_left_by_olm_are_taken_over_with_their_crd(
    #[case] crd: &str,
    #[case] labels: Value,
    #[case] expected: &str,
) {
    let mut cluster = Cluster::with_ferry();
    let mut there = definition(&["a"]);
    there["metadata"]["labels"] = json!({"olm.managed": "true"});
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "ships.ferry.example-v1-view"},
    });
    let mut left = role.clone();
    left["metadata"]["labels"] = labels;
    left["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "customresourcedefinition", "name": crd,
    }]);
    cluster.more = vec![role];
    cluster.there = vec![there, left];
    cluster
        .definitions
        .insert("ferry.v1.2.0".to_owned(), definition(&["a"]));
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(cluster.plans["ferry-1"]["spec"]["collisions"], expected);
}

/// A new CRD that is equal or has more fields causes no data loss. The API server adds some of
/// these fields itself.
#[rstest]
#[case("1.0.0", &["a"])]
#[case("1.1.0", &["a", "b"])]
fn upgrade_needs_no_acceptance_if_the_crd_keeps_all_fields(
    #[case] version: &str,
    #[case] fields: &[&str],
) {
    let mut cluster = Cluster::with_ferry();
    let mut there = definition(&["a"]);
    there["status"] =
        json!({"storedVersions": ["v1"], "acceptedNames": {"plural": "ships", "kind": "Ship"}});
    there["spec"]["conversion"] = json!({"strategy": "None"});
    there["spec"]["names"]["listKind"] = json!("ShipList");
    cluster.there = vec![there];
    let mut new = definition(fields);
    let written =
        &mut new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    written["nullable"] = json!(false);
    written["required"] = json!([]);
    cluster.definitions.insert(format!("ferry.v{version}"), new);
    cluster.put("ferry", wish("ferry", version));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some(version));
}

/// Only the CRD in the cluster lists the versions in which objects were stored and never migrated.
#[test]
fn removal_of_a_stored_version_is_detected() {
    let definition = |versions: &[&str]| {
        let versions = versions.iter().map(|name| json!({"name": name}));
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "ships.ferry.example"},
            "spec": {"versions": versions.collect::<Vec<_>>()},
        })
    };
    let mut there = definition(&["v1alpha1", "v1"]);
    there["status"]["storedVersions"] = json!(["v1alpha1", "v1"]);
    let mut cluster = Cluster::with_ferry();
    cluster.more = vec![definition(&["v1alpha1", "v1"])];
    cluster.there = vec![there];
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));

    cluster.more = vec![definition(&["v1"])];
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.take_written();
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.reported("ferry"),
        "False CrdUpgradeUnsafe: ferry.v1.0.0 -> ferry.v1.1.0: custom resources may lose data: \
         ships.ferry.example: storedVersionRemoval: objects are stored in version v1alpha1, which \
         is dropped; to keep the fields, store version v1, rewrite every object once, and then \
         remove v1alpha1 from `status.storedVersions`; the API server refuses this change, so the \
         change cannot be accepted"
    );
    cluster.there[0]["status"]["storedVersions"] = json!(["v1"]);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

/// The existing CRD may come from any source.
#[test]
fn compares_existing_crd_of_another_owner() {
    let definition = |version: &str| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "ships.ferry.example"}, "spec": {"versions": [{"name": version}]},
        })
    };
    let mut there = definition("v1alpha1");
    there["status"]["storedVersions"] = json!(["v1alpha1"]);
    let mut cluster = Cluster::with_ferry();
    cluster.more = vec![definition("v1")];
    cluster.there = vec![there];
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    let said = cluster.reported("ferry");
    assert!(
        said.starts_with("False CrdUpgradeUnsafe: nothing -> ferry.v1.0.0: "),
        "{said}"
    );
    cluster.annotate("ferry", ACCEPT_BREAKS, "ferry.v1.0.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
}
