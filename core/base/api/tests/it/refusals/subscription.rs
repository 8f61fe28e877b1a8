//! Tests of invalid Subscriptions in policies.

use portolan_api::Intent;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use super::{LABEL, SUBDOMAIN};
use crate::policies::{design, established, policy, refused, with};

#[rstest]
#[case::no_subscription(
    "/spec/subscription",
    Value::Null,
    "spec.subscription is missing; write at least the name of the package"
)]
#[case::no_package(
    "/spec/subscription",
    json!({}),
    "spec.subscription.name is missing; write the name of the package, such as etcd"
)]
#[case::a_subscription_that_is_a_text(
    "/spec/subscription",
    json!("etcd"),
    "spec.subscription is a text, but must be an object"
)]
#[case::a_package_that_is_a_number(
    "/spec/subscription/name",
    json!(7),
    "spec.subscription.name is a number, but must be a text; put it in quotes"
)]
#[case::a_misspelled_field(
    "/spec/subscription/startingCsv",
    json!("a"),
    "spec.subscription.startingCsv is not a known field; did you mean \"startingCSV\"?"
)]
#[case::a_field_like_no_other(
    "/spec/subscription/priority",
    json!(1),
    "spec.subscription.priority is not a known field; allowed are channel, config, \
     installPlanApproval, name, namespace, source, sourceNamespace, startingCSV"
)]
#[case::a_misspelled_field_of_the_config(
    "/spec/subscription/config",
    json!({"nodeSelectors": {}}),
    "spec.subscription.config.nodeSelectors is not a known field; did you mean \"nodeSelector\"?"
)]
#[case::a_config_that_is_a_list(
    "/spec/subscription/config",
    json!([]),
    "spec.subscription.config is a list, but must be an object"
)]
#[case::a_channel_that_is_a_number(
    "/spec/subscription/channel",
    json!(4.1),
    "spec.subscription.channel is a number, but must be a text; put it in quotes"
)]
#[case::no_channel_is_called_so(
    "/spec/subscription/channel",
    json!("sta ble"),
    "spec.subscription.channel \"sta ble\" is not a channel name: at column 4, \" \" is not an \
     ASCII letter, digit, hyphen, dot, underscore or plus sign"
)]
#[case::no_bundle_is_called_so(
    "/spec/subscription/startingCSV",
    json!("*"),
    "spec.subscription.startingCSV \"*\" is not a bundle name: at column 1, \"*\" is not an ASCII \
     letter, digit, hyphen, dot, underscore or plus sign"
)]
fn invalid_subscription_field_is_rejected(
    #[case] at: &str,
    #[case] value: Value,
    #[case] sentence: &str,
) {
    for policy in [design(), established()] {
        assert_eq!(refused(with(policy, at, value.clone())), [sentence]);
    }
}

#[rstest]
#[case::a_package_with_a_capital("name", "Etcd", "a package that OLM installs", LABEL)]
#[case::a_package_with_a_dot("name", "etcd.io", "a package that OLM installs", LABEL)]
#[case::an_empty_package("name", "", "a package that OLM installs", LABEL)]
#[case::a_namespace_that_is_empty("namespace", "", "a namespace", LABEL)]
#[case::a_namespace_with_an_underscore("namespace", "my_ns", "a namespace", LABEL)]
#[case::a_namespace_that_ends_in_a_hyphen("namespace", "ns-", "a namespace", LABEL)]
#[case::a_catalog_with_a_slash("source", "olm/community", "a CatalogSource", SUBDOMAIN)]
#[case::a_catalog_that_ends_in_a_dot("source", "community.", "a CatalogSource", SUBDOMAIN)]
#[case::the_namespace_of_a_catalog("sourceNamespace", "a.b", "a namespace", LABEL)]
fn invalid_name_is_rejected_with_a_remedy(
    #[case] field: &str,
    #[case] name: &str,
    #[case] what: &str,
    #[case] way_out: &str,
) {
    let json = with(
        design(),
        &format!("/spec/subscription/{field}"),
        json!(name),
    );
    let expected =
        format!("spec.subscription.{field} is {name:?}, which cannot be {what}; {way_out}");
    assert_eq!(refused(json), [expected]);
}

#[test]
fn package_name_above_63_characters_is_rejected() {
    let of = |length: usize| {
        with(
            design(),
            "/spec/subscription/name",
            json!("a".repeat(length)),
        )
    };
    assert!(Intent::parse(&policy(of(63))).is_ok());
    assert_eq!(refused(of(64)).len(), 1);
}
