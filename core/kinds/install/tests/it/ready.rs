//! Tests the readiness rules that the author of a plan sets.

use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{definition, run, ship};
use crate::kit::{config_map, faults_of, stage, with};
use crate::model::{Server, identity};

const RULE: &str = "self.status.phase == 'Sailing'";

/// Returns a spec with two stages. The first stage contains a ship and these rules, and the second
/// stage waits for it.
fn spec(rules: Value) -> Value {
    let ships = with(stage("ships", &[ship("one")]), "/ready", rules);
    json!({"stages": [
        stage("definitions", &[definition()]), ships, stage("after", &[config_map("a")]),
    ]})
}

fn sailing() -> Value {
    spec(json!([{"kind": "Ship.ferry.example", "cel": RULE}]))
}

#[rstest]
#[case::status_without_the_field(
    json!({"crew": 3}), "has a readiness rule that cannot be evaluated: there is no field \
                         \"phase\": "
)]
#[case::another_value(json!({"phase": "Moored"}), "has a readiness rule that is not true: ")]
#[case::default_ready_condition(
    json!({"phase": "Moored", "conditions": [{"type": "Ready", "status": "True"}]}),
    "has a readiness rule that is not true: "
)]
#[case::another_condition_type(
    json!([]), "has a readiness rule that cannot be evaluated: a value has another type than the \
                rule expects: "
)]
#[case::outdated_status(
    json!({"phase": "Sailing", "observedGeneration": 0}),
    "has a change that its controller has not observed yet"
)]
fn unmet_readiness_rule_delays_the_next_stage(#[case] status: Value, #[case] told: &str) {
    let mut server = Server::new();
    server.stuck = [identity(&ship("one"))].into();
    run(&sailing(), &mut server);
    sail(&mut server, status);
    let said = run(&sailing(), &mut server);
    let rule = if told.ends_with(": ") { RULE } else { "" };
    let expected = format!("- ships[0] Ship.ferry.example harbor/one NotReady: {told}{rule}");
    assert_same!(said.last(), Some(&expected));
    assert!(!server.objects.contains_key(&identity(&config_map("a"))));

    sail(&mut server, json!({"phase": "Sailing"}));
    assert_eq!(run(&sailing(), &mut server)[0], "Ready");
    // Only the current state of the ship counts.
    sail(&mut server, json!({"phase": "Sinking"}));
    assert_eq!(run(&sailing(), &mut server)[0], "Applied");
}

/// Writes the status of a ship, as its controller would do.
fn sail(server: &mut Server, status: Value) {
    let object = server.objects.get_mut(&identity(&ship("one")));
    let object = object.expect("a ship");
    object["metadata"]["generation"] = json!(1);
    object["status"] = status;
}

#[test]
fn object_in_deletion_is_not_ready_despite_its_rule() {
    let spec = spec(json!([{"kind": "Ship.ferry.example", "cel": "true"}]));
    let mut server = Server::new();
    assert_eq!(run(&spec, &mut server)[0], "Ready");
    let object = server.objects.get_mut(&identity(&ship("one")));
    object.expect("a ship")["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    server.held.insert(identity(&ship("one")));
    let said = run(&spec, &mut server);
    assert_eq!(said[0], "Applied", "{said:?}");
}

#[test]
fn readiness_rule_must_match_a_kind_in_its_stage() {
    let told = faults_of(&spec(json!([
        {"kind": "Ship.ferry.example", "cel": RULE},
        {"kind": "Shop.ferry.example", "cel": RULE},
    ])));
    assert_eq!(
        told,
        [
            "spec.stages[1].ready[1] names the kind Shop.ferry.example, but no object of the stage \
             has this kind; write the kind of an object of the stage"
        ]
    );
}
