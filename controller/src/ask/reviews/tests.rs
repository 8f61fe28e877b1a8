//! Whether a plan is still allowed.

use portolan_decide::{Judged, Verdict, Why};
use rstest::rstest;

use super::*;

const BEHALF: Behalf<'_> = ("policies", "ferry", "p-1", 2);

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

fn review() -> Review {
    Review {
        plan: "install-1".to_owned(),
        uid: "u-1".to_owned(),
        resource_version: "7".to_owned(),
        verdict: verdict(State::Yes),
        policies: vec![judged("p-0", 2), judged("p-1", 2)],
        bundles: Vec::new(),
    }
}

fn judged(uid: &str, generation: u32) -> Judged {
    Judged {
        namespace: "policies".to_owned(),
        name: "ferry".to_owned(),
        uid: uid.to_owned(),
        generation,
    }
}

fn verdict(state: State) -> Verdict {
    let reasons = match state {
        State::Yes => Vec::new(),
        State::No | State::NotYet => vec![Why {
            code: "NotAllowed".to_owned(),
            message: "nobody allows tug.v1".to_owned(),
        }],
    };
    Verdict { state, reasons }
}

#[test]
fn a_plan_that_is_as_it_was_seen_is_still_allowed() {
    assert_eq!(allowed(&review(), &target(), BEHALF), Ok(()));
}

#[rstest]
#[case::another_plan_of_the_same_name(
    Review { uid: "u-2".to_owned(), ..review() },
    "InstallPlan harbor/install-1 is not as it was seen"
)]
#[case::a_newer_state(
    Review { resource_version: "8".to_owned(), ..review() },
    "InstallPlan harbor/install-1 is not as it was seen"
)]
#[case::no_review_at_all(
    Review::default(),
    "InstallPlan harbor/install-1 is not as it was seen"
)]
#[case::no(
    Review { verdict: verdict(State::No), ..review() },
    "InstallPlan harbor/install-1 is no longer allowed: nobody allows tug.v1"
)]
#[case::not_yet(
    Review { verdict: verdict(State::NotYet), ..review() },
    "InstallPlan harbor/install-1 is no longer allowed: nobody allows tug.v1"
)]
#[case::a_verdict_without_a_reason(
    Review { verdict: Verdict::default(), ..review() },
    "InstallPlan harbor/install-1 is no longer allowed: approval does not say why"
)]
#[case::another_generation_of_the_policy(
    Review { policies: vec![judged("p-1", 1)], ..review() },
    "InstallPlan harbor/install-1 was not reviewed with generation 2 of OperatorPolicy \
     policies/ferry"
)]
#[case::another_policy_of_the_same_name(
    Review { policies: vec![judged("p-0", 2)], ..review() },
    "InstallPlan harbor/install-1 was not reviewed with generation 2 of OperatorPolicy \
     policies/ferry"
)]
fn anything_else_is_to_be_looked_at_again(#[case] review: Review, #[case] sentence: &str) {
    let expected = Err(Outcome::Changed(sentence.to_owned()));
    assert_eq!(allowed(&review, &target(), BEHALF), expected);
}
