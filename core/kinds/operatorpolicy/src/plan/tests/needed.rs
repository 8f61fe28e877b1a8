//! Tests for an InstallPlan that installs only a dependency of the operator.

use super::*;
use crate::WriteMode;

const AVAILABLE: &str =
    "An upgrade to raft.v2.0.0 is available on the beta channel; etcd.v1.0.0 requires it";
const APPROVED: &str =
    "InstallPlan install-b for raft.v2.0.0 is approved because etcd.v1.0.0 needs it";

/// Returns a stage in which the operator is installed and OLM upgrades its dependency raft.
fn needing(policy: Value, phase: &str) -> Stage {
    let raft = json!({
        "metadata": {"name": "raft-beta-shop-olm", "uid": "raft-uid"},
        "spec": {"name": "raft", "channel": "beta"},
        "status": {"installedCSV": "raft.v1.0.0", "currentCSV": "raft.v2.0.0"},
    });
    let own = json!({"status": {"phase": "Complete"}});
    stage(policy)
        .object(between("etcd.v1.0.0", "etcd.v1.0.0"))
        .object(csv("etcd.v1.0.0", json!({"spec": {"version": "1.0.0"}})))
        .object(subscription(raft))
        .object(csv("raft.v1.0.0", super::phase(phase)))
        .object(plan("install-a", &["etcd.v1.0.0", "raft.v1.0.0"], own))
        .object(plan(NEXT, &["raft.v2.0.0"], generation(3)))
}

/// Returns a review in which a policy allows raft because etcd needs it.
fn allowance(uid: &str, needed_by: &[&str]) -> PlanReview {
    let mut review = review(State::Yes, &[], &[]);
    review.bundles[0] = PlannedBundle {
        name: "raft.v2.0.0".to_owned(),
        package: "raft".to_owned(),
        version: "2.0.0".to_owned(),
        verdict: review.verdict.clone(),
        allowances: vec![Allowance {
            uid: uid.to_owned(),
            needed_by: needed_by.iter().map(|by| (*by).to_owned()).collect(),
        }],
        fixes: Vec::new(),
    };
    review
}

fn own() -> PlanReview {
    allowance(POLICY_UID, &["etcd.v1.0.0"])
}

/// Returns a policy that allows only one version of the operator, so OLM must not approve
/// InstallPlans itself.
fn pinned(other: Value) -> Value {
    established(merged(json!({"versions": ["etcd.v1.0.0"]}), other))
}

fn needed(other: Value) -> Stage {
    reviewed(needing(pinned(other), "Succeeded"), own())
}

fn waiting(more: &str) -> Contribution {
    let message = format!("{AVAILABLE}{more}");
    contribution(
        condition(Status::True, Reason::InstallPlanRequiresApproval, &message),
        NEXT,
        ("Compliant", "The InstallPlan is not approved"),
    )
}

fn at_rest() -> Contribution {
    resting("install-a", COMPLETE)
}

/// Behavior 66.
#[rstest]
#[case::is_approved_although_the_operator_does_not_change(
    needed(json!({})),
    approving(waiting(""), APPROVED)
)]
#[case::is_approved_for_the_nearest_bundle(
    reviewed(
        needing(pinned(json!({})), "Succeeded"),
        allowance(POLICY_UID, &["sail.v1.0.0", "etcd.v1.0.0"]),
    ),
    approving(waiting(""), APPROVED)
)]
#[case::is_approved_if_the_installed_csv_failed(
    reviewed(needing(pinned(json!({})), "Failed"), own()),
    approving(
        waiting(""),
        &format!(
            "{APPROVED}, although raft.v1.0.0 is Failed: install strategy completed with no errors"
        )
    )
)]
#[case::waits_until_the_installed_csv_is_complete(
    reviewed(needing(pinned(json!({})), "Installing"), own()),
    waiting(". The approval waits until the installation of raft.v1.0.0 has ended (Installing)")
)]
#[case::waits_if_the_policy_approves_no_upgrades(
    needed(json!({"upgradeApproval": "None"})),
    waiting(
        ". The InstallPlan is not approved because spec.upgradeApproval is None; set \
         spec.upgradeApproval to Automatic, or approve the InstallPlan by hand",
    )
)]
#[case::waits_in_read_only_mode(
    needed(json!({})).with(|stage| stage.write_mode = WriteMode::ReadOnly("Another controller writes.".into())),
    waiting(". The InstallPlan is not approved: Another controller writes")
)]
#[case::waits_for_a_review_of_the_observed_plan(
    reviewed(
        needing(pinned(json!({})), "Succeeded"),
        PlanReview { resource_version: "0".to_owned(), ..own() },
    ),
    waiting(". The InstallPlan is not approved yet: the approval service has not observed the \
             latest version of the InstallPlan")
        .requeue_at(at("2026-01-01T12:00:05Z"))
)]
#[case::is_ignored_by_a_policy_that_allows_no_dependencies(
    reviewed(needing(design(json!({})), "Succeeded"), own()),
    at_rest()
)]
#[case::is_ignored_by_a_policy_that_does_not_allow_the_bundle(
    reviewed(
        needing(pinned(json!({})), "Succeeded"),
        allowance("other-uid", &["mast.v1.0.0"]),
    ),
    at_rest()
)]
#[case::is_ignored_unless_all_bundles_are_allowed(
    reviewed(
        needing(pinned(json!({})), "Succeeded"),
        PlanReview { verdict: review(State::No, &[], &[]).verdict, ..own() },
    ),
    at_rest()
)]
#[case::is_ignored_once_it_is_approved(
    needed(json!({})).without(INSTALL_PLAN)
        .object(plan("install-a", &["etcd.v1.0.0"], phase("Complete")))
        .object(plan(NEXT, &["raft.v2.0.0"], json!({"spec": {"approved": true}}))),
    at_rest()
)]
fn approves_plan_for_a_dependency_only_if_the_policy_permits_it(
    #[case] stage: Stage,
    #[case] part: Contribution,
) {
    assert_eq!(stage.case(judge), part);
}

/// A deleted dependency has no Subscription until OLM executes the InstallPlan.
#[test]
fn approves_plan_that_restores_a_dependency() {
    let stage = needed(json!({}))
        .without(crate::kinds::SUBSCRIPTION)
        .without(crate::kinds::CSV)
        .object(between("etcd.v1.0.0", "etcd.v1.0.0"))
        .object(csv("etcd.v1.0.0", json!({})));
    let head = "An upgrade to raft.v2.0.0 is available; etcd.v1.0.0 requires it";
    let waiting = contribution(
        condition(Status::True, Reason::InstallPlanRequiresApproval, head),
        NEXT,
        ("Compliant", "The InstallPlan is not approved"),
    );
    assert_eq!(stage.case(judge), approving(waiting, APPROVED));
}

/// If the operator itself has a waiting InstallPlan, that one is judged first.
#[test]
fn plan_for_dependency_waits_for_plan_of_the_operator() {
    let stage = needed(json!({}))
        .without(crate::kinds::SUBSCRIPTION)
        .object(between("etcd.v1.0.0", "etcd.v2.0.0"))
        .object(plan("install-c", &["etcd.v2.0.0"], phase("Installing")));
    assert_eq!(
        stage.case(judge),
        contribution(
            condition(
                Status::False,
                Reason::InstallPlansInstalling,
                "InstallPlan install-c is installing etcd.v2.0.0",
            ),
            "install-c",
            ("NonCompliant", "The InstallPlan is Installing"),
        )
    );
}
