//! Regression tests. Each test is named after the symptom of a defect.

use portolan_api::{ConditionType, FINALIZER, Intent, MANAGED, OperatorPolicyStatus};
use rstest::rstest;
use serde_json::{Value, json};

use super::kit::*;
use crate::desired::{Action, Condition, ConditionReason, Report, Status};
use crate::kinds::{CRD, INSTALL_PLAN, SUBSCRIPTION};
use crate::{
    Answer, Contest, Offer, PlanReview, PlannedBundle, PrunedField, ReviewedPolicy, State, Verdict,
    Why, preview, render_status,
};

/// Returns the Subscription of the policy, with its marks.
fn marked(other: Value) -> Value {
    let marks = json!({"metadata": {
        "labels": {MANAGED: ""},
        "annotations": {MANAGED: "local-cluster.etcd-policy"},
    }});
    merged(subscription(marks), other)
}

fn plan(resource_version: &str) -> Value {
    let plan = json!({
        "metadata": {"resourceVersion": resource_version},
        "spec": {
            "approval": "Manual",
            "approved": false,
            "clusterServiceVersionNames": ["etcd.v2.0.0"],
            "generation": 2,
        },
        "status": {"phase": "RequiresApproval"},
    });
    object(INSTALL_PLAN, (DATABASES, "install-b"), plan)
}

fn review(state: State, why: &str) -> PlanReview {
    let reason = Why {
        code: "X".into(),
        message: why.to_owned(),
    };
    let verdict = Verdict {
        state,
        reasons: vec![reason],
    };
    let policy = ReviewedPolicy {
        namespace: "local-cluster".to_owned(),
        name: "etcd-policy".to_owned(),
        uid: POLICY_UID.to_owned(),
        generation: 1,
    };
    let bundle = PlannedBundle {
        name: "etcd.v2.0.0".to_owned(),
        package: "etcd".to_owned(),
        version: "2.0.0".to_owned(),
        verdict: verdict.clone(),
        ..PlannedBundle::default()
    };
    PlanReview {
        plan: "install-b".to_owned(),
        uid: "install-b-uid".to_owned(),
        resource_version: "1".to_owned(),
        verdict,
        policies: vec![policy],
        bundles: vec![bundle],
    }
}

/// Returns a stage with this Subscription and with an upgrade that the approval service allows.
fn upgrading(present: Value) -> Stage {
    let status = json!({
        "spec": {"installPlanApproval": "Manual"},
        "status": {"installedCSV": "etcd.v1.0.0", "currentCSV": "etcd.v2.0.0"},
    });
    stage(design(json!({"allowedCSVs": ["etcd@<3.0.0"]})))
        .object(group("g", json!({})))
        .object(merged(marked(status), present))
        .object(csv("etcd.v1.0.0", json!({"spec": {"version": "1.0.0"}})))
        .object(plan("1"))
        .with(|stage| stage.answers.reviews = Answer::Found(vec![review(State::Yes, "")]))
}

fn actions(stage: &Stage) -> Vec<String> {
    let steps = stage.decide().steps;
    steps.iter().map(|step| step.action.to_string()).collect()
}

#[rstest]
#[case::for_another_channel(json!({"spec": {"channel": "beta"}}), &["adding the finalizer of the \
    policy", "changing Subscription etcd"])]
#[case::for_a_subscription_in_deletion(
    json!({"metadata": {"deletionTimestamp": "2026-01-01T11:00:00Z"}}),
    &["adding the finalizer of the policy"]
)]
fn approves_no_plan_while_the_subscription_is_wrong_or_deleted(
    #[case] present: Value,
    #[case] wanted: &[&str],
) {
    assert_eq!(actions(&upgrading(present)), wanted);
}

#[test]
fn plan_is_not_approved_while_the_channel_is_contested() {
    let stage = upgrading(json!({"spec": {"channel": "beta"}}));
    let stage = stage.with(|stage| stage.contested.push(contest("spec.channel")));
    assert_eq!(actions(&stage), ["adding the finalizer of the policy"]);
}

fn contest(field: &str) -> Contest {
    Contest {
        kind: SUBSCRIPTION.1,
        name: "etcd".to_owned(),
        field: field.to_owned(),
        manager: "argocd".to_owned(),
    }
}

#[test]
fn does_not_write_annotation_that_another_client_reverts() {
    let stage = stage(established(json!({})))
        .object(group("g", json!({})))
        .object(subscription(json!({})))
        .with(|stage| {
            let field = format!("metadata.annotations.{MANAGED}");
            stage.contested.push(contest(&field));
        });
    assert_eq!(actions(&stage), Vec::<String>::new());
}

/// The two policies have different cluster labels, so they do not overlap. However, both manage the
/// same Subscription.
#[test]
fn second_policy_does_not_write_subscription_of_another_policy() {
    let spec = established(json!({}))["spec"].clone();
    let mut other = policy("rival", "rival-uid", spec);
    other["metadata"]["labels"] = json!({
        "policy.open-cluster-management.io/cluster-name": "c1",
        "policy.open-cluster-management.io/cluster-namespace": "c1",
    });
    let theirs = json!({"metadata": {
        "labels": {MANAGED: ""},
        "annotations": {MANAGED: "local-cluster.rival"},
    }});
    let stage = stage(established(json!({})))
        .neighbor(other)
        .object(group("g", json!({})))
        .object(subscription(theirs));
    assert_eq!(actions(&stage), Vec::<String>::new());
}

#[test]
fn reports_rejection_by_the_approval_service_in_any_phase() {
    let status = json!({
        "spec": {"installPlanApproval": "Manual"},
        "status": {"installedCSV": "etcd.v1.0.0", "currentCSV": "etcd.v2.0.0"},
    });
    let versions = json!({"versions": ["etcd.v1.0.0", "etcd.v2.0.0"]});
    let objection = review(State::No, "redis.v9 is allowed by nobody");
    let stage = stage(established(versions))
        .object(group("g", json!({})))
        .object(marked(status))
        .object(csv("etcd.v1.0.0", json!({"spec": {"version": "1.0.0"}})))
        .object(plan("2"))
        .with(|stage| stage.answers.reviews = Answer::Found(vec![objection]));
    let desired = stage.decide();
    let mut conditions = desired.report.conditions.iter();
    let condition =
        conditions.find(|condition| condition.type_ == ConditionType::InstallPlanCompliant);
    let message = condition
        .map(|condition| condition.message.as_str())
        .unwrap_or_default();
    assert!(
        message.contains("redis.v9 is allowed by nobody"),
        "{message}"
    );
}

#[test]
fn messages_do_not_exceed_the_limit_of_api_servers() {
    let failed = json!({"status": {"conditions": [{
        "type": "ResolutionFailed",
        "status": "True",
        "reason": "ErrorPreventedResolution",
        "message": "x".repeat(40_000),
    }]}});
    let stage = stage(established(json!({})))
        .object(group("g", json!({})))
        .object(marked(failed));
    let before = OperatorPolicyStatus::default();
    let update = render_status(&stage.decide().report, &stage.policy(), &before, stage.now);
    let lengths = update.status.conditions.iter().map(|it| it.message.len());
    assert_eq!(lengths.max(), Some(32_768));
}

#[test]
fn invalid_policy_keeps_its_known_namespace() {
    let status = json!({
        "compliant": "Compliant",
        "observedGeneration": 1,
        "resolvedSubscriptionLabel": "etcd.databases",
    });
    let broken = json!({"subscription": {"namespace": null, "channels": "x"}});
    let mut stage = stage(established(broken)).status(status);
    let before = stage.policy().status.expect("a status");
    let update = render_status(&stage.decide().report, &stage.policy(), &before, stage.now);
    let mut mended = established(json!({"subscription": {"namespace": null}}));
    mended["metadata"]["generation"] = json!(3);
    mended["status"] = json!(update.status);
    stage.policy = mended;
    stage.default_namespace = Some("elsewhere".to_owned());
    assert_eq!(
        stage.decide().report.label.as_deref(),
        Some("etcd.databases")
    );
}

#[test]
fn temporarily_unavailable_service_sends_no_event() {
    let type_ = ConditionType::DeploymentCompliant;
    let condition = Condition {
        type_,
        status: Status::True,
        reason: ConditionReason::Olm("DeploymentsAvailable".to_owned()),
        message: "all are available".to_owned(),
        violates: false,
        since: None,
    };
    let stage = stage(established(json!({})));
    let policy = stage.policy();
    let good = Report {
        conditions: vec![condition],
        ..Report::default()
    };
    let kept = |why: &str| Report {
        kept: vec![(type_, format!("no answer from health since noon: {why}"))],
        ..Report::default()
    };
    let mut status =
        render_status(&good, &policy, &OperatorPolicyStatus::default(), stage.now).status;
    for report in [kept("refused"), kept("too slow"), good] {
        let update = render_status(&report, &policy, &status, stage.now);
        assert_eq!(update.event, None);
        status = update.status;
    }
}

#[test]
fn keeps_crd_used_in_another_namespace() {
    let shared = json!({"metadata": {"labels": {
        "operators.coreos.com/etcd.databases": "",
        "operators.coreos.com/etcd.other-team": "",
    }}});
    let owned = json!({"spec": {"version": "1.0.0", "customresourcedefinitions": {
        "owned": [{"name": "clusters.etcd.example", "version": "v1", "kind": "Cluster"}],
    }}});
    let behavior = json!({"removalBehavior": {"customResourceDefinitions": "Delete"}});
    let mut policy = design(behavior);
    policy["metadata"]["finalizers"] = json!([FINALIZER]);
    let installed = json!({"status": {"installedCSV": "etcd.v1.0.0", "currentCSV": "etcd.v1.0.0"}});
    let stage = stage(policy)
        .object(group("g", json!({})))
        .object(marked(installed))
        .object(csv("etcd.v1.0.0", owned))
        .object(object(CRD, ("", "clusters.etcd.example"), shared));
    let observed = stage.observed();
    let intent = Intent::parse(&observed.policy).expect("a policy");
    let preview = preview(&intent, &observed);
    let mut crds = preview.objects.iter().map(|entry| &entry.object);
    let crd = crds.find(|object| object.kind == CRD.1);
    let state = crd.and_then(|crd| crd.state.as_deref());
    assert_eq!(state, Some("Keep"));
}

/// Returns a stage with a policy that has a config. The API server has dropped one field of the
/// config.
fn dropped(config: Value) -> Stage {
    let subscription_spec = merged(subscription_spec(), json!({"config": config}));
    stage(established(json!({"subscription": subscription_spec})))
        .object(group("g", json!({})))
        .object(marked(json!({"spec": {"config": {"env": []}}})))
}

fn pruned() -> PrunedField {
    PrunedField {
        kind: SUBSCRIPTION.1,
        name: "etcd".to_owned(),
        field: "spec.config".to_owned(),
        wrote: json!({"env": [], "resources": 2}),
        kept: Some(json!({"env": []})),
    }
}

const CONFIGURED: &[&str] = &["changing /spec/config of Subscription etcd"];

/// Behavior 40.
#[test]
fn field_dropped_by_the_api_server_is_not_written_again() {
    let stage = dropped(json!({"env": [], "resources": 2}));
    assert_eq!(actions(&stage), CONFIGURED);

    let desired = stage.with(|stage| stage.pruned.push(pruned())).decide();
    let conditions = desired.report.conditions.into_iter();
    let mut conditions =
        conditions.filter(|condition| condition.type_ == ConditionType::SubscriptionCompliant);
    let message = "Subscription databases/etcd matches the policy, \
        except spec.config.resources, which the API server drops or changes; remove it from \
        spec.subscription.config, or write it as the Subscription CRD requires";
    let reason = portolan_api::Reason::SubscriptionMatches;
    let expected = Condition::good(ConditionType::SubscriptionCompliant, reason, message);
    assert_eq!(
        (conditions.next(), desired.steps),
        (Some(expected), Vec::new())
    );
}

#[test]
fn dropped_field_does_not_block_other_changes() {
    let stage = dropped(json!({"env": [], "resources": 2, "selector": {}}));
    let stage = stage.with(|stage| stage.pruned.push(pruned()));
    assert_eq!(actions(&stage), CONFIGURED);
}

/// Defect D6.
#[rstest]
#[case::in_no_catalog(Answer::NotFound("no catalog has the package \"etcd\"".to_owned()), None)]
#[case::in_a_catalog(Answer::Found(offer()), Some(ConditionType::ValidPolicySpec))]
fn reports_missing_namespace_only_if_a_catalog_has_the_package(
    #[case] offer: Answer<Offer>,
    #[case] violated: Option<ConditionType>,
) {
    let spec = json!({"complianceType": "mustnothave", "subscription": {"namespace": null}});
    let stage = stage(established(spec)).with(|stage| stage.answers.offer = offer);
    let desired = stage.decide();
    let mut conditions = desired.report.conditions.iter();
    let first = conditions
        .find(|condition| condition.violates)
        .map(|condition| condition.type_);
    assert_eq!((first, desired.steps), (violated, Vec::new()));
}

#[test]
fn ambiguous_catalog_message_names_the_fields_to_set() {
    let spec = json!({"subscription": {"source": null, "sourceNamespace": null}});
    let sentence = "catalog: package etcd is in several catalogs of the same priority; select one catalog: a, \
         b";
    let stage = stage(established(spec))
        .with(|stage| stage.answers.offer = Answer::NotFound(sentence.to_owned()));
    let desired = stage.decide();
    let mut conditions = desired.report.conditions.iter();
    let valid = conditions.find(|each| each.type_ == ConditionType::ValidPolicySpec);
    let message = valid.map(|each| each.message.as_str());
    let wanted = "package etcd is in several catalogs of the same priority; select one catalog: a, \
     b; write spec.subscription.source and spec.subscription.sourceNamespace";
    assert_eq!(message, Some(wanted));
}

/// The status provides the namespace only if the status belongs to the current generation.
/// Therefore, a partial report precedes the report that sends an event.
#[test]
fn new_generation_of_policy_without_namespace_sends_event() {
    let spec = json!({"subscription": {"namespace": null}});
    let mut stage = stage(established(spec))
        .object(group("g", json!({})))
        .object(marked(json!({})))
        .with(|stage| stage.default_namespace = Some(DATABASES.to_owned()));
    let sends_event = |stage: &mut Stage| {
        let desired = stage.decide();
        let policy = stage.policy();
        let before = policy.status.clone().unwrap_or_default();
        let update = render_status(&desired.report, &policy, &before, stage.now);
        stage.policy["status"] = json!(update.status);
        update.event.is_some()
    };
    assert_eq!(
        [
            sends_event(&mut stage),
            sends_event(&mut stage),
            sends_event(&mut stage)
        ],
        [false, true, false]
    );
    stage.policy["metadata"]["generation"] = json!(2);
    assert_eq!(
        [
            sends_event(&mut stage),
            sends_event(&mut stage),
            sends_event(&mut stage)
        ],
        [false, true, false]
    );
}

/// An apply with a uid but without a resourceVersion would overwrite later changes of other field
/// managers.
#[rstest]
#[case::changes_a_differing_subscription(json!({"spec": {"channel": "beta"}}))]
#[case::only_takes_over_fields(json!({"metadata": {"managedFields": [{
    "manager": "kubectl",
    "operation": "Update",
    "fieldsType": "FieldsV1",
    "fieldsV1": {"f:spec": {"f:channel": {}}},
}]}}))]
fn apply_contains_uid_and_resource_version_of_observed_object(#[case] other: Value) {
    let seen = json!({"metadata": {"resourceVersion": "7"}});
    let stage = stage(established(json!({})))
        .object(group("g", json!({})))
        .object(merged(marked(seen), other));
    let steps = stage.decide().steps;
    let sights: Vec<_> = steps
        .iter()
        .filter_map(|step| sight(&step.action))
        .collect();
    assert_eq!(sights, [(json!("etcd-uid"), json!("7"))]);
}

/// Returns the uid and the resourceVersion in the manifest of an apply.
fn sight(action: &Action) -> Option<(Value, Value)> {
    let Action::Apply(manifest) = action else {
        return None;
    };
    let metadata = &manifest["metadata"];
    Some((metadata["uid"].clone(), metadata["resourceVersion"].clone()))
}

#[test]
#[should_panic(expected = "has changed since")]
fn apply_does_not_overwrite_a_later_change() {
    let mut stage = stage(established(json!({})))
        .object(group("g", json!({})))
        .object(marked(json!({"spec": {"channel": "beta"}})));
    let desired = stage.decide();
    let mut objects = stage.objects.iter_mut();
    let there = objects.find(|each| each["kind"] == SUBSCRIPTION.1);
    let there = there.expect("the Subscription");
    there["metadata"]["resourceVersion"] = json!("2");
    there["spec"]["channel"] = json!("fast");
    stage.play(&desired);
}
