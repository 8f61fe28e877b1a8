use portolan_api::{CREATED_BY, MANAGED};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::kinds::NAMESPACE;
use crate::tests::kit::{
    DATABASES, Stage, at, csv, design, established, merged, object, page, policy, stage,
    subscription, subscription_spec,
};
use crate::{Answer, Contest, Unavailable, WriteMode, defaults};

fn subscribed(stage: &Stage) -> Subscribed {
    stage.case(|case| {
        let wanted = defaults::wanted(case).expect("a Subscription");
        judge(case, &wanted, true)
    })
}

fn judged(stage: &Stage) -> String {
    page(&subscribed(stage).contribution)
}

fn marks() -> Value {
    json!({"metadata": {
        "labels": {MANAGED: ""},
        "annotations": {MANAGED: "local-cluster.etcd-policy", CREATED_BY: "policy-uid"},
    }})
}

/// Returns the Subscription of the policy, merged with other fields.
fn ours(other: Value) -> Value {
    merged(subscription(marks()), other)
}

fn written_by(manager: &str, fields: Value) -> Value {
    owned_by(manager, "Update", fields)
}

/// Returns the managed fields that the controller has applied.
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

fn inform() -> Value {
    established(json!({"remediationAction": "inform"}))
}

fn pinned() -> Value {
    established(json!({"versions": ["etcd@<3.0.0"]}))
}

/// Returns a policy in the design form that allows only version 2 and has a starting bundle.
fn begins(bundle: &str) -> Value {
    let spec = merged(subscription_spec(), json!({"startingCSV": bundle}));
    design(json!({"subscription": spec, "allowedCSVs": ["etcd@>=2.0.0 <3.0.0"]}))
}

/// Returns a policy for another package in the namespace, merged with other fields.
fn redis(other: Value) -> Value {
    let subscription_spec = merged(subscription_spec(), json!({"name": "redis"}));
    let spec = merged(
        established(json!({}))["spec"].clone(),
        json!({"subscription": subscription_spec}),
    );
    policy("redis-policy", "redis-uid", merged(spec, other))
}

fn of_redis(approval: &str) -> Value {
    object(
        SUBSCRIPTION,
        ("databases", "redis"),
        json!({"spec": {
            "name": "redis",
            "installPlanApproval": approval,
        }}),
    )
}

/// Returns a Subscription as OLM creates it for a dependency.
fn brought_along() -> Value {
    let spec = json!({
        "name": "redis",
        "channel": "stable",
        "source": "shop",
        "sourceNamespace": "olm",
        "installPlanApproval": "Automatic",
    });
    let name = (DATABASES, "redis-stable-shop-olm");
    object(SUBSCRIPTION, name, json!({"spec": spec}))
}

fn silent() -> Unavailable {
    Unavailable {
        service: "resolver",
        since: Some(at("2026-01-01T11:00:00Z")),
        why: "connection refused".to_owned(),
    }
}

/// Behaviors 9, 13, 14, 36, 38.
#[rstest]
#[case::is_created_with_marks("created", stage(established(json!({}))))]
#[case::is_manual_if_updates_need_approval(
    "manual",
    stage(established(json!({"upgradeApproval": "None"})))
)]
#[case::starts_with_the_newest_allowed_bundle("pinned", stage(pinned()))]
#[case::starts_with_the_starting_csv_of_the_policy(
    "starting",
    stage(established(json!({
        "versions": ["etcd.v1.0.0"],
        "subscription": merged(subscription_spec(), json!({
            "startingCSV": "etcd.v2.0.0",
            "config": {"env": [{"name": "A", "value": "b"}]},
        })),
    })))
)]
#[case::is_not_created_if_no_version_is_allowed(
    "nothing_allowed",
    stage(established(json!({"versions": ["etcd.v9.0.0"]})))
)]
#[case::is_not_created_if_the_starting_csv_is_not_allowed(
    "start_not_allowed",
    stage(begins("etcd.v1.0.0"))
)]
#[case::is_created_if_the_starting_csv_is_allowed("start_allowed", stage(begins("etcd.v2.0.0")))]
#[case::is_not_created_while_the_newest_bundle_is_unknown(
    "offer_silent",
    stage(pinned()).with(|stage| stage.answers.offer = Answer::Unavailable(silent()))
)]
#[case::is_created_without_a_resolver_if_all_fields_are_set(
    "all_said",
    stage(established(json!({}))).with(|stage| stage.answers.offer = Answer::Unavailable(silent()))
)]
#[case::is_not_created_by_an_inform_policy("informing", stage(inform()))]
#[case::is_not_created_in_read_only_mode(
    "tied",
    stage(established(json!({}))).with(|stage| stage.write_mode = WriteMode::ReadOnly("no".to_owned()))
)]
#[case::is_manual_if_the_design_form_requests_it(
    "design_manual",
    stage(design(json!({"subscription": merged(subscription_spec(), json!({"installPlanApproval": "Manual"}))})))
)]
#[case::is_manual_while_a_binding_names_it(
    "bound",
    stage(established(json!({}))).with(|stage| stage.is_bound = true)
)]
#[case::is_manual_beside_a_policy_that_restricts_versions(
    "neighbor_restricts",
    stage(established(json!({}))).neighbor(redis(json!({"versions": ["redis.v1"]})))
)]
#[case::waits_until_other_subscriptions_are_manual(
    "waits",
    stage(pinned()).neighbor(redis(json!({}))).object(of_redis("Automatic"))
)]
#[case::is_created_once_other_subscriptions_are_manual(
    "waited",
    stage(pinned()).neighbor(redis(json!({}))).object(of_redis("Manual"))
)]
#[case::is_not_created_beside_another_subscription_for_the_package(
    "other_name",
    stage(established(json!({})))
        .object(subscription(json!({"metadata": {"name": "etcd-stable-shop-olm"}})))
)]
#[case::is_not_created_in_a_namespace_in_deletion(
    "namespace_going",
    stage(established(json!({}))).without(NAMESPACE).object(object(
        NAMESPACE,
        ("", "databases"),
        json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
    ))
)]
fn creates_or_reports_missing_subscription(#[case] name: &str, #[case] stage: Stage) {
    insta::assert_snapshot!(format!("absent_{name}"), judged(&stage));
}

/// Behavior 34. Defect D1.
#[rstest]
#[case::missing("absent", stage(established(json!({}))))]
#[case::differing(
    "differing",
    stage(established(json!({}))).object(ours(json!({"spec": {"channel": "beta"}})))
)]
#[case::not_owned_yet(
    "not_owned",
    stage(established(json!({}))).object(ours(written_by("kubectl", json!({}))))
)]
fn writes_nothing_without_an_operator_group(#[case] name: &str, #[case] stage: Stage) {
    let part = stage.case(|case| {
        let wanted = defaults::wanted(case).expect("a Subscription");
        judge(case, &wanted, false).contribution
    });
    insta::assert_snapshot!(format!("group_wrong_{name}"), page(&part));
}

/// Behaviors 11, 18, 37, 39, 40, 41.
#[rstest]
#[case::matches("matches", stage(established(json!({}))).object(ours(json!({}))))]
#[case::may_have_fields_that_the_policy_omits(
    "subset",
    stage(established(json!({}))).object(ours(json!({"spec": {
        "startingCSV": "etcd.v1.0.0",
        "config": {"env": [{"name": "A", "value": "b"}]},
    }})))
)]
#[case::is_changed_if_it_differs(
    "channel",
    stage(established(json!({}))).object(ours(json!({"spec": {"channel": "beta"}})))
)]
#[case::has_its_config_replaced_as_a_whole(
    "config",
    stage(established(json!({"subscription": merged(subscription_spec(), json!({
        "config": {"env": [{"name": "A", "value": "b"}]},
    }))})))
    .object(merged(
        ours(json!({"spec": {"config": {"nodeSelector": {"a": "b"}}}})),
        written_by("kubectl", json!({"f:config": {"f:nodeSelector": {"f:a": {}}}}))
    ))
)]
#[case::loses_a_config_that_we_wrote(
    "config_gone",
    stage(established(json!({}))).object(merged(
        ours(json!({"spec": {"config": {"nodeSelector": {"a": "b"}}}})),
        applied(json!({
            "f:name": {}, "f:channel": {}, "f:source": {}, "f:sourceNamespace": {},
            "f:installPlanApproval": {}, "f:config": {"f:nodeSelector": {}},
        }))
    ))
)]
#[case::in_inform_mode_may_have_fields_of_an_enforced_policy(
    "informing_beside_enforced",
    stage(inform()).object(merged(
        subscription(json!({
            "metadata": {"labels": {MANAGED: ""}, "annotations": {MANAGED: "local-cluster.pin"}},
            "spec": {
                "startingCSV": "etcd.v1.0.0",
                "installPlanApproval": "Manual",
                "config": {"nodeSelector": {"a": "b"}},
            },
        })),
        applied(json!({
            "f:name": {}, "f:channel": {}, "f:source": {}, "f:sourceNamespace": {},
            "f:installPlanApproval": {}, "f:startingCSV": {}, "f:config": {"f:nodeSelector": {}},
        }))
    ))
)]
#[case::keeps_its_pinned_bundle(
    "pinned",
    stage(pinned()).object(merged(
        ours(json!({"spec": {"startingCSV": "etcd.v1.0.0", "installPlanApproval": "Manual"}})),
        applied(json!({
            "f:name": {}, "f:channel": {}, "f:source": {}, "f:sourceNamespace": {},
            "f:installPlanApproval": {}, "f:startingCSV": {},
        }))
    ))
)]
#[case::of_another_client_is_taken_over(
    "taken_over",
    stage(established(json!({}))).object(merged(
        subscription(json!({"spec": {"channel": "beta", "installPlanApproval": "Manual"}})),
        written_by("kubectl-client-side-apply", json!({"f:channel": {}, "f:installPlanApproval": {}}))
    ))
)]
#[case::of_another_client_is_taken_over_if_equal(
    "taken_over_equal",
    stage(established(json!({}))).object(subscription(json!({})))
)]
#[case::of_another_policy_is_taken_over(
    "of_another_policy",
    stage(established(json!({}))).object(subscription(json!({"metadata": {
        "labels": {MANAGED: ""}, "annotations": {MANAGED: "local-cluster.gone"},
    }})))
)]
#[case::of_the_established_controller_is_not_foreign(
    "established",
    stage(established(json!({}))).object(merged(
        subscription(json!({
            "metadata": {"labels": {MANAGED: ""}, "annotations": {MANAGED: "local-cluster.etcd-policy"}},
            "spec": {"channel": "beta"},
        })),
        written_by("config-policy-controller", json!({"f:channel": {}}))
    ))
)]
#[case::is_not_compared_by_its_approval_in_inform_mode(
    "informing_approval",
    stage(inform()).object(subscription(json!({"spec": {"installPlanApproval": "Manual"}})))
)]
#[case::is_only_reported_by_an_inform_policy(
    "informing",
    stage(inform()).object(subscription(json!({"spec": {"channel": "beta"}})))
)]
#[case::stays_in_its_channel_if_the_default_channel_differs(
    "default_changed",
    stage(established(json!({"subscription": {"channel": null}})))
        .object(ours(json!({"spec": {"channel": "beta"}})))
)]
#[case::is_not_changed_if_contested(
    "contested",
    stage(established(json!({})))
        .object(ours(json!({"spec": {"channel": "beta"}})))
        .with(|stage| stage.contested.push(Contest {
            kind: "Subscription",
            name: "etcd".to_owned(),
            field: "spec.channel".to_owned(),
            manager: "argocd".to_owned(),
        }))
)]
#[case::in_deletion_is_awaited(
    "going",
    stage(established(json!({}))).object(ours(json!({"metadata": {
        "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a/b"],
    }})))
)]
#[case::beside_an_unmanaged_automatic_subscription_is_compliant(
    "beside_automatic",
    stage(pinned())
        .object(ours(json!({"spec": {"installPlanApproval": "Manual"}})))
        .object(of_redis("Automatic"))
)]
#[case::beside_an_allowed_dependency_is_compliant(
    "beside_dependency",
    stage(pinned())
        .object(ours(json!({"spec": {"installPlanApproval": "Manual"}})))
        .object(brought_along())
)]
#[case::beside_a_dependency_that_needs_a_policy_is_compliant(
    "beside_strict_dependency",
    stage(design(json!({"allowedCSVs": ["etcd.v1"]})))
        .object(ours(json!({"spec": {"installPlanApproval": "Manual"}})))
        .object(brought_along())
)]
#[case::becomes_manual_for_a_neighbor_that_restricts_versions(
    "manual_for_neighbor",
    stage(established(json!({})))
        .neighbor(redis(json!({"versions": ["redis.v1"]})))
        .object(ours(json!({})))
)]
fn compares_existing_subscription_with_the_policy(#[case] name: &str, #[case] stage: Stage) {
    insta::assert_snapshot!(format!("present_{name}"), judged(&stage));
}

fn failing(reason: &str, message: &str) -> Stage {
    let status = json!({"conditions": [{
        "type": "ResolutionFailed",
        "status": "True",
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-01-01T10:00:00Z",
    }]});
    stage(established(json!({}))).object(ours(json!({"status": status})))
}

/// Behaviors 42, 43, 44.
#[rstest]
#[case::caused_by_this_subscription(
    "own",
    failing(
        "ConstraintsNotSatisfiable",
        "constraints not satisfiable: no operators found in \
        channel stable of package etcd in the catalog referenced by subscription etcd, \
        subscription etcd exists"
    )
)]
#[case::caused_by_this_subscription_with_its_namespace(
    "own_with_namespace",
    failing(
        "ConstraintsNotSatisfiable",
        "constraints not satisfiable: subscription databases/etcd: no"
    )
)]
#[case::caused_by_another_subscription(
    "other",
    failing(
        "ConstraintsNotSatisfiable",
        "constraints not satisfiable: no operators found in \
        package bad in the catalog referenced by subscription bad, subscription bad exists"
    )
)]
#[case::caused_by_a_subscription_with_the_same_prefix(
    "alike",
    failing(
        "ConstraintsNotSatisfiable",
        "constraints not satisfiable: subscription etcd-backup exists"
    )
)]
#[case::caused_by_an_unnamed_operator(
    "nobody",
    failing("ConstraintsNotSatisfiable", "constraints not satisfiable")
)]
#[case::with_another_reason(
    "other_reason",
    failing("ErrorPreventedResolution", "failed to list operators in the cache")
)]
#[case::without_a_reason("no_reason", failing("", "something is wrong"))]
#[case::explained_by_the_resolver(
    "explained",
    failing("ConstraintsNotSatisfiable", "constraints not satisfiable: subscription etcd exists")
        .with(|stage| {
            stage.answers.conflict = Answer::Found("etcd needs redis, which no catalog has".to_owned());
        })
)]
fn reports_failed_resolution(#[case] name: &str, #[case] stage: Stage) {
    insta::assert_snapshot!(format!("failed_{name}"), judged(&stage));
}

/// OLM reports such a message during an update, and may keep it after the update.
#[rstest]
#[case::does_not_exist(None, Reason::SubscriptionMatches)]
#[case::is_being_replaced(Some("Replacing"), Reason::SubscriptionMatches)]
#[case::exists(Some("Succeeded"), Reason::ConstraintsNotSatisfiable)]
fn ignores_failed_resolution_about_an_operator_being_replaced(
    #[case] phase: Option<&str>,
    #[case] wanted: Reason,
) {
    let text = "constraints not satisfiable: @existing/databases//etcd.v0.9.0 and \
        @existing/databases//etcd.v1.0.0 originate from package etcd, subscription etcd exists";
    let stage = failing("ConstraintsNotSatisfiable", text).object(csv("etcd.v1.0.0", json!({})));
    let stage = match phase {
        Some(phase) => {
            let status = json!({"status": {"phase": phase}});
            stage.object(csv("etcd.v0.9.0", status))
        }
        None => stage,
    };
    let Subscribed {
        contribution: part, ..
    } = subscribed(&stage);
    let reasons: Vec<_> = part
        .conditions
        .into_iter()
        .map(|condition| condition.reason)
        .collect();
    assert_eq!(reasons, [wanted.into()]);
}

/// Behavior 45.
#[test]
fn mismatch_takes_precedence_over_failed_resolution() {
    let mut stage = failing("ConstraintsNotSatisfiable", "subscription etcd exists");
    stage.objects[1]["spec"]["channel"] = json!("beta");
    let condition = subscribed(&stage).contribution.conditions;
    let reasons: Vec<_> = condition
        .into_iter()
        .map(|condition| condition.reason)
        .collect();
    assert_eq!(
        reasons,
        [ConditionReason::Ours(Reason::SubscriptionMismatch)]
    );
}

/// Behavior 46.
#[test]
fn copies_olm_conditions_except_our_own_types() {
    let condition = |name: &str, reason: &str| json!({"type": name, "status": "True", "reason": reason, "message": "a"});
    let status = json!({"conditions": [
        condition("InstallPlanPending", ""),
        condition("CatalogSourcesUnhealthy", "AllCatalogSourcesHealthy"),
        condition("BundleUnpackFailed", "BundleUnpackFailed"),
    ]});
    let stage = stage(established(json!({}))).object(ours(json!({"status": status})));
    let copied = stage.case(olm_conditions);
    let words: Vec<_> = copied
        .iter()
        .map(|each| (each.r#type.as_str(), each.reason.as_str()))
        .collect();
    assert_eq!(
        words,
        [
            ("BundleUnpackFailed", "BundleUnpackFailed"),
            ("InstallPlanPending", ""),
        ]
    );
}

const ORPHAN: &str = "constraints not satisfiable: clusterserviceversion etcd.v1.0.0 exists and is \
                      not referenced by a subscription, subscription etcd exists";

fn lost() -> Stage {
    failing("ConstraintsNotSatisfiable", ORPHAN).object(csv("etcd.v1.0.0", json!({})))
}

fn planned(at: &str) -> Stage {
    lost().status(json!({"subscriptionInterventionTime": at}))
}

fn changed(mut stage: Stage, other: Value) -> Stage {
    stage.objects[1] = merged(stage.objects[1].clone(), other);
    stage
}

/// Behaviors 12, 47, 48, 49, 50. Defect D3.
#[rstest]
#[case::is_planned("planned", lost())]
#[case::waits_until_its_time("waiting", planned("2026-01-01T12:00:20Z"))]
#[case::is_executed_at_its_time("due", planned("2026-01-01T11:59:55Z"))]
#[case::is_planned_again_if_late("late", planned("2026-01-01T11:59:40Z"))]
#[case::is_not_executed_by_an_inform_policy(
    "informing",
    planned("2026-01-01T11:59:55Z").with(|stage| {
        stage.policy["spec"]["remediationAction"] = json!("inform");
    })
)]
#[case::is_not_needed_if_olm_names_a_bundle(
    "current",
    changed(planned("2026-01-01T11:59:55Z"), json!({"status": {"currentCSV": "etcd.v2.0.0"}}))
)]
#[case::is_impossible_without_the_operator(
    "no_csv",
    planned("2026-01-01T11:59:55Z").without(crate::kinds::CSV)
)]
#[case::does_not_use_a_copied_csv(
    "copy",
    planned("2026-01-01T11:59:55Z")
        .without(crate::kinds::CSV)
        .object(csv("etcd.v1.0.0", json!({"metadata": {"labels": {"olm.copiedFrom": "operators"}}})))
)]
#[case::waits_until_the_subscription_is_correct(
    "differing",
    changed(planned("2026-01-01T12:00:20Z"), json!({"spec": {"channel": "beta"}}))
)]
fn plans_and_executes_repair_of_a_subscription(#[case] name: &str, #[case] stage: Stage) {
    let Subscribed {
        contribution: part,
        intervention,
        ..
    } = subscribed(&stage);
    let at = intervention.map_or("none".to_owned(), |at| at.to_string());
    insta::assert_snapshot!(
        format!("intervention_{name}"),
        format!("{}intervention: {at}", page(&part))
    );
}
