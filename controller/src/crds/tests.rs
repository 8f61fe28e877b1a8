use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use portolan_api::{crds, own_field};
use rstest::rstest;
use serde_json::{Value, json};

use super::decide::{CrdRefusal, CrdState, managers, refusal, standing};

const OPERATORS: &str = "operators.operators.operatorframework.io";
const POLICIES: &str = "operatorpolicies.policy.open-cluster-management.io";
const PLANS: &str = "installplans.plans.portolan.dev";

/// Returns Portolan's CRD, and the CRD that a cluster has after this edit.
fn edited(name: &str, edit: impl FnOnce(&mut Value)) -> [CustomResourceDefinition; 2] {
    let ours = crds().remove(name).expect("a CRD of ours");
    let mut live = serde_json::to_value(&ours).expect("JSON");
    let stored = ours.spec.versions.iter().find(|it| it.storage);
    live["status"] = json!({"storedVersions": [stored.expect("a version").name]});
    edit(&mut live);
    [ours, serde_json::from_value(live).expect("a CRD")]
}

fn refused(name: &str, edit: impl FnOnce(&mut Value)) -> Option<String> {
    let [ours, live] = edited(name, edit);
    refusal(&ours, &live).map(|refusal| refusal.to_string())
}

/// Returns the fields of `spec` in the first version.
fn spec(crd: &mut Value) -> &mut Value {
    &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
}

#[test]
fn every_crd_may_replace_itself() {
    for name in crds().keys() {
        assert_eq!(refused(name, |_| ()), None, "{name}");
    }
}

#[test]
fn older_crd_is_upgraded() {
    let older = |crd: &mut Value| {
        let fields = spec(crd).as_object_mut().expect("fields");
        fields.remove("settleSeconds").expect("a field");
    };
    assert_eq!(refused(OPERATORS, older), None);
}

#[test]
fn newer_crd_is_kept() {
    let more_fields = |crd: &mut Value| spec(crd)["anchor"] = json!({"type": "string"});
    let expected = "the CRD is newer: v1alpha1: .spec.anchor: existingFieldRemoval: ";
    let message = refused(OPERATORS, more_fields).expect("a refusal");
    assert!(message.starts_with(expected), "{message}");
    assert!(
        message.ends_with("; install a newer version of portolan"),
        "{message}"
    );
    let more_versions = |crd: &mut Value| {
        let mut newer = crd["spec"]["versions"][0].clone();
        newer["name"] = json!("v1");
        newer["storage"] = json!(false);
        let versions = crd["spec"]["versions"].as_array_mut();
        versions.expect("versions").push(newer);
    };
    let [ours, live] = edited(PLANS, more_versions);
    let expected = CrdRefusal::UnknownVersion("v1".to_owned());
    assert_eq!(refusal(&ours, &live), Some(expected));
}

#[test]
fn crd_with_objects_in_unknown_version_is_kept() {
    let stored =
        |crd: &mut Value| crd["status"]["storedVersions"] = json!(["v1alpha0", "v1alpha1"]);
    let message = refused(PLANS, stored).expect("a refusal");
    assert!(message.contains("storedVersionRemoval"), "{message}");
}

#[test]
fn crds_of_other_programs_are_kept() {
    for (name, crd) in crds() {
        let Some(own) = own_field(&name) else {
            assert!(crd.spec.group.ends_with("portolan.dev"), "{name}");
            continue;
        };
        let foreign = |crd: &mut Value| {
            let fields = spec(crd).as_object_mut().expect("fields");
            fields.remove(own).expect("the field must be in our CRD");
        };
        let [ours, live] = edited(&name, foreign);
        assert_eq!(
            refusal(&ours, &live),
            Some(CrdRefusal::Foreign(own)),
            "{name}"
        );
    }
}

#[rstest]
#[case::deleted(
    POLICIES,
    "/metadata/deletionTimestamp",
    json!("2026-01-01T00:00:00Z"),
    "the CRD is being deleted; wait until the CRD is deleted, and run the command again"
)]
#[case::of_another_kind(
    POLICIES,
    "/spec/names/kind",
    json!("Policy"),
    "the CRD belongs to another program: its kind is Policy, not OperatorPolicy"
)]
#[case::of_olm(
    OPERATORS,
    "/metadata/labels",
    json!({"olm.managed": "true"}),
    "the CRD belongs to an operator that OLM installed: it has the label olm.managed"
)]
fn unsuitable_crd_is_kept_with_a_reason(
    #[case] name: &str,
    #[case] at: &str,
    #[case] value: Value,
    #[case] expected: &str,
) {
    let edit = |crd: &mut Value| {
        let (within, field) = at.rsplit_once('/').expect("a pointer");
        crd.pointer_mut(within).expect("an object")[field] = value;
    };
    assert_eq!(refused(name, edit).as_deref(), Some(expected));
}

#[test]
fn crd_is_established_only_by_its_conditions() {
    let with = |conditions: Value| {
        let [_, live] = edited(PLANS, |crd| crd["status"]["conditions"] = conditions);
        standing(&live)
    };
    let condition =
        |type_: &str, status: &str| json!({"type": type_, "status": status, "message": "in use"});
    assert_eq!(with(json!([])), None);
    assert_eq!(with(json!([condition("Established", "False")])), None);
    assert_eq!(
        with(json!([
            condition("NamesAccepted", "True"),
            condition("Established", "True")
        ])),
        Some(CrdState::Established)
    );
    assert_eq!(
        with(json!([
            condition("NamesAccepted", "False"),
            condition("Established", "True")
        ])),
        Some(CrdState::NamesNotAccepted("in use".to_owned()))
    );
}

#[test]
fn conflict_names_managers_of_spec() {
    let entry = |manager: &str, fields: Value| json!({"manager": manager, "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": fields});
    let [_, live] = edited(PLANS, |crd| {
        crd["metadata"]["managedFields"] = json!([
            entry("helm", json!({"f:spec": {"f:group": {}}})),
            entry("portolan-install", json!({"f:spec": {"f:group": {}}})),
            entry("kube-apiserver", json!({"f:status": {}})),
        ]);
    });
    assert_eq!(managers(&live), ["helm".to_owned()].into());
}
