use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::MANAGED;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::desired::{Action, Desired};
use crate::kinds::{NAMESPACE, OPERATOR_GROUP, SUBSCRIPTION};
use crate::tests::kit::{
    Stage, at, design, established, group, merged, object, policy, stage, subscription, whole_page,
    wish,
};
use crate::{Blind, Heard, Silence};

/// A decision without what other tests are about: the matters of others, and the finalizer.
fn page(stage: &Stage) -> String {
    let mut desired = stage.decide();
    let is_meant = |of: ConditionType| {
        [
            ConditionType::ValidPolicySpec,
            ConditionType::OperatorGroupCompliant,
            ConditionType::SubscriptionCompliant,
        ]
        .contains(&of)
    };
    desired.report.conditions.retain(|said| is_meant(said.of));
    desired.report.kept.retain(|(of, _)| is_meant(*of));
    desired.report.related.retain(|(of, _)| is_meant(*of));
    desired.steps.retain(|step| step.action != Action::Hold);
    whole_page(&desired)
}

fn inform() -> Value {
    established(json!({"remediationAction": "inform"}))
}

fn without(field: &str) -> Value {
    established(json!({"subscription": {field: null}}))
}

fn silent() -> Silence {
    Silence {
        service: "resolver",
        since: Some(at("2026-01-01T11:00:00Z")),
        why: "connection refused".to_owned(),
    }
}

fn blind(since: Option<&str>) -> Blind {
    Blind {
        kind: "Subscription",
        since: since.map(at),
        why: "the watch is closed".to_owned(),
    }
}

fn unknown_package(stage: &mut Stage) {
    stage.answers.offer = Heard::Nothing("no catalog has a package etcd".to_owned());
}

/// Another policy for the same Subscription.
fn rival(other: Value) -> Value {
    let spec = established(json!({}))["spec"].clone();
    policy("rival", "rival-uid", merged(spec, other))
}

/// Defects D1, D1b, D19.
#[test]
fn what_cannot_be_understood_keeps_nothing_and_does_nothing() {
    let broken = established(json!({
        "subscription": {"chanel": "stable"},
        "operatorGroup": {"name": "g", "namespace": "elsewhere"},
    }));
    let stage = stage(broken).object(subscription(json!({"spec": {"channel": "beta"}})));
    insta::assert_snapshot!(whole_page(&stage.decide()));
}

/// Behaviors 9, 10, 26. Defect D3.
#[test]
fn who_informs_writes_nothing() {
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
#[case::everything_stays("never", None)]
#[case::everything_stays_and_nothing_is_done("stale", Some("2026-01-01T11:00:00Z"))]
fn while_a_kind_is_not_seen(#[case] name: &str, #[case] since: Option<&str>) {
    let stage = stage(established(json!({}))).with(|stage| stage.blind.push(blind(since)));
    insta::assert_snapshot!(format!("blind_{name}"), page(&stage));
}

/// Behaviors 22, 23, 24, 36.
#[rstest]
#[case::it_is_created_first("enforcing", stage(established(json!({}))).without(NAMESPACE))]
#[case::it_is_missed_by_who_informs("informing", stage(inform()).without(NAMESPACE))]
#[case::its_end_is_waited_for(
    "going",
    stage(established(json!({}))).without(NAMESPACE).object(object(
        NAMESPACE,
        ("", "databases"),
        json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
    ))
)]
fn a_namespace_that_is_not_there(#[case] name: &str, #[case] stage: Stage) {
    insta::assert_snapshot!(format!("namespace_{name}"), page(&stage));
}

/// Behaviors 113, 114. Defects D11, D12.
#[rstest]
#[case::makes_both_invalid("enforced", stage(established(json!({}))).neighbor(rival(json!({}))))]
#[case::makes_one_invalid_that_wants_it_gone(
    "mustnothave",
    stage(established(json!({"complianceType": "mustnothave"})))
        .neighbor(rival(json!({"complianceType": "mustnothave"})))
)]
#[case::that_only_informs_does_not_matter(
    "informing",
    stage(established(json!({}))).neighbor(rival(json!({"remediationAction": "inform"})))
)]
#[case::of_another_package_does_not_matter(
    "other_package",
    stage(established(json!({}))).neighbor(rival(json!({"subscription": {"name": "redis"}})))
)]
fn another_policy(#[case] name: &str, #[case] stage: Stage) {
    let stage = stage.object(group("g", json!({})));
    insta::assert_snapshot!(format!("overlap_{name}"), page(&stage));
}

/// Defect D13.
#[test]
fn long_names_that_are_cut_alike_do_not_overlap() {
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
fn with_tied_hands_the_policy_is_valid_and_nothing_is_done() {
    let stage = stage(established(json!({}))).with(|stage| {
        stage.hands = Hands::Tied("another controller writes the status of policies".to_owned());
    });
    insta::assert_snapshot!(page(&stage));
}

#[test]
fn an_operator_group_of_another_namespace_makes_the_policy_invalid() {
    let wrong = established(json!({
        "subscription": {"namespace": null},
        "operatorGroup": {"name": "g", "namespace": "elsewhere"},
    }));
    let stage = stage(wrong).with(|stage| stage.scene = Some("databases".to_owned()));
    insta::assert_snapshot!(page(&stage));
}

fn told(namespaces: &[&str]) -> Value {
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
    if let Heard::Said(offer) = &mut stage.answers.offer {
        offer.suggested_namespace = Some("suggested".to_owned());
    }
}

/// Behavior 18. Defect D1b.
#[rstest]
#[case::is_adopted_from_what_was_said("adopted", stage(without("namespace")).status(told(&["a"])))]
#[case::is_not_adopted_if_there_were_two(
    "two",
    stage(without("namespace")).status(told(&["a", "b"])).with(suggesting)
)]
#[case::is_suggested_by_the_catalog("suggested", stage(without("namespace")).with(|stage| {
    suggesting(stage);
    stage.default_namespace = Some("usual".to_owned());
}))]
#[case::is_the_usual_one(
    "usual",
    stage(without("namespace")).with(|stage| stage.default_namespace = Some("usual".to_owned()))
)]
#[case::is_missed("missing", stage(without("namespace")))]
#[case::is_missed_where_no_catalog_has_the_package(
    "unknown_package",
    stage(without("namespace")).with(unknown_package)
)]
#[case::is_asked_for_again_while_the_resolver_is_silent(
    "silent",
    stage(without("namespace")).with(|stage| {
        stage.default_namespace = Some("usual".to_owned());
        stage.answers.offer = Heard::Silent(silent());
    })
)]
fn a_namespace_that_nobody_writes(#[case] name: &str, #[case] stage: Stage) {
    insta::assert_snapshot!(format!("place_{name}"), page(&stage));
}

/// Behaviors 15, 16, 17, 19, 20. Defects D5, D20.
#[rstest]
#[case::are_taken_from_the_catalog(
    "taken",
    stage(established(json!({"subscription": {
        "channel": null, "source": null, "sourceNamespace": null,
    }})))
)]
#[case::are_kept_where_the_package_is_gone(
    "kept",
    stage(established(json!({"subscription": {"channel": null}})))
        .object(subscription(json!({"metadata": {
            "labels": {MANAGED: ""}, "annotations": {MANAGED: "local-cluster.etcd-policy"},
        }})))
        .with(unknown_package)
)]
#[case::are_missed_where_no_catalog_has_the_package(
    "unknown_package",
    stage(without("channel")).with(unknown_package)
)]
#[case::are_not_needed_where_all_is_written(
    "all_written",
    stage(established(json!({}))).with(unknown_package)
)]
#[case::wait_for_the_resolver(
    "silent",
    stage(without("channel")).with(|stage| stage.answers.offer = Heard::Silent(silent()))
)]
#[case::complete_half_a_catalog(
    "half",
    stage(established(json!({"subscription": {"sourceNamespace": null}})))
)]
#[case::do_not_complete_another_catalog(
    "other_half",
    stage(established(json!({"subscription": {"source": "else", "sourceNamespace": null}})))
)]
#[case::need_a_default_channel(
    "no_channel",
    stage(without("channel")).with(|stage| {
        if let Heard::Said(offer) = &mut stage.answers.offer {
            offer.default_channel.clear();
        }
    })
)]
fn defaults_of_a_subscription(#[case] name: &str, #[case] stage: Stage) {
    let stage = stage.object(group("g", json!({})));
    insta::assert_snapshot!(format!("defaults_{name}"), page(&stage));
}

/// Behaviors 122, 123. Defect D6.
#[test]
fn without_olm_the_policy_is_valid_and_all_say_why_nothing_is_there() {
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
fn an_install_begins_with_the_group_and_the_subscription() {
    insta::assert_snapshot!(page(&stage(design(json!({})))));
}

/// Behavior 34.
#[test]
fn with_a_wrong_group_nothing_follows() {
    let stage = stage(established(json!({"operatorGroup": {"name": "g"}})))
        .object(group("other", json!({})));
    insta::assert_snapshot!(page(&stage));
}

#[test]
fn a_policy_that_is_being_deleted_is_left_to_removal() {
    let mut observed = stage(established(json!({}))).observed();
    let mut leaving = (*observed.policy).clone();
    leaving.metadata.deletion_timestamp = Some(Time(at("2026-01-01T00:00:00Z")));
    observed.policy = std::sync::Arc::new(leaving);
    let parsed = Intent::parse(&observed.policy);
    let now = at("2026-01-01T12:00:00Z");
    assert_eq!(
        decide(&parsed, &observed, &Answers::default(), now),
        removal::leave(parsed.as_ref().ok(), &observed, now)
    );
}

/// Behavior 8.
mod settling {
    use proptest::prelude::*;

    use super::*;

    /// What a policy may say.
    fn policies() -> impl Strategy<Value = Value> {
        let groups = prop::sample::select(vec![
            json!(null),
            json!({"name": "g"}),
            json!({"name": "g", "targetNamespaces": ["databases"]}),
            json!({"name": "g", "selector": {"matchLabels": {"a": "b"}}}),
            json!({"name": "g", "serviceAccountName": "etcd"}),
        ]);
        let subscriptions = prop::sample::select(vec![
            json!({}),
            json!({"channel": null}),
            json!({"source": null, "sourceNamespace": null}),
            json!({"startingCSV": "etcd.v1.0.0"}),
            json!({"config": {"env": [{"name": "A", "value": "b"}]}}),
        ]);
        let versions = prop::sample::select(vec![json!([]), json!(["etcd.v2.0.0"])]);
        let approvals = prop::sample::select(vec!["None", "Automatic"]);
        (groups, subscriptions, versions, approvals).prop_map(
            |(group, subscription, versions, approval)| {
                established(json!({
                    "operatorGroup": group,
                    "subscription": subscription,
                    "versions": versions,
                    "upgradeApproval": approval,
                }))
            },
        )
    }

    fn written_by(manager: &str) -> Value {
        json!({"metadata": {"managedFields": [{
            "manager": manager,
            "operation": "Update",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {
                "f:channel": {}, "f:config": {}, "f:startingCSV": {}, "f:targetNamespaces": {},
                "f:serviceAccountName": {},
            }},
        }]}})
    }

    fn managers() -> impl Strategy<Value = Value> {
        prop::sample::select(vec![
            json!({}),
            written_by("kubectl"),
            written_by("portolan"),
        ])
    }

    /// What may be there already.
    fn groups() -> impl Strategy<Value = Option<Value>> {
        let specs = prop::sample::select(vec![
            json!({}),
            json!({"targetNamespaces": ["databases"]}),
            json!({"targetNamespaces": ["shop"], "serviceAccountName": "x"}),
            json!({"selector": {"matchLabels": {"c": "d"}}}),
        ]);
        let marks = prop::sample::select(vec![
            json!({}),
            json!({"metadata": {"annotations": {MANAGED: "local-cluster.etcd-policy"}}}),
            json!({"metadata": {"annotations": {MANAGED: "local-cluster.other"}}}),
        ]);
        let group = (specs, marks, managers()).prop_map(|(spec, marks, manager)| {
            group("g", merged(merged(json!({"spec": spec}), marks), manager))
        });
        prop::option::of(group)
    }

    fn subscriptions() -> impl Strategy<Value = Option<Value>> {
        let specs = prop::sample::select(vec![
            json!({}),
            json!({"channel": "beta", "installPlanApproval": "Manual"}),
            json!({"startingCSV": "etcd.v3.0.0", "installPlanApproval": null}),
            json!({"config": {"nodeSelector": {"a": "b"}}}),
        ]);
        let marks = prop::sample::select(vec![
            json!({}),
            json!({"metadata": {"annotations": {MANAGED: "local-cluster.etcd-policy"}}}),
            json!({"metadata": {
                "labels": {MANAGED: ""},
                "annotations": {MANAGED: "local-cluster.etcd-policy"},
            }}),
        ]);
        let present = (specs, marks, managers()).prop_map(|(spec, marks, manager)| {
            subscription(merged(merged(json!({"spec": spec}), marks), manager))
        });
        prop::option::of(present)
    }

    fn worlds() -> impl Strategy<Value = Stage> {
        let is_there = any::<bool>();
        (policies(), groups(), subscriptions(), is_there).prop_map(
            |(policy, group, subscription, is_there)| {
                let mut stage = stage(policy);
                if !is_there && group.is_none() && subscription.is_none() {
                    stage = stage.without(NAMESPACE);
                }
                stage.objects.extend(group);
                stage.objects.extend(subscription);
                stage
            },
        )
    }

    proptest! {
        #[test]
        fn deciding_after_its_own_writes_writes_nothing(mut stage in worlds()) {
            let first = stage.decide();
            stage.play(&first);
            // A namespace, a group or a mark may be what the rest has waited for.
            let second = stage.decide();
            stage.play(&second);
            let last = stage.decide();
            prop_assert_eq!(&last.steps, &Vec::new(), "{:#?}", stage.objects);
        }

        #[test]
        fn what_is_written_is_what_was_wanted(mut stage in worlds()) {
            for _ in 0..2 {
                let desired = stage.decide();
                stage.play(&desired);
            }
            let is_free = stage.found(OPERATOR_GROUP, "g").is_none_or(|group| {
                group["metadata"]["annotations"][MANAGED] != "local-cluster.other"
            });
            let last = stage.decide();
            let wrong: Vec<_> = last.report.conditions.into_iter().filter(|said| {
                said.violates && said.of == ConditionType::SubscriptionCompliant
            }).collect();
            prop_assert!(!is_free || wrong.is_empty() || waits(&stage), "{:#?}", wrong);
        }
    }

    /// Whether the group cannot be made right.
    fn waits(stage: &Stage) -> bool {
        stage.case(|case| !group_is_right(case))
    }

    fn group_is_right(case: &Case<'_>) -> bool {
        group::is_right(&group::judge(case))
    }
}

/// Behavior 13.
#[test]
fn the_subscription_has_the_name_of_the_package_and_the_namespace_of_the_policy() {
    let stage = stage(established(
        json!({"subscription": merged(wish(), json!({"name": "redis"}))}),
    ));
    let mut played = stage.clone();
    played.play(&stage.decide());
    let made = played.found(SUBSCRIPTION, "redis").expect("a Subscription");
    assert_eq!(
        (&made["metadata"]["namespace"], &made["spec"]["name"]),
        (&json!("databases"), &json!("redis"))
    );
}
