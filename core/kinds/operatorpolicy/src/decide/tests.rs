mod settling;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::MANAGED;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::desired::{Action, Desired};
use crate::kinds::{NAMESPACE, OPERATOR_GROUP, SUBSCRIPTION};
use crate::not_judged::condition_types;
use crate::tests::kit::{
    Stage, at, csv, design, established, group, merged, object, policy, stage, subscription,
    subscription_spec, whole_page,
};
use crate::{Answer, StaleKind, Unavailable};

/// Prints a decision without the finalizer and the conditions that other tests check.
fn page(stage: &Stage) -> String {
    let mut desired = stage.decide();
    let is_meant = |type_: ConditionType| {
        [
            ConditionType::ValidPolicySpec,
            ConditionType::OperatorGroupCompliant,
            ConditionType::SubscriptionCompliant,
        ]
        .contains(&type_)
    };
    desired
        .report
        .conditions
        .retain(|condition| is_meant(condition.type_));
    desired.report.kept.retain(|(type_, _)| is_meant(*type_));
    desired.report.related.retain(|(type_, _)| is_meant(*type_));
    desired
        .steps
        .retain(|step| step.action != Action::AddFinalizer);
    whole_page(&desired)
}

fn inform() -> Value {
    established(json!({"remediationAction": "inform"}))
}

fn without(field: &str) -> Value {
    established(json!({"subscription": {field: null}}))
}

fn silent() -> Unavailable {
    Unavailable {
        service: "resolver",
        since: Some(at("2026-01-01T11:00:00Z")),
        why: "connection refused".to_owned(),
    }
}

fn stale(since: Option<&str>) -> StaleKind {
    StaleKind {
        kind: "Subscription",
        since: since.map(at),
        why: "the watch is closed".to_owned(),
    }
}

fn unknown_package(stage: &mut Stage) {
    stage.answers.offer = Answer::NotFound("no catalog has a package etcd".to_owned());
}

/// Returns another policy that requires the same Subscription.
fn rival(other: Value) -> Value {
    let spec = established(json!({}))["spec"].clone();
    policy("rival", "rival-uid", merged(spec, other))
}

/// Defects D1, D1b, D19.
#[test]
fn invalid_policy_writes_nothing_and_keeps_no_condition() {
    let broken = established(json!({
        "subscription": {"channels": "stable"},
        "operatorGroup": {"name": "g", "namespace": "elsewhere"},
    }));
    let stage = stage(broken).object(subscription(json!({"spec": {"channel": "beta"}})));
    insta::assert_snapshot!(whole_page(&stage.decide()));
}

/// Behaviors 9, 10, 26. Defect D3.
#[test]
fn inform_policy_writes_nothing() {
    let worlds = [
        stage(inform()),
        stage(inform()).without(NAMESPACE),
        stage(inform()).object(group("g", json!({}))),
        stage(inform())
            .object(group("g", json!({})))
            .object(subscription(json!({"spec": {"channel": "beta"}}))),
    ];
    let steps: Vec<_> = worlds.iter().map(|stage| stage.decide().steps).collect();
    assert_eq!(steps, vec![Vec::new(); 4]);
}

#[rstest]
#[case::keeps_all_conditions("never", None)]
#[case::keeps_all_conditions_and_executes_no_steps("stale", Some("2026-01-01T11:00:00Z"))]
fn keeps_conditions_while_objects_of_a_kind_are_stale(
    #[case] name: &str,
    #[case] since: Option<&str>,
) {
    let stage = stage(established(json!({}))).with(|stage| stage.stale.push(stale(since)));
    insta::assert_snapshot!(format!("blind_{name}"), page(&stage));
}

/// Behaviors 22, 23, 24, 36.
#[rstest]
#[case::is_created_first("enforcing", stage(established(json!({}))).without(NAMESPACE))]
#[case::is_reported_by_an_inform_policy("informing", stage(inform()).without(NAMESPACE))]
#[case::is_awaited_while_it_is_being_deleted(
    "going",
    stage(established(json!({}))).without(NAMESPACE).object(object(
        NAMESPACE,
        ("", "databases"),
        json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
    ))
)]
fn creates_or_reports_missing_namespace(#[case] name: &str, #[case] stage: Stage) {
    insta::assert_snapshot!(format!("namespace_{name}"), page(&stage));
}

/// Behaviors 113, 114. Defects D11, D12.
#[rstest]
#[case::makes_both_invalid("enforced", stage(established(json!({}))).neighbor(rival(json!({}))))]
#[case::makes_a_mustnothave_policy_invalid(
    "mustnothave",
    stage(established(json!({"complianceType": "mustnothave"})))
        .neighbor(rival(json!({"complianceType": "mustnothave"})))
)]
#[case::does_not_matter_in_inform_mode(
    "informing",
    stage(established(json!({}))).neighbor(rival(json!({"remediationAction": "inform"})))
)]
#[case::does_not_matter_for_another_package(
    "other_package",
    stage(established(json!({}))).neighbor(rival(json!({"subscription": {"name": "redis"}})))
)]
fn rejects_second_policy_for_the_same_subscription(#[case] name: &str, #[case] stage: Stage) {
    let stage = stage.object(group("g", json!({})));
    insta::assert_snapshot!(format!("overlap_{name}"), page(&stage));
}

/// Defect D13.
#[test]
fn long_names_truncated_to_the_same_label_do_not_overlap() {
    let long = "n".repeat(60);
    let names = |end: &str| json!({"subscription": {"namespace": format!("{long}{end}")}});
    let stage = stage(established(names("a"))).neighbor(rival(names("b")));
    let report = stage.decide().report;
    assert_eq!(
        (report.overlapping, report.label.map(|label| label.len())),
        (Vec::new(), Some(63))
    );
}

#[test]
fn read_only_mode_keeps_policy_valid_and_writes_nothing() {
    let stage = stage(established(json!({}))).with(|stage| {
        stage.write_mode =
            WriteMode::ReadOnly("another controller writes the status of policies".to_owned());
    });
    insta::assert_snapshot!(page(&stage));
}

#[test]
fn an_operator_group_of_another_namespace_makes_the_policy_invalid() {
    let wrong = established(json!({
        "subscription": {"namespace": null},
        "operatorGroup": {"name": "g", "namespace": "elsewhere"},
    }));
    let stage = stage(wrong).with(|stage| stage.namespace = Some("databases".to_owned()));
    insta::assert_snapshot!(page(&stage));
}

fn related_status(namespaces: &[&str]) -> Value {
    let objects = namespaces.iter().map(|namespace| {
        json!({"object": {
            "apiVersion": SUBSCRIPTION.0,
            "kind": SUBSCRIPTION.1,
            "metadata": {"name": "etcd", "namespace": namespace},
        }})
    });
    json!({"observedGeneration": 0, "relatedObjects": objects.collect::<Vec<_>>()})
}

fn suggesting(stage: &mut Stage) {
    if let Answer::Found(offer) = &mut stage.answers.offer {
        offer.suggested_namespace = Some("suggested".to_owned());
    }
}

/// Behavior 18. Defect D1b.
#[rstest]
#[case::namespace_comes_from_the_status("adopted", stage(without("namespace")).status(related_status(&["a"])))]
#[case::namespace_is_not_taken_from_a_status_with_two_subscriptions(
    "two",
    stage(without("namespace")).status(related_status(&["a", "b"])).with(suggesting)
)]
#[case::namespace_comes_from_the_catalog("suggested", stage(without("namespace")).with(|stage| {
    suggesting(stage);
    stage.default_namespace = Some("usual".to_owned());
}))]
#[case::namespace_is_the_configured_default(
    "usual",
    stage(without("namespace")).with(|stage| stage.default_namespace = Some("usual".to_owned()))
)]
#[case::missing_namespace_is_reported("missing", stage(without("namespace")))]
#[case::missing_namespace_is_reported_if_no_catalog_has_the_package(
    "unknown_package",
    stage(without("namespace")).with(unknown_package)
)]
#[case::resolver_is_queried_again_while_it_does_not_respond(
    "silent",
    stage(without("namespace")).with(|stage| {
        stage.default_namespace = Some("usual".to_owned());
        stage.answers.offer = Answer::Unavailable(silent());
    })
)]
fn determines_namespace_of_policy_without_namespace(#[case] name: &str, #[case] stage: Stage) {
    insta::assert_snapshot!(format!("place_{name}"), page(&stage));
}

/// Behaviors 15, 16, 17, 19, 20. Defects D5, D20.
#[rstest]
#[case::come_from_the_catalog(
    "taken",
    stage(established(json!({"subscription": {
        "channel": null, "source": null, "sourceNamespace": null,
    }})))
)]
#[case::are_kept_if_the_package_no_longer_exists(
    "kept",
    stage(established(json!({"subscription": {"channel": null}})))
        .object(subscription(json!({"metadata": {
            "labels": {MANAGED: ""}, "annotations": {MANAGED: "local-cluster.etcd-policy"},
        }})))
        .with(unknown_package)
)]
#[case::are_missing_if_no_catalog_has_the_package(
    "unknown_package",
    stage(without("channel")).with(unknown_package)
)]
#[case::are_not_needed_if_the_policy_sets_all_fields(
    "all_written",
    stage(established(json!({}))).with(unknown_package)
)]
#[case::wait_for_the_resolver(
    "silent",
    stage(without("channel")).with(|stage| stage.answers.offer = Answer::Unavailable(silent()))
)]
#[case::complete_a_partial_catalog_reference(
    "half",
    stage(established(json!({"subscription": {"sourceNamespace": null}})))
)]
#[case::do_not_complete_the_reference_to_another_catalog(
    "other_half",
    stage(established(json!({"subscription": {"source": "else", "sourceNamespace": null}})))
)]
#[case::do_not_use_a_cluster_catalog_as_a_source(
    "cluster_catalog",
    stage(established(json!({"subscription": {"source": null, "sourceNamespace": null}})))
        .with(|stage| {
            if let Answer::Found(offer) = &mut stage.answers.offer {
                offer.catalog = "operatorhub".to_owned();
            }
        })
)]
#[case::require_a_default_channel(
    "no_channel",
    stage(without("channel")).with(|stage| {
        if let Answer::Found(offer) = &mut stage.answers.offer {
            offer.default_channel.clear();
        }
    })
)]
fn determines_missing_subscription_fields(#[case] name: &str, #[case] stage: Stage) {
    let stage = stage.object(group("g", json!({})));
    insta::assert_snapshot!(format!("defaults_{name}"), page(&stage));
}

/// Behaviors 122, 123. Defect D6.
#[test]
fn without_olm_policy_is_valid_and_conditions_name_the_cause() {
    let stage = stage(without("channel")).with(|stage| {
        stage.has_olm = false;
        unknown_package(stage);
    });
    insta::assert_snapshot!(whole_page(&Desired {
        steps: Vec::new(),
        ..stage.decide()
    }));
}

/// Behaviors 1, 27, 36.
#[test]
fn installation_starts_with_group_and_subscription() {
    insta::assert_snapshot!(page(&stage(design(json!({})))));
}

/// Behavior 34.
#[test]
fn wrong_operator_group_stops_later_steps() {
    let stage = stage(established(json!({"operatorGroup": {"name": "g"}})))
        .object(group("other", json!({})));
    insta::assert_snapshot!(page(&stage));
}

#[test]
fn policy_in_deletion_is_handled_by_removal() {
    let mut observed = stage(established(json!({}))).observed();
    let mut leaving = (*observed.policy).clone();
    leaving.metadata.deletion_timestamp = Some(Time(at("2026-01-01T00:00:00Z")));
    observed.policy = std::sync::Arc::new(leaving);
    let parsed = Intent::parse(&observed.policy);
    let now = at("2026-01-01T12:00:00Z");
    assert_eq!(
        decide(&parsed, &observed, &Answers::default(), now),
        Desired::default()
    );
}

/// Behavior 51.
#[rstest]
#[case::established(established(json!({})))]
#[case::design(design(json!({})))]
fn reports_all_conditions_for_operator_in_another_namespace(#[case] policy: Value) {
    let form = stage(policy.clone()).policy().form();
    let elsewhere = json!({"metadata": {"namespace": "operators"}});
    let stage = stage(policy).with(|stage| stage.elsewhere.push(csv("etcd.v3.0.0", elsewhere)));
    let report = stage.decide().report;
    let mut types: Vec<_> = report
        .conditions
        .iter()
        .map(|condition| condition.type_)
        .collect();
    types.sort();
    let valid = std::iter::once(ConditionType::ValidPolicySpec);
    assert_eq!(
        types,
        valid.chain(condition_types(form)).collect::<Vec<_>>()
    );
}

/// Behavior 13.
#[test]
fn subscription_has_name_of_package_and_namespace_of_policy() {
    let stage = stage(established(
        json!({"subscription": merged(subscription_spec(), json!({"name": "redis"}))}),
    ));
    let mut played = stage.clone();
    played.play(&stage.decide());
    let made = played
        .object_named(SUBSCRIPTION, "redis")
        .expect("a Subscription");
    assert_eq!(
        (&made["metadata"]["namespace"], &made["spec"]["name"]),
        (&json!("databases"), &json!("redis"))
    );
}
