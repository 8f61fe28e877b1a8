use portolan_api::{ConditionType, OperatorPolicyStatus, Reason};
use rstest::rstest;
use serde_json::{Value, json};

use super::judge;
use crate::contribution::Contribution;
use crate::defaults::wanted;
use crate::desired::{Condition, Status};
use crate::tests::kit::{Stage, design, established, now, offer, stage, subscription};
use crate::{Answer, Offer, Unavailable, render_status};

const TYPE: ConditionType = ConditionType::NoDeprecations;

fn offered(policy: Value, change: impl FnOnce(&mut Offer)) -> Stage {
    let mut offer = offer();
    change(&mut offer);
    let at = json!({"status": {"installedCSV": "etcd.v1.0.0", "currentCSV": "etcd.v2.0.0"}});
    stage(policy)
        .object(subscription(at))
        .with(|stage| stage.answers.offer = Answer::Found(offer))
}

fn judged(stage: &Stage) -> Contribution {
    stage.case(|case| judge(case, &wanted(case).expect("a Subscription to want")))
}

fn contribution(reason: Reason, message: &str) -> Contribution {
    Contribution::of(Condition {
        violates: false,
        ..Condition::new(TYPE, Status::False, reason, message)
    })
}

fn gone(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Deprecates the bundle with this index. The bundles of the offer are 3.0.0, 2.0.0 and 1.0.0.
fn bundle(offer: &mut Offer, at: usize) {
    offer.bundles[at].deprecation = gone("Use another.");
}

fn nothing() -> Contribution {
    let message = "Package etcd, channel stable, bundle etcd.v1.0.0 and bundle etcd.v2.0.0 are not deprecated";
    Contribution::of(Condition::good(TYPE, Reason::Recommended, message))
}

/// Behaviors 92, 93.
#[rstest]
#[case::no_deprecation_is_compliant(offered(established(json!({})), |_| ()), nothing())]
#[case::no_deprecation_is_compliant_in_the_design_form(offered(design(json!({})), |_| ()), nothing())]
#[case::package_precedes_channel(
    offered(established(json!({})), |offer| {
        offer.deprecation = gone("Use raft.");
        offer.channels[0].deprecation = gone("Use fast.");
        bundle(offer, 2);
    }),
    contribution(Reason::PackageDeprecated, "Package etcd is deprecated: Use raft")
)]
#[case::channel_precedes_bundle(
    offered(established(json!({})), |offer| {
        offer.channels[0].deprecation = gone("Use fast.");
        bundle(offer, 2);
    }),
    contribution(
        Reason::ChannelDeprecated,
        "Channel stable of package etcd is deprecated: Use fast",
    )
)]
#[case::other_channel_is_ignored(
    offered(established(json!({})), |offer| {
        offer.channels[0].name = "beta".to_owned();
        offer.channels[0].deprecation = gone("Use stable.");
    }),
    nothing()
)]
#[case::installed_bundle_is_reported(
    offered(established(json!({})), |offer| {
        bundle(offer, 2);
        bundle(offer, 1);
    }),
    contribution(
        Reason::BundleDeprecated,
        "Bundle etcd.v1.0.0 is deprecated: Use another",
    )
)]
#[case::bundle_being_installed_is_reported(
    offered(established(json!({})), |offer| bundle(offer, 1)),
    contribution(
        Reason::BundleDeprecated,
        "Bundle etcd.v2.0.0 is deprecated: Use another",
    )
)]
#[case::bundle_that_is_not_installed_is_ignored(
    offered(established(json!({})), |offer| bundle(offer, 0)),
    nothing()
)]
#[case::missing_message_is_reported(
    offered(established(json!({})), |offer| offer.deprecation = gone("")),
    contribution(Reason::PackageDeprecated, "Package etcd is deprecated")
)]
fn reports_deprecations(#[case] stage: Stage, #[case] part: Contribution) {
    assert_eq!(judged(&stage), part);
}

/// Behavior 93. Defect D2.
#[test]
fn deprecation_violates_if_policy_counts_it() {
    let policy = established(json!({"complianceConfig": {"deprecationsPresent": "NonCompliant"}}));
    let message = "Package etcd is deprecated: Use raft";
    let stage = |deprecation| offered(policy.clone(), |offer| offer.deprecation = deprecation);
    let condition = Condition::bad(TYPE, Reason::PackageDeprecated, message);
    assert_eq!(
        judged(&stage(gone("Use raft."))),
        Contribution::of(condition)
    );
    assert_eq!(judged(&stage(None)), nothing());
}

/// Defect D2.
#[test]
fn new_deprecation_sends_event_and_enters_history() {
    let policy = established(json!({"complianceConfig": {"deprecationsPresent": "NonCompliant"}}));
    let stage = |deprecation| offered(policy.clone(), |offer| offer.deprecation = deprecation);
    let render = |stage: &Stage, before: &OperatorPolicyStatus| {
        render_status(&stage.decide().report, &stage.policy(), before, now())
    };
    let before = render(&stage(None), &OperatorPolicyStatus::default()).status;
    let quiet = render(&stage(None), &before);
    assert_eq!((quiet.event, &quiet.status), (None, &before));
    let after = render(&stage(gone("Use raft.")), &before);
    let news = after.event.expect("something new");
    assert!(!news.is_compliant, "{}", news.message);
    let sentence = "package etcd is deprecated: Use raft";
    assert!(news.message.contains(sentence), "{}", news.message);
    let remembered = after
        .status
        .history
        .first()
        .and_then(|it| it.message.as_ref());
    assert_eq!(remembered, Some(&news.message));
}

/// Behavior 94. Defects D19, D20.
#[rstest]
#[case::missing_package_clears_the_condition(Answer::NotAsked, Contribution::default())]
#[case::package_in_no_catalog_clears_the_condition(
    Answer::NotFound("No catalog has etcd.".into()),
    Contribution::default()
)]
#[case::unavailable_resolver_keeps_the_condition(
    Answer::Unavailable(Unavailable { service: "resolver", since: Some(now()), why: "timed out".into() }),
    Contribution::default().keep(TYPE, "no answer from resolver since 2026-01-01T12:00:00Z: timed out")
)]
#[case::package_in_another_catalog_keeps_the_condition(
    Answer::Found(Offer { catalog: "olm/mall".into(), deprecation: gone("Use raft."), ..offer() }),
    Contribution::default()
        .keep(TYPE, "the resolver reports catalog olm/mall, but the policy requires olm/shop")
)]
fn clears_or_keeps_deprecation_condition_without_a_package(
    #[case] answer: Answer<Offer>,
    #[case] part: Contribution,
) {
    let stage = offered(established(json!({})), |_| ());
    assert_eq!(
        judged(&stage.with(|stage| stage.answers.offer = answer)),
        part
    );
}
