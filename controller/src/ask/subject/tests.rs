//! Tests of the requests for each kind of subject.

use std::sync::Arc;

use portolan_api::OperatorPolicy;
use portolan_core_operatorpolicy::Bundle;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn policy(subscription: &Value, allowed: &Value) -> OperatorPolicy {
    let spec = json!({"remediationAction": "enforce", "subscription": subscription,
        "allowedCSVs": allowed});
    serde_json::from_value(json!({"metadata": {"name": "ferry"}, "spec": spec})).unwrap()
}

/// Returns a namespace. If given, the namespace has a Subscription with this spec and status.
fn observed(policy: OperatorPolicy, subscription: Option<(Value, Value)>) -> Observed {
    let subscriptions = subscription.into_iter().map(|(spec, status)| {
        let metadata = json!({"name": "ferry", "namespace": "harbor"});
        let object = json!({"metadata": metadata, "spec": spec, "status": status});
        Arc::new(serde_json::from_value(object).unwrap())
    });
    let csv = json!({
        "metadata": {"name": "ferry.v1"},
        "spec": {"version": "1.0.0", "installModes": [
            {"type": "AllNamespaces", "supported": true},
            {"type": "OwnNamespace", "supported": false}
        ]}
    });
    Observed {
        namespace: Some(NamespaceState {
            name: "harbor".to_owned(),
            subscriptions: subscriptions.collect(),
            csvs: vec![Arc::new(serde_json::from_value(csv).unwrap())],
            ..NamespaceState::default()
        }),
        ..Observed::alone(Arc::new(policy))
    }
}

fn wanting(mut fields: Value) -> Value {
    fields["name"] = json!("ferry");
    fields
}

#[rstest]
#[case::named_by_the_policy(json!({"source": "a", "sourceNamespace": "b"}), None, "b/a")]
#[case::the_policy_wins(
    json!({"source": "a", "sourceNamespace": "b"}), Some(("shop", "olm")), "b/a"
)]
#[case::named_by_the_subscription(json!({}), Some(("shop", "olm")), "olm/shop")]
#[case::half_named_by_the_policy_and_whole_by_the_subscription(
    json!({"source": "twin"}), Some(("twin", "apps")), "apps/twin"
)]
#[case::half_named_and_the_subscription_has_another(
    json!({"source": "shop"}), Some(("twin", "apps")), "olm/shop"
)]
#[case::incomplete_name_with_one_match(json!({"source": "shop"}), None, "olm/shop")]
#[case::namespace_with_one_match(json!({"sourceNamespace": "lone"}), None, "lone/one")]
#[case::half_named_and_two_would_do(json!({"source": "twin"}), None, "")]
#[case::incomplete_name_without_a_match(json!({"source": "gone"}), None, "")]
#[case::left_open(json!({}), None, "")]
#[case::incomplete_subscription(json!({}), Some(("shop", "")), "")]
fn catalog_comes_from_policy_or_subscription(
    #[case] fields: Value,
    #[case] subscription: Option<(&str, &str)>,
    #[case] expected: &str,
) {
    let known = ["apps/twin", "folder", "lone/one", "olm/shop", "olm/twin"].map(str::to_owned);
    let policy = policy(&wanting(fields), &json!(["*"]));
    let intent = Intent::parse(&policy).unwrap();
    let subscription = subscription.map(|(source, namespace)| {
        let spec = json!({"name": "ferry", "source": source, "sourceNamespace": namespace});
        (spec, json!({}))
    });
    let observed = observed(policy, subscription);
    let subject = Subject::of(&intent, &observed);
    assert_eq!(subject.catalog(|| known.to_vec()), expected);
}

#[test]
fn complete_catalog_name_needs_no_search_in_thousands_of_catalogs() {
    let whole = json!({"source": "shop", "sourceNamespace": "olm"});
    let policy = policy(&wanting(whole), &json!(["*"]));
    let intent = Intent::parse(&policy).unwrap();
    let observed = observed(policy, None);
    let listed = || panic!("the objects must not be listed");
    assert_eq!(Subject::of(&intent, &observed).catalog(listed), "olm/shop");
}

/// Returns a package. Channel `stable` has the versions 1, 2 and 3, and channel `beta` has version
/// 4.
fn package() -> Packaged {
    let bundle = |name: &str, version: &str, channel: &str| Bundle {
        name: name.to_owned(),
        version: version.to_owned(),
        channels: vec![channel.to_owned()],
        deprecation: None,
    };
    let head = |channel: &str, name: &str| (channel.to_owned(), name.to_owned());
    Packaged {
        offer: Offer {
            default_channel: "stable".to_owned(),
            bundles: vec![
                bundle("ferry.v4", "4.0.0", "beta"),
                bundle("ferry.v3", "3.0.0", "stable"),
                bundle("ferry.v2", "2.0.0", "stable"),
                bundle("ferry.v1", "1.0.0", "stable"),
            ],
            ..Offer::default()
        },
        heads: [head("beta", "ferry.v4"), head("stable", "ferry.v3")].into(),
    }
}

#[rstest]
#[case::the_head_of_the_default_channel(json!({}), json!(["*"]), None, Some("ferry.v3"))]
#[case::the_head_of_the_wanted_channel(
    json!({"channel": "beta"}), json!(["*"]), None, Some("ferry.v4")
)]
#[case::the_head_of_the_subscribed_channel(
    json!({}), json!(["*"]), Some((json!({"channel": "beta"}), json!({}))), Some("ferry.v4")
)]
#[case::the_wanted_bundle(
    json!({"startingCSV": "ferry.v1"}), json!(["*", "ferry.v1"]), None, Some("ferry.v1")
)]
#[case::the_bundle_of_the_subscription(
    json!({}), json!(["*"]), Some((json!({"startingCSV": "ferry.v2"}), json!({}))),
    Some("ferry.v2")
)]
#[case::newest_allowed_bundle(
    json!({}), json!(["ferry.v1", "ferry@<3.0.0"]), None, Some("ferry.v2")
)]
#[case::the_head_where_nothing_in_the_channel_is_allowed(
    json!({}), json!(["ferry.v4"]), None, Some("ferry.v3")
)]
#[case::installed_bundle_takes_precedence(
    json!({"startingCSV": "ferry.v2"}), json!(["ferry.v2"]),
    Some((json!({}), json!({"installedCSV": "ferry.v1"}))), Some("ferry.v1")
)]
#[case::missing_channel_has_no_bundle(json!({"channel": "gone"}), json!(["*"]), None, None)]
fn first_bundle_comes_from_policy_subscription_or_catalog(
    #[case] fields: Value,
    #[case] allowed: Value,
    #[case] subscription: Option<(Value, Value)>,
    #[case] expected: Option<&str>,
) {
    let policy = policy(&wanting(fields), &allowed);
    let intent = Intent::parse(&policy).unwrap();
    let observed = observed(policy, subscription);
    let subject = Subject::of(&intent, &observed);
    assert_eq!(subject.first_bundle(&package()), expected);
}

#[rstest]
#[case::installed_operator_reports_its_modes(
    "ferry.v1",
    Some(Modes {
        bundle: "ferry.v1".to_owned(),
        supported: Some(vec!["AllNamespaces".to_owned()]),
    })
)]
#[case::missing_operator_needs_the_catalog("ferry.v2", None)]
#[case::nothing_is_installed("", None)]
fn install_modes_come_from_operator_or_catalog(
    #[case] installed: &str,
    #[case] expected: Option<Modes>,
) {
    let policy = policy(&json!({"name": "ferry"}), &json!(["*"]));
    let intent = Intent::parse(&policy).unwrap();
    let subscription = Some((json!({}), json!({"installedCSV": installed})));
    let observed = observed(policy, subscription);
    assert_eq!(Subject::of(&intent, &observed).installed_modes(), expected);
}
