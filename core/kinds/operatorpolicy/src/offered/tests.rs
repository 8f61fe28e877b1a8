use portolan_api::{ConditionType, Next, Upgrades};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::desired::Action;
use crate::kinds::CATALOG_SOURCE;
use crate::tests::kit::{
    Stage, csv, design, established, group, merged, object, offer, stage, subscription,
    subscription_spec,
};
use crate::{Desired, ReachableBundles, Unavailable, defaults};

/// Returns a policy that sets a channel.
fn asking(form: fn(Value) -> Value, channel: &str) -> Value {
    let spec = merged(subscription_spec(), json!({"channel": channel}));
    form(json!({"subscription": spec}))
}

/// Returns a policy of the established form with `remediationAction: inform`.
fn informing(other: Value) -> Value {
    established(merged(json!({"remediationAction": "inform"}), other))
}

fn stage_with_sight(policy: Value, sight: CatalogSight) -> Stage {
    let mut stage = stage(policy).object(group("databases", json!({})));
    stage.answers.sight = sight;
    stage
}

fn absent() -> CatalogSight {
    CatalogSight::Absent {
        near: Some("olm/shops".to_owned()),
    }
}

fn not_found() -> Answer<Offer> {
    Answer::NotFound("catalog olm/shop has no package etcd; did you mean etcdx?".to_owned())
}

fn silent() -> Answer<Offer> {
    Answer::Unavailable(Unavailable {
        service: "resolver",
        since: None,
        why: "connection refused".to_owned(),
    })
}

#[rstest]
#[case::everything_exists("stable", CatalogSight::Current, Answer::Found(offer()), None)]
#[case::channel_does_not_exist(
    "stabel",
    CatalogSight::Current,
    Answer::Found(offer()),
    Some("package etcd has no channel stabel in olm/shop; did you mean stable?")
)]
#[case::no_channel_has_a_similar_name(
    "preview",
    CatalogSight::Current,
    Answer::Found(offer()),
    Some("package etcd has no channel preview in olm/shop; existing channels: stable")
)]
#[case::package_does_not_exist(
    "stable",
    CatalogSight::Current,
    not_found(),
    Some("catalog olm/shop has no package etcd; did you mean etcdx?")
)]
#[case::catalog_does_not_exist(
    "stable",
    absent(),
    not_found(),
    Some("CatalogSource olm/shop not found; did you mean olm/shops?")
)]
#[case::unread_catalog_reports_nothing(
    "stabel",
    CatalogSight::Unclear,
    Answer::Found(offer()),
    None
)]
#[case::unread_packages_report_nothing("stable", CatalogSight::Unclear, not_found(), None)]
#[case::unavailable_resolver_reports_nothing("stabel", CatalogSight::Current, silent(), None)]
#[case::other_catalog_reports_nothing(
    "stabel",
    CatalogSight::Current,
    Answer::Found(Offer { catalog: "olm/other".to_owned(), ..offer() }),
    None
)]
fn missing_channel_is_reported_only_if_known(
    #[case] channel: &str,
    #[case] sight: CatalogSight,
    #[case] answer: Answer<Offer>,
    #[case] expected: Option<&str>,
) {
    let mut stage = stage_with_sight(asking(established, channel), sight);
    stage.answers.offer = answer;
    let found = stage.case(|case| {
        let wanted = defaults::wanted(case).expect("a Subscription");
        lacking(case, &wanted)
    });
    assert_eq!(found.as_deref(), expected);
}

#[test]
fn catalog_source_exists_even_if_the_resolver_does_not_list_it() {
    let source = object(CATALOG_SOURCE, ("olm", "shop"), json!({}));
    let stage = stage_with_sight(asking(established, "stable"), absent()).object(source);
    let found = stage.case(|case| {
        let wanted = defaults::wanted(case).expect("a Subscription");
        lacking(case, &wanted)
    });
    assert_eq!(found, None);
}

/// Returns the message about the Subscription, and true if the decision writes the Subscription.
fn subscription_message(desired: &Desired) -> String {
    let type_ = ConditionType::SubscriptionCompliant;
    let conditions = desired.report.conditions.iter();
    let condition = conditions.clone().find(|each| each.type_ == type_);
    let condition = condition.expect("a condition");
    let is_written = desired.steps.iter().any(|step| step.type_ == type_);
    let done = if is_written { "written" } else { "not written" };
    assert!(condition.violates, "{condition:?}");
    format!("{done}: {}", condition.message)
}

#[rstest]
#[case::design_form_does_not_create_it(
    design,
    None,
    "not written: Subscription databases/etcd not found; the Subscription is not created because \
     package etcd has no channel stabel in olm/shop; did you mean stable?"
)]
#[case::established_form_creates_and_reports_it(
    established,
    None,
    "written: Subscription databases/etcd not found; the Subscription \
     will be created; package etcd has no channel stabel in olm/shop; did you mean stable?"
)]
#[case::design_form_does_not_change_it(
    design,
    Some("stable"),
    "not written: Subscription databases/etcd does not match the policy: spec.channel is \
     \"stable\", expected \"stabel\"; the Subscription was created by another client; the \
     Subscription is not changed because package etcd has no channel stabel in olm/shop; did you \
     mean stable?"
)]
#[case::existing_subscription_is_noncompliant(
    informing,
    Some("stabel"),
    "not written: Subscription databases/etcd cannot be resolved: \
     package etcd has no channel stabel in olm/shop; did you mean stable?"
)]
fn subscription_message_names_missing_channel(
    #[case] form: fn(Value) -> Value,
    #[case] present: Option<&str>,
    #[case] expected: &str,
) {
    let mut stage = stage_with_sight(asking(form, "stabel"), CatalogSight::Current);
    if let Some(channel) = present {
        stage = stage.object(subscription(json!({"spec": {"channel": channel}})));
    }
    let desired = stage.decide();
    let message = subscription_message(&desired);
    assert_eq!(message, expected);
    let lacking = "package etcd has no channel stabel in olm/shop; did you mean stable?";
    assert_eq!(desired.report.lacking.as_deref(), Some(lacking));
}

/// Returns a policy with a starting bundle.
fn starting_with(form: fn(Value) -> Value, bundle: &str) -> Value {
    let spec = merged(subscription_spec(), json!({"startingCSV": bundle}));
    form(json!({"subscription": spec}))
}

const NO_START: &str = "channel stable of package etcd has no bundle etcd.v3.0.1 in olm/shop, which \
                        spec.subscription.startingCSV names; did you mean etcd.v3.0.0?";

#[rstest]
#[case::before_the_first_installation(None, Some(NO_START))]
#[case::subscription_without_an_installed_bundle(Some(""), Some(NO_START))]
#[case::installed_bundle_needs_no_starting_bundle(Some("etcd.v1.0.0"), None)]
fn reports_starting_bundle_missing_in_the_channel(
    #[case] installed: Option<&str>,
    #[case] expected: Option<&str>,
) {
    let mut stage = stage_with_sight(starting_with(design, "etcd.v3.0.1"), CatalogSight::Current);
    if let Some(installed) = installed {
        stage = stage.object(subscription(json!({
            "spec": {"startingCSV": "etcd.v3.0.1"},
            "status": {"installedCSV": installed},
        })));
    }
    assert_eq!(stage.decide().report.lacking.as_deref(), expected);
}

#[rstest]
#[case::is_not_created_in_the_design_form(
    design,
    "not written: Subscription databases/etcd not found; the Subscription is not created because "
)]
#[case::is_created_and_reported_in_the_established_form(
    established,
    "written: Subscription databases/etcd not found; the Subscription \
     will be created; "
)]
fn subscription_message_names_missing_starting_csv(
    #[case] form: fn(Value) -> Value,
    #[case] expected: &str,
) {
    let stage = stage_with_sight(starting_with(form, "etcd.v3.0.1"), CatalogSight::Current);
    assert_eq!(
        subscription_message(&stage.decide()),
        format!("{expected}{NO_START}")
    );
}

#[test]
fn omits_upgrades_of_the_previous_channel() {
    let installed = json!({
        "spec": {"channel": "stable"},
        "status": {"installedCSV": "etcd.v1.0.0", "currentCSV": "etcd.v1.0.0"},
    });
    let decided = |channel: &str| {
        let mut stage = stage_with_sight(asking(design, channel), CatalogSight::Current)
            .object(subscription(installed.clone()))
            .object(csv("etcd.v1.0.0", json!({})));
        let bundles = offer().bundles;
        stage.answers.route = Answer::Found(ReachableBundles {
            installed: "etcd.v1.0.0".to_owned(),
            channel: "stable".to_owned(),
            reachable: bundles[..2].to_vec(),
            walk: vec![bundles[0].clone()],
            ..ReachableBundles::default()
        });
        stage.decide().report.upgrades.expect("upgrades")
    };
    let name = |next: Option<Next>| next.map(|next| next.name);
    assert_eq!(name(decided("stable").next).as_deref(), Some("etcd.v3.0.0"));
    let Upgrades {
        installed,
        next,
        target,
        path,
        available,
        blocked: _,
    } = decided("stabel");
    assert_eq!(installed.expect("it is installed").name, "etcd.v1.0.0");
    assert_eq!(
        (name(next), target, path.len(), available.len()),
        (None, None, 0, 0)
    );
}

#[test]
fn missing_channel_delays_no_other_step() {
    let stage = stage_with_sight(asking(design, "stabel"), CatalogSight::Current);
    let steps = stage.decide().steps;
    let adds = steps.iter().any(|step| step.action == Action::AddFinalizer);
    assert!(adds, "{steps:?}");
}
