mod approval;
mod needed;
mod skip;
mod stalled;

use std::str::FromStr;

use portolan_api::{ConditionType, Reason};
use rstest::rstest;
use serde_json::{Value, json};

use super::judge;
use crate::contribution::{Contribution, known, related};
use crate::desired::{Action, Condition, Status, Step, Target};
use crate::kinds::INSTALL_PLAN;
use crate::tests::kit::{
    DATABASES, POLICY_UID, Stage, at, csv, design, established, merged, object, stage, subscription,
};
use crate::{Allowance, Answer, PlanReview, PlannedBundle, ReviewedPolicy, State, Verdict, Why};

const TYPE: ConditionType = ConditionType::InstallPlanCompliant;
const NEXT: &str = "install-b";

/// Returns an InstallPlan that waits for approval. Fields in `other` are added to it.
fn plan(name: &str, csvs: &[&str], other: Value) -> Value {
    let plan = json!({
        "spec": {
            "approval": "Manual",
            "approved": false,
            "clusterServiceVersionNames": csvs,
            "generation": 2,
        },
        "status": {"phase": "RequiresApproval"},
    });
    merged(object(INSTALL_PLAN, (DATABASES, name), plan), other)
}

fn phase(phase: &str) -> Value {
    json!({"status": {"phase": phase}})
}

fn generation(generation: u32) -> Value {
    json!({"spec": {"generation": generation}})
}

/// Returns a Subscription for which OLM upgrades from one bundle to another.
fn between(installed: &str, current: &str) -> Value {
    subscription(json!({"status": {"installedCSV": installed, "currentCSV": current}}))
}

/// Returns a stage in which the first version runs and OLM upgrades to the second.
fn upgrading(policy: Value) -> Stage {
    stage(policy)
        .object(between("etcd.v1.0.0", "etcd.v2.0.0"))
        .object(csv("etcd.v1.0.0", json!({"spec": {"version": "1.0.0"}})))
}

/// Returns the stage of `upgrading`, with an InstallPlan for the upgrade.
fn planned(policy: Value, other: Value) -> Stage {
    upgrading(policy).object(plan(NEXT, &["etcd.v2.0.0"], other))
}

fn verdict<C: FromStr>(state: State, reasons: &[(&str, &str)]) -> Verdict<C> {
    let reasons = reasons.iter().map(|(code, message)| Why {
        code: (*code).into(),
        message: (*message).to_owned(),
    });
    Verdict {
        state,
        reasons: reasons.collect(),
    }
}

/// Returns a review of the InstallPlan and the policy in their current state.
fn review(state: State, reasons: &[(&str, &str)], fixes: &[&str]) -> PlanReview {
    let verdict = verdict(state, reasons);
    PlanReview {
        plan: NEXT.to_owned(),
        uid: format!("{NEXT}-uid"),
        resource_version: "1".to_owned(),
        verdict: verdict.clone(),
        policies: vec![ReviewedPolicy {
            namespace: "local-cluster".to_owned(),
            name: "etcd-policy".to_owned(),
            uid: POLICY_UID.to_owned(),
            generation: 1,
        }],
        bundles: vec![PlannedBundle {
            name: "etcd.v2.0.0".to_owned(),
            package: "etcd".to_owned(),
            version: "2.0.0".to_owned(),
            verdict,
            fixes: fixes.iter().map(|fix| (*fix).to_owned()).collect(),
            ..PlannedBundle::default()
        }],
    }
}

fn reviewed(stage: Stage, review: PlanReview) -> Stage {
    stage.with(|stage| stage.answers.reviews = Answer::Found(vec![review]))
}

fn condition(status: Status, reason: Reason, message: &str) -> Condition {
    Condition::new(TYPE, status, reason, message)
}

/// Returns the contribution for one InstallPlan, without steps.
fn contribution(
    condition: Condition,
    name: &str,
    (compliant, reason): (&str, &str),
) -> Contribution {
    let object = related(
        INSTALL_PLAN,
        (Some(DATABASES), name),
        Some(compliant),
        reason,
    );
    let uid = format!("{name}-uid");
    let object = known(object, Some(&uid), false);
    Contribution::of(condition).add_related(TYPE, vec![object])
}

fn no_plan(reason: Reason, message: &str) -> Contribution {
    let label = "No InstallPlan of the namespace belongs to the policy";
    let object = related(
        INSTALL_PLAN,
        (Some(DATABASES), "-"),
        Some("Compliant"),
        label,
    );
    Contribution::of(condition(Status::True, reason, message)).add_related(TYPE, vec![object])
}

/// Adds the step that approves the InstallPlan.
fn approving(part: Contribution, message: &str) -> Contribution {
    let label = "The InstallPlan is approved";
    let object = related(
        INSTALL_PLAN,
        (Some(DATABASES), NEXT),
        Some("Compliant"),
        label,
    );
    part.add_step(Step {
        action: Action::Approve(Target {
            api_version: "operators.coreos.com/v1alpha1",
            kind: "InstallPlan",
            namespace: Some(DATABASES.to_owned()),
            name: NEXT.to_owned(),
            uid: format!("{NEXT}-uid"),
            resource_version: "1".to_owned(),
        }),
        type_: TYPE,
        done: condition(Status::True, Reason::InstallPlanApproved, message),
        related: vec![known(object, Some("install-b-uid"), false)],
    })
}

fn nothing_found() -> Contribution {
    no_plan(
        Reason::NoInstallPlansFound,
        "No InstallPlan in the namespace installs the operator",
    )
}

fn resting(name: &str, label: (&str, &str)) -> Contribution {
    let message = "No InstallPlan waits for approval";
    let condition = condition(
        Status::True,
        Reason::NoInstallPlansRequiringApproval,
        message,
    );
    contribution(condition, name, label)
}

const COMPLETE: (&str, &str) = ("Compliant", "The InstallPlan is Complete");

/// Behaviors 57, 58, 59, 76.
#[rstest]
#[case::is_missing_without_a_subscription(
    vec![plan(NEXT, &["etcd.v2.0.0"], json!({}))],
    nothing_found()
)]
#[case::is_missing_while_olm_names_no_bundle(
    vec![between("", ""), plan(NEXT, &["etcd.v2.0.0"], json!({})), plan("install-a", &[""], json!({}))],
    no_plan(
        Reason::NoInstallPlansFound,
        "No InstallPlan in the namespace installs the operator; OLM has not chosen a bundle for \
         the Subscription yet"
    )
    .requeue_at(at("2026-01-01T12:05:00Z"))
)]
#[case::is_never_of_another_operator(
    vec![between("etcd.v1.0.0", "etcd.v2.0.0"), plan(NEXT, &["raft.v1.0.0"], json!({}))],
    nothing_found()
)]
#[case::is_of_the_installed_bundle_if_there_is_no_other(
    vec![between("etcd.v1.0.0", "etcd.v1.0.0"), plan("install-a", &["etcd.v1.0.0"], phase("Complete"))],
    resting("install-a", COMPLETE)
)]
#[case::has_the_highest_generation(
    vec![
        between("etcd.v1.0.0", "etcd.v2.0.0"),
        plan("install-a", &["etcd.v2.0.0"], merged(generation(7), phase("Planning"))),
        plan(NEXT, &["etcd.v2.0.0"], merged(generation(6), phase("Failed"))),
    ],
    resting("install-a", ("NonCompliant", "The InstallPlan is Planning"))
)]
#[case::is_installing_the_current_csv_regardless_of_generations(
    vec![
        between("etcd.v1.0.0", "etcd.v2.0.0"),
        csv("etcd.v2.0.0", json!({})),
        plan("install-a", &["etcd.v2.0.0"], merged(generation(3), phase("Complete"))),
        plan(NEXT, &["etcd.v2.0.0"], generation(6)),
    ],
    contribution(
        condition(
            Status::False,
            Reason::InstallPlansInstalling,
            "InstallPlan install-a is installing etcd.v2.0.0",
        ),
        "install-a",
        ("NonCompliant", "The InstallPlan is Complete"),
    )
)]
#[case::is_not_complete_if_its_csv_was_deleted(
    vec![
        between("", "etcd.v2.0.0"),
        plan("install-a", &["etcd.v2.0.0"], merged(generation(3), phase("Complete"))),
        plan(NEXT, &["etcd.v2.0.0"], merged(generation(6), phase("Planning"))),
    ],
    resting(NEXT, ("NonCompliant", "The InstallPlan is Planning"))
)]
#[case::is_not_complete_if_a_later_plan_failed(
    vec![
        between("", "etcd.v2.0.0"),
        csv("etcd.v2.0.0", json!({})),
        plan("install-a", &["etcd.v2.0.0"], merged(generation(3), phase("Complete"))),
        plan(NEXT, &["etcd.v2.0.0"], merged(generation(6), phase("Failed"))),
    ],
    contribution(
        condition(
            Status::False,
            Reason::InstallPlanFailed,
            "InstallPlan databases/install-b has failed and is not retried",
        ),
        NEXT,
        ("NonCompliant", "The InstallPlan is Failed"),
    )
)]
#[case::is_not_complete_for_the_installed_bundle(
    vec![
        between("etcd.v1.0.0", "etcd.v2.0.0"),
        plan("install-a", &["etcd.v1.0.0"], merged(generation(1), phase("Complete"))),
        plan(NEXT, &["etcd.v2.0.0"], merged(generation(2), phase("Planning"))),
    ],
    resting(NEXT, ("NonCompliant", "The InstallPlan is Planning"))
)]
#[case::always_has_a_generation(
    vec![
        between("etcd.v1.0.0", "etcd.v2.0.0"),
        plan(NEXT, &["etcd.v2.0.0"], json!({"spec": {"generation": null}, "status": {"phase": "Complete"}})),
    ],
    nothing_found()
)]
#[case::is_the_first_by_name_among_equals(
    vec![
        between("etcd.v1.0.0", "etcd.v2.0.0"),
        plan("install-a", &["etcd.v2.0.0"], phase("Planning")),
        plan(NEXT, &["etcd.v2.0.0"], phase("Failed")),
    ],
    resting("install-a", ("NonCompliant", "The InstallPlan is Planning"))
)]
fn selects_the_relevant_install_plan(#[case] objects: Vec<Value>, #[case] part: Contribution) {
    let stage = objects
        .into_iter()
        .fold(stage(established(json!({}))), Stage::object);
    assert_eq!(stage.case(judge), part);
}

/// The InstallPlan still exists after the operator that it installed was removed.
#[test]
fn previously_installed_version_is_approved_again() {
    let stage = stage(established(json!({})))
        .object(between("", "etcd.v2.0.0"))
        .object(plan(
            "install-a",
            &["etcd.v2.0.0"],
            merged(generation(1), phase("Complete")),
        ))
        .object(plan(NEXT, &["etcd.v2.0.0"], json!({})));
    let part = reviewed(stage, review(State::Yes, &[], &[])).case(judge);
    let actions: Vec<_> = part.steps.into_iter().map(|step| step.action).collect();
    assert!(
        matches!(actions.as_slice(), [Action::Approve(target)] if target.name == NEXT),
        "{actions:?}"
    );
}

/// Behavior 60.
#[test]
fn ignores_waiting_plan_for_installed_version() {
    let stage = stage(established(json!({})))
        .object(between("etcd.v1.0.0", "etcd.v1.0.0"))
        .object(plan(NEXT, &["etcd.v1.0.0"], json!({})));
    let part = no_plan(
        Reason::NoInstallPlansRequiringApproval,
        "No InstallPlan waits for approval",
    );
    assert_eq!(stage.case(judge), part);
}

const INSTALLING: &str = "InstallPlan install-b is installing etcd.v2.0.0";

/// Behaviors 61, 72, 75.
#[rstest]
#[case::new_plan_is_unknown(
    established(json!({})),
    phase(""),
    resting(NEXT, ("NonCompliant", "The state of the InstallPlan is unknown"))
)]
#[case::plan_that_completed_other_bundles_needs_nothing(
    established(json!({})),
    merged(
        phase("Complete"),
        json!({"spec": {"clusterServiceVersionNames": ["etcd.v1.0.0", "raft.v1.0.0"]}}),
    ),
    resting(NEXT, COMPLETE)
)]
#[case::installing_plan_always_violates_the_established_form(
    established(json!({"complianceConfig": {"upgradesAvailable": "Compliant"}})),
    phase("Installing"),
    contribution(
        condition(Status::False, Reason::InstallPlansInstalling, INSTALLING),
        NEXT,
        ("NonCompliant", "The InstallPlan is Installing"),
    )
)]
#[case::installing_plan_violates_the_design_form(
    design(json!({})),
    phase("Installing"),
    contribution(
        condition(Status::False, Reason::InstallPlansInstalling, INSTALLING),
        NEXT,
        ("NonCompliant", "The InstallPlan is Installing"),
    )
)]
#[case::installing_plan_is_only_reported_if_the_design_form_ignores_it(
    design(json!({"statusConfig": {"upgradesProgressing": "Condition"}})),
    phase("Installing"),
    contribution(
        condition(Status::True, Reason::InstallPlansInstalling, INSTALLING),
        NEXT,
        ("Compliant", "The InstallPlan is Installing"),
    )
)]
fn reports_the_plan_phase(#[case] policy: Value, #[case] other: Value, #[case] part: Contribution) {
    assert_eq!(planned(policy, other).case(judge), part);
}

/// Behavior 61.
#[rstest]
#[case::by_the_policy(established(json!({})), json!({}))]
#[case::by_olm(established(json!({"remediationAction": "inform"})), json!({"approval": "Automatic"}))]
fn approved_plan_is_reported(#[case] policy: Value, #[case] other: Value) {
    let spec = merged(other, json!({"approved": true}));
    let message = "InstallPlan install-b for etcd.v2.0.0 is approved";
    let approved = Condition {
        since: Some(at("2026-01-01T12:00:00Z")),
        ..condition(Status::True, Reason::InstallPlanApproved, message)
    };
    let part = contribution(approved, NEXT, ("Compliant", "The InstallPlan is approved"));
    let part = part.requeue_at(at("2026-01-01T12:05:00Z"));
    assert_eq!(planned(policy, json!({"spec": spec})).case(judge), part);
}

/// Behavior 81.
#[rstest]
#[case::is_in_progress_while_the_previous_csv_exists(
    established(json!({})),
    "etcd.v1.0.0",
    contribution(
        condition(Status::False, Reason::InstallPlansInstalling, INSTALLING),
        NEXT,
        ("NonCompliant", "The InstallPlan is Complete"),
    )
)]
#[case::is_in_progress_and_only_reported_if_the_design_form_ignores_it(
    design(json!({"statusConfig": {"upgradesProgressing": "Condition"}})),
    "etcd.v1.0.0",
    contribution(
        condition(Status::True, Reason::InstallPlansInstalling, INSTALLING),
        NEXT,
        COMPLETE,
    )
)]
#[case::is_complete_once_olm_counts_the_csv_as_installed(
    established(json!({})),
    "etcd.v2.0.0",
    resting(NEXT, COMPLETE)
)]
fn reports_upgrade_in_progress_until_olm_counts_it_as_installed(
    #[case] policy: Value,
    #[case] installed: &str,
    #[case] part: Contribution,
) {
    let stage = stage(policy)
        .object(between(installed, "etcd.v2.0.0"))
        .object(csv("etcd.v1.0.0", json!({"spec": {"version": "1.0.0"}})))
        .object(plan(NEXT, &["etcd.v2.0.0"], phase("Complete")));
    assert_eq!(stage.case(judge), part);
}

fn step(bundle: &str, name: &str, status: &str) -> Value {
    json!({
        "resolving": bundle,
        "status": status,
        "resource": {"group": "apps", "kind": "Deployment", "name": name},
    })
}

fn failed(steps: Value) -> Value {
    json!({
        "status": {
            "phase": "Failed",
            "plan": steps,
            "conditions": [{
                "type": "Installed",
                "status": "False",
                "reason": "InstallComponentFailed",
                "message": "error creating etcd: quota exceeded.",
            }],
        },
    })
}

fn failure(message: &str) -> Contribution {
    contribution(
        condition(Status::False, Reason::InstallPlanFailed, message),
        NEXT,
        ("NonCompliant", "The InstallPlan is Failed"),
    )
}

/// Behavior 74. Defect D24.
#[rstest]
#[case::single_bundle_reports_step_and_error(
    &["etcd.v2.0.0"],
    failed(json!([
        step("etcd.v2.0.0", "first", "Created"),
        step("etcd.v2.0.0", "second", "Unknown"),
        step("etcd.v2.0.0", "third", "Unknown"),
    ])),
    failure("InstallPlan databases/install-b has failed and is not retried (at Deployment \
     second): error creating etcd: quota exceeded")
)]
#[case::single_bundle_counts_although_all_objects_exist(
    &["etcd.v2.0.0"],
    failed(json!([step("etcd.v2.0.0", "first", "Present")])),
    failure("InstallPlan databases/install-b has failed and is not retried: error creating etcd: \
     quota exceeded")
)]
#[case::missing_message_is_reported(
    &["etcd.v2.0.0"],
    phase("Failed"),
    failure("InstallPlan databases/install-b has failed and is not retried")
)]
#[case::other_bundles_do_not_hide_our_failure(
    &["etcd.v2.0.0", "raft.v1.0.0"],
    failed(json!([
        step("raft.v1.0.0", "first", "NotCreated"),
        step("etcd.v2.0.0", "second", "NotCreated"),
    ])),
    failure("InstallPlan databases/install-b has failed and is not retried (at Deployment \
     second): error creating etcd: quota exceeded")
)]
#[case::failure_of_other_bundles_does_not_count(
    &["etcd.v2.0.0", "raft.v1.0.0"],
    failed(json!([
        step("raft.v1.0.0", "first", "NotCreated"),
        step("etcd.v2.0.0", "second", "Created"),
    ])),
    resting(NEXT, ("NonCompliant", "The InstallPlan is Failed"))
)]
fn reports_a_failed_plan(#[case] csvs: &[&str], #[case] other: Value, #[case] part: Contribution) {
    let stage = upgrading(established(json!({}))).object(plan(NEXT, csvs, other));
    assert_eq!(stage.case(judge), part);
}

/// Returns a stage in which a user has approved an InstallPlan with two bundles.
fn let_through(policy: Value, state: State, code: &str) -> Stage {
    let approved = json!({"spec": {"approved": true}, "status": {"phase": "Installing"}});
    let stage = upgrading(policy).object(plan(NEXT, &["etcd.v2.0.0", "raft.v1.0.0"], approved));
    let mut review = review(State::Yes, &[], &[]);
    review.resource_version = "before".to_owned();
    review.bundles.push(PlannedBundle {
        name: "raft.v1.0.0".to_owned(),
        verdict: Verdict {
            state,
            reasons: vec![Why {
                code: code.into(),
                message: "No policy is about raft".to_owned(),
            }],
        },
        ..PlannedBundle::default()
    });
    reviewed(stage, review)
}

fn foreign(message: &str) -> Contribution {
    contribution(
        condition(Status::False, Reason::InstallPlanNotAllowed, message),
        NEXT,
        ("NonCompliant", "The InstallPlan is Installing"),
    )
}

fn both_installing() -> Contribution {
    contribution(
        condition(
            Status::False,
            Reason::InstallPlansInstalling,
            "InstallPlan install-b is installing etcd.v2.0.0 and raft.v1.0.0",
        ),
        NEXT,
        ("NonCompliant", "The InstallPlan is Installing"),
    )
}

#[rstest]
#[case::without_an_allowing_policy_is_named(
    let_through(established(json!({})), State::No, "NoPolicy"),
    foreign(
        "InstallPlan install-b is already approved, but installs raft.v1.0.0, which no policy \
         allows: No policy is about raft",
    )
)]
#[case::of_the_operator_itself_is_named_in_inform_mode(
    let_through(
        established(json!({"versions": ["etcd.v1.0.0"], "remediationAction": "inform"})),
        State::Yes,
        "",
    ),
    foreign(
        "InstallPlan install-b is already approved, but installs etcd.v2.0.0, which spec.versions \
         does not allow",
    )
)]
#[case::of_other_operators_is_ignored_in_inform_mode(
    let_through(established(json!({"remediationAction": "inform"})), State::No, "NoPolicy"),
    both_installing()
)]
#[case::with_manual_approval_was_approved_by_a_user(
    let_through(established(json!({})), State::No, "UpdatesNotAllowed"),
    both_installing()
)]
#[case::that_is_unknown_is_not_reported(
    let_through(established(json!({})), State::NotYet, "UnknownPackage"),
    both_installing()
)]
fn names_unallowed_bundles_of_an_approved_plan(#[case] stage: Stage, #[case] part: Contribution) {
    assert_eq!(stage.case(judge), part);
}

#[test]
fn ignores_unallowed_approval_after_installation() {
    let stage = stage(established(json!({"versions": ["etcd.v1.0.0"]})))
        .object(between("etcd.v2.0.0", "etcd.v2.0.0"))
        .object(plan(
            NEXT,
            &["etcd.v2.0.0"],
            json!({"spec": {"approved": true}, "status": {"phase": "Complete"}}),
        ));
    assert_eq!(stage.case(judge), resting(NEXT, COMPLETE));
}
