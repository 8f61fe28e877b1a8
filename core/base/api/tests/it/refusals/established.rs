//! Tests of fields that the established form does not have.

use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::policies::{established, refused, with};

#[rstest]
#[case::approval(
    "/spec/subscription/installPlanApproval",
    json!("Automatic"),
    "spec.subscription.installPlanApproval requires spec.allowedCSVs; use \
     spec.upgradeApproval"
)]
#[case::approval_of_any_type(
    "/spec/subscription/installPlanApproval",
    json!(true),
    "spec.subscription.installPlanApproval requires spec.allowedCSVs; use \
     spec.upgradeApproval"
)]
#[case::effects_of_the_design(
    "/spec/statusConfig",
    json!({"upgradesAvailable": "NonCompliant"}),
    "spec.statusConfig requires spec.allowedCSVs; use spec.complianceConfig"
)]
#[case::targets_of_the_design(
    "/spec/operatorGroup",
    json!({"name": "a", "target": {"namespaces": ["b"]}}),
    "spec.operatorGroup.target requires spec.allowedCSVs; use \
     spec.operatorGroup.targetNamespaces or spec.operatorGroup.selector"
)]
#[case::removal_of_plans(
    "/spec/removalBehavior",
    json!({"installPlans": "Keep"}),
    "spec.removalBehavior.installPlans requires spec.allowedCSVs; remove this field: InstallPlans \
     are kept"
)]
#[case::removal_of_services(
    "/spec/removalBehavior",
    json!({"apiServiceDefinitions": "Delete"}),
    "spec.removalBehavior.apiServiceDefinitions requires spec.allowedCSVs; remove this field: OLM \
     deletes APIServices together with their ClusterServiceVersion"
)]
#[case::removal_of_operator_groups_that_other_operators_use(
    "/spec/removalBehavior",
    json!({"operatorGroups": "Delete"}),
    "spec.removalBehavior.operatorGroups requires spec.allowedCSVs; use \
     DeleteIfUnused"
)]
#[case::no_presence(
    "/spec/complianceType",
    Value::Null,
    "spec.complianceType is missing; write musthave or mustnothave, or list the allowed versions \
     in spec.allowedCSVs"
)]
#[case::no_approval(
    "/spec/upgradeApproval",
    Value::Null,
    "spec.upgradeApproval is missing; write Automatic or None, or list the allowed versions in \
     spec.allowedCSVs"
)]
#[case::a_presence_with_a_capital(
    "/spec/complianceType",
    json!("MustHave"),
    "spec.complianceType is \"MustHave\"; write musthave or mustnothave"
)]
#[case::an_approval_of_olm(
    "/spec/upgradeApproval",
    json!("Manual"),
    "spec.upgradeApproval is \"Manual\"; write None or Automatic"
)]
#[case::an_effect_of_the_design(
    "/spec/complianceConfig",
    json!({"upgradesAvailable": "Condition"}),
    "spec.complianceConfig.upgradesAvailable is \"Condition\"; write Compliant or NonCompliant"
)]
#[case::an_observation_of_the_design(
    "/spec/complianceConfig",
    json!({"upgradesProgressing": "Compliant"}),
    "spec.complianceConfig.upgradesProgressing is not a known field; allowed are \
     catalogSourceUnhealthy, deploymentsUnavailable, deprecationsPresent, \
     minorChannelUpgradeAvailable, upgradesAvailable"
)]
#[case::a_removal_of_no_kind(
    "/spec/removalBehavior",
    json!({"customResourceDefinitions": "DeleteIfUnused"}),
    "spec.removalBehavior.customResourceDefinitions is \"DeleteIfUnused\"; write Keep or Delete"
)]
#[case::a_group_without_a_name(
    "/spec/operatorGroup",
    json!({}),
    "spec.operatorGroup.name is missing; write the name of the OperatorGroup"
)]
#[case::a_text_for_versions(
    "/spec/versions",
    json!("etcdoperator.v0.9.4"),
    "spec.versions is a text, but must be a list"
)]
#[case::a_number_for_a_version(
    "/spec/versions",
    json!(["etcdoperator.v0.9.4", 0.9]),
    "spec.versions[1] is a number, but must be a text; put it in quotes"
)]
#[case::a_star(
    "/spec/versions",
    json!(["*"]),
    "spec.versions[0] is \"*\", which is not the name of a bundle; leave spec.versions empty to \
     allow any"
)]
#[case::star_among_other_names(
    "/spec/versions",
    json!(["etcdoperator.v0.9.4, *"]),
    "spec.versions[0] is \"*\", which is not the name of a bundle; leave spec.versions empty to \
     allow any"
)]
#[case::the_range_of_another_package(
    "/spec/versions",
    json!(["prometheus@>=0.9.0"]),
    "spec.versions[0] is \"prometheus@>=0.9.0\", a range of the package \"prometheus\"; a policy can allow only versions of the package in spec.subscription.name"
)]
fn invalid_established_form_is_refused(
    #[case] at: &str,
    #[case] value: Value,
    #[case] sentence: &str,
) {
    assert_eq!(refused(with(established(), at, value)), [sentence]);
}
