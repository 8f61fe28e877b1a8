//! Tests of the adoption of operators that OLM has installed, and of their return to OLM.

use portolan_api::operator::AdoptionStep;
use portolan_core_operator::disowned;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::Cluster;
use crate::olm::{Olm, ferry, rendered};

fn wish(adopt: bool, version: &str) -> Value {
    json!({"packageName": "ferry", "version": version, "adopt": adopt, "settleSeconds": 0,
        "namespace": "harbor", "config": {"env": [{"name": "A", "value": "1"}]}})
}

/// Returns a cluster with an operator that OLM has installed and that an Operator adopts.
pub(crate) fn cluster() -> Cluster {
    let mut cluster = Cluster::with_ferry();
    cluster.olm = ferry();
    cluster.more = rendered();
    cluster.put("ferry", wish(true, "1.0.0"));
    cluster
}

/// Returns the objects of the operator and their content.
fn operator(olm: &Olm) -> Vec<Value> {
    let kinds = [
        "Deployment",
        "CustomResourceDefinition",
        "ClusterRole",
        "ValidatingWebhookConfiguration",
    ];
    let objects = kinds.iter().flat_map(|kind| olm.of_kind(kind));
    objects
        .map(|it| {
            json!([
                it["metadata"]["uid"],
                it["spec"],
                it["rules"],
                it["webhooks"]
            ])
        })
        .collect()
}

fn is_marked(olm: &Olm) -> bool {
    let all = olm.objects.values().map(|it| it["metadata"].to_string());
    all.into_iter()
        .any(|it| it.contains("olm.") || it.contains("operators.coreos.com/"))
}

fn is_taken_over(cluster: &Cluster) {
    let before = operator(&ferry());
    assert_eq!(operator(&cluster.olm), before);
    assert!(!is_marked(&cluster.olm), "{:#?}", cluster.olm.objects);
    let olm_has = ["ClusterServiceVersion", "Subscription"];
    assert!(
        olm_has
            .iter()
            .all(|kind| cluster.olm.of_kind(kind).next().is_none())
    );
    let adoption = cluster
        .status("ferry")
        .adoption
        .clone()
        .expect("an adoption");
    assert_eq!(adoption.step, AdoptionStep::Adopted);
    assert_eq!(
        adoption.subscription.expect("a Subscription").spec["channel"],
        "stable"
    );
    assert_eq!(
        cluster.plans["ferry-1"]["spec"]["lifecycle"]["onFound"],
        "Own"
    );
    let secret = cluster.olm.of_kind("Secret").next().expect("a Secret");
    assert_eq!(
        secret["metadata"]["labels"],
        json!({"certificates.portolan.dev/made": "true"})
    );
}

#[test]
fn operator_is_adopted_without_changes() {
    let mut cluster = cluster();
    cluster.settle();
    is_taken_over(&cluster);
    assert_eq!(
        cluster.take_written(),
        [
            "ferry has its finalizer",
            "make ferry-1",
            "let ferry-1 go",
            "patch ClusterServiceVersion harbor/ferry.v1.0.0",
            "delete ClusterServiceVersion harbor/ferry.v1.0.0",
            "delete Subscription harbor/ferry",
            "patch ClusterServiceVersion harbor/ferry.v1.0.0",
            "patch ValidatingWebhookConfiguration ships-x7k2p",
            "patch CustomResourceDefinition ships.ferry.example",
            "patch Deployment harbor/ferry",
            "patch ClusterRole ferry.v1.0.0-abc",
            "patch ClusterServiceVersion harbor/ferry.v1.0.0",
            "patch Secret harbor/ferry-service-cert",
            "ferry-1 owns what it found",
        ]
    );
    assert_eq!(
        cluster.reported("ferry"),
        "False UpToDate: the operator has the desired version 1.0.0"
    );
}

/// The commands in messages for users must match what the controller does.
#[test]
fn adoption_removes_only_metadata_of_olm() {
    for object in ferry().objects.values() {
        let disowned = disowned(object);
        let metadata = disowned["metadata"].to_string();
        assert!(!metadata.contains("olm.") && !metadata.contains("operators.coreos.com/ferry"));
        let mut with_all = disowned.clone();
        for key in ["labels", "annotations", "ownerReferences", "managedFields"] {
            if let Some(value) = object["metadata"].get(key) {
                with_all["metadata"][key] = value.clone();
            }
        }
        assert_eq!(with_all, *object);
    }
    let ferry = ferry();
    let deployment = ferry
        .of_kind("Deployment")
        .next()
        .expect("a Deployment")
        .clone();
    let metadata = &disowned(&deployment)["metadata"];
    assert_eq!(metadata["labels"], json!({"app": "ferry"}));
    assert_eq!(metadata["managedFields"], json!([{"manager": "kubelet"}]));
    assert_eq!(metadata.get("ownerReferences"), None);
}

#[test]
fn adoption_plan_contains_all_objects_unchanged() {
    let mut cluster = cluster();
    cluster.settle();
    let plan = &cluster.plans["ferry-1"]["spec"];
    assert_eq!(plan["collisions"], "Adopt");
    let stages = plan["stages"].as_array().expect("stages");
    let resources = stages
        .iter()
        .flat_map(|it| it["resources"].as_array().expect("resources"));
    let manifests: Vec<_> = resources.map(|it| &it["manifest"]).collect();
    let of_kind = |kind: &str| {
        let found = manifests.iter().find(|it| it["kind"] == kind);
        (*found.unwrap_or_else(|| panic!("no {kind}"))).clone()
    };
    let there = ferry();
    let deployment = there.of_kind("Deployment").next().expect("one");
    assert_eq!(of_kind("Deployment")["spec"], deployment["spec"]);
    assert_eq!(
        of_kind("Deployment")["metadata"]["labels"],
        json!({"app": "ferry"})
    );
    assert_eq!(
        of_kind("ValidatingWebhookConfiguration"),
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {
                "name": "ships-x7k2p", "labels": {"app": "ferry"},
                "annotations": {"portolan.dev/inject-ca-from": "harbor/ferry-service-cert"},
            },
            "webhooks": [{"name": "ships", "clientConfig": {"service": {"name": "s"}}}],
        })
    );
    let roles = manifests.iter().filter(|it| it["kind"] == "ClusterRole");
    let names: Vec<_> = roles.map(|it| it["metadata"]["name"].as_str()).collect();
    assert_eq!(names, [Some("ferry.v1.0.0-abc")]);
    assert!(
        !manifests
            .iter()
            .any(|it| it.to_string().contains("caBundle"))
    );
    assert!(!manifests.iter().any(|it| it["kind"] == "Secret"));
}

#[test]
fn next_version_after_adoption_keeps_webhook_names() {
    let mut cluster = cluster();
    cluster.settle();
    cluster.put("ferry", wish(true, "1.1.0"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    let plan = cluster.plans["ferry-2"].to_string();
    assert!(plan.contains("ships-x7k2p") && !plan.contains(r#""name":"ferry.v1.0.0-abc""#));
    assert_eq!(cluster.plans["ferry-2"]["spec"]["collisions"], "IfUnowned");
    assert!(cluster.status("ferry").adoption.is_some());
}

/// The process is stopped after each write, and a new process continues.
#[test]
fn adoption_with_one_write_per_round_has_same_result() {
    let mut cluster = cluster();
    for _ in 0..200 {
        cluster.carry_out();
        cluster.olm.turn();
        cluster.turn("ferry", 1);
    }
    is_taken_over(&cluster);
    cluster.take_written();
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
}

/// After each number of writes, the adoption is canceled. If the ClusterServiceVersion still
/// exists, the operator is given back to OLM. Otherwise, the adoption is completed. The adoption is
/// never left half done.
#[test]
fn adoption_can_be_undone_at_each_step() {
    let mut undone = Vec::new();
    for writes in 0..20 {
        let mut cluster = cluster();
        while cluster.written.len() < writes && cluster.written.len() < 14 {
            cluster.carry_out();
            cluster.olm.turn();
            cluster.turn("ferry", 1);
        }
        cluster.put("ferry", wish(false, "1.0.0"));
        cluster.settle();
        if cluster
            .olm
            .of_kind("ClusterServiceVersion")
            .next()
            .is_none()
        {
            is_taken_over(&cluster);
            continue;
        }
        undone.push(writes);
        let subscription = cluster
            .olm
            .of_kind("Subscription")
            .next()
            .expect("a Subscription");
        assert_eq!(
            subscription["spec"],
            ferry().of_kind("Subscription").next().expect("one")["spec"]
        );
        assert_eq!(subscription["metadata"]["labels"], json!({"team": "pier"}));
        assert_eq!(cluster.plans.len(), 0);
        let csv = cluster
            .olm
            .of_kind("ClusterServiceVersion")
            .next()
            .expect("one");
        assert!(
            !csv["metadata"]["finalizers"]
                .to_string()
                .contains("portolan")
        );
        assert_eq!(operator(&cluster.olm), operator(&ferry()));
        assert!(
            cluster
                .reported("ferry")
                .starts_with("False InstalledByOlm: ")
        );
        assert_eq!(cluster.status("ferry").adoption, None);
    }
    // The fourth write removes OLM's finalizer, and the fifth write deletes the
    // ClusterServiceVersion. After the fifth write, the adoption can no longer be undone.
    assert_eq!(undone, [0, 1, 2, 3, 4]);
}

#[rstest]
#[case::another_version_is_installed(
    |it: &mut Olm| it.put(json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": "ferry.v1.1.0", "namespace": "harbor"}, "status": {"phase": "Installing"},
    })),
    "ClusterServiceVersion harbor/ferry.v1.1.0 belongs to the same package: OLM is upgrading the \
     operator, or installed the operator twice"
)]
#[case::csv_is_unhealthy(
    |it: &mut Olm| it.change("ClusterServiceVersion", |it| it["status"]["phase"] = json!("Failed")),
    "ClusterServiceVersion harbor/ferry.v1.0.0 is Failed, not Succeeded"
)]
#[case::another_version_is_being_installed(
    |it: &mut Olm| it.change("Subscription", |it| it["status"]["currentCSV"] = json!("ferry.v1.1.0")),
    "Subscription harbor/ferry is being upgraded to ferry.v1.1.0"
)]
#[case::two_subscriptions(
    |it: &mut Olm| it.put(json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
        "metadata": {"name": "second", "namespace": "harbor"}, "spec": {"name": "ferry"},
    })),
    "Subscription harbor/ferry and Subscription harbor/second both request the package"
)]
#[case::required_by_an_operator_of_olm(
    |it: &mut Olm| {
        it.put(json!({
            "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
            "metadata": {"name": "pier.v2.0.0", "namespace": "harbor"}, "status": {"phase": "Succeeded"},
        }));
        let ferry = ("ferry".to_owned(), ">=1.0.0".to_owned());
        it.requires.insert("pier.v2.0.0".to_owned(), ferry);
    },
    "ClusterServiceVersion harbor/pier.v2.0.0 requires this operator, so OLM would install this \
     operator again; first adopt the other operator"
)]
#[case::another_config(
    |it: &mut Olm| it.change("Subscription", |it| it["spec"]["config"] = json!({})),
    "spec.config differs from the Subscription, so the Pods would restart; set the same config, \
     and change spec.config after the adoption"
)]
#[case::other_namespaces(
    |it: &mut Olm| it.change("Deployment", |it| {
        it["spec"]["template"]["metadata"]["annotations"]["olm.targetNamespaces"] = json!("a,b");
    }),
    "the operator would watch all namespaces, but under OLM the operator watches a and b; set \
     spec.watchNamespaces to the same namespaces"
)]
fn refuses_adoption_and_reports_the_reason(#[case] change: fn(&mut Olm), #[case] why: &str) {
    let mut cluster = cluster();
    change(&mut cluster.olm);
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        format!("False AdoptionRefused: {why}")
    );
    assert_eq!(cluster.plans.len(), 0);
    assert_eq!(operator(&cluster.olm).len(), operator(&ferry()).len());
}

/// A plan managed the operator before, and then released its objects. The operator is then adopted
/// like any other operator.
#[test]
fn released_operator_can_be_adopted_again() {
    let mut cluster = cluster();
    for kind in ["Deployment", "ClusterRole"] {
        cluster.olm.change(kind, |it| {
            it["metadata"]["labels"]["plans.portolan.dev/lineage"] = json!("before");
            it["metadata"]["annotations"]["plans.portolan.dev/digest"] = json!("sha256:1");
        });
    }
    cluster.settle();
    is_taken_over(&cluster);
    let plan = cluster.plans["ferry-1"].to_string();
    assert!(
        !plan.contains("lineage") && !plan.contains("sha256:1"),
        "{plan}"
    );
}

/// OLM changes the objects while the plan is being checked. The plan must then contain these
/// changes.
#[test]
fn objects_changed_meanwhile_are_adopted_as_changed() {
    let mut cluster = cluster();
    while !cluster.plans.contains_key("ferry-1") {
        cluster.turn("ferry", 1);
    }
    let template = "/spec/template/metadata/annotations/olmcahash";
    cluster.olm.change("Deployment", |it| {
        it["spec"]["template"]["metadata"]["annotations"]["olmcahash"] = json!("new");
    });
    cluster.settle();
    let deployment = cluster.olm.of_kind("Deployment").next().expect("one");
    assert_eq!(deployment.pointer(template), Some(&json!("new")));
    let plan = cluster.plans["ferry-1"].to_string();
    assert!(plan.contains(r#""olmcahash":"new""#), "{plan}");
}

/// An installation without a Subscription is adopted like any other installation.
#[test]
fn adoption_needs_no_subscription() {
    let mut cluster = cluster();
    let spec = json!({"packageName": "ferry", "version": "1.0.0", "adopt": true, "settleSeconds": 0,
        "namespace": "harbor"});
    cluster.put("ferry", spec);
    cluster
        .olm
        .objects
        .retain(|id, _| id.kind.kind != "Subscription");
    cluster.settle();
    assert!(
        cluster
            .olm
            .of_kind("ClusterServiceVersion")
            .next()
            .is_none()
    );
    assert_eq!(
        cluster.reported("ferry"),
        "False UpToDate: the operator has the desired version 1.0.0"
    );
}

/// If a user deletes the Operator during the adoption, its objects are given back to OLM or
/// deleted.
#[test]
fn operator_deleted_during_adoption_is_given_back_or_deleted() {
    for writes in 1..14 {
        let mut cluster = cluster();
        while cluster.written.len() < writes {
            cluster.carry_out();
            cluster.olm.turn();
            cluster.turn("ferry", 1);
        }
        cluster.delete("ferry");
        cluster.settle();
        assert!(cluster.operators.is_empty());
        assert_eq!(cluster.plans.len(), 0);
        let is_olms = cluster
            .olm
            .of_kind("ClusterServiceVersion")
            .next()
            .is_some();
        assert_eq!(
            cluster.olm.of_kind("Subscription").count(),
            usize::from(is_olms)
        );
        assert_eq!(is_olms, writes < 5, "after {writes} writes");
    }
}

/// OLM upgrades the operator to the next version while the plan is not complete yet.
#[test]
fn nothing_is_deleted_if_olm_upgraded_first() {
    let mut cluster = cluster();
    cluster.stuck.insert("ferry.v1.0.0".to_owned());
    cluster.settle();
    assert!(
        cluster
            .reported("ferry")
            .contains("cannot be installed, so OLM still owns the existing objects")
    );
    cluster.take_written();
    let mut next = cluster
        .olm
        .of_kind("ClusterServiceVersion")
        .next()
        .expect("one")
        .clone();
    next["metadata"]["name"] = json!("ferry.v1.1.0");
    next["metadata"]["uid"] = json!("next");
    cluster.olm.put(next);
    cluster
        .olm
        .objects
        .retain(|id, _| id.name != "ferry.v1.0.0");
    let before = cluster.olm.objects.clone();
    cluster.carry_out();
    cluster.turn("ferry", usize::MAX);
    assert_eq!(cluster.take_written(), ["delete ferry-1"]);
    assert_eq!(cluster.olm.objects, before);
}

/// Returns a cluster in which a user has deleted the ClusterServiceVersion. The Subscription of OLM
/// still exists.
fn csv_deleted_by_another_client() -> Cluster {
    let mut cluster = cluster();
    cluster.stuck.insert("ferry.v1.0.0".to_owned());
    cluster.settle();
    cluster.take_written();
    cluster
        .olm
        .objects
        .retain(|id, _| id.name != "ferry.v1.0.0");
    cluster
}

#[test]
fn keeps_subscription_if_another_client_deleted_the_csv() {
    let mut cluster = csv_deleted_by_another_client();
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    let said = cluster.reported("ferry");
    assert!(
        said.contains("is being deleted by another client"),
        "{said}"
    );
}

/// The plan is deleted in two cases: together with the Operator, and when the adoption is canceled.
#[rstest]
#[case::operator_is_deleted(true)]
#[case::adoption_is_canceled(false)]
fn operator_with_a_deleted_csv_is_given_back(#[case] is_deleted: bool) {
    let mut cluster = csv_deleted_by_another_client();
    let before = cluster.olm.objects.clone();
    if is_deleted {
        cluster.delete("ferry");
    } else {
        cluster.put("ferry", wish(false, "1.0.0"));
    }
    cluster.carry_out();
    cluster.turn("ferry", usize::MAX);
    assert_eq!(cluster.take_written(), ["delete ferry-1"]);
    assert_eq!(cluster.olm.objects, before);
}
