//! What the statuses of Policies and PolicyBindings say.

use jiff::Timestamp;
use portolan_api::policy::{BindingStatus, PolicyStatus, SubjectKind};
use portolan_core_approval::consent::{PolicySet, binding_status, policy_status};
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use super::{SATURDAY, Stage, WEDNESDAY};

fn time(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

impl Stage {
    fn world(&self) -> PolicySet {
        PolicySet::of(&self.policies, &self.bindings)
    }

    /// The status of a Policy that had none, and when it is another one.
    fn policy_at(&self, name: &str, at: &str) -> (PolicyStatus, Option<Timestamp>) {
        let facts = self.world().policy(name).expect("it is there");
        policy_status(&facts, &PolicyStatus::default(), Some(3), time(at))
    }

    fn binding_status(&self, name: &str) -> BindingStatus {
        let facts = self.world().binding(name, &self.operators);
        let facts = facts.expect("it is there");
        binding_status(&facts, &BindingStatus::default(), Some(3), time(WEDNESDAY))
    }
}

/// Type, status, reason and message of each condition.
fn condition_lines(status: &Value) -> Vec<String> {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let words = |it: &Value| ["type", "status", "reason", "message"].map(|at| it[at].to_string());
    conditions
        .map(|it| words(it).join(" ").replace('"', ""))
        .collect()
}

#[test]
fn a_policy_tells_its_next_windows_and_who_refers_to_it() {
    let stage = Stage::new().weekends().all(&["weekends"]);
    let (status, until) = stage.policy_at("weekends", WEDNESDAY);
    assert_eq!(
        json!(status),
        json!({
            "observedGeneration": 3,
            "conditions": [{
                "type": "Accepted",
                "status": "True",
                "reason": "Accepted",
                "message": "the Policy can be read",
                "observedGeneration": 3,
                "lastTransitionTime": "2026-11-25T12:00:30Z",
            }],
            "windows": [
                {"opens": "2026-11-28T00:01:00Z", "closes": "2026-11-29T23:59:00Z"},
                {"opens": "2026-12-05T00:01:00Z", "closes": "2026-12-06T23:59:00Z"},
                {"opens": "2026-12-12T00:01:00Z", "closes": "2026-12-13T23:59:00Z"},
            ],
            "bindings": ["all"],
        })
    );
    assert_eq!(until, Some(time("2026-11-29T23:59:00Z")));
}

/// Nothing is to be written again before the first window is over.
#[test]
fn while_a_window_opens_the_status_stays_the_same() {
    let stage = Stage::new().weekends();
    let (before, _) = stage.policy_at("weekends", WEDNESDAY);
    let facts = stage.world().policy("weekends").expect("it is there");
    let (after, _) = policy_status(&facts, &before, Some(3), time(SATURDAY));
    assert_eq!(after, before);
    let monday = time("2026-11-30T00:00:00Z");
    let (later, until) = policy_status(&facts, &before, Some(3), monday);
    assert_eq!(later.windows[0], before.windows[1]);
    assert_eq!(later.conditions, before.conditions);
    assert_eq!(until, Some(time("2026-12-06T23:59:00Z")));
}

#[test]
fn a_policy_that_cannot_be_read_says_why() {
    let stage = Stage::new().rule("odd", "allow := {");
    let (status, until) = stage.policy_at("odd", WEDNESDAY);
    let told = condition_lines(&json!(status));
    let expected = "Accepted False SpecInvalid spec.opaPolicy is refused: line 2, column 1: expecting \
                    expression";
    assert_eq!(told, [expected]);
    assert_eq!((status.windows.len(), until), (0, None));
}

#[test]
fn a_rule_has_no_windows() {
    let stage = Stage::new().rule("gold", "allow := true");
    let (status, until) = stage.policy_at("gold", WEDNESDAY);
    assert_eq!((status.windows.len(), until), (0, None));
}

#[test]
fn a_binding_tells_whom_it_is_about_and_what_is_not_there() {
    let subjects = json!([
        {"kind": "operator", "name": "ferry"},
        {"kind": "operator", "name": "sloop"},
        {"kind": "operatorpolicy", "namespace": "managed", "name": "rope"},
    ]);
    let stage = Stage::new()
        .operator(SubjectKind::OperatorPolicy, "managed", "rope")
        .weekends()
        .binding("ours", &subjects, &["weekends", "gone"]);
    let status = json!(stage.binding_status("ours"));
    assert_eq!(
        condition_lines(&status),
        [
            "Accepted True Accepted the PolicyBinding can be read",
            "Broken True ReferenceMissing it names what is not there: Operator sloop, Policy gone; \
             make it, or take it out of the PolicyBinding",
        ]
    );
    assert_eq!(status["operatorCount"], 2);
    assert_eq!(
        status["operators"],
        json!([
            {"kind": "Operator", "name": "ferry"},
            {"kind": "OperatorPolicy", "namespace": "managed", "name": "rope"},
        ])
    );
    assert_eq!(
        status["missing"],
        json!([
            {"kind": "Operator", "name": "sloop"},
            {"kind": "Policy", "name": "gone"},
        ])
    );
}

#[test]
fn a_binding_is_whole_again_once_all_is_there() {
    let stage = Stage::new().weekends().all(&["weekends", "gone"]);
    let before = stage.binding_status("all");
    let stage = stage.rule("gone", "allow := true");
    let facts = stage.world().binding("all", &stage.operators);
    let facts = facts.expect("it is there");
    let after = binding_status(&facts, &before, Some(3), time(SATURDAY));
    assert_eq!(
        condition_lines(&json!(after))[1],
        "Broken False AllFound all that it names is there"
    );
    // The one condition changed now, the other one long ago.
    let since = |at: usize| after.conditions[at].last_transition_time.0;
    assert_eq!([since(0), since(1)], [time(WEDNESDAY), time(SATURDAY)]);
}

#[test]
fn of_a_binding_that_cannot_be_read_nobody_knows_whom_it_is_about() {
    let stage = Stage::new().binding("odd", &json!([]), &["weekends"]);
    let status = json!(stage.binding_status("odd"));
    let told = condition_lines(&status);
    assert!(
        told[0].starts_with("Accepted False SpecInvalid spec."),
        "{told:?}"
    );
    assert!(
        told[1].starts_with("Broken Unknown SpecInvalid "),
        "{told:?}"
    );
    assert_eq!(status.get("operatorCount"), None);
}
