//! Tests of the check immediately before an approval.

use portolan_api::{Claim, OperatorPolicy, standings};
use portolan_core_olm::ApprovalCode;
use portolan_core_operatorpolicy::{PlannedBundle, ReviewedPolicy, Verdict, Why};
use rstest::rstest;
use serde_json::json;

use super::*;

/// Returns a policy, with another policy for the same namespace.
fn observed() -> Observed {
    let policy = |name: &str, uid: &str| {
        let policy = json!({
            "metadata": {"name": name, "namespace": "policies", "uid": uid, "generation": 2},
            "spec": {
                "remediationAction": "enforce",
                "subscription": {"name": name, "namespace": "harbor"},
                "allowedCSVs": ["*"],
            },
        });
        serde_json::from_value::<OperatorPolicy>(policy).expect("a policy")
    };
    let other = Claim::of(&policy("tug", "p-2")).expect("a claim");
    Observed {
        neighbors: standings(&[&other]),
        namespace: Some(NamespaceState {
            name: "harbor".to_owned(),
            ..NamespaceState::default()
        }),
        ..Observed::alone(Arc::new(policy("ferry", "p-1")))
    }
}

fn target() -> Target {
    Target {
        api_version: "operators.coreos.com/v1alpha1",
        kind: "InstallPlan",
        namespace: Some("harbor".to_owned()),
        name: "install-1".to_owned(),
        uid: "u-1".to_owned(),
        resource_version: "7".to_owned(),
    }
}

fn review() -> PlanReview {
    PlanReview {
        plan: "install-1".to_owned(),
        uid: "u-1".to_owned(),
        resource_version: "7".to_owned(),
        verdict: verdict(State::Yes),
        policies: vec![judged("ferry", "p-1", 2), judged("tug", "p-2", 2)],
        bundles: vec![PlannedBundle {
            package: "tug".to_owned(),
            ..PlannedBundle::default()
        }],
    }
}

fn judged(name: &str, uid: &str, generation: u32) -> ReviewedPolicy {
    ReviewedPolicy {
        namespace: "policies".to_owned(),
        name: name.to_owned(),
        uid: uid.to_owned(),
        generation,
    }
}

fn verdict(state: State) -> Verdict<ApprovalCode> {
    let reasons = match state {
        State::Yes => Vec::new(),
        State::No | State::NotYet => vec![Why {
            code: "NotAllowed".into(),
            message: "nobody allows tug.v1".to_owned(),
        }],
    };
    Verdict { state, reasons }
}

const NOT_THE_POLICY: &str = "InstallPlan harbor/install-1 was not reviewed with the current \
 OperatorPolicy policies/ferry";
const NOT_THE_NEIGHBOR: &str = "InstallPlan harbor/install-1 was not reviewed with the current \
 OperatorPolicy policies/tug";

#[test]
fn unchanged_plan_is_still_allowed() {
    assert_eq!(allowed(&review(), &target(), &observed()), Ok(()));
}

#[rstest]
#[case::another_plan_of_the_same_name(
    PlanReview { uid: "u-2".to_owned(), ..review() },
    "InstallPlan harbor/install-1 was changed in the meantime"
)]
#[case::newer_state(
    PlanReview { resource_version: "8".to_owned(), ..review() },
    "InstallPlan harbor/install-1 was changed in the meantime"
)]
#[case::no_review_at_all(
    PlanReview::default(),
    "InstallPlan harbor/install-1 was changed in the meantime"
)]
#[case::no(
    PlanReview { verdict: verdict(State::No), ..review() },
    "InstallPlan harbor/install-1 is no longer allowed: nobody allows tug.v1"
)]
#[case::not_yet(
    PlanReview { verdict: verdict(State::NotYet), ..review() },
    "InstallPlan harbor/install-1 is no longer allowed: nobody allows tug.v1"
)]
#[case::verdict_without_a_reason(
    PlanReview { verdict: Verdict::default(), ..review() },
    "InstallPlan harbor/install-1 is no longer allowed: the approval service gives no reason"
)]
#[case::another_generation_of_the_policy(
    PlanReview { policies: vec![judged("ferry", "p-1", 1), judged("tug", "p-2", 2)], ..review() },
    NOT_THE_POLICY
)]
#[case::another_policy_of_the_same_name(
    PlanReview { policies: vec![judged("ferry", "p-0", 2), judged("tug", "p-2", 2)], ..review() },
    NOT_THE_POLICY
)]
#[case::other_generation_of_a_neighbor(
    PlanReview { policies: vec![judged("ferry", "p-1", 2), judged("tug", "p-2", 1)], ..review() },
    NOT_THE_NEIGHBOR
)]
#[case::relevant_neighbor_is_missing(
    PlanReview { policies: vec![judged("ferry", "p-1", 2)], ..review() },
    NOT_THE_NEIGHBOR
)]
fn changed_review_is_overtaken(#[case] review: PlanReview, #[case] sentence: &str) {
    let expected = Err(StepOutcome::Overtaken(sentence.to_owned()));
    assert_eq!(allowed(&review, &target(), &observed()), expected);
}
