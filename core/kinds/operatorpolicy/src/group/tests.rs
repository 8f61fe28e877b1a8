use portolan_api::{CREATED_BY, MANAGED};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::Modes;
use crate::tests::kit::{
    Stage, design, established, group, merged, modes, page, policy, stage, subscription_spec,
};
use crate::{Answer, Contest, Unavailable, WriteMode};

fn judged(stage: &Stage) -> String {
    page(&stage.case(judge))
}

fn naming(group: Value) -> Value {
    established(json!({"operatorGroup": group}))
}

fn informing(group: Value) -> Value {
    merged(
        naming(group),
        json!({"spec": {"remediationAction": "inform"}}),
    )
}

fn marked(mark: &str, creator: &str) -> Value {
    json!({"metadata": {"annotations": {MANAGED: mark, CREATED_BY: creator}}})
}

fn ours() -> Value {
    marked("local-cluster.etcd-policy", "policy-uid")
}

/// Returns the managedFields of an object in which this field manager owns these fields.
fn written_by(manager: &str, fields: Value) -> Value {
    owned_by(manager, "Update", fields)
}

/// Returns the managedFields of an object to which our controller has applied these fields.
fn applied(fields: Value) -> Value {
    owned_by("portolan", "Apply", fields)
}

fn owned_by(manager: &str, operation: &str, fields: Value) -> Value {
    json!({"metadata": {"managedFields": [{
        "manager": manager,
        "operation": operation,
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": fields},
    }]}})
}

fn with_modes(policy: Value, supported: &[&str]) -> Stage {
    stage(policy).with(|stage| stage.answers.modes = modes(supported))
}

/// Behaviors 26, 27, 35.
#[rstest]
#[case::enforced_policy_creates_a_group_for_all_namespaces(
    "created",
    stage(established(json!({})))
)]
#[case::policy_creates_the_named_group(
    "created_as_named",
    stage(naming(json!({
        "name": "g",
        "targetNamespaces": ["databases"],
        "serviceAccountName": "etcd",
        "upgradeStrategy": "TechPreviewUnsafeFailForward",
    })))
)]
#[case::inform_policy_reports_that_it_creates_no_group(
    "informing",
    stage(informing(json!({"name": "g"})))
)]
#[case::inform_policy_without_a_group_name_reports_a_dash(
    "informing_of_none",
    stage(established(json!({"remediationAction": "inform"})))
)]
#[case::no_group_for_an_operator_that_cannot_watch_all_namespaces(
    "own_namespace_only",
    with_modes(established(json!({})), &["OwnNamespace", "SingleNamespace"])
)]
#[case::message_names_the_field_of_the_design_form(
    "multi_namespace_only",
    with_modes(design(json!({})), &["MultiNamespace"])
)]
#[case::no_group_while_the_install_modes_are_unknown(
    "modes_unknown",
    stage(established(json!({}))).with(|stage| {
        stage.answers.modes = Answer::Found(Modes { bundle: "etcd.v3.0.0".to_owned(), supported: None });
    })
)]
#[case::no_group_while_the_resolver_is_unavailable(
    "modes_silent",
    stage(established(json!({}))).with(|stage| {
        stage.answers.modes = Answer::Unavailable(Unavailable {
            service: "resolver",
            since: Some(stage.now),
            why: "connection refused".to_owned(),
        });
    })
)]
#[case::named_group_for_all_namespaces_is_not_created_while_the_install_modes_are_unknown(
    "named_with_modes_unknown",
    stage(naming(json!({"name": "g"}))).with(|stage| stage.answers.modes = Answer::NotAsked)
)]
#[case::group_for_named_namespaces_is_created_while_the_install_modes_are_unknown(
    "targeted_with_modes_unknown",
    stage(naming(json!({"name": "g", "targetNamespaces": ["databases"]})))
        .with(|stage| stage.answers.modes = Answer::NotAsked)
)]
#[case::named_group_with_unsupported_targets_is_not_created(
    "named_but_unsupported",
    with_modes(naming(json!({"name": "g", "targetNamespaces": ["a", "b"]})), &["AllNamespaces"])
)]
#[case::nothing_is_created_in_read_only_mode(
    "tied",
    stage(established(json!({})))
        .with(|stage| stage.write_mode = WriteMode::ReadOnly("somebody else is here".to_owned()))
)]
fn creates_or_reports_missing_operator_group(#[case] name: &str, #[case] stage: Stage) {
    insta::assert_snapshot!(format!("none_{name}"), judged(&stage));
}

/// Behavior 28.
#[rstest]
#[case::group_of_another_client("of_somebody", group("g", json!({"spec": {"targetNamespaces": ["databases"]}})))]
#[case::group_created_by_the_policy("made_by_the_policy", group("databases", ours()))]
#[case::group_that_the_operator_cannot_watch(
    "unsupported",
    group("g", json!({"spec": {"targetNamespaces": ["a", "b"]}}))
)]
#[case::selector_that_selects_nothing_yet(
    "selecting",
    group("g", json!({"spec": {"selector": {"matchLabels": {"a": "b"}}}}))
)]
#[case::group_in_deletion("going", group("g", json!({"metadata": {
    "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a/b"],
}})))]
fn checks_existing_operator_group_if_the_policy_names_none(
    #[case] name: &str,
    #[case] found: Value,
) {
    let stage = stage(established(json!({}))).object(found);
    insta::assert_snapshot!(format!("unnamed_{name}"), judged(&stage));
}

/// Behaviors 29, 30, 31. Defect D23.
#[rstest]
#[case::group_with_another_name_is_unchanged("other_name", naming(json!({"name": "g"})), group("other", json!({})))]
#[case::equal_group_matches(
    "equal",
    naming(json!({"name": "g", "targetNamespaces": ["b", "a"]})),
    group("g", json!({"spec": {"targetNamespaces": ["a", "b"], "serviceAccountName": "x"}}))
)]
#[case::other_namespaces_are_reported_if_the_policy_names_none(
    "for_others",
    naming(json!({"name": "g"})),
    group("g", json!({"spec": {"targetNamespaces": ["shop"]}}))
)]
#[case::unmarked_group_is_changed_and_marked(
    "of_nobody",
    naming(json!({"name": "g", "targetNamespaces": ["databases"], "serviceAccountName": "etcd"})),
    group("g", merged(
        json!({"spec": {"targetNamespaces": ["shop"]}}),
        written_by("kubectl", json!({"f:targetNamespaces": {}}))
    ))
)]
#[case::unmarked_group_with_other_names_is_only_marked(
    "of_nobody_names_alone",
    naming(json!({"name": "g", "targetNamespaces": ["databases"]})),
    group("g", json!({"spec": {"targetNamespaces": ["shop"]}}))
)]
#[case::own_group_is_changed(
    "of_ours",
    naming(json!({"name": "g", "upgradeStrategy": "TechPreviewUnsafeFailForward"})),
    group("g", merged(ours(), json!({"spec": {"upgradeStrategy": "Default"}})))
)]
#[case::fields_that_we_wrote_are_removed(
    "field_removed",
    naming(json!({"name": "g"})),
    group("g", merged(
        merged(ours(), json!({"spec": {"targetNamespaces": ["databases"]}})),
        written_by("portolan", json!({"f:targetNamespaces": {}}))
    ))
)]
#[case::fields_that_we_applied_are_removed(
    "applied_field_removed",
    naming(json!({"name": "g"})),
    group("g", merged(
        merged(ours(), json!({"spec": {"serviceAccountName": "etcd"}})),
        applied(json!({"f:serviceAccountName": {}}))
    ))
)]
#[case::defaults_of_the_api_server_are_kept(
    "defaulted",
    naming(json!({"name": "g"})),
    group("g", merged(
        merged(ours(), json!({"spec": {"upgradeStrategy": "Default"}})),
        written_by("portolan", json!({"f:upgradeStrategy": {}}))
    ))
)]
#[case::group_that_we_created_becomes_applied(
    "unadopted",
    naming(json!({"name": "g", "serviceAccountName": "etcd"})),
    group("g", merged(
        merged(ours(), json!({"spec": {"serviceAccountName": "etcd"}})),
        written_by("portolan", json!({"f:serviceAccountName": {}, "f:upgradeStrategy": {}}))
    ))
)]
#[case::group_of_a_deleted_policy_is_taken_over(
    "of_a_policy_that_is_gone",
    naming(json!({"name": "g", "targetNamespaces": ["databases"]})),
    group("g", marked("local-cluster.other", "other-uid"))
)]
#[case::group_of_a_deleted_policy_is_unchanged_if_not_named(
    "of_a_policy_that_is_gone_unnamed",
    design(json!({"operatorGroup": {"target": {"namespaces": ["databases"]}}})),
    group("g", marked("local-cluster.other", "other-uid"))
)]
#[case::inform_policy_only_reports_a_difference(
    "informing",
    informing(json!({"name": "g", "targetNamespaces": ["databases"]})),
    group("g", json!({}))
)]
#[case::selector_replaces_target_namespaces(
    "selector",
    naming(json!({"name": "g", "selector": {"matchLabels": {"a": "b"}}})),
    group("g", merged(ours(), json!({"spec": {"targetNamespaces": ["databases"]}})))
)]
#[case::selector_is_added_beside_target_namespaces(
    "selector_beside_names",
    naming(json!({
        "name": "g", "targetNamespaces": ["databases"], "selector": {"matchLabels": {"a": "b"}},
    })),
    group("g", merged(ours(), json!({"spec": {"targetNamespaces": ["databases"]}})))
)]
#[case::group_not_named_in_the_design_form_is_unchanged(
    "design_unnamed",
    design(json!({"operatorGroup": {"target": {"namespaces": ["databases"]}}})),
    group("g", json!({}))
)]
fn compares_operator_group_named_in_the_policy(
    #[case] name: &str,
    #[case] policy: Value,
    #[case] found: Value,
) {
    let stage = stage(policy)
        .object(found)
        .with(|stage| stage.answers.modes = Answer::NotAsked);
    insta::assert_snapshot!(format!("named_{name}"), judged(&stage));
}

/// The remediation action of the other policy makes no difference. Defect D23.
#[rstest]
#[case::enforced(json!({}))]
#[case::informing(json!({"remediationAction": "inform"}))]
fn operator_group_of_another_policy_is_never_changed(#[case] other: Value) {
    let spec = merged(
        established(json!({}))["spec"].clone(),
        json!({"subscription": merged(subscription_spec(), json!({"name": "redis"}))}),
    );
    let wanted = naming(json!({"name": "g", "targetNamespaces": ["databases"]}));
    let stage = stage(wanted)
        .object(group("g", marked("local-cluster.other", "other-uid")))
        .neighbor(policy("other", "other-uid", merged(spec, other)));
    insta::assert_snapshot!("named_of_another_policy", judged(&stage));
}

#[test]
fn contested_operator_group_is_not_changed() {
    let policy = naming(json!({"name": "g", "targetNamespaces": ["databases"]}));
    let stage = stage(policy).object(group("g", ours())).with(|stage| {
        stage.contested.push(Contest {
            kind: "OperatorGroup",
            name: "g".to_owned(),
            field: "spec.targetNamespaces".to_owned(),
            manager: "argocd".to_owned(),
        });
    });
    insta::assert_snapshot!(judged(&stage));
}

/// Behavior 33.
#[test]
fn several_operator_groups_are_listed_and_not_changed() {
    let stage = stage(established(json!({})))
        .object(group("a", json!({})))
        .object(group("b", json!({})));
    insta::assert_snapshot!(judged(&stage));
}

/// Behavior 27.
#[test]
fn two_policies_create_the_same_operator_group() {
    let other = merged(subscription_spec(), json!({"name": "redis"}));
    let spec = merged(
        established(json!({}))["spec"].clone(),
        json!({"subscription": other}),
    );
    let create = |policy: Value| {
        let mut stage = stage(policy);
        let part = stage.case(judge);
        stage.play(&part.into_desired());
        let made = stage.object_named(OPERATOR_GROUP, "databases");
        made.expect("a group")["metadata"]["name"].clone()
    };
    assert_eq!(
        create(established(json!({}))),
        create(policy("redis-policy", "redis-uid", spec))
    );
}
