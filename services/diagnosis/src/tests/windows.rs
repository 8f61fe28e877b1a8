//! Tests the diagnosis of an InstallPlan that waits for a window.

use portolan_kit::World;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use super::Asking;

const GROUP: &str = "operators.operatorframework.io/v1alpha1";

/// Returns an operator whose next version is allowed by its policy.
fn waiting() -> World {
    let (old, new) = ("pilot.v1.0.0", "pilot.v1.1.0");
    portolan_kit::world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1")
        .namespace("pilot-system")
        .operator_group()
        .subscription("pilot", "stable")
        .pending(old, new, "install-1")
        .csv(old, "Succeeded")
        .edit(|csv| csv["spec"]["customresourcedefinitions"] = json!({}))
        .deployment("pilot", 1, 1)
        .plan("install-1", &[new])
        .described()
        .policy("pilot", &[new])
}

/// Returns a policy whose window is open for one minute in February of leap years.
fn closed() -> [Value; 2] {
    let object = |kind: &str, name: &str, spec: Value| json!({"apiVersion": GROUP, "kind": kind, "metadata": {"name": name, "uid": name}, "spec": spec});
    let schedule = json!([{"start": "0 0 29 2 *", "end": "1 0 29 2 *"}]);
    let subjects = json!([{"kind": "operatorPolicy", "name": "*"}]);
    let spec = json!({"subjects": subjects, "policyRef": [{"name": "rare"}]});
    [
        object("Policy", "rare", json!({"schedule": schedule})),
        object("PolicyBinding", "all", spec),
    ]
}

#[rstest]
#[case::nothing_restricts_it(
    waiting(),
    "OperatorPolicy pilot-system/pilot allows the whole InstallPlan, so the controller approves \
     it. If the InstallPlan stays unapproved, check that the controller runs."
)]
#[case::a_window_is_closed(
    closed().into_iter().fold(waiting(), World::object),
    "Policy rare (by PolicyBinding all) opens its next time window at "
)]
#[tokio::test]
async fn waiting_plan_names_the_next_window(#[case] world: World, #[case] expected: &str) {
    let answers = Asking::at(&world).await.asked("", "pilot").await;
    let answers = answers.expect("an answer");
    let cause = answers[0].cause.as_ref().expect("a cause");
    assert_eq!(cause.code, "PlanAwaitsApproval");
    assert!(cause.message.contains(expected), "{}", cause.message);
}
