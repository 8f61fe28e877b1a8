use portolan_api::OperatorPolicySpec;
use portolan_runtime::holds;
use rstest::rstest;

use super::policies::{LOSSY, MAYBE_LOSSY, leaving_spec, staying_spec};
use super::*;

fn policy(finalizers: Option<&[&str]>) -> ObjectMeta {
    let finalizers = finalizers.map(|all| all.iter().map(|each| (*each).to_owned()).collect());
    ObjectMeta {
        name: Some("etcd".to_owned()),
        namespace: Some("local-cluster".to_owned()),
        uid: Some("policy-uid".to_owned()),
        resource_version: Some("7".to_owned()),
        finalizers,
        ..ObjectMeta::default()
    }
}

#[rstest]
#[case::no_finalizers(None, None)]
#[case::only_other_finalizers(Some(&["a/b"][..]), None)]
#[case::only_our_finalizer(Some(&[FINALIZER][..]), Some("/metadata/finalizers/0"))]
#[case::among_other_finalizers(Some(&["a/b", FINALIZER, "c/d"][..]), Some("/metadata/finalizers/1"))]
fn patch_removes_only_our_finalizer(
    #[case] finalizers: Option<&[&str]>,
    #[case] path: Option<&str>,
) {
    let wanted = path.map(|path| {
        vec![
            json!({"op": "test", "path": "/metadata/uid", "value": "policy-uid"}),
            json!({"op": "test", "path": "/metadata/resourceVersion", "value": "7"}),
            json!({"op": "test", "path": path, "value": FINALIZER}),
            json!({"op": "remove", "path": path}),
        ]
    });
    assert_eq!(patch(&policy(finalizers), FINALIZER), wanted);
}

#[rstest]
#[case::gone(404, Trouble::Gone)]
#[case::conflict_is_retried(409, Trouble::Changed("no".to_owned()))]
#[case::patch_that_cannot_be_applied_is_retried(422, Trouble::Changed("no".to_owned()))]
#[case::forbidden_is_not_retried(403, Trouble::Other("no".to_owned()))]
fn status_code_decides_the_next_step(#[case] code: u16, #[case] wanted: Trouble) {
    let status = Status {
        code,
        message: "no.".to_owned(),
        ..Status::default()
    };
    assert_eq!(trouble(&status), wanted);
}

#[test]
fn invalid_object_differs_from_inapplicable_patch() {
    let details = json!({"kind": "OperatorPolicy", "name": "etcd"});
    let status = Status {
        code: 422,
        message: "spec.complianceType: Required value".to_owned(),
        details: serde_json::from_value(details).expect("details"),
        ..Status::default()
    };
    let invalid = Trouble::Invalid("spec.complianceType: Required value".to_owned());
    assert_eq!(trouble(&status), invalid);
}

/// Returns a policy in the design form.
fn design() -> OperatorPolicySpec {
    let spec = json!({"allowedCSVs": ["*"], "subscription": {"name": "etcd", "config": {}}});
    OperatorPolicySpec::from(spec)
}

/// Returns a policy as the API server returns it without allowedCSVs.
fn pruned() -> OperatorPolicySpec {
    OperatorPolicySpec::from(json!({"subscription": {"name": "etcd"}}))
}

fn unreadable() -> Schema {
    Schema::Unreadable("forbidden".to_owned())
}

#[rstest]
#[case::its_fields_are_held(design(), Schema::Whole, Ok(vec![
    holds("/spec/allowedCSVs"),
    holds("/spec/subscription"),
    holds("/spec/subscription/config"),
    holds("/spec/subscription/name"),
]))]
#[case::write_would_lose_fields(pruned(), Schema::Lacking, Err(LOSSY.to_owned()))]
#[case::established_form(
    OperatorPolicySpec::from(json!({"complianceType": "musthave"})),
    Schema::Lacking,
    Ok(vec![holds("/spec/complianceType")])
)]
#[case::write_may_lose_fields(pruned(), unreadable(), Err(format!("{MAYBE_LOSSY}: forbidden")))]
#[case::no_crd_to_read(pruned(), Schema::Unread, Err(MAYBE_LOSSY.to_owned()))]
#[case::read_with_its_form_although_the_crd_is_unreadable(
    OperatorPolicySpec::from(json!({"allowedCSVs": ["*"]})),
    unreadable(),
    Ok(vec![holds("/spec/allowedCSVs")])
)]
#[case::established_form_and_unreadable_crd(
    OperatorPolicySpec::from(json!({"complianceType": "musthave"})),
    unreadable(),
    Ok(vec![holds("/spec/complianceType")])
)]
fn policy_that_is_not_deleted_keeps_its_spec(
    #[case] spec: OperatorPolicySpec,
    #[case] schema: Schema,
    #[case] expected: Result<Vec<Value>, String>,
) {
    assert_eq!(staying_spec(&spec, &schema), expected);
}

#[test]
fn deleted_invalid_policy_becomes_valid_in_every_crd() {
    assert_eq!(leaving_spec(&pruned(), false), Vec::<Value>::new());
    let least = json!({
        "complianceType": "musthave",
        "remediationAction": "inform",
        "subscription": {"name": "etcd"},
        "upgradeApproval": "None",
    });
    let whole = vec![json!({"op": "add", "path": "/spec", "value": least})];
    assert_eq!(leaving_spec(&pruned(), true), whole);
}
