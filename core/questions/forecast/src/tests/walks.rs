//! Tests the sequence of OLM's passes, and the states in which a forecast ends.

use rstest::rstest;

use super::{bundle, world};
use crate::{Cause, End, OperatorGroup, Phase, Silence};

const CHAIN: &str = "a: 1.0.0 -> 1.1.0 -> 1.2.0";

#[test]
fn new_subscription_installs_the_head_at_once() {
    let story = world(CHAIN).subscribed("a").story();
    assert_eq!(
        story,
        [
            "olm/one/stable/a.v1.2.0 for a after a.v1.1.0",
            "a at a.v1.2.0: Head"
        ]
    );
}

#[test]
fn starting_csv_is_updated_edge_by_edge() {
    let story = world(CHAIN).subscribed("a start=a.v1.0.0").story();
    assert_eq!(
        story,
        [
            "olm/one/stable/a.v1.0.0 for a",
            "olm/one/stable/a.v1.1.0 for a after a.v1.0.0",
            "olm/one/stable/a.v1.2.0 for a after a.v1.1.0",
            "a at a.v1.2.0: Head",
        ]
    );
}

#[rstest]
#[case::skips("a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 skips 1.0.0", "a.v1.2.0")]
#[case::skip_range("a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 covers >=1.0.0 <1.2.0", "a.v1.2.0")]
#[case::replaces("a: 1.0.0 -> 1.1.0 -> 1.2.0", "a.v1.1.0")]
fn update_follows_an_edge(#[case] text: &str, #[case] next: &str) {
    let world = world(text)
        .installed("a.v1.0.0")
        .subscribed("a at=a.v1.0.0");
    let story = world.story();
    assert_eq!(
        story[0],
        format!("olm/one/stable/{next} for a after a.v1.0.0")
    );
}

#[test]
fn manual_approval_stops_after_the_first_pass() {
    let story = world(CHAIN)
        .subscribed("a start=a.v1.0.0")
        .subscribed("a manual name=b start=a.v1.0.0")
        .forecast();
    assert_eq!(story.passes.len(), 1);
    let manual = vec!["b".to_owned()];
    assert_eq!(story.end, End::AwaitsApproval { manual });
}

#[rstest]
#[case::no_group(0)]
#[case::two(2)]
fn olm_does_nothing_without_exactly_one_operator_group(#[case] found: usize) {
    let mut world = world(CHAIN).subscribed("a");
    world.namespace.operator_groups = vec![OperatorGroup::default(); found];
    let silence = Silence::OperatorGroups { found };
    assert_eq!(world.forecast().end, End::Silent(silence));
}

#[test]
fn olm_does_nothing_without_a_subscription() {
    let end = world(CHAIN).installed("a.v1.0.0").forecast().end;
    assert_eq!(end, End::Silent(Silence::NoSubscription));
}

#[test]
fn pending_plan_stops_the_resolution() {
    let end = world(CHAIN)
        .subscribed("a current=a.v1.0.0 planned")
        .forecast()
        .end;
    let subscriptions = vec!["a".to_owned()];
    assert_eq!(end, End::AwaitsPlans { subscriptions });
}

#[test]
fn failed_plan_is_ignored_if_olm_fails_forward() {
    let mut world = world(CHAIN).subscribed("a current=a.v1.0.0 planned failed");
    let subscriptions = vec!["a".to_owned()];
    assert_eq!(world.forecast().end, End::AwaitsPlans { subscriptions });
    world.namespace.operator_groups[0].fails_forward = true;
    assert!(matches!(world.forecast().end, End::Settled(_)));
}

#[test]
fn skip_ranges_over_newer_entries_cause_an_upgrade_loop() {
    let world = world("a: 1.0.0 -> 2.0.0; 1.0.0 covers >=2.0.0")
        .installed("a.v1.0.0")
        .subscribed("a at=a.v1.0.0");
    assert_eq!(
        world.story(),
        [
            "olm/one/stable/a.v2.0.0 for a after a.v1.0.0",
            "olm/one/stable/a.v1.0.0 for a after a.v2.0.0",
            "Circles { from: 0 }",
        ]
    );
}

#[test]
fn dependency_gets_its_own_subscription() {
    let story = world("a: 1.0.0 requires b >=1.0.0; b: 1.0.0 -> 1.1.0")
        .subscribed("a")
        .story();
    assert_eq!(
        story,
        [
            "olm/one/stable/a.v1.0.0 for a + \
             olm/one/stable/b.v1.1.0 as b-stable-one-olm after b.v1.0.0",
            "a at a.v1.0.0: Head, b-stable-one-olm at b.v1.1.0: Head",
        ]
    );
}

#[test]
fn subscription_created_by_olm_is_updated_too() {
    let story = world("a: 1.0.0 requires b <1.1.0; 1.0.0 -> 1.1.0; b: 1.0.0 -> 1.1.0")
        .subscribed("a start=a.v1.0.0")
        .story();
    assert_eq!(
        story,
        [
            "olm/one/stable/a.v1.0.0 for a + olm/one/stable/b.v1.0.0 as b-stable-one-olm",
            "olm/one/stable/a.v1.1.0 for a after a.v1.0.0 + \
             olm/one/stable/b.v1.1.0 for b-stable-one-olm after b.v1.0.0",
            "a at a.v1.1.0: Head, b-stable-one-olm at b.v1.1.0: Head",
        ]
    );
}

/// OLM creates no plan if no Subscription selects a new bundle.
#[test]
fn missing_dependency_of_installed_operator_is_not_installed() {
    let story = world("a: 1.0.0 requires b >=1.0.0; b: 1.0.0")
        .installed("a.v1.0.0")
        .subscribed("a at=a.v1.0.0")
        .story();
    assert_eq!(story, ["a at a.v1.0.0: Head"]);
}

#[test]
fn deleted_operator_is_not_reinstalled() {
    let story = world(CHAIN).subscribed("a at=a.v1.2.0").story();
    assert_eq!(story, ["a at nothing: Gone"]);
}

#[test]
fn copied_csv_counts_as_installed() {
    let mut world = world(CHAIN).subscribed("a current=a.v1.2.0");
    world.namespace.copied.insert(bundle("a.v1.2.0"));
    assert_eq!(world.story(), ["a at a.v1.2.0: Copied"]);
}

#[test]
fn update_requires_an_edge() {
    let story = world("a: 1.1.0 -> 1.2.0; b: 1.0.0")
        .installed("b.v1.0.0")
        .with_csv(|csv| {
            csv.name = bundle("a.v1.0.0");
            csv.traits.package = Some("a".parse().expect("the name must parse"));
        })
        .subscribed("a at=a.v1.0.0")
        .story();
    assert_eq!(story, ["a at a.v1.0.0: NoEdge"]);
}

#[test]
fn prohibited_successor_is_skipped_without_a_message() {
    let end = world(CHAIN)
        .prohibiting("a.v1.1.0")
        .installed("a.v1.0.0")
        .subscribed("a at=a.v1.0.0")
        .forecast()
        .end;
    let End::Settled(stays) = end else {
        panic!("it must settle, and is {end:?}");
    };
    let Cause::Refused {
        successors,
        reasons,
    } = &stays[0].cause
    else {
        panic!("it must be refused, and is {:?}", stays[0].cause);
    };
    assert_eq!(*successors, [bundle("a.v1.1.0")]);
    let reasons: Vec<_> = reasons.iter().map(ToString::to_string).collect();
    assert_eq!(
        reasons,
        [
            "bundle one/olm/stable/a.v1.1.0 is deprecated",
            "subscription a exists",
            "subscription a requires one/olm/stable/a.v1.1.0",
        ]
    );
}

#[test]
fn failing_forward_replaces_the_failed_csv() {
    let mut world = world(CHAIN)
        .installed("a.v1.0.0")
        .with_csv(|csv| csv.phase = Phase::Replacing)
        .installed("a.v1.1.0")
        .with_csv(|csv| {
            csv.phase = Phase::Failed;
            csv.replaces = Some(bundle("a.v1.0.0"));
        })
        .subscribed("a at=a.v1.1.0");
    assert!(matches!(world.forecast().end, End::Failed(_)));
    world.namespace.operator_groups[0].fails_forward = true;
    let story = world.story();
    assert_eq!(story[0], "olm/one/stable/a.v1.2.0 for a after a.v1.1.0");
}

#[test]
fn two_subscriptions_may_request_the_same_bundle() {
    let story = world(CHAIN)
        .subscribed("a")
        .subscribed("a/stable name=b")
        .story();
    assert_eq!(
        story,
        [
            "olm/one/stable/a.v1.2.0 for a, b after a.v1.1.0",
            "a at a.v1.2.0: Head, b at a.v1.2.0: Head",
        ]
    );
}
