use crate::tests::kit::*;

stories! { World;
    operator_that_is_not_upgradeable_is_healthy: world().operator_says("ferry.v1", &[("Upgradeable", "False", "passengers on board")]) => r#"
        Yes Subscription demo/ferry
        Yes NotUpgradeable OperatorCondition demo/ferry.v1: The operator blocks its own upgrade in OperatorCondition demo/ferry.v1 (Said): passengers on board
    "#;
    upgradeable_operator_has_no_fact: world().operator_says("ferry.v1", &[("Upgradeable", "True", "")]) => r#"
        Yes Subscription demo/ferry
    "#;
    override_of_the_administrator_wins: world().operator_says("ferry.v1", &[("Upgradeable", "False", "passengers on board")]).namespace(|all| {
        all.conditions.objects[0].spec.overrides = vec![condition("Upgradeable", "True", "", "")];
    }) => r#"
        Yes Subscription demo/ferry
    "#;
    administrator_blocks_upgrades: world().operator_says("ferry.v1", &[("Upgradeable", "True", "")]).namespace(|all| {
        all.conditions.objects[0].spec.overrides = vec![condition("Upgradeable", "False", "Storm", "not in this weather")];
    }) => r#"
        Yes Subscription demo/ferry
        Yes NotUpgradeable OperatorCondition demo/ferry.v1: An administrator has blocked upgrades of the operator in OperatorCondition demo/ferry.v1 (Storm): not in this weather
    "#;
    outdated_condition_blocks_an_upgrade: world().operator_says("ferry.v1", &[("Upgradeable", "True", "")]).namespace(|all| all.conditions.objects[0].metadata.generation = Some(2)) => r#"
        Yes Subscription demo/ferry
        Yes NotUpgradeable OperatorCondition demo/ferry.v1: The Upgradeable condition in OperatorCondition demo/ferry.v1 is outdated, so OLM does not upgrade the operator.
    "#;
    other_conditions_are_shortened: world().operator_says("ferry.v1", &[("Degraded", "True", "engine 2 is hot"), ("Available", "True", "")]) => r#"
        Yes Subscription demo/ferry
        Yes ReportedByOperator OperatorCondition demo/ferry.v1: The operator reports in OperatorCondition demo/ferry.v1: Available is True (Said).
        Yes ReportedByOperator OperatorCondition demo/ferry.v1: The operator reports in OperatorCondition demo/ferry.v1: Degraded is True (Said). [engine 2 is hot]
    "#;
    other_overrides_of_the_administrator_are_shown: world().operator_says("ferry.v1", &[("Degraded", "True", "")]).namespace(|all| {
        all.conditions.objects[0].spec.overrides = vec![condition("Degraded", "False", "Known", "")];
    }) => r#"
        Yes Subscription demo/ferry
        Yes ReportedByOperator OperatorCondition demo/ferry.v1: An administrator reports in OperatorCondition demo/ferry.v1: Degraded is False (Known).
    "#;
}
