use crate::tests::kit::*;

stories! { World;
    an_operator_that_does_not_want_to_be_upgraded_is_well: world().operator_says("ferry.v1", &[("Upgradeable", "False", "passengers on board")]) => r#"
        Yes Subscription demo/ferry
        Yes NotUpgradeable OperatorCondition demo/ferry.v1: The operator says in OperatorCondition demo/ferry.v1 that it is not to be upgraded (Said): passengers on board
    "#;
    an_operator_that_can_be_upgraded_is_no_news: world().operator_says("ferry.v1", &[("Upgradeable", "True", "")]) => r#"
        Yes Subscription demo/ferry
    "#;
    the_administrator_wins: world().operator_says("ferry.v1", &[("Upgradeable", "False", "passengers on board")]).namespace(|all| {
        all.conditions.objects[0].spec.overrides = vec![condition("Upgradeable", "True", "", "")];
    }) => r#"
        Yes Subscription demo/ferry
    "#;
    the_administrator_forbids: world().operator_says("ferry.v1", &[("Upgradeable", "True", "")]).namespace(|all| {
        all.conditions.objects[0].spec.overrides = vec![condition("Upgradeable", "False", "Storm", "not in this weather")];
    }) => r#"
        Yes Subscription demo/ferry
        Yes NotUpgradeable OperatorCondition demo/ferry.v1: The administrator says in OperatorCondition demo/ferry.v1 that the operator is not to be upgraded (Storm): not in this weather
    "#;
    what_is_outdated_holds_an_upgrade_up: world().operator_says("ferry.v1", &[("Upgradeable", "True", "")]).namespace(|all| all.conditions.objects[0].metadata.generation = Some(2)) => r#"
        Yes Subscription demo/ferry
        Yes NotUpgradeable OperatorCondition demo/ferry.v1: What the operator says in OperatorCondition demo/ferry.v1 of being upgraded is outdated, and OLM does not upgrade it for that.
    "#;
    other_words_are_shown_in_short: world().operator_says("ferry.v1", &[("Degraded", "True", "engine 2 is hot"), ("Available", "True", "")]) => r#"
        Yes Subscription demo/ferry
        Yes OperatorSays OperatorCondition demo/ferry.v1: The operator says in OperatorCondition demo/ferry.v1: Available is True (Said).
        Yes OperatorSays OperatorCondition demo/ferry.v1: The operator says in OperatorCondition demo/ferry.v1: Degraded is True (Said). [engine 2 is hot]
    "#;
    other_words_of_the_administrator_are_shown: world().operator_says("ferry.v1", &[("Degraded", "True", "")]).namespace(|all| {
        all.conditions.objects[0].spec.overrides = vec![condition("Degraded", "False", "Known", "")];
    }) => r#"
        Yes Subscription demo/ferry
        Yes OperatorSays OperatorCondition demo/ferry.v1: The administrator says in OperatorCondition demo/ferry.v1: Degraded is False (Known).
    "#;
}
