use portolan_api::OperatorPolicy;
use portolan_core_olm::{
    ClusterServiceVersion, CopiedCsv, CustomResourceDefinition, Deployment, Event, InstallPlan,
    Namespace, OperatorGroup, Pod, ReplicaSet, Subscription, read_value,
};
use portolan_kit::world;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

/// What is kept of the metadata of an object.
fn kept<K: Kind>(metadata: Value) -> Value {
    let mut object = json!({"metadata": metadata});
    object["metadata"]["name"] = json!("ferry");
    object["metadata"]["managedFields"] = json!([
        {
            "manager": "olm",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-01-01T00:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:metadata": {"f:labels": {}}, "f:spec": {}},
        },
        {"manager": "kubectl", "fieldsV1": {"f:metadata": {"f:labels": {}}}},
        {"manager": "olm", "subresource": "status", "fieldsV1": {"f:status": {}}},
    ]);
    object["metadata"]["finalizers"] = json!(["a/b"]);
    let (mut object, faults) = read_value::<K>(object).expect("an object");
    assert_eq!(faults, []);
    prune(&mut object);
    serde_json::to_value(object.meta()).expect("metadata must have a JSON form")
}

/// Who wrote which field of a spec, and in which way; of a status, who wrote any of it.
fn managers() -> Value {
    json!([
        {
            "manager": "olm",
            "operation": "Update",
            "time": "2026-01-01T00:00:00Z",
            "fieldsV1": {"f:spec": {}},
        },
        {"manager": "kubectl"},
        {"manager": "olm", "subresource": "status"},
    ])
}

fn owners() -> Value {
    json!([{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u", "controller": true}])
}

#[rstest]
#[case::an_operator(
    kept::<ClusterServiceVersion>(json!({
        "annotations": {
            "alm-examples": "[]",
            "operatorframework.io/properties": "{}",
            "olm.targetNamespaces": "a,b,c",
        },
        "labels": {
            "operators.coreos.com/ferry.harbor": "",
            "olm.api.6f": "provided",
        },
        "ownerReferences": owners(),
    })),
    json!({
        "name": "ferry",
        "annotations": {"operatorframework.io/properties": "{}"},
        "labels": {"operators.coreos.com/ferry.harbor": ""},
        "finalizers": ["a/b"],
    })
)]
#[case::a_copy(
    kept::<CopiedCsv>(json!({
        "annotations": {"operatorframework.io/properties": "{}"},
        "labels": {"olm.copiedFrom": "harbor", "olm.managed": "true"},
    })),
    json!({"name": "ferry", "labels": {"olm.copiedFrom": "harbor"}})
)]
#[case::a_group(
    kept::<OperatorGroup>(json!({"annotations": {
        "olm.operatorframework.io/exclude-global-namespace-resolution": "true",
        "olm.providedAPIs": "Ferry.v1.demo.example",
        "operatorpolicy.policy.open-cluster-management.io/managed": "west.ferry",
        "portolan.dev/created-by": "u",
    }, "ownerReferences": owners()})),
    json!({
        "name": "ferry",
        "annotations": {
            "olm.operatorframework.io/exclude-global-namespace-resolution": "true",
            "operatorpolicy.policy.open-cluster-management.io/managed": "west.ferry",
            "portolan.dev/created-by": "u",
        },
        "managedFields": managers(),
        "ownerReferences": owners(),
    })
)]
#[case::a_subscription(
    kept::<Subscription>(json!({
        "annotations": {
            "operatorpolicy.policy.open-cluster-management.io/managed": "west.ferry",
            "portolan.dev/created-by": "u",
            "a": "b",
        },
        "labels": {"operatorpolicy.policy.open-cluster-management.io/managed": ""},
        "ownerReferences": owners(),
    })),
    json!({
        "name": "ferry",
        "annotations": {
            "operatorpolicy.policy.open-cluster-management.io/managed": "west.ferry",
            "portolan.dev/created-by": "u",
        },
        "labels": {"operatorpolicy.policy.open-cluster-management.io/managed": ""},
        "managedFields": managers(),
    })
)]
#[case::a_plan(
    kept::<InstallPlan>(json!({
        "annotations": {"a": "b"},
        "labels": {"operators.coreos.com/ferry.harbor": ""},
        "ownerReferences": owners(),
    })),
    json!({
        "name": "ferry",
        "labels": {"operators.coreos.com/ferry.harbor": ""},
        "ownerReferences": owners(),
    })
)]
#[case::a_deployment(
    kept::<Deployment>(json!({
        "generation": 7,
        "annotations": {"deployment.kubernetes.io/revision": "3"},
        "labels": {"olm.owner": "ferry.v1", "olm.owner.namespace": "harbor", "app": "ferry"},
        "ownerReferences": owners(),
    })),
    json!({
        "name": "ferry",
        "generation": 7,
        "labels": {"olm.owner": "ferry.v1", "olm.owner.namespace": "harbor"},
    })
)]
#[case::an_edition(
    kept::<ReplicaSet>(json!({
        "annotations": {"deployment.kubernetes.io/revision": "3", "other": "1"},
        "labels": {"app": "ferry"},
        "ownerReferences": owners(),
    })),
    json!({
        "name": "ferry",
        "annotations": {"deployment.kubernetes.io/revision": "3"},
        "ownerReferences": owners(),
    })
)]
#[case::a_pod(
    kept::<Pod>(json!({
        "annotations": {"a": "b"},
        "labels": {"app": "ferry", "olm.catalogSource": "shop"},
        "ownerReferences": owners(),
        "deletionTimestamp": "2026-01-01T00:00:00Z",
        "resourceVersion": "9",
    })),
    json!({
        "name": "ferry",
        "labels": {"olm.catalogSource": "shop"},
        "ownerReferences": owners(),
        "deletionTimestamp": "2026-01-01T00:00:00Z",
        "finalizers": ["a/b"],
        "resourceVersion": "9",
    })
)]
#[case::a_definition(
    kept::<CustomResourceDefinition>(json!({
        "annotations": {"a": "b"},
        "labels": {"a": "b", "operators.coreos.com/ferry.harbor": ""},
    })),
    json!({
        "name": "ferry",
        "labels": {"operators.coreos.com/ferry.harbor": ""},
        "finalizers": ["a/b"],
    })
)]
#[case::a_namespace(
    kept::<Namespace>(json!({"annotations": {"a": "b"}, "labels": {"a": "b"}})),
    json!({"name": "ferry"})
)]
#[case::a_namespace_on_its_way_out(
    kept::<Namespace>(json!({"deletionTimestamp": "2026-01-01T00:00:00Z"})),
    json!({
        "name": "ferry",
        "deletionTimestamp": "2026-01-01T00:00:00Z",
        "finalizers": ["a/b"],
    })
)]
#[case::a_policy(
    kept::<OperatorPolicy>(json!({
        "annotations": {
            "policy.open-cluster-management.io/disable-templates": "true",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
        },
        "labels": {
            "policy.open-cluster-management.io/cluster-name": "west",
            "policy.open-cluster-management.io/cluster-namespace": "west",
            "policy.open-cluster-management.io/policy": "root",
        },
        "generation": 4,
        "ownerReferences": owners(),
    })),
    json!({
        "name": "ferry",
        "annotations": {"policy.open-cluster-management.io/disable-templates": "true"},
        "labels": {
            "policy.open-cluster-management.io/cluster-name": "west",
            "policy.open-cluster-management.io/cluster-namespace": "west",
        },
        "finalizers": ["a/b"],
        "generation": 4,
        "managedFields": [{"manager": "olm", "subresource": "status"}],
        "ownerReferences": owners(),
    })
)]
fn what_nobody_reads_of_metadata_goes(#[case] kept: Value, #[case] expected: Value) {
    assert_eq!(kept, expected);
}

/// A policy of which all is said.
fn told() -> Value {
    json!({
        "metadata": {
            "name": "ferry",
            "managedFields": [{"manager": "portolan", "subresource": "status"}],
        },
        "spec": {},
        "status": {
            "compliant": "Compliant",
            "conditions": [{
                "type": "Compliant",
                "status": "True",
                "reason": "a",
                "message": "a",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }],
            "observedGeneration": 3,
            "resolvedSubscriptionLabel": "ferry.harbor",
            "relatedObjects": [
                {"object": {"kind": "Subscription", "apiVersion": "a/b", "metadata": {"name": "ferry"}}},
                {"object": {"kind": "Deployment", "apiVersion": "a/b", "metadata": {"name": "ferry"}}},
            ],
        },
    })
}

#[test]
fn who_writes_no_policies_keeps_of_a_status_which_subscription_it_is_about() {
    let (mut policy, faults) = read_value::<OperatorPolicy>(told()).expect("a policy");
    assert_eq!(faults, []);
    policy.drop_what_writers_read();
    let mut expected = told();
    expected["metadata"] = json!({"name": "ferry"});
    expected["status"] = json!({
        "observedGeneration": 3,
        "resolvedSubscriptionLabel": "ferry.harbor",
        "relatedObjects": [told()["status"]["relatedObjects"][0]],
    });
    let (expected, _) = read_value::<OperatorPolicy>(expected).expect("a policy");
    assert_eq!(policy, expected);
}

#[rstest]
#[case::that_is_there(json!({"finalizers": ["a/b"]}), None)]
#[case::that_is_being_deleted(
    json!({"finalizers": ["a/b"], "deletionTimestamp": "2026-01-01T00:00:00Z"}),
    Some(vec!["a/b".to_owned()])
)]
fn who_removes_no_operators_keeps_what_holds_one(
    #[case] metadata: Value,
    #[case] finalizers: Option<Vec<String>>,
) {
    let csv = json!({"metadata": metadata});
    let (mut csv, _) = read_value::<ClusterServiceVersion>(csv).expect("an operator");
    csv.drop_what_writers_read();
    assert_eq!(csv.metadata.finalizers, finalizers);
}

#[test]
fn a_copy_is_no_operator_to_who_makes_one_without_a_world() {
    let copy = json!({"metadata": {"name": "a", "labels": {"olm.copiedFrom": "harbor"}}});
    let (copy, _) = read_value::<ClusterServiceVersion>(copy).expect("an operator");
    assert_eq!(as_kept(copy), None);
}

#[test]
fn who_removes_no_operators_does_not_keep_whose_a_plan_is() {
    let plan = json!({"metadata": {"name": "install-a", "ownerReferences": owners()}});
    let (mut plan, _) = read_value::<InstallPlan>(plan).expect("a plan");
    plan.drop_what_writers_read();
    assert_eq!(plan.metadata.owner_references, None);
}

#[rstest]
#[case::succeeded("Succeeded", vec![])]
#[case::failed("Failed", vec!["registry.example/operator:v1"])]
#[case::on_its_way("Installing", vec!["registry.example/operator:v1"])]
fn images_are_kept_of_operators_that_are_not_as_they_shall_be(
    #[case] phase: &str,
    #[case] kept: Vec<&str>,
) {
    let world = world().csv("ferry.v1.0.0", phase);
    let (mut csv, _) =
        read_value::<ClusterServiceVersion>(world.objects()[0].clone()).expect("an operator");
    prune(&mut csv);
    let images = csv.deployments().iter();
    let images = images.flat_map(|wanted| wanted.spec.template.images());
    assert_eq!(images.collect::<Vec<_>>(), kept);
}

#[rstest]
#[case::warning("Warning", true)]
#[case::normal("Normal", false)]
fn of_events_warnings_are_wanted(#[case] word: &str, #[case] is_wanted: bool) {
    let world = world()
        .deployment("ferry", 0, 1)
        .event("FailedCreate", "no")
        .edit(|event| event["type"] = json!(word));
    let (event, _) = read_value::<Event>(world.objects()[1].clone()).expect("an Event");
    assert_eq!(event.is_wanted(), is_wanted);
    assert_eq!(Event::FIELDS, Some("type=Warning"));
}

#[test]
fn a_kind_in_no_namespace_has_one_place() {
    let harbor = || Area::namespace("harbor");
    assert_eq!(
        area_of::<CustomResourceDefinition>(harbor()),
        Area::everywhere()
    );
    assert_eq!(area_of::<Pod>(harbor()), harbor());
}

#[test]
fn who_wants_all_kinds_gets_each() {
    let each = include_str!("table.rs").matches("\nimpl Kind for ").count();
    assert_eq!(super::all_kinds().len(), each);
}
