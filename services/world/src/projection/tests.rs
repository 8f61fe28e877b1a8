use portolan_api::OperatorPolicy;
use portolan_core_olm::{
    COMPONENT, ClusterServiceVersion, CopiedCsv, CustomResourceDefinition, Deployment, InstallPlan,
    Namespace, OperatorGroup, Pod, ReplicaSet, Subscription, read_value,
};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::RegistryProbe;

const MARK: Annotation =
    Annotation::new("operatorpolicy.policy.open-cluster-management.io/managed");
const CREATOR: Annotation = Annotation::new("portolan.dev/created-by");
const MARKED: Label = Label::new("operatorpolicy.policy.open-cluster-management.io/managed");

/// The metadata that is needed to write objects.
const READS: &[Reads] = &[
    Reads::of::<ClusterServiceVersion>().finalizers(),
    Reads::of::<CustomResourceDefinition>()
        .labels(&[COMPONENT])
        .finalizers(),
    Reads::of::<InstallPlan>().owners(),
    Reads::of::<OperatorGroup>()
        .annotations(&[MARK, CREATOR])
        .owners()
        .managers(Managers::OfSpec),
    Reads::of::<OperatorPolicy>()
        .owners()
        .finalizers()
        .managers(Managers::OfStatus)
        .in_full(),
    Reads::of::<Subscription>()
        .annotations(&[MARK, CREATOR])
        .labels(&[MARKED])
        .managers(Managers::OfSpec),
];

/// Returns the metadata that a world keeps of an object with this metadata.
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
    Projection::default()
        .with(READS)
        .of::<K>()
        .prune(&mut object);
    serde_json::to_value(object.meta()).expect("metadata must have a JSON form")
}

/// Returns managed fields: the managers of a spec with their fields and operations, and the
/// managers of a status.
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
            "olm.providedAPIs": "Ferry.v1.demo.example",
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
        "labels": {"olm.owner": "ferry.v1"},
        "managedFields": [
            {"manager": "olm", "operation": "Update", "time": "2026-01-01T00:00:00Z"},
            {"manager": "kubectl"},
            {"manager": "olm", "subresource": "status"},
        ],
        "ownerReferences": owners(),
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
            "policy.open-cluster-management.io/policy": "root",
        },
        "finalizers": ["a/b"],
        "generation": 4,
        "managedFields": [{"manager": "olm", "subresource": "status"}],
        "ownerReferences": owners(),
    })
)]
fn unread_metadata_is_pruned(#[case] kept: Value, #[case] expected: Value) {
    assert_eq!(kept, expected);
}

/// Returns a policy with every field set.
fn full_policy() -> Value {
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
fn policy_status_keeps_its_compliance_and_subscription_for_read_only_users() {
    let (mut policy, faults) = read_value::<OperatorPolicy>(full_policy()).expect("a policy");
    assert_eq!(faults, []);
    Projection::default()
        .of::<OperatorPolicy>()
        .prune(&mut policy);
    let mut expected = full_policy();
    expected["metadata"] = json!({"name": "ferry"});
    expected["status"] = json!({
        "compliant": "Compliant",
        "conditions": full_policy()["status"]["conditions"],
        "observedGeneration": 3,
        "resolvedSubscriptionLabel": "ferry.harbor",
        "relatedObjects": [full_policy()["status"]["relatedObjects"][0]],
    });
    let (expected, _) = read_value::<OperatorPolicy>(expected).expect("a policy");
    assert_eq!(policy, expected);
}

#[rstest]
#[case::existing_object(json!({"finalizers": ["a/b"]}), None)]
#[case::that_is_being_deleted(
    json!({"finalizers": ["a/b"], "deletionTimestamp": "2026-01-01T00:00:00Z"}),
    Some(vec!["a/b".to_owned()])
)]
fn csv_keeps_finalizers_only_while_it_is_being_deleted(
    #[case] metadata: Value,
    #[case] finalizers: Option<Vec<String>>,
) {
    let csv = json!({"metadata": metadata});
    let (mut csv, _) = read_value::<ClusterServiceVersion>(csv).expect("an operator");
    Projection::default()
        .of::<ClusterServiceVersion>()
        .prune(&mut csv);
    assert_eq!(csv.metadata.finalizers, finalizers);
}

#[test]
fn owner_references_of_a_plan_are_pruned_by_default() {
    let plan = json!({"metadata": {"name": "install-a", "ownerReferences": owners()}});
    let (mut plan, _) = read_value::<InstallPlan>(plan).expect("a plan");
    Projection::default().of::<InstallPlan>().prune(&mut plan);
    assert_eq!(plan.metadata.owner_references, None);
}

#[test]
fn unnamed_kind_keeps_all_its_metadata() {
    let probe = json!({"metadata": {
        "name": "shop",
        "annotations": {"a": "b"},
        "labels": {"c": "d"},
        "ownerReferences": owners(),
        "finalizers": ["a/b"],
    }});
    let (probe, _) = read_value::<RegistryProbe>(probe).expect("a probe");
    let mut pruned = probe.clone();
    Projection::default()
        .of::<RegistryProbe>()
        .prune(&mut pruned);
    assert_eq!(pruned, probe);
}

#[test]
fn projection_keeps_the_union_of_all_reads() {
    const COLOR: Annotation = Annotation::new("color");
    const SIZE: Annotation = Annotation::new("size");
    let one = [Reads::of::<Pod>().annotations(&[COLOR]).finalizers()];
    let other = [Reads::of::<Pod>()
        .annotations(&[SIZE])
        .managers(Managers::OfStatus)];
    let pod = json!({"metadata": {
        "annotations": {"color": "blue", "size": "1", "shape": "round"},
        "finalizers": ["a/b"],
    }});
    let (mut pod, _) = read_value::<Pod>(pod).expect("a Pod");
    let kept = Projection::default().with(&one).with(&other).of::<Pod>();
    kept.prune(&mut pod);
    let annotations = json!({"color": "blue", "size": "1"});
    let expected = json!({"annotations": annotations, "finalizers": ["a/b"]});
    assert_eq!(serde_json::to_value(&pod.metadata).expect("JSON"), expected);
    assert!(kept.keeps_managers() && !kept.in_full);
}
