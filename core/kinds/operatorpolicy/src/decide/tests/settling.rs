//! Property tests: after the steps of a decision are executed, the next decision for the same
//! policy and namespace has no steps.

use proptest::prelude::*;

use super::*;

/// Generates specs of policies.
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

/// Generates the OperatorGroup of the namespace, or no OperatorGroup.
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
    /// Behavior 8.
    #[test]
    fn second_decision_after_all_writes_writes_nothing(mut stage in worlds()) {
        let first = stage.decide();
        stage.play(&first);
        // The first decision may lack steps, because they wait for a namespace, an OperatorGroup or
        // a mark. The second decision returns these steps.
        let second = stage.decide();
        stage.play(&second);
        let last = stage.decide();
        prop_assert_eq!(&last.steps, &Vec::new(), "{:#?}", stage.objects);
    }

    #[test]
    fn each_condition_is_reported_once(
        stage in worlds(),
        is_silent in any::<bool>(),
        has_olm in any::<bool>(),
        presence in prop::sample::select(vec!["musthave", "mustnothave"]),
    ) {
        let stage = stage.with(|stage| {
            stage.has_olm = has_olm;
            stage.policy["spec"]["complianceType"] = json!(presence);
            if is_silent {
                stage.answers.offer = Answer::Unavailable(silent());
            }
        });
        let form = stage.policy().form();
        let valid = std::iter::once(ConditionType::ValidPolicySpec);
        // The decision reports no deprecations for an operator that must be absent.
        let is_meant = |type_: &ConditionType| {
            presence == "musthave" || *type_ != ConditionType::NoDeprecations
        };
        let wanted: Vec<_> = valid.chain(condition_types(form).filter(is_meant)).collect();
        prop_assert_eq!(reported_types(&stage), wanted);
    }

    #[test]
    fn written_subscription_matches_the_policy(mut stage in worlds()) {
        for _ in 0..2 {
            let desired = stage.decide();
            stage.play(&desired);
        }
        let is_free = stage.object_named(OPERATOR_GROUP, "g").is_none_or(|group| {
            group["metadata"]["annotations"][MANAGED] != "local-cluster.other"
        });
        let last = stage.decide();
        let wrong: Vec<_> = last.report.conditions.into_iter().filter(|condition| {
            condition.violates && condition.type_ == ConditionType::SubscriptionCompliant
        }).collect();
        prop_assert!(!is_free || wrong.is_empty() || cannot_correct_group(&stage), "{:#?}", wrong);
    }
}

/// Returns the condition types that are reported or kept, in the order of `ConditionType::ALL`.
fn reported_types(stage: &Stage) -> Vec<ConditionType> {
    let report = stage.decide().report;
    let conditions = report.conditions.iter().map(|condition| condition.type_);
    let kept = report.kept.iter().map(|(type_, _)| *type_);
    let mut types: Vec<_> = conditions.chain(kept).collect();
    types.sort();
    types
}

/// Returns true if the controller cannot correct the OperatorGroup.
fn cannot_correct_group(stage: &Stage) -> bool {
    stage.case(|case| !group_is_right(case))
}

fn group_is_right(case: &Case<'_>) -> bool {
    group::is_right(&group::judge(case))
}
