//! Tests of complete statuses.

mod after;
mod schema;
mod times;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::{
    Compliance, ConditionType, OperatorPolicy, OperatorPolicyStatus, Reason, RelatedObject,
};
use rstest::rstest;
use serde_json::{Value, json};

use crate::contribution::{known, related};
use crate::desired::{Condition, ConditionReason, Report, Status};
use crate::{StatusUpdate, kinds, render_status};

const UID: &str = "5f7b";

fn noon() -> Timestamp {
    "2026-11-22T12:00:00Z".parse().expect("a time")
}

fn later(seconds: i64) -> Timestamp {
    noon()
        .checked_add(SignedDuration::from_secs(seconds))
        .expect("a time")
}

fn established() -> OperatorPolicy {
    policy(json!({"complianceType": "musthave", "upgradeApproval": "Automatic"}))
}

fn design() -> OperatorPolicy {
    policy(json!({"allowedCSVs": ["*"]}))
}

fn policy(mut spec: Value) -> OperatorPolicy {
    spec["subscription"] = json!({"name": "sloop", "namespace": "harbor"});
    let policy = json!({
        "metadata": {"name": "sloop", "namespace": "fleet", "uid": UID, "generation": 3},
        "spec": spec,
    });
    serde_json::from_value(policy).expect("a policy")
}

/// Returns a report in which all conditions are good, each with its own reason and message.
fn all_well() -> Report {
    let conditions = [
        (ConditionType::ValidPolicySpec, Reason::PolicyValidated),
        (
            ConditionType::OperatorGroupCompliant,
            Reason::OperatorGroupMatches,
        ),
        (
            ConditionType::SubscriptionCompliant,
            Reason::SubscriptionMatches,
        ),
        (
            ConditionType::InstallPlanCompliant,
            Reason::NoInstallPlansRequiringApproval,
        ),
        (
            ConditionType::CustomResourceDefinitionCompliant,
            Reason::RelevantCRDFound,
        ),
        (
            ConditionType::DeploymentCompliant,
            Reason::DeploymentsAvailable,
        ),
        (
            ConditionType::CatalogSourcesUnhealthy,
            Reason::CatalogSourcesFound,
        ),
        (ConditionType::NoDeprecations, Reason::Recommended),
    ];
    let conditions = conditions
        .map(|(type_, reason)| Condition::good(type_, reason, format!("{type_} is well")));
    let mut conditions = conditions.to_vec();
    let mut csv = Condition::good(
        ConditionType::ClusterServiceVersionCompliant,
        Reason::Compliant,
        "the operator is well",
    );
    csv.reason = ConditionReason::Olm("InstallSucceeded".to_owned());
    conditions.push(csv);
    Report {
        conditions,
        label: Some("sloop.harbor".to_owned()),
        ..Report::default()
    }
}

fn with(mut report: Report, condition: Condition) -> Report {
    report
        .conditions
        .retain(|each| each.type_ != condition.type_);
    report.conditions.push(condition);
    report
}

fn without(mut report: Report, type_: ConditionType) -> Report {
    report.conditions.retain(|each| each.type_ != type_);
    report
}

fn unavailable() -> Condition {
    Condition::bad(
        ConditionType::DeploymentCompliant,
        Reason::DeploymentsUnavailable,
        "sloop is not available",
    )
}

fn upgrade() -> Condition {
    Condition::bad(
        ConditionType::InstallPlanCompliant,
        Reason::InstallPlanRequiresApproval,
        "an upgrade to sloop.v1.1.0 is available on the stable channel",
    )
}

fn found_group() -> Condition {
    let reason = Reason::PreexistingOperatorGroupFound;
    Condition::good(ConditionType::OperatorGroupCompliant, reason, "it is there")
}

fn first(report: &Report, policy: &OperatorPolicy) -> StatusUpdate {
    render_status(report, policy, &OperatorPolicyStatus::default(), noon())
}

/// Returns the conditions as text, one line for each condition.
fn lines(status: &OperatorPolicyStatus) -> Vec<String> {
    let lines = status.conditions.iter().map(|condition| {
        let at = condition.last_transition_time.0.duration_since(noon());
        format!(
            "{} {} {} +{}: {}",
            condition.type_,
            condition.status,
            condition.reason,
            at.as_secs(),
            condition.message
        )
    });
    lines.collect()
}

fn message(update: &StatusUpdate) -> &str {
    let event = update.event.as_ref().expect("an event");
    &event.message
}

const WELL: &str = "Compliant; ValidPolicySpec is well; OperatorGroupCompliant is well; \
    SubscriptionCompliant is well; InstallPlanCompliant is well; the operator is well; \
    CustomResourceDefinitionCompliant is well; DeploymentCompliant is well; \
    CatalogSourcesUnhealthy is well";

#[test]
fn compliant_message_keeps_check_order_and_status_sorts_by_type() {
    let update = first(&all_well(), &established());
    assert_eq!(message(&update), WELL);
    insta::assert_snapshot!(lines(&update.status).join("\n"));
    assert_eq!(update.status.compliant, Some(Compliance::Compliant));
    assert_eq!(update.status.observed_generation, Some(3));
    assert_eq!(
        update.status.resolved_subscription_label.as_deref(),
        Some("sloop.harbor")
    );
}

#[rstest]
#[case::bad_condition(with(all_well(), unavailable()), "sloop is not available")]
#[case::unhealthy_catalog_that_counts(
    with(
        all_well(),
        Condition::bad(
            ConditionType::CatalogSourcesUnhealthy,
            Reason::CatalogSourcesNotFound,
            "there is no catalog",
        )
    ),
    "there is no catalog"
)]
#[case::deprecation_that_counts(
    with(
        all_well(),
        Condition::bad(
            ConditionType::NoDeprecations,
            Reason::PackageDeprecated,
            "sloop is given up",
        )
    ),
    "sloop is given up"
)]
fn violating_condition_makes_policy_noncompliant_and_is_named(
    #[case] report: Report,
    #[case] named: &str,
) {
    let update = first(&report, &established());
    assert_eq!(update.status.compliant, Some(Compliance::NonCompliant));
    let start = format!("NonCompliant; {named}; ");
    assert!(message(&update).starts_with(&start), "{}", message(&update));
}

#[rstest]
#[case(ConditionType::ValidPolicySpec)]
#[case(ConditionType::OperatorGroupCompliant)]
#[case(ConditionType::SubscriptionCompliant)]
#[case(ConditionType::InstallPlanCompliant)]
#[case(ConditionType::ClusterServiceVersionCompliant)]
#[case(ConditionType::CustomResourceDefinitionCompliant)]
#[case(ConditionType::DeploymentCompliant)]
#[case(ConditionType::CatalogSourcesUnhealthy)]
fn missing_condition_makes_policy_noncompliant(#[case] type_: ConditionType) {
    let update = first(&without(all_well(), type_), &established());
    assert_eq!(update.status.compliant, Some(Compliance::NonCompliant));
}

#[test]
fn invalid_policy_reports_only_its_own_error() {
    let mut report = all_well();
    for condition in &mut report.conditions {
        let message = "nobody knows".to_owned();
        *condition = Condition::new(
            condition.type_,
            Status::Unknown,
            Reason::InvalidPolicySpec,
            message,
        );
    }
    let valid = ConditionType::ValidPolicySpec;
    let report = with(
        report,
        Condition::bad(valid, Reason::InvalidPolicySpec, "spec.versions is wrong"),
    );
    let update = first(&report, &established());
    assert_eq!(message(&update), "NonCompliant; spec.versions is wrong");
}

#[test]
fn missing_namespace_is_reported_with_all_other_conditions() {
    let valid = ConditionType::ValidPolicySpec;
    let report = with(
        all_well(),
        Condition::bad(valid, Reason::InvalidPolicySpec, "harbor does not exist"),
    );
    let update = first(&report, &established());
    let wanted = WELL.replace("Compliant; ValidPolicySpec is well", "");
    assert_eq!(
        message(&update),
        format!("NonCompliant; harbor does not exist{wanted}")
    );
}

/// Returns the messages of a policy in the design form after each report, one minute apart.
fn messages(reports: &[Report]) -> Vec<String> {
    let mut status = OperatorPolicyStatus::default();
    let mut now = 0;
    let mut next = |report: &Report| {
        let update = render_status(report, &design(), &status, later(now));
        now += 60;
        status = update.status;
        update.event.expect("an event").message
    };
    reports.iter().map(&mut next).collect()
}

#[test]
fn violations_come_first_and_then_the_most_recent_change() {
    let changed = with(all_well(), found_group());
    let bad = with(changed.clone(), unavailable());
    let sent = messages(&[all_well(), changed, bad]);
    let start = "Compliant; it is there; ValidPolicySpec is well; SubscriptionCompliant is well; ";
    assert!(sent[1].starts_with(start), "{}", sent[1]);
    let start = "NonCompliant; sloop is not available; it is there; ValidPolicySpec is well; ";
    assert!(sent[2].starts_with(start), "{}", sent[2]);
}

#[test]
fn message_contains_equal_parts_once() {
    let mut report = all_well();
    for condition in &mut report.conditions {
        condition.message = "Operator is installed as a/b".to_owned();
    }
    assert_eq!(
        messages(&[report]),
        ["Compliant; operator is installed as a/b"]
    );
}

#[test]
fn message_names_cause_of_stale_conditions_once() {
    let kept = [
        ConditionType::InstallPlanCompliant,
        ConditionType::SubscriptionCompliant,
    ];
    let mut report = all_well();
    report.conditions.retain(|each| !kept.contains(&each.type_));
    report.kept = kept
        .map(|type_| (type_, "it may not list them".to_owned()))
        .to_vec();
    let before = first(&all_well(), &established()).status;
    let mut policy = established();
    policy.metadata.generation = Some(4);
    let update = render_status(&report, &policy, &before, later(60));
    let start = "Compliant; SubscriptionCompliant is well (last known); \
                 InstallPlanCompliant is well (last known); ValidPolicySpec is well; ";
    assert!(message(&update).starts_with(start), "{}", message(&update));
    let end = "; CatalogSourcesUnhealthy is well; it may not list them";
    assert!(message(&update).ends_with(end), "{}", message(&update));
}

#[test]
fn order_of_message_parts_survives_reading_the_status() {
    let update = first(&with(all_well(), found_group()), &established());
    let text = serde_json::to_value(&update.status).expect("a status");
    let read = serde_json::from_value(text).expect("the same status");
    let now = later(60);
    let again = render_status(&with(all_well(), found_group()), &established(), &read, now);
    let whole = |status: &OperatorPolicyStatus| {
        let mut all = status.conditions.iter();
        let whole = all.find(|each| each.type_ == ConditionType::Compliant.as_str());
        whole.map(|whole| whole.message.clone())
    };
    assert_eq!(whole(&again.status), whole(&update.status));
}

/// Defect D18.
#[test]
fn unchanged_report_keeps_times_and_sends_no_event() {
    let policy = established();
    let update = first(&all_well(), &policy);
    let again = render_status(&all_well(), &policy, &update.status, later(60));
    assert_eq!(again.status, update.status);
    assert_eq!(again.event, None);
}

#[test]
fn changed_condition_gets_new_time_and_history_entry() {
    let policy = established();
    let update = first(&all_well(), &policy);
    let broken = with(all_well(), unavailable());
    let update = render_status(&broken, &policy, &update.status, later(60));
    let changed: Vec<_> = lines(&update.status)
        .into_iter()
        .filter(|line| line.contains("+60"))
        .map(|line| line.split(": ").next().unwrap_or_default().to_owned())
        .collect();
    let wanted = [
        "Compliant False NonCompliant +60",
        "DeploymentCompliant False DeploymentsUnavailable +60",
    ];
    assert_eq!(changed, wanted);
    let update = render_status(&all_well(), &policy, &update.status, later(120));
    let history = update.status.history.iter();
    let words: Vec<_> = history
        .map(|event| {
            let message = event.message.as_deref().unwrap_or_default();
            message.split(';').next().unwrap_or_default().to_owned()
        })
        .collect();
    assert_eq!(words, ["Compliant", "NonCompliant", "Compliant"]);
}

/// Behavior 7.
#[test]
fn emptied_compliance_sends_event_again() {
    let policy = established();
    let mut status = first(&all_well(), &policy).status;
    status.compliant = None;
    let update = render_status(&all_well(), &policy, &status, noon());
    let at = update.event.as_ref().expect("news").at;
    assert!(at > noon(), "two events at the same time would be merged");
    assert_eq!(message(&update), WELL);
    assert_eq!(update.status.history.len(), 1, "equal messages are merged");
}

#[test]
fn new_generation_sends_event() {
    let mut policy = established();
    let status = first(&all_well(), &policy).status;
    policy.metadata.generation = Some(4);
    let update = render_status(&all_well(), &policy, &status, later(1));
    assert_eq!(message(&update), WELL);
    assert_eq!(update.status.observed_generation, Some(4));
}

/// Returns a policy that is being deleted, with the given finalizers.
fn leaving(finalizers: &[&str]) -> OperatorPolicy {
    let mut policy = design();
    let finalizers = finalizers.iter().map(|each| (*each).to_owned());
    policy.metadata.finalizers = Some(finalizers.collect());
    policy.metadata.deletion_timestamp = Some(Time(noon()));
    policy
}

#[rstest]
#[case::only_our_finalizer(&["portolan.dev/removal"])]
#[case::our_finalizer_and_another(&["foregroundDeletion", "portolan.dev/removal"])]
fn reports_terminating_for_policy_being_deleted(#[case] finalizers: &[&str]) {
    let before = first(&all_well(), &design()).status;
    let update = render_status(&all_well(), &leaving(finalizers), &before, later(1));
    assert_eq!(update.status.compliant, Some(Compliance::Terminating));
}

#[test]
fn keeps_status_without_event_while_another_finalizer_remains() {
    let before = first(&all_well(), &design()).status;
    let policy = leaving(&["foregroundDeletion"]);
    let update = render_status(&Report::default(), &policy, &before, later(1));
    let wanted = StatusUpdate {
        status: before,
        event: None,
    };
    assert_eq!(update, wanted);
}

#[test]
fn history_has_at_most_ten_entries() {
    let policy = established();
    let mut status = OperatorPolicyStatus::default();
    for (second, failure) in (0..).zip('a'..='l') {
        let mut condition = unavailable();
        condition.message = format!("failure {failure}");
        status = render_status(
            &with(all_well(), condition),
            &policy,
            &status,
            later(second),
        )
        .status;
    }
    assert_eq!(status.history.len(), 10);
    let newest = status.history[0].message.as_deref().unwrap_or_default();
    assert!(newest.contains("failure l"), "{newest}");
}

fn silent(type_: ConditionType, why: &str) -> Report {
    let mut report = without(all_well(), type_);
    report.kept.push((type_, why.to_owned()));
    report
}

#[test]
fn condition_is_kept_with_the_cause_while_service_is_unavailable() {
    let (policy, type_) = (established(), ConditionType::DeploymentCompliant);
    let broken = render_status(
        &with(all_well(), unavailable()),
        &policy,
        &OperatorPolicyStatus::default(),
        noon(),
    );
    let why = "no answer from health since noon: refused";
    let update = render_status(&silent(type_, why), &policy, &broken.status, later(5));
    let line = |update: &StatusUpdate| {
        let lines = lines(&update.status);
        lines
            .into_iter()
            .find(|line| line.starts_with("DeploymentCompliant"))
    };
    let wanted = "DeploymentCompliant False DeploymentsUnavailable +5: sloop is not available \
                  (last known, as no answer from health since noon: refused)";
    assert_eq!(line(&update).as_deref(), Some(wanted));
    let again = render_status(&silent(type_, why), &policy, &update.status, later(9));
    assert_eq!(again.status, update.status, "the cause is added only once");
    let back = render_status(
        &with(all_well(), unavailable()),
        &policy,
        &again.status,
        later(10),
    );
    let wanted = "DeploymentCompliant False DeploymentsUnavailable +10: sloop is not available";
    assert_eq!(line(&back).as_deref(), Some(wanted));
}

#[test]
fn keeps_compliant_condition_while_service_is_unavailable() {
    let (policy, type_) = (established(), ConditionType::DeploymentCompliant);
    let well = first(&all_well(), &policy);
    let update = render_status(
        &silent(type_, "health is away"),
        &policy,
        &well.status,
        later(5),
    );
    assert_eq!(update.status.compliant, Some(Compliance::Compliant));
}

/// The condition reports a real problem, but the policy does not count this problem as a violation.
#[rstest]
#[case::unhealthy_catalog(
    ConditionType::CatalogSourcesUnhealthy,
    (Status::True, Reason::CatalogSourcesFoundUnhealthy),
    "catalogSourceUnhealthy"
)]
#[case::unavailable_deployments(
    ConditionType::DeploymentsAvailable,
    (Status::False, Reason::DeploymentsUnavailable),
    "deploymentsUnavailable"
)]
fn condition_still_violates_nothing_while_service_is_unavailable(
    #[case] type_: ConditionType,
    #[case] (status, reason): (Status, Reason),
    #[case] field: &str,
) {
    let condition = Condition {
        violates: false,
        ..Condition::new(type_, status, reason, "it is not well")
    };
    let broken = with(
        with(all_well(), condition),
        Condition::bad(
            ConditionType::SubscriptionCompliant,
            Reason::SubscriptionMismatch,
            "it differs",
        ),
    );
    for (effect, compliance) in [
        ("Condition", Compliance::Compliant),
        ("NonCompliant", Compliance::NonCompliant),
    ] {
        let policy = policy(json!({"allowedCSVs": ["*"], "statusConfig": {field: effect}}));
        let before = first(&broken, &policy);
        assert_eq!(before.status.compliant, Some(Compliance::NonCompliant));
        let report = silent(type_, "health is away");
        let update = render_status(&report, &policy, &before.status, later(5));
        assert_eq!(update.status.compliant, Some(compliance), "{effect}");
    }
}

/// The spec of the policy determines whether a deprecation violates the policy. Other problems in
/// the same report have no effect.
#[rstest]
#[case::by_default(json!({}), Compliance::Compliant)]
#[case::if_the_policy_counts_it(json!({"deprecationsPresent": "NonCompliant"}), Compliance::NonCompliant)]
fn deprecation_violates_as_configured_while_service_is_unavailable(
    #[case] config: Value,
    #[case] compliance: Compliance,
) {
    let type_ = ConditionType::NoDeprecations;
    let condition = Condition {
        violates: false,
        ..Condition::bad(
            type_,
            Reason::PackageDeprecated,
            "the channel is deprecated",
        )
    };
    let policy = policy(
        json!({"complianceType": "musthave", "upgradeApproval": "Automatic", "complianceConfig": config}),
    );
    let broken = with(with(all_well(), condition), unavailable());
    let before = first(&broken, &policy);
    assert_eq!(before.status.compliant, Some(Compliance::NonCompliant));
    let report = silent(type_, "the resolver is away");
    let update = render_status(&report, &policy, &before.status, later(5));
    assert_eq!(update.status.compliant, Some(compliance));
}

/// During an upgrade, an outage of the API server does not change the compliance of the policy.
#[rstest]
#[case::excused("Condition", false, Compliance::Compliant)]
#[case::failed("Condition", true, Compliance::NonCompliant)]
#[case::counted("NonCompliant", true, Compliance::NonCompliant)]
fn keeps_result_of_upgrade_in_progress_while_api_is_unavailable(
    #[case] effect: &str,
    #[case] violates: bool,
    #[case] compliance: Compliance,
) {
    let type_ = ConditionType::ClusterServiceVersionCompliant;
    let condition = Condition {
        violates,
        ..Condition::bad(
            type_,
            Reason::ClusterServiceVersionMissing,
            "it is being installed",
        )
    };
    let config = json!({"upgradesProgressing": effect});
    let policy = policy(json!({"allowedCSVs": ["*"], "statusConfig": config}));
    let before = first(&with(all_well(), condition), &policy);
    assert_eq!(before.status.compliant, Some(compliance));
    let report = silent(type_, "the API server is away");
    let update = render_status(&report, &policy, &before.status, later(5));
    assert_eq!(update.status.compliant, Some(compliance));
}

#[test]
fn condition_without_earlier_value_is_unknown() {
    let type_ = ConditionType::DeploymentCompliant;
    let update = first(
        &silent(type_, "no answer from health yet: refused"),
        &established(),
    );
    let line = "DeploymentCompliant Unknown NotChecked +0: no answer from health yet: refused";
    assert!(lines(&update.status).contains(&line.to_owned()));
    assert_eq!(update.status.compliant, Some(Compliance::NonCompliant));
}

#[rstest]
#[case::first_report(vec![all_well()], "CatalogSourcesFound")]
#[case::condition_became_bad(vec![all_well(), with(all_well(), unavailable())], "DeploymentsUnavailable")]
#[case::condition_became_good(
    vec![with(all_well(), unavailable()), all_well()],
    "DeploymentsAvailable"
)]
#[case::upgrade(
    vec![all_well(), with(all_well(), upgrade())],
    "UpgradeAvailable"
)]
#[case::bad_condition_remains_after_another_became_good(
    vec![with(all_well(), upgrade()), with(with(all_well(), upgrade()), found_group())],
    "UpgradeAvailable"
)]
#[case::remaining_bad_condition_after_another_became_good(
    vec![with(with(all_well(), unavailable()), upgrade()), with(all_well(), unavailable())],
    "DeploymentsUnavailable"
)]
#[case::no_change(
    vec![all_well(), with(all_well(), unavailable()), with(all_well(), unavailable())],
    "DeploymentsUnavailable"
)]
fn design_form_reason_is_that_of_the_latest_change(
    #[case] reports: Vec<Report>,
    #[case] wanted: &str,
) {
    let mut status = OperatorPolicyStatus::default();
    for (second, report) in (0..).zip(reports) {
        let report = without(report, ConditionType::NoDeprecations);
        status = render_status(&report, &design(), &status, later(second)).status;
    }
    let whole = status.conditions.iter();
    let mut whole = whole.filter(|condition| condition.type_ == "Compliant");
    assert_eq!(whole.next().map(|it| it.reason.as_str()), Some(wanted));
}

#[test]
fn copies_conditions_of_olm_without_effect_on_compliance() {
    let olm = |kind: &str, status: &str, reason: &str| portolan_core_olm::Condition {
        r#type: kind.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        ..portolan_core_olm::Condition::default()
    };
    let mut report = all_well();
    report.olm = vec![
        olm("InstallPlanPending", "True", "RequiresApproval"),
        olm("ResolutionFailed", "True", ""),
        olm("CatalogSourcesUnhealthy", "True", "Ours"),
    ];
    let update = first(&report, &established());
    let foreign: Vec<_> = lines(&update.status)
        .into_iter()
        .filter(|line| !line.contains("well"))
        .collect();
    let wanted = [
        "InstallPlanPending True RequiresApproval +0: ",
        "ResolutionFailed True Unknown +0: ",
    ];
    assert_eq!(foreign, wanted);
    assert_eq!(update.status.compliant, Some(Compliance::Compliant));
}

fn subscription(uid: &str, is_created: bool) -> RelatedObject {
    let place = (Some("harbor"), "sloop");
    let reason = "Resource found as expected";
    let object = related(kinds::SUBSCRIPTION, place, Some("Compliant"), reason);
    known(object, Some(uid), is_created)
}

#[rstest]
#[case::same_uid("a", true)]
#[case::another_uid_with_the_same_name("b", false)]
fn keeps_created_by_policy_for_the_same_uid(#[case] uid: &str, #[case] wanted: bool) {
    let type_ = ConditionType::SubscriptionCompliant;
    let mut report = all_well();
    report.related = vec![(type_, vec![subscription("a", true)])];
    let before = first(&report, &established()).status;
    report.related = vec![(type_, vec![subscription(uid, false)])];
    let update = render_status(&report, &established(), &before, later(1));
    assert_eq!(update.status.related_objects, [subscription(uid, wanted)]);
}

/// Defect D19.
#[test]
fn unreported_related_objects_are_removed() {
    let type_ = ConditionType::SubscriptionCompliant;
    let mut report = all_well();
    report.related = vec![(type_, vec![subscription("a", true)])];
    let before = first(&report, &established()).status;
    let update = render_status(&all_well(), &established(), &before, later(1));
    assert_eq!(update.status.related_objects, []);
    let update = render_status(&silent(type_, "nobody"), &established(), &before, later(1));
    assert_eq!(update.status.related_objects, [subscription("a", true)]);
}

#[test]
fn partial_report_changes_only_label_and_related_objects() {
    let policy = established();
    let mut before = first(&all_well(), &policy).status;
    before.resolved_subscription_label = None;
    let type_ = ConditionType::SubscriptionCompliant;
    let report = Report {
        is_partial: true,
        label: Some("sloop.harbor".to_owned()),
        related: vec![(type_, vec![subscription("a", false)])],
        ..Report::default()
    };
    let update = render_status(&report, &policy, &before, later(1));
    let wanted = OperatorPolicyStatus {
        resolved_subscription_label: Some("sloop.harbor".to_owned()),
        related_objects: vec![subscription("a", false)],
        ..before
    };
    assert_eq!(
        update,
        StatusUpdate {
            status: wanted,
            event: None
        }
    );
}

#[test]
fn too_long_message_is_truncated() {
    let mut condition = unavailable();
    condition.message = "ä".repeat(5_000);
    let update = first(&with(all_well(), condition), &established());
    assert!(message(&update).len() <= 4096);
    assert!(message(&update).contains("ä [cut]"));
    // The message still contains the texts after the truncated text.
    assert!(!message(&update).ends_with(" [cut]"));
}
