//! Tests for a policy in the established form whose operator must not be installed.

use insta::assert_snapshot;
use portolan_api::{FINALIZER, OperatorPolicyStatus, Reason, RelatedObject, Upgrades};
use rstest::rstest;
use serde_json::{Value, json};

use super::print::printed;
use super::walk::{Walk, crd, etcd, installed, made, unwanted};
use crate::contribution::{known, related};
use crate::decide::finalizer;
use crate::desired::{Action, Desired};
use crate::kinds::{OPERATOR_GROUP, SUBSCRIPTION};
use crate::removal::must_not_have;
use crate::tests::kit::{
    POLICY_UID, design, established, group, merged, now, policy, stage, subscription_spec,
};
use crate::{Answer, HealthFact, NamespaceState, Operator, render_status};

fn keep_all() -> Value {
    json!({"removalBehavior": {
        "operatorGroups": "Keep",
        "subscriptions": "Keep",
        "clusterServiceVersions": "Keep",
        "customResourceDefinitions": "Keep",
    }})
}

/// Behaviors 97, 98, 100, 108. Defect D16.
#[test]
fn removes_operator_in_stages_and_reports_it_absent() {
    let mut walk = installed(unwanted(json!({"versions": ["etcd.v9.9.9"]})), &made());
    let mut text = String::new();
    for round in 1..=4 {
        text.push_str(&format!("--- {round}\n{}", printed(&walk.desired())));
        walk.take(usize::MAX);
        walk.settle();
    }
    assert_snapshot!(text);
}

/// Behaviors 9, 99, 108.
#[test]
fn inform_lists_objects_to_delete_and_deletes_nothing() {
    let mut walk = installed(unwanted(json!({"remediationAction": "inform"})), &made());
    walk.stage.answers.operator = Answer::Found(Operator {
        facts: ["", "deployment-uid"]
            .map(|uid| HealthFact {
                kind: "Deployment".to_owned(),
                namespace: "databases".to_owned(),
                name: format!("etcd{uid}"),
                uid: uid.to_owned(),
                ..HealthFact::default()
            })
            .to_vec(),
        ..Operator::default()
    });
    assert_snapshot!(printed(&walk.desired()));
}

/// Behaviors 105, 106, 110.
#[rstest]
#[case::enforced("enforce")]
#[case::inform("inform")]
fn mustnothave_policy_that_keeps_all_kinds_is_compliant(#[case] action: &str) {
    let spec = merged(keep_all(), json!({"remediationAction": action}));
    let desired = installed(unwanted(spec), &made()).desired();
    assert_eq!(desired.steps, []);
    assert_eq!(desired.report.removal, None);
    assert!(
        desired
            .report
            .conditions
            .iter()
            .all(|condition| !condition.violates)
    );
    if action == "enforce" {
        assert_snapshot!(printed(&desired));
    }
}

/// Behavior 101.
#[test]
fn object_held_by_a_finalizer_is_deleting() {
    let mut walk = installed(unwanted(json!({})), &made());
    walk.merge(
        SUBSCRIPTION,
        &json!({"metadata": {"finalizers": ["stay/here"]}}),
    );
    walk.take(usize::MAX);
    assert_snapshot!(printed(&walk.desired()));
}

/// Behavior 104.
#[test]
fn several_operator_groups_are_too_many_even_if_they_are_kept() {
    let walk = installed(unwanted(keep_all()), &made()).object(group("another", json!({})));
    assert_snapshot!(printed(&walk.desired()));
}

/// Behaviors 102, 103.
#[rstest]
#[case::named_group(json!({"name": "etcd-group"}), made(), "OperatorGroupPresent")]
#[case::group_with_another_name(json!({"name": "wanted"}), made(), "OperatorGroupNotPresent")]
#[case::group_with_another_name_and_an_owner(
    json!({"name": "wanted"}),
    json!({"metadata": {"ownerReferences": [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "own", "uid": "1"},
    ]}}),
    "OperatorGroupKept"
)]
#[case::group_created_by_another_client(json!({"name": "etcd-group"}), json!({}), "OperatorGroupKept")]
#[case::unnamed_group_created_by_the_policy(json!(null), made(), "OperatorGroupPresent")]
#[case::unnamed_group_not_created_by_the_policy(json!(null), json!({}), "OperatorGroupNotPresent")]
fn mustnothave_policy_reports_the_operator_group(
    #[case] wanted: Value,
    #[case] other: Value,
    #[case] reason: &str,
) {
    let mut walk = installed(unwanted(json!({"operatorGroup": wanted})), &made());
    walk.stage = walk.stage.clone().without(OPERATOR_GROUP);
    let desired = walk.object(group("etcd-group", other)).desired();
    let condition = desired
        .report
        .conditions
        .iter()
        .map(|condition| format!("{:?}", condition.reason));
    let wanted = format!("Ours({reason})");
    assert!(
        condition.clone().any(|condition| condition == wanted),
        "{:?}",
        condition.collect::<Vec<_>>()
    );
}

/// If the policy did not create the operator, the message names the setting with which the policy
/// would remove the operator.
#[test]
fn keeps_existing_operator_and_reports_noncompliant() {
    assert_snapshot!(printed(
        &installed(unwanted(json!({})), &json!({})).desired()
    ));
}

#[test]
fn deletes_existing_operator_if_the_kinds_are_named() {
    let spec = json!({"removalBehavior": {
        "subscriptions": "Delete",
        "clusterServiceVersions": "Delete",
        "operatorGroups": "DeleteIfUnused",
    }});
    let walk = installed(unwanted(spec), &json!({})).end(&[]);
    let left: Vec<_> = walk.left().into_iter().collect();
    let wanted = [
        "CustomResourceDefinition backups.other.example",
        "CustomResourceDefinition clusters.etcd.example",
        "InstallPlan install-abc",
        "Namespace databases",
        "OperatorGroup etcd-group",
    ];
    assert_eq!(
        left, wanted,
        "an OperatorGroup that the policy does not name stays"
    );
}

/// The objects are kept in every step, even after the Subscription was deleted.
#[test]
fn keeps_objects_of_existing_operator_if_only_subscription_is_named() {
    let spec = json!({"removalBehavior": {"subscriptions": "Delete"}});
    let walk = installed(unwanted(spec), &json!({})).end(&[]);
    assert_eq!(walk.deleted, ["Subscription etcd"]);
}

/// If the Subscription has no mark, only the status shows which policy created the Subscription.
#[rstest]
#[case::same_uid("etcd-uid", 1)]
#[case::another_uid("older-uid", 0)]
fn status_identifies_created_subscription_by_uid(#[case] uid: &str, #[case] deletes: usize) {
    let mut walk = installed(unwanted(json!({})), &json!({}));
    walk.stage = walk.stage.clone().status(json!({"relatedObjects": [{
        "object": {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": "etcd", "namespace": "databases"},
        },
        "properties": {"createdByPolicy": true, "uid": uid},
    }]}));
    let steps = walk.desired().steps;
    let is_delete = |step: &&crate::desired::Step| matches!(step.action, Action::Delete { .. });
    assert_eq!(steps.iter().filter(is_delete).count(), deletes);
}

/// Behavior 107.
#[test]
fn labeled_crds_without_a_bundle_are_kept() {
    let labeled = json!({"metadata": {"labels": {"operators.coreos.com/etcd.databases": ""}}});
    let spec = json!({"removalBehavior": {"customResourceDefinitions": "Delete"}});
    let stage = stage(unwanted(spec)).object(merged(crd("clusters.etcd.example"), labeled));
    let walk = Walk {
        stage,
        instances: Vec::new(),
        deleted: Vec::new(),
    };
    assert_snapshot!(printed(&walk.desired()));
}

fn nothing(desired: &Desired) {
    assert_eq!(desired.steps, []);
    assert!(
        desired
            .report
            .conditions
            .iter()
            .all(|condition| !condition.violates)
    );
}

/// Behaviors 25, 124. Defect D6.
#[rstest]
#[case::the_namespace_is_missing(true, true)]
#[case::olm_is_missing(false, false)]
fn compliant_if_operator_cannot_exist(#[case] has_olm: bool, #[case] is_empty: bool) {
    let mut walk = installed(unwanted(json!({})), &made());
    walk.stage.has_olm = has_olm;
    if is_empty {
        walk.stage.objects.clear();
    }
    let desired = walk.desired();
    nothing(&desired);
    assert_snapshot!(format!("olm_{has_olm}"), printed(&desired));
}

/// Defects D1, D6.
#[test]
fn policy_without_a_namespace_selects_no_subscription() {
    let spec = json!({"subscription": {"namespace": null, "source": null}});
    let walk = installed(unwanted(spec), &made());
    let desired = walk
        .stage
        .clone()
        .with(|stage| stage.namespace = Some(String::new()));
    let desired = desired.case(|case| {
        let namespace = NamespaceState::default();
        must_not_have(&crate::case::Case {
            namespace: &namespace,
            ..*case
        })
        .expect("it is judged")
    });
    nothing(&desired);
    assert_snapshot!(printed(&desired));
}

/// Behaviors 113, 114. Defects D11, D12, D13.
#[rstest]
#[case::enforced_policy(json!({}), false)]
#[case::inform_policy(json!({"remediationAction": "inform"}), true)]
#[case::policy_in_another_namespace(json!({"subscription": {"namespace": "other"}}), true)]
fn removes_operator_unless_another_policy_enforces_it(#[case] other: Value, #[case] removes: bool) {
    let spec = json!({
        "remediationAction": "enforce",
        "complianceType": "mustnothave",
        "upgradeApproval": "None",
        "subscription": subscription_spec(),
    });
    let mut walk = installed(unwanted(json!({})), &made());
    walk.stage
        .neighbors
        .push(policy("a.b", "other-uid", merged(spec, other)));
    assert_eq!(!walk.desired().steps.is_empty(), removes);
}

#[test]
fn inform_reports_present_operator_wanted_by_another_policy() {
    let mut walk = installed(unwanted(json!({"remediationAction": "inform"})), &made());
    let spec = established(json!({}))["spec"].clone();
    walk.stage.neighbors.push(policy("a.b", "other-uid", spec));
    let conditions = walk.desired().report.conditions.into_iter();
    let reasons: Vec<_> = conditions.map(|each| each.reason).collect();
    let present = [
        Reason::OperatorGroupPresent,
        Reason::SubscriptionPresent,
        Reason::ClusterServiceVersionPresent,
    ];
    for reason in present {
        assert!(reasons.contains(&reason.into()), "{reason}: {reasons:?}");
    }
}

#[test]
fn absent_operator_clears_upgrades_in_status() {
    let mut walk = installed(unwanted(json!({})), &made());
    walk.stage.objects.clear();
    let before = OperatorPolicyStatus {
        upgrades: Some(Upgrades::default()),
        ..OperatorPolicyStatus::default()
    };
    let update = render_status(
        &walk.desired().report,
        &walk.observed().policy,
        &before,
        now(),
    );
    let mut conditions = update.status.conditions.iter();
    let found = Reason::NoInstallPlansFound.as_str();
    assert!(
        conditions.any(|each| each.reason == found),
        "{:?}",
        update.status
    );
    assert_eq!(update.status.upgrades, None);
}

#[test]
fn removal_resumes_after_policy_was_temporarily_invalid() {
    let mut walk = installed(unwanted(json!({})), &made());
    let spec = walk.stage.policy["spec"].clone();
    let takes = |walk: &mut Walk| {
        let before = walk.observed().policy.status.clone().unwrap_or_default();
        let update = render_status(
            &walk.stage.decide().report,
            &walk.observed().policy,
            &before,
            now(),
        );
        walk.stage.policy["status"] = json!(update.status);
    };
    assert!(walk.take(usize::MAX));
    assert_eq!(walk.deleted, ["Subscription etcd"]);

    walk.stage.policy["spec"]["versions"] = json!("not a list");
    takes(&mut walk);
    let conditions = &walk.stage.policy["status"]["conditions"];
    assert!(
        conditions.to_string().contains("InvalidPolicySpec"),
        "{conditions}"
    );
    walk.stage.policy["spec"] = spec;
    let walk = walk.end(&[]);
    let all = [
        "Subscription etcd",
        "ClusterServiceVersion etcd.v1.0.0",
        "OperatorGroup etcd-group",
    ];
    assert_eq!(walk.deleted, all);
}

#[test]
fn temporarily_invalid_policy_keeps_created_objects_in_status() {
    let object = related(
        SUBSCRIPTION,
        (Some("databases"), "etcd"),
        Some("Compliant"),
        "made",
    );
    let entry = |is_made| known(object.clone(), Some("etcd-uid"), is_made);
    let of = |is_made| {
        let mut walk = installed(established(json!({"versions": "not a list"})), &made());
        walk.stage.policy["status"] = json!({"relatedObjects": [entry(is_made)]});
        let before = walk.observed().policy.status.clone().unwrap_or_default();
        let report = walk.stage.decide().report;
        render_status(&report, &walk.observed().policy, &before, now())
            .status
            .related_objects
    };
    let kept = RelatedObject {
        compliant: None,
        reason: Some("This policy created the object, but the policy is invalid now".to_owned()),
        ..entry(true)
    };
    assert_eq!([of(true), of(false)], [vec![kept], Vec::new()]);
}

/// Behavior 109.
#[test]
fn recreated_operator_is_not_deleted_after_the_removal_ended() {
    let walk = installed(unwanted(json!({})), &made()).end(&[]);
    assert_eq!(walk.desired().report.removal, None);
    let back = json!({"metadata": {"uid": "new-uid"}});
    let walk = walk.object(merged(etcd(), back));
    let desired = walk.desired();
    assert_eq!(
        desired.steps,
        [],
        "the record is closed, and the creator of this Subscription is unknown"
    );
}

fn held(policy: Value, finalizers: &[&str]) -> Value {
    merged(policy, json!({"metadata": {"finalizers": finalizers}}))
}

#[rstest]
#[case::policy_that_removes_objects_has_the_finalizer(held(design(json!({})), &[]), Some(Action::AddFinalizer))]
#[case::finalizer_stays(held(design(json!({})), &[FINALIZER]), None)]
#[case::foreign_objects_need_the_finalizer_too(
    held(design(json!({})), &["other/finalizer"]),
    Some(Action::AddFinalizer)
)]
#[case::inform_policy_has_no_finalizer(
    held(design(json!({"remediationAction": "inform"})), &[]),
    None
)]
#[case::finalizer_is_removed_in_inform_mode(
    held(design(json!({"remediationAction": "inform"})), &[FINALIZER]),
    Some(Action::RemoveFinalizer)
)]
#[case::established_form_has_no_finalizer(held(established(json!({})), &[]), None)]
#[case::finalizer_is_removed_in_the_established_form(
    held(established(json!({})), &[FINALIZER]),
    Some(Action::RemoveFinalizer)
)]
fn finalizer_follows_the_removal_settings(#[case] policy: Value, #[case] wanted: Option<Action>) {
    let steps = stage(policy.clone()).case(finalizer);
    let actions: Vec<_> = steps.into_iter().map(|step| step.action).collect();
    assert_eq!(actions, wanted.into_iter().collect::<Vec<_>>());
    let tied = stage(policy).with(|stage| {
        stage.write_mode = crate::WriteMode::ReadOnly("another controller is in charge".to_owned());
    });
    assert_eq!(tied.case(finalizer), None, "{POLICY_UID}");
}
