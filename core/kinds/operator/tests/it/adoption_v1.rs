//! Adoption of operators that OLM v1 has installed, and their return to OLM v1.

use portolan_api::operator::AdoptionStep;
use portolan_core_operator::HELD_VERSION;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::Cluster;
use crate::olm::Olm;
use crate::olm_v1::{boat, rendered};

/// The number of writes of an adoption.
const WRITES: usize = 12;

fn request(adopt: bool) -> Value {
    json!({"packageName": "ferry", "version": "1.0.0", "adopt": adopt, "settleSeconds": 0,
        "namespace": "harbor"})
}

/// Returns a cluster with an operator that OLM v1 has installed and that an Operator adopts.
fn cluster() -> Cluster {
    let mut cluster = Cluster::with_ferry();
    cluster.olm = boat();
    cluster.more = rendered();
    cluster.put("ferry", request(true));
    cluster
}

/// Returns the cluster after this number of writes, with one write for each process.
fn cluster_after(writes: usize) -> Cluster {
    let mut cluster = cluster();
    while cluster.written.len() < writes {
        cluster.carry_out();
        cluster.olm.turn();
        cluster.turn("ferry", 1);
    }
    cluster
}

/// Returns the identity and the content of all objects of the operator.
fn operator(olm: &Olm) -> Vec<Value> {
    let objects = olm.installed.iter().map(|id| &olm.objects[id]);
    objects
        .map(|it| json!([it["metadata"]["uid"], it["spec"], it["rules"]]))
        .collect()
}

fn is_there(cluster: &Cluster) -> bool {
    cluster.olm.of_kind("ClusterExtension").next().is_some()
}

fn is_taken_over(cluster: &Cluster) {
    let olm = &cluster.olm;
    assert!(olm.collected.is_empty(), "{:?}", olm.collected);
    assert_eq!(operator(olm), operator(&boat()));
    assert!(!is_there(cluster));
    assert_eq!(
        olm.of_kind("Secret").count(),
        0,
        "the Helm release is deleted"
    );
    for id in &olm.installed {
        let metadata = olm.objects[id]["metadata"].to_string();
        for mark in [
            "olm.operatorframework.io",
            "helm",
            "Helm",
            "operator-controller",
        ] {
            assert!(!metadata.contains(mark), "{metadata}");
        }
    }
    let adoption = cluster.status("ferry").adoption.clone();
    let adoption = adoption.expect("an adoption");
    assert_eq!(adoption.step, AdoptionStep::Adopted);
    let was = adoption.cluster_extension.expect("a ClusterExtension");
    assert_eq!((&*was.name, &was.spec), ("boat", &boat_spec()));
    let lifecycle = &cluster.plans["ferry-1"]["spec"]["lifecycle"];
    assert_eq!(lifecycle["onFound"], "Own");
}

fn boat_spec() -> Value {
    let olm = boat();
    let extension = olm.of_kind("ClusterExtension").next().expect("one");
    extension["spec"].clone()
}

/// OLM v1 manages the operator as before.
fn is_given_back(cluster: &Cluster) {
    let olm = &cluster.olm;
    assert!(olm.collected.is_empty(), "{:?}", olm.collected);
    assert_eq!(operator(olm), operator(&boat()));
    assert_eq!(cluster.plans.len(), 0);
    let extension = olm.of_kind("ClusterExtension").next().expect("one");
    assert_eq!(extension["spec"], boat_spec());
    let finalizers = extension["metadata"]["finalizers"].to_string();
    assert!(!finalizers.contains("portolan"), "{finalizers}");
    let progressing = &extension["status"]["conditions"][1];
    assert_eq!(progressing["reason"], "Succeeded");
    assert_eq!(olm.owned_by("extension").len(), olm.installed.len());
    assert_eq!(olm.of_kind("Secret").count(), 1);
}

#[test]
fn operator_of_cluster_extension_is_adopted_without_changes() {
    let mut cluster = cluster();
    cluster.settle();
    is_taken_over(&cluster);
    let written = cluster.take_written();
    assert_eq!(
        written,
        [
            "ferry has its finalizer",
            "make ferry-1",
            "let ferry-1 go",
            "patch ClusterExtension boat",
            "patch CustomResourceDefinition ships.ferry.example",
            "patch Deployment harbor/ferry",
            "patch ClusterRole ferry.v1.0.0-abc",
            "patch ServiceAccount harbor/ferry",
            "delete ClusterExtension boat",
            "delete Secret olmv1-system/sh.helm.release.v1.boat.v1",
            "patch ClusterExtension boat",
            "ferry-1 owns what it found",
        ]
    );
    assert_eq!(written.len(), WRITES);
    assert_eq!(
        cluster.reported("ferry"),
        "False UpToDate: the operator has the desired version 1.0.0"
    );
}

/// The process is stopped after each write, and a new process continues.
#[test]
fn adoption_with_one_write_per_process_has_same_result() {
    let mut cluster = cluster_after(WRITES);
    cluster.settle();
    is_taken_over(&cluster);
    cluster.take_written();
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
}

/// OLM v1 does not run. The adoption waits and deletes nothing, because OLM v1 may continue with an
/// old spec later.
#[test]
fn nothing_is_deleted_while_olm_does_not_run() {
    let mut cluster = cluster();
    for _ in 0..50 {
        cluster.carry_out();
        cluster.turn("ferry", usize::MAX);
    }
    let said = cluster.reported("ferry");
    assert!(said.contains("waiting until OLM v1 reports"), "{said}");
    let step = cluster.status("ferry").adoption.clone().map(|it| it.step);
    assert_eq!(step, Some(AdoptionStep::Held));
    assert_eq!(cluster.olm.owned_by("extension").len(), 4);
    cluster.settle();
    is_taken_over(&cluster);
}

/// The adoption is canceled after a number of writes. If the ClusterExtension is not being deleted,
/// the operator is given back to OLM v1. Otherwise, the adoption is completed.
#[test]
fn adoption_can_be_undone_until_the_extension_is_deleted() {
    let mut undone = Vec::new();
    for writes in 0..=WRITES {
        let mut cluster = cluster_after(writes);
        cluster.put("ferry", request(false));
        cluster.settle();
        if !is_there(&cluster) {
            is_taken_over(&cluster);
            continue;
        }
        is_given_back(&cluster);
        undone.push(writes);
        let said = cluster.reported("ferry");
        assert!(
            said.starts_with("False InstalledByClusterExtension: "),
            "{said}"
        );
        assert_eq!(cluster.status("ferry").adoption, None);
    }
    // The ninth write deletes the ClusterExtension.
    assert_eq!(undone, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

/// Another client, such as a GitOps controller, sets the version again after each write. OLM v1 then
/// adds its owner references again.
#[test]
fn version_set_again_during_adoption_deletes_nothing() {
    for writes in 0..=WRITES {
        let mut cluster = cluster_after(writes);
        if !is_there(&cluster) {
            continue;
        }
        cluster.olm.request("1.0.0");
        cluster.olm.turn();
        cluster.settle();
        is_taken_over(&cluster);
    }
}

/// Another client deletes the ClusterExtension. Once it is held, its objects are kept.
#[test]
fn extension_deleted_by_another_client_keeps_objects_once_held() {
    // The fourth write holds the ClusterExtension.
    for writes in 4..9 {
        let mut cluster = cluster_after(writes);
        cluster.olm.delete_extension();
        cluster.settle();
        is_taken_over(&cluster);
    }
}

/// If the Operator is deleted during the adoption, the operator is given back or removed, but never
/// by the garbage collector.
#[test]
fn operator_deleted_during_adoption_leaves_nothing_half_done() {
    for writes in 1..=WRITES {
        let mut cluster = cluster_after(writes);
        cluster.delete("ferry");
        cluster.settle();
        cluster.olm.turn();
        assert!(cluster.operators.is_empty());
        assert_eq!(cluster.plans.len(), 0);
        assert!(cluster.olm.collected.is_empty());
        assert_eq!(is_there(&cluster), writes < 9, "after {writes} writes");
        if is_there(&cluster) {
            is_given_back(&cluster);
        }
    }
}

/// OLM v1 upgrades while the plan is not complete.
#[test]
fn adoption_is_undone_if_olm_upgraded_first() {
    let mut cluster = cluster();
    cluster.stuck.insert("ferry.v1.0.0".to_owned());
    cluster.settle();
    cluster.stuck.clear();
    cluster.olm.change("ClusterExtension", |it| {
        it["status"]["install"]["bundle"] = json!({"name": "ferry.v1.1.0", "version": "1.1.0"});
    });
    cluster.take_written();
    cluster.carry_out();
    cluster.turn("ferry", usize::MAX);
    assert_eq!(cluster.take_written(), ["delete ferry-1"]);
    assert_eq!(cluster.olm.owned_by("extension").len(), 4);
}

#[rstest]
#[case::extension_fails(
    |it: &mut Olm| it.request("7.0.0"),
    "ClusterExtension boat is Retrying, not Succeeded"
)]
#[case::subscription_of_the_package(
    |it: &mut Olm| it.put(json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": "ferry.v1.0.0", "namespace": "olm"}, "status": {"phase": "Succeeded"},
    })),
    "ClusterExtension boat also installs the package"
)]
#[case::cluster_object_sets(
    |it: &mut Olm| it.change("ClusterExtension", |it| {
        it["status"]["activeRevisions"] = json!([{"name": "boat-1"}]);
    }),
    "OLM v1 manages the objects with ClusterObjectSets, which own them; only Helm releases of OLM v1 \
     can be adopted"
)]
#[case::release_is_missing(
    |it: &mut Olm| it.objects.retain(|id, _| id.kind.kind != "Secret"),
    "the Secret with the Helm release of the ClusterExtension is missing in the namespaces \
     olmv1-system and openshift-operator-controller"
)]
#[case::another_image(
    |it: &mut Olm| it.change("Deployment", |it| {
        it["spec"]["template"]["spec"]["containers"][0]["image"] = json!("evil");
        it["spec"]["template"]["spec"]["containers"][0]["name"] = json!("other");
    }),
    "Deployment harbor/ferry differs from the bundle in the catalog in the name of container manager"
)]
#[case::object_of_another_owner(
    |it: &mut Olm| {
        let id = it.of_kind("ServiceAccount").next().map(portolan_core_names::ObjectRef::versioned);
        it.installed.remove(&id.expect("one"));
        it.change("ServiceAccount", |it| {
            it["metadata"]["ownerReferences"] =
                json!([{"kind": "Thief", "name": "t", "uid": "t", "controller": true}]);
        });
    },
    "ServiceAccount harbor/ferry does not belong to the ClusterExtension; Thief t controls it"
)]
fn adoption_is_refused(#[case] change: fn(&mut Olm), #[case] why: &str) {
    let mut cluster = cluster();
    change(&mut cluster.olm);
    if why.contains("Retrying") {
        // OLM v1 finds no bundle with this version.
        cluster.olm.change("ClusterExtension", |it| {
            it["status"]["conditions"][1]["reason"] = json!("Retrying");
        });
    }
    cluster.carry_out();
    cluster.turn("ferry", usize::MAX);
    assert_eq!(
        cluster.reported("ferry"),
        format!("False AdoptionRefused: {why}")
    );
    assert_eq!(cluster.plans.len(), 0);
    let extension = cluster.olm.of_kind("ClusterExtension").next().expect("one");
    assert_ne!(
        extension["spec"]["source"]["catalog"]["version"],
        HELD_VERSION
    );
}

/// An object that claims to belong to the ClusterExtension only by its labels is not changed.
#[test]
fn foreign_object_with_forged_labels_is_not_touched() {
    let mut cluster = cluster();
    cluster.olm.put(json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "forged", "namespace": "harbor",
            "labels": {
                "olm.operatorframework.io/owner-kind": "ClusterExtension",
                "olm.operatorframework.io/owner-name": "boat",
            },
        },
    }));
    cluster.settle();
    is_taken_over(&cluster);
    let written = cluster.take_written();
    assert!(
        !written.iter().any(|it| it.contains("forged")),
        "{written:?}"
    );
}

/// OLM v1 creates an object while the ClusterExtension is not held yet.
#[test]
fn new_object_of_the_extension_undoes_the_adoption() {
    let mut cluster = cluster_after(3);
    cluster.olm.put(json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "new", "namespace": "harbor", "ownerReferences": [{"uid": "extension"}],
        },
    }));
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False AdoptionRefused: ConfigMap harbor/new belongs to the ClusterExtension, but the bundle \
         in the catalog does not contain it"
    );
    assert!(cluster.olm.collected.is_empty());
    assert_eq!(cluster.plans.len(), 0);
    let extension = cluster.olm.of_kind("ClusterExtension").next().expect("one");
    assert_eq!(extension["spec"], boat_spec());
}
