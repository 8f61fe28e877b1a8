//! Tests of fields that the design form does not have.

use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::policies::{design, refused, with};

#[rstest]
#[case::presence(
    "/spec/complianceType",
    json!("musthave"),
    "spec.complianceType cannot be used with spec.allowedCSVs; remove this field: with \
     spec.allowedCSVs, the operator must be installed, and is removed when the policy is deleted"
)]
#[case::versions(
    "/spec/versions",
    json!([]),
    "spec.versions cannot be used with spec.allowedCSVs; list the versions in spec.allowedCSVs"
)]
#[case::approval(
    "/spec/upgradeApproval",
    json!("None"),
    "spec.upgradeApproval cannot be used with spec.allowedCSVs; remove this field: upgrades to \
     versions in spec.allowedCSVs are approved"
)]
#[case::effects(
    "/spec/complianceConfig",
    json!({}),
    "spec.complianceConfig cannot be used with spec.allowedCSVs; use spec.statusConfig"
)]
#[case::targets(
    "/spec/operatorGroup",
    json!({"targetNamespaces": ["a"]}),
    "spec.operatorGroup.targetNamespaces cannot be used with spec.allowedCSVs; use \
     spec.operatorGroup.target.namespaces"
)]
#[case::nothing_allowed(
    "/spec/allowedCSVs",
    json!([]),
    "spec.allowedCSVs contains no bundle; list the allowed bundles, or \"*\" for any"
)]
#[case::a_text_for_a_list(
    "/spec/allowedCSVs",
    json!("*"),
    "spec.allowedCSVs is a text, but must be a list"
)]
#[case::an_empty_text(
    "/spec/allowedCSVs",
    json!([""]),
    "spec.allowedCSVs[0] \"\" is not a bundle name: at column 1, the length is 0 bytes; 1 to 253 \
     are allowed"
)]
#[case::a_comma(
    "/spec/allowedCSVs",
    json!(["a,b"]),
    "spec.allowedCSVs[0] \"a,b\" is not a bundle name: at column 2, \",\" is not an ASCII letter, \
     digit, hyphen, dot, underscore or plus sign"
)]
#[case::a_range_without_a_package(
    "/spec/allowedCSVs",
    json!(["@1.0.0"]),
    "spec.allowedCSVs[0] is \"@1.0.0\", where \"\" is not a package name: at column 1, the length \
     is 0 bytes; 1 to 253 are allowed"
)]
#[case::a_range_that_nothing_is_in(
    "/spec/allowedCSVs",
    json!(["etcd@>2.0.0 <1.0.0"]),
    "spec.allowedCSVs[0] is \"etcd@>2.0.0 <1.0.0\", where \">2.0.0 <1.0.0\" contains no version; write etcd@ and a range, such as >=1.2.0 <2.0.0"
)]
#[case::the_range_of_another_package(
    "/spec/allowedCSVs",
    json!(["prometheus@>=0.9.0"]),
    "spec.allowedCSVs[0] is \"prometheus@>=0.9.0\", a range of the package \"prometheus\"; a policy can allow only versions of the package in spec.subscription.name"
)]
#[case::no_approval_of_olm(
    "/spec/subscription/installPlanApproval",
    json!("None"),
    "spec.subscription.installPlanApproval is \"None\"; write Automatic or Manual"
)]
#[case::an_effect_of_the_other_form(
    "/spec/statusConfig",
    json!({"catalogSourceUnhealthy": "Compliant"}),
    "spec.statusConfig.catalogSourceUnhealthy is \"Compliant\"; write Condition or NonCompliant"
)]
#[case::a_removal_of_no_kind(
    "/spec/removalBehavior",
    json!({"operatorGroups": "DeleteIfEmpty"}),
    "spec.removalBehavior.operatorGroups is \"DeleteIfEmpty\"; write Keep, Delete or DeleteIfUnused"
)]
#[case::no_kind_to_remove(
    "/spec/removalBehavior",
    json!({"subscription": "Keep"}),
    "spec.removalBehavior.subscription is not a known field; did you mean \"subscriptions\"?"
)]
#[case::names_beside_a_selector(
    "/spec/operatorGroup",
    json!({"target": {"namespaces": ["a"], "selector": {"matchLabels": {"a": "b"}}}}),
    "spec.operatorGroup.target.selector cannot be combined with \
     spec.operatorGroup.target.namespaces; write only one of them"
)]
#[case::names_beside_a_selector_above(
    "/spec/operatorGroup",
    json!({"target": {"namespaces": ["a"]}, "selector": {"matchLabels": {"a": "b"}}}),
    "spec.operatorGroup.selector cannot be combined with spec.operatorGroup.target.namespaces; \
     write only one of them"
)]
#[case::two_selectors(
    "/spec/operatorGroup",
    json!({
        "target": {"selector": {"matchLabels": {"a": "b"}}},
        "selector": {"matchLabels": {"a": "b"}}
    }),
    "spec.operatorGroup.selector cannot be combined with spec.operatorGroup.target.selector; \
     write only one of them"
)]
#[case::an_empty_target(
    "/spec/operatorGroup",
    json!({"target": {}}),
    "spec.operatorGroup.target has neither namespaces nor a selector; set one of them, or remove \
     the target to watch all namespaces"
)]
#[case::a_target_without_names(
    "/spec/operatorGroup",
    json!({"target": {"namespaces": []}}),
    "spec.operatorGroup.target.namespaces names nothing; to watch all namespaces, remove \
     spec.operatorGroup.target and spec.operatorGroup.selector"
)]
#[case::a_target_that_selects_by_nothing(
    "/spec/operatorGroup",
    json!({"target": {"selector": {"matchLabels": {}}}}),
    "spec.operatorGroup.target.selector has no criteria; to watch all namespaces, remove \
     spec.operatorGroup.target and spec.operatorGroup.selector"
)]
fn invalid_design_form_is_refused(#[case] at: &str, #[case] value: Value, #[case] sentence: &str) {
    assert_eq!(refused(with(design(), at, value)), [sentence]);
}
