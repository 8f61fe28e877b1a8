use portolan_api::{ConditionType, Reason};
use rstest::rstest;
use serde_json::{Value, json};

use super::judge;
use crate::contribution::Contribution;
use crate::defaults::wanted;
use crate::desired::{Condition, Status};
use crate::tests::kit::{Stage, design, established, merged, now, offer, stage, subscription};
use crate::{Answer, Channel, Offer, Unavailable};

const TYPE: ConditionType = ConditionType::MinorChannelUpgradeAvailable;

fn offered(policy: Value, channel: &str, others: &[&str]) -> Stage {
    let names = others.iter().chain([&channel]);
    let channels = names.map(|name| Channel {
        name: (*name).to_owned(),
        deprecation: None,
    });
    let offer = Offer {
        channels: channels.collect(),
        ..offer()
    };
    let mut policy = policy;
    policy["spec"] = merged(
        policy["spec"].clone(),
        json!({"subscription": {"channel": channel}}),
    );
    stage(policy)
        .object(subscription(json!({"spec": {"channel": channel}})))
        .with(|stage| stage.answers.offer = Answer::Found(offer))
}

fn judged(stage: &Stage) -> Contribution {
    stage.case(|case| judge(case, &wanted(case).expect("a Subscription to want")))
}

fn contribution(status: Status, message: &str) -> Contribution {
    Contribution::of(Condition::new(
        TYPE,
        status,
        Reason::UpgradeAvailable,
        message,
    ))
}

fn skipped() -> Contribution {
    let message = "The check for channels with a later minor version is off";
    Contribution::of(Condition::good(TYPE, Reason::Skipped, message))
}

/// Behaviors 95, 96.
#[rstest]
#[case::several_later_channels_are_named_in_order(
    "stable-4.8",
    &["stable-4.10", "stable-4.9", "stable-4.7", "stable-4.100"],
    Some("Channels stable-4.9, stable-4.10 and stable-4.100 of package etcd have later minor versions")
)]
#[case::one_later_channel_is_named(
    "stable-4.8",
    &["stable-4.9"],
    Some("Channel stable-4.9 of package etcd has a later minor version")
)]
#[case::x_suffix_matches_only_x_suffix(
    "v4.8.x",
    &["v4.9", "v4.9.x"],
    Some("Channel v4.9.x of package etcd has a later minor version")
)]
#[case::other_major_version_is_ignored("stable-4.8", &["stable-5.9"], None)]
#[case::other_prefix_is_ignored("stable-4.8", &["fast-4.9"], None)]
#[case::channel_without_a_minor_version_has_no_later_channels("stable", &["stable-4.9"], None)]
#[case::channel_with_only_a_major_version_has_no_later_channels("stable-2.x", &["stable-3.x", "stable-2.1"], None)]
#[case::channel_without_a_version_has_no_later_channels("stable-pg-v13", &["stable-pg-v14"], None)]
#[case::channel_with_three_numbers_has_no_later_channels("stable-4.8.1", &["stable-4.9.1"], None)]
#[case::channel_with_other_characters_has_no_later_channels("stable_4.8", &["stable_4.9"], None)]
fn finds_channels_with_a_later_minor_version(
    #[case] channel: &str,
    #[case] others: &[&str],
    #[case] message: Option<&str>,
) {
    let none = format!("Package etcd has no channel of a later minor version than {channel}");
    let part = match message {
        Some(message) => contribution(Status::True, message),
        None => Contribution::of(Condition::good(TYPE, Reason::Recommended, none)),
    };
    assert_eq!(
        judged(&offered(established(json!({})), channel, others)),
        part
    );
}

/// Behavior 95.
#[test]
fn later_channel_makes_policy_noncompliant_if_configured() {
    let policy = established(json!({
        "complianceConfig": {"minorChannelUpgradeAvailable": "NonCompliant"},
    }));
    let message = "Channel stable-4.9 of package etcd has a later minor version";
    assert_eq!(
        judged(&offered(policy, "stable-4.8", &["stable-4.9"])),
        contribution(Status::False, message)
    );
}

fn later(policy: Value) -> Stage {
    offered(policy, "stable-4.8", &["stable-4.9"])
}

fn answer(answer: Answer<Offer>) -> Stage {
    later(established(json!({}))).with(|stage| stage.answers.offer = answer)
}

/// Behavior 95. Defects D19, D20.
#[rstest]
#[case::in_the_design_form(later(design(json!({}))), skipped())]
#[case::if_upgrades_are_not_approved(
    later(established(json!({"upgradeApproval": "None"}))),
    skipped()
)]
#[case::without_a_subscription(
    later(established(json!({}))).without(crate::kinds::SUBSCRIPTION),
    skipped()
)]
#[case::without_a_package(answer(Answer::NotFound("No catalog has etcd.".into())), skipped())]
#[case::while_the_resolver_is_unavailable(
    answer(Answer::Unavailable(Unavailable { service: "resolver", since: Some(now()), why: "timed out".into() })),
    Contribution::default().keep(TYPE, "no answer from resolver since 2026-01-01T12:00:00Z: timed out")
)]
#[case::if_the_package_is_from_another_catalog(
    answer(Answer::Found(Offer { catalog: "olm/mall".into(), ..offer() })),
    Contribution::default()
        .keep(TYPE, "the resolver reports catalog olm/mall, but the policy requires olm/shop")
)]
fn later_channels_are_not_searched(#[case] stage: Stage, #[case] part: Contribution) {
    assert_eq!(judged(&stage), part);
}
