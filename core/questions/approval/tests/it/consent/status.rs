//! Tests the statuses of Policies and PolicyBindings.

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

    /// Returns the status of a Policy that had no status, and the time at which this status may
    /// change next.
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

/// Formats the type, status, reason and message of each condition.
fn condition_lines(status: &Value) -> Vec<String> {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let words = |it: &Value| ["type", "status", "reason", "message"].map(|at| it[at].to_string());
    conditions
        .map(|it| words(it).join(" ").replace('"', ""))
        .collect()
}

#[test]
fn policy_status_lists_next_windows_and_bindings() {
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

/// The status does not change when the first window opens. It changes after this window closes.
#[test]
fn status_does_not_change_when_a_window_opens() {
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
fn policy_status_reports_why_it_is_unreadable() {
    let stage = Stage::new().rule("odd", "allow := {");
    let (status, until) = stage.policy_at("odd", WEDNESDAY);
    let lines = condition_lines(&json!(status));
    let expected = "Accepted False SpecInvalid spec.opaPolicy is refused: line 2, column 1: \
                    expecting expression";
    assert_eq!(lines, [expected]);
    assert_eq!((status.windows.len(), until), (0, None));
}

#[test]
fn policy_with_a_rule_has_no_windows() {
    let stage = Stage::new().rule("gold", "allow := true");
    let (status, until) = stage.policy_at("gold", WEDNESDAY);
    assert_eq!((status.windows.len(), until), (0, None));
}

#[test]
fn binding_status_lists_operators_and_missing_references() {
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
            "Broken True ReferenceMissing the PolicyBinding names missing objects: Operator sloop, \
             Policy gone; create these objects, or remove them from the PolicyBinding",
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
fn binding_becomes_valid_when_its_references_exist() {
    let stage = Stage::new().weekends().all(&["weekends", "gone"]);
    let before = stage.binding_status("all");
    let stage = stage.rule("gone", "allow := true");
    let facts = stage.world().binding("all", &stage.operators);
    let facts = facts.expect("it is there");
    let after = binding_status(&facts, &before, Some(3), time(SATURDAY));
    assert_eq!(
        condition_lines(&json!(after))[1],
        "Broken False AllFound all objects that the PolicyBinding names exist"
    );
    // The first condition did not change now, and the second condition changed now.
    let since = |at: usize| after.conditions[at].last_transition_time.0;
    assert_eq!([since(0), since(1)], [time(WEDNESDAY), time(SATURDAY)]);
}

#[test]
fn unreadable_binding_has_no_operator_count() {
    let stage = Stage::new().binding("odd", &json!([]), &["weekends"]);
    let status = json!(stage.binding_status("odd"));
    let lines = condition_lines(&status);
    assert!(
        lines[0].starts_with("Accepted False SpecInvalid spec."),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("Broken Unknown SpecInvalid "),
        "{lines:?}"
    );
    assert_eq!(status.get("operatorCount"), None);
}
