use portolan_api::{ConditionType, Reason, RelatedObject};
use rstest::rstest;
use serde_json::{Value, json};

use super::judge;
use crate::contribution::{Contribution, known, related};
use crate::desired::{Condition, ConditionReason, Status};
use crate::kinds::CSV;
use crate::tests::kit::{
    DATABASES, Stage, at, csv, design, established, merged, stage, subscription,
};
use crate::{Answer, HealthFact, Operator, State, Verdict, Why, render_status};

const TYPE: ConditionType = ConditionType::ClusterServiceVersionCompliant;
const ONE: &str = "etcd.v1.0.0";

fn installed(name: &str) -> Value {
    subscription(json!({"status": {"installedCSV": name, "currentCSV": name}}))
}

fn object(name: &str, (compliant, reason): (&str, &str)) -> RelatedObject {
    let object = related(CSV, (Some(DATABASES), name), Some(compliant), reason);
    known(object, Some(&format!("{name}-uid")), false)
}

fn missing(message: &str, objects: Vec<RelatedObject>) -> Contribution {
    Contribution::of(Condition::bad(
        TYPE,
        Reason::ClusterServiceVersionMissing,
        message,
    ))
    .add_related(TYPE, objects)
}

fn absent() -> RelatedObject {
    let reason = "Resource not found but should exist";
    related(CSV, (Some(DATABASES), "etcd"), Some("NonCompliant"), reason)
}

const NONE: &str = "No ClusterServiceVersion of etcd is installed";

/// Behaviors 77, 78.
#[rstest]
#[case::no_subscription(vec![], missing(NONE, vec![absent()]))]
#[case::subscription_names_no_csv(vec![installed("")], missing(NONE, vec![absent()]))]
#[case::subscription_names_no_csv_and_other_csvs_are_listed(
    vec![
        installed(""),
        csv(ONE, json!({})),
        csv("etcd.v0.9.0", json!({"status": {"phase": "Failed", "reason": "ComponentUnhealthy"}})),
        csv("raft.v1.0.0", json!({"metadata": {"labels": null}})),
    ],
    missing(
        NONE,
        vec![
            object("etcd.v0.9.0", ("NonCompliant", "ComponentUnhealthy")),
            object(ONE, ("Compliant", "InstallSucceeded")),
        ],
    )
)]
#[case::named_csv_does_not_exist(
    vec![installed(ONE)],
    missing("ClusterServiceVersion databases/etcd.v1.0.0 does not exist, but OLM regards it as \
     installed", vec![absent()])
)]
#[case::another_csv_exists(
    vec![installed(ONE), csv("etcd.v2.0.0", json!({}))],
    missing(
        "ClusterServiceVersion databases/etcd.v1.0.0 does not exist, but OLM regards it as \
         installed",
        vec![object("etcd.v2.0.0", ("Compliant", "InstallSucceeded"))],
    )
)]
fn reports_that_nothing_is_installed(#[case] objects: Vec<Value>, #[case] part: Contribution) {
    let stage = objects
        .into_iter()
        .fold(stage(established(json!({}))), Stage::object);
    assert_eq!(stage.case(judge), part);
}

fn with(policy: Value, other: Value) -> Stage {
    let version = json!({"spec": {"version": "1.0.0"}});
    stage(policy)
        .object(installed(ONE))
        .object(csv(ONE, merged(version, other)))
}

fn contribution(status: Status, word: &str, message: &str) -> Contribution {
    let compliant = match status {
        Status::True => "Compliant",
        Status::False | Status::Unknown => "NonCompliant",
    };
    Contribution::of(Condition {
        type_: TYPE,
        status,
        reason: ConditionReason::Olm(word.to_owned()),
        message: message.to_owned(),
        violates: status != Status::True,
        since: None,
    })
    .add_related(TYPE, vec![object(ONE, (compliant, word))])
}

/// Behaviors 79, 82.
#[rstest]
#[case::in_inform(established(json!({"versions": ["etcd.v2.0.0"], "remediationAction": "inform"})))]
#[case::in_enforce(established(json!({"versions": ["etcd.v2.0.0"]})))]
#[case::by_its_range(established(json!({"versions": ["etcd@>=2.0.0"]})))]
fn reports_and_keeps_installed_version_outside_the_policy(#[case] policy: Value) {
    let message = "etcd.v1.0.0 is installed, but spec.versions does not allow this version. Add \
                   this version to spec.versions; the installed version is kept";
    let part = Contribution::of(Condition::bad(TYPE, Reason::UnapprovedVersion, message))
        .add_related(
            TYPE,
            vec![object(ONE, ("NonCompliant", "The version is not allowed"))],
        );
    assert_eq!(with(policy, json!({})).case(judge), part);
}

const WELL: &str = "ClusterServiceVersion etcd.v1.0.0 is Succeeded: install strategy completed \
                    with no errors";

/// Behavior 80.
#[rstest]
#[case::listed(established(json!({"versions": ["etcd.v1.0.0"]})))]
#[case::starting_version(established(json!({
    "versions": ["etcd.v2.0.0"],
    "subscription": {"startingCSV": "etcd.v1.0.0"},
})))]
#[case::in_a_range(design(json!({"allowedCSVs": ["etcd@>=1.0.0 <1.1.0"]})))]
#[case::unrestricted(design(json!({})))]
fn allowed_running_operator_is_compliant(#[case] policy: Value) {
    let part = contribution(Status::True, "InstallSucceeded", WELL);
    assert_eq!(with(policy, json!({})).case(judge), part);
}

fn status(phase: &str, reason: &str, message: &str) -> Value {
    json!({"status": {"phase": phase, "reason": reason, "message": message}})
}

/// Behaviors 80, 81. Defect D7.
#[rstest]
#[case::failed_csv_has_the_message_of_olm(
    status(
        "Failed",
        "UnsupportedOperatorGroup",
        "AllNamespaces is not supported."
    ),
    contribution(
        Status::False,
        "UnsupportedOperatorGroup",
        "ClusterServiceVersion databases/etcd.v1.0.0 has failed (UnsupportedOperatorGroup): AllNamespaces is not supported",
    )
)]
#[case::csv_being_replaced_is_unhealthy(
    status("Replacing", "BeingReplaced", ""),
    contribution(
        Status::False,
        "BeingReplaced",
        "ClusterServiceVersion etcd.v1.0.0 is Replacing"
    )
)]
#[case::csv_being_installed_is_unhealthy(
    status("Installing", "InstallWaiting", "waiting"),
    contribution(
        Status::False,
        "InstallWaiting",
        "ClusterServiceVersion etcd.v1.0.0 is Installing: waiting",
    )
)]
#[case::phase_replaces_a_missing_reason(
    status("Succeeded", "", ""),
    contribution(
        Status::True,
        "Succeeded",
        "ClusterServiceVersion etcd.v1.0.0 is Succeeded"
    )
)]
#[case::phase_replaces_an_invalid_reason(
    status("Pending", "not a word", ""),
    contribution(
        Status::False,
        "Pending",
        "ClusterServiceVersion databases/etcd.v1.0.0 is waiting to be installed"
    )
)]
#[case::phase_replaces_a_too_long_reason(
    status("Pending", &"a".repeat(1025), ""),
    contribution(
        Status::False,
        "Pending",
        "ClusterServiceVersion databases/etcd.v1.0.0 is waiting to be installed"
    )
)]
#[case::missing_phase_is_unhealthy(
    status("", "", ""),
    contribution(
        Status::False,
        "Unknown",
        "ClusterServiceVersion etcd.v1.0.0 has not been checked by OLM yet",
    )
)]
fn reports_the_csv_state_from_olm(#[case] other: Value, #[case] part: Contribution) {
    assert_eq!(with(established(json!({})), other).case(judge), part);
}

fn health(csv: &str, code: &str) -> Answer<Operator> {
    let reason = |code: &str, message: &str| Why {
        code: code.into(),
        message: message.to_owned(),
    };
    Answer::Found(Operator {
        csv: csv.to_owned(),
        verdict: Verdict {
            state: State::No,
            reasons: vec![
                reason("CrashLooping", "A container ends again and again."),
                reason(
                    "DeploymentUnavailable",
                    "Deployment etcd has 0 of 1 replica available.",
                ),
                reason(code, "Definition etcds.demo is not there."),
            ],
        },
        facts: Vec::new(),
    })
}

fn although(more: &str) -> Contribution {
    contribution(Status::True, "InstallSucceeded", &format!("{WELL}{more}"))
}

#[rstest]
#[case::are_added_to_the_message_of_olm(
    health(ONE, "CrdMissing"),
    although(", although health says: Definition etcds.demo is not there")
)]
#[case::are_omitted_if_they_are_about_deployments(health(ONE, "DeploymentPaused"), although(""))]
#[case::are_ignored_if_they_are_about_another_operator(
    health("etcd.v2.0.0", "CrdMissing"),
    although("")
)]
#[case::are_reported_if_the_operator_only_blocks_upgrades(
    Answer::Found(Operator {
        csv: ONE.to_owned(),
        verdict: Verdict { state: State::Yes, reasons: Vec::new() },
        facts: vec![HealthFact {
            code: "NotUpgradeable".into(),
            message: "The operator reports that it is not to be upgraded.".to_owned(),
            state: State::Yes,
            ..HealthFact::default()
        }],
    }),
    although(", although health says: The operator reports that it is not to be upgraded")
)]
fn adds_relevant_findings_of_the_health_service(
    #[case] operator: Answer<Operator>,
    #[case] part: Contribution,
) {
    let stage = with(established(json!({})), json!({}));
    let stage = stage.with(|stage| stage.answers.operator = operator);
    assert_eq!(stage.case(judge), part);
}

#[rstest]
#[case::is_named_by_the_health_service(
    health(ONE, "CrdMissing"),
    ": Definition etcds.demo is not there"
)]
#[case::is_omitted_if_health_finds_none(health(ONE, "DeploymentPaused"), "")]
fn names_missing_requirement_of_pending_operator_if_known(
    #[case] operator: Answer<Operator>,
    #[case] more: &str,
) {
    let found = "one or more requirements couldn't be found";
    let stage = with(
        established(json!({})),
        status("Pending", "RequirementsNotMet", found),
    );
    let stage = stage.with(|stage| stage.answers.operator = operator);
    let conditions = stage.case(judge).conditions;
    let message = &conditions[0].message;
    assert!(message.ends_with(&format!("{found}{more}")), "{message}");
}

/// Returns a stage in which OLM installs the first version. With `is_upgrade`, the replaced version
/// still exists.
fn upgrading(policy: Value, is_upgrade: bool) -> Stage {
    let replaces = json!({"spec": {"replaces": "etcd.v0.9.0"}});
    let stage = with(
        policy,
        merged(replaces, status("Installing", "InstallWaiting", "")),
    );
    let before = csv("etcd.v0.9.0", status("Replacing", "BeingReplaced", ""));
    if is_upgrade {
        stage.object(before)
    } else {
        stage
    }
}

#[rstest]
#[case::is_excused_if_the_policy_only_reports_it("Condition", true, false)]
#[case::counts_if_the_policy_counts_it("NonCompliant", true, true)]
#[case::counts_at_the_first_installation("Condition", false, true)]
fn counts_upgrade_in_progress_as_configured(
    #[case] effect: &str,
    #[case] is_upgrade: bool,
    #[case] violates: bool,
) {
    let policy = design(json!({"statusConfig": {"upgradesProgressing": effect}}));
    let mut part = contribution(
        Status::False,
        "InstallWaiting",
        "ClusterServiceVersion etcd.v1.0.0 is Installing",
    );
    part.conditions[0].violates = violates;
    assert_eq!(upgrading(policy, is_upgrade).case(judge), part);
}

/// Returns a stage in which OLM upgrades from the first version to the second. The Subscription and
/// the two ClusterServiceVersions have the given states.
fn at_moment(policy: Value, named: &str, (old, new): (Option<Value>, Value)) -> Stage {
    let status = json!({"installedCSV": named, "currentCSV": TWO});
    let next = json!({"spec": {"version": "2.0.0", "replaces": ONE}});
    let stage = stage(policy)
        .object(subscription(json!({"status": status})))
        .object(csv(TWO, merged(next, new)));
    let version = json!({"spec": {"version": "1.0.0"}});
    old.into_iter().fold(stage, |stage, old| {
        stage.object(csv(ONE, merged(version.clone(), old)))
    })
}

const TWO: &str = "etcd.v2.0.0";

#[rstest]
#[case::new_csv_is_created(ONE, (Some(json!({})), status("", "", "")))]
#[case::old_csv_is_being_replaced(
    ONE,
    (Some(status("Replacing", "BeingReplaced", "")), status("Pending", "RequirementsUnknown", ""))
)]
#[case::new_csv_is_being_installed(
    ONE,
    (Some(status("Replacing", "BeingReplaced", "")), status("Installing", "InstallWaiting", ""))
)]
#[case::old_csv_is_being_deleted(
    ONE,
    (Some(status("Deleting", "Replaced", "")), json!({}))
)]
#[case::old_csv_is_deleted(ONE, (None, json!({})))]
#[case::old_csv_is_deleted_and_new_csv_waits(
    ONE,
    (None, status("Installing", "InstallWaiting", ""))
)]
#[case::subscription_names_the_new_csv(
    TWO,
    (Some(status("Deleting", "Replaced", "")), status("Installing", "InstallWaiting", ""))
)]
#[case::upgrade_is_complete(TWO, (None, json!({})))]
fn upgrade_in_progress_does_not_violate_the_policy(
    #[case] named: &str,
    #[case] csvs: (Option<Value>, Value),
) {
    let policy = design(json!({"statusConfig": {"upgradesProgressing": "Condition"}}));
    let part = at_moment(policy, named, csvs).case(judge);
    assert!(!part.conditions[0].violates, "{part:?}");
}

const IN_TIME: &str = "2026-01-01T11:55:01Z";
const TOO_LATE: &str = "2026-01-01T11:55:00Z";

/// Returns a stage in which the second version has been in a phase since the given time.
fn waiting(phase: &str, since: &str) -> Stage {
    let policy = design(json!({"statusConfig": {"upgradesProgressing": "Condition"}}));
    let message = "one or more requirements couldn't be found";
    let new = merged(
        status(phase, "RequirementsNotMet", message),
        json!({"status": {"lastTransitionTime": since}}),
    );
    at_moment(
        policy,
        ONE,
        (Some(status("Replacing", "BeingReplaced", "")), new),
    )
}

/// OLM starts a ClusterServiceVersion as soon as its requirements are met, so five minutes are
/// enough.
#[rstest]
#[case("Pending", IN_TIME, Some("2026-01-01T12:00:01Z"))]
#[case("Pending", "2026-01-01T13:00:00Z", Some("2026-01-01T12:05:00Z"))]
#[case("InstallReady", IN_TIME, Some("2026-01-01T12:00:01Z"))]
#[case("Installing", TOO_LATE, None)]
fn upgrade_is_excused_for_five_minutes(
    #[case] phase: &str,
    #[case] since: &str,
    #[case] again: Option<&str>,
) {
    let part = waiting(phase, since).case(judge);
    assert!(!part.conditions[0].violates, "{part:?}");
    let at = part.requeue_at.map(|at| at.to_string());
    assert_eq!(at.as_deref(), again);
}

#[rstest]
#[case("Pending")]
#[case("InstallReady")]
fn upgrade_that_olm_does_not_start_violates_after_five_minutes(#[case] phase: &str) {
    let part = waiting(phase, TOO_LATE).case(judge);
    assert_eq!((part.conditions[0].violates, part.requeue_at), (true, None));
    let message = format!(
        "ClusterServiceVersion etcd.v1.0.0 is Replacing. ClusterServiceVersion etcd.v2.0.0, which \
         replaces it, has been {phase} for more than 5 minutes: one or more requirements couldn't \
         be found"
    );
    assert_eq!(part.conditions[0].message, message);
}

/// The Subscription already reports the new version as installed. The health service reports the
/// missing requirement.
#[test]
fn stalled_upgrade_names_missing_requirement() {
    let policy = design(json!({"statusConfig": {"upgradesProgressing": "Condition"}}));
    let new = merged(
        status("Pending", "RequirementsNotMet", "not found"),
        json!({"status": {"lastTransitionTime": TOO_LATE}}),
    );
    let old = Some(status("Replacing", "BeingReplaced", ""));
    let stage = at_moment(policy, TWO, (old, new));
    let stage = stage.with(|stage| stage.answers.operator = health(TWO, "CrdMissing"));
    let condition = stage.case(judge).conditions.remove(0);
    let message = "ClusterServiceVersion databases/etcd.v2.0.0 is waiting to be installed \
                   (RequirementsNotMet): not found: Definition etcds.demo is not there. The \
                   ClusterServiceVersion has been Pending for more than 5 minutes";
    assert_eq!(
        (condition.violates, condition.message.as_str()),
        (true, message)
    );
}

/// Returns the fields of a ClusterServiceVersion that OLM created at this time and has not checked
/// yet.
fn unchecked(created: &str) -> Value {
    let metadata = json!({"metadata": {"creationTimestamp": created}});
    merged(status("", "", ""), metadata)
}

/// OLM has not checked the new version yet, so the five minutes start when the new version is
/// created.
#[rstest]
#[case::within_the_limit(IN_TIME, (false, Some("2026-01-01T12:00:01Z")))]
#[case::after_the_limit(TOO_LATE, (true, None))]
#[case::in_the_future("2026-01-01T13:00:00Z", (false, Some("2026-01-01T12:05:00Z")))]
fn unchecked_upgrade_violates_five_minutes_after_its_creation(
    #[case] created: &str,
    #[case] (violates, again): (bool, Option<&str>),
) {
    let policy = design(json!({"statusConfig": {"upgradesProgressing": "Condition"}}));
    let old = Some(status("Replacing", "BeingReplaced", ""));
    let part = at_moment(policy, ONE, (old, unchecked(created))).case(judge);
    assert_eq!(part.conditions[0].violates, violates, "{part:?}");
    let at = part.requeue_at.map(|at| at.to_string());
    assert_eq!(at.as_deref(), again);
}

/// Judges the stage at the given time, with `before` as the previous status. Returns true if the
/// condition violates the policy, and the next status.
fn rendered(stage: Stage, before: Value, now: &str) -> (bool, Value) {
    let stage = stage.status(before).with(|stage| stage.now = at(now));
    let report = stage.case(judge).into_desired().report;
    let policy = stage.policy();
    let before = policy.status.clone().unwrap_or_default();
    let update = render_status(&report, &policy, &before, stage.now);
    (report.conditions[0].violates, json!(update.status))
}

/// OLM reports neither a phase nor a time while its Deployment olm-operator is down. The message of
/// the condition changes when the time limit passes, and when OLM changes its own message.
#[rstest]
#[case::named_as_installed(TWO, json!({}))]
#[case::not_named_as_installed(ONE, status("Replacing", "BeingReplaced", ""))]
fn unchecked_upgrade_is_noncompliant_while_messages_change(
    #[case] named: &str,
    #[case] old: Value,
) {
    let policy = design(json!({"statusConfig": {"upgradesProgressing": "Condition"}}));
    let mut before = json!({});
    for (now, message, violates) in [
        ("2026-01-01T12:00:00Z", "", false),
        ("2026-01-01T12:03:00Z", "being replaced", false),
        ("2026-01-01T12:05:00Z", "being replaced", true),
        ("2026-01-01T12:06:00Z", "being replaced", true),
        ("2026-01-01T12:07:00Z", "", true),
        ("2026-01-01T12:12:00Z", "", true),
    ] {
        let message = json!({"status": {"message": message}});
        let old = merged(old.clone(), message.clone());
        let new = merged(unchecked("2026-01-01T12:00:00Z"), message);
        let stage = at_moment(policy.clone(), named, (Some(old), new));
        let (is_violated, status) = rendered(stage, before, now);
        assert_eq!(is_violated, violates, "{now}: {status}");
        before = status;
    }
}

/// The previous status has the same reason, but it belongs to an earlier upgrade, which began at
/// 11:54.
#[test]
fn five_minutes_restart_for_the_next_upgrade() {
    let policy = design(json!({"statusConfig": {"upgradesProgressing": "Condition"}}));
    let replacing = status("Replacing", "BeingReplaced", "");
    let csvs = (Some(replacing.clone()), unchecked("2026-01-01T11:54:00Z"));
    let first = at_moment(policy.clone(), ONE, csvs);
    let (is_violated, before) = rendered(first, json!({}), "2026-01-01T11:54:00Z");
    assert!(!is_violated, "{before}");

    let subscribed = json!({"status": {"installedCSV": TWO, "currentCSV": "etcd.v3.0.0"}});
    let two = json!({"spec": {"version": "2.0.0", "replaces": ONE}});
    let three = json!({"spec": {"version": "3.0.0", "replaces": TWO}});
    let new = merged(three, unchecked("2026-01-01T11:59:30Z"));
    let second = stage(policy)
        .object(subscription(subscribed))
        .object(csv(TWO, merged(two, replacing)))
        .object(csv("etcd.v3.0.0", new));
    let (is_violated, before) = rendered(second.clone(), before, "2026-01-01T12:00:00Z");
    assert!(!is_violated, "{before}");
    let (is_violated, before) = rendered(second, before, "2026-01-01T12:04:30Z");
    assert!(is_violated, "{before}");
}

#[rstest]
#[case::new_csv_failed(
    json!(["*"]),
    (Some(status("Replacing", "BeingReplaced", "")), status("Failed", "ComponentUnhealthy", ""))
)]
#[case::no_policy_allows_the_new_version(
    json!([ONE]),
    (Some(status("Replacing", "BeingReplaced", "")), status("Installing", "InstallWaiting", ""))
)]
#[case::new_csv_failed_and_old_csv_is_deleted(
    json!(["*"]),
    (None, status("Failed", "ComponentUnhealthy", ""))
)]
fn failed_or_unallowed_upgrade_violates_the_policy(
    #[case] allowed: Value,
    #[case] csvs: (Option<Value>, Value),
) {
    let config = json!({"upgradesProgressing": "Condition"});
    let policy = design(json!({"statusConfig": config, "allowedCSVs": allowed}));
    let part = at_moment(policy, ONE, csvs).case(judge);
    assert!(part.conditions[0].violates, "{part:?}");
}

/// OLM replaces the policy's own operator with a copy of the operator that watches all namespaces.
#[rstest]
#[case::group_in_the_policy(
    json!({"name": "own", "targetNamespaces": [DATABASES]}),
    "remove spec.operatorGroup and delete the OperatorGroup"
)]
#[case::existing_group(Value::Null, "delete the OperatorGroup")]
fn names_the_copy_that_replaced_the_operator(#[case] group: Value, #[case] remedy: &str) {
    let copy = json!({"metadata": {"namespace": "operators"}});
    let stage = stage(established(json!({"operatorGroup": group})))
        .object(installed(ONE))
        .with(|stage| stage.elsewhere = vec![csv(ONE, copy)]);
    let message = format!(
        "Namespace databases has only a copy of ClusterServiceVersion operators/etcd.v1.0.0, whose \
         operator watches all namespaces. OLM cannot install the same version in namespace \
         databases again; {remedy} of namespace databases to use the existing operator, or remove \
         the existing operator"
    );
    assert_eq!(stage.case(judge), missing(&message, vec![absent()]));
}

/// OLM starts neither of the two versions, and stops resolving the namespace.
#[rstest]
#[case::new_csv_counts_as_installed("etcd.v2.0.0")]
#[case::old_csv_counts_as_installed(ONE)]
fn names_the_remedy_for_a_csv_that_replaces_a_pending_csv(#[case] counts: &str) {
    let pending = |reason: &str| json!({"phase": "Pending", "reason": reason, "message": ""});
    let unmet = json!({"status": pending("RequirementsNotMet")});
    let next = json!({"spec": {"replaces": ONE}, "status": pending("RequirementsUnknown")});
    let stage = stage(established(json!({})))
        .object(installed(counts))
        .object(csv(ONE, unmet))
        .object(csv("etcd.v2.0.0", next));
    let message = stage.case(judge).conditions.remove(0).message;
    let cure = ". OLM does not start etcd.v2.0.0 while the replaced etcd.v1.0.0 is Pending. \
                Meanwhile, OLM blocks all operators of namespace databases. Delete \
                ClusterServiceVersion databases/etcd.v1.0.0; OLM then installs etcd.v2.0.0";
    assert!(message.ends_with(cure), "{message}");
}
