//! Tests the decisions about upgrades, and the reasons for these decisions.

mod status;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portolan_api::policy::{INPUT_FIELDS, Policy, PolicyBinding, SubjectKind};
use portolan_core_approval::consent::{
    Fallback, Ground, Move, OperatorId, PolicySet, Terms, UpgradeReview, Version, document,
    in_process, review,
};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

const SATURDAY: &str = "2026-11-28T12:00:00Z";
const WEDNESDAY: &str = "2026-11-25T12:00:30Z";

const AS_WRITTEN: Terms = Terms {
    unbound: Fallback::Allow,
    broken: Fallback::Allow,
};

/// Policies and PolicyBindings that a test defines in a short notation.
#[derive(Default)]
struct Stage {
    policies: Vec<Policy>,
    bindings: Vec<PolicyBinding>,
    operators: BTreeSet<OperatorId>,
}

impl Stage {
    /// A cluster with the Operator ferry.
    fn new() -> Self {
        Self::default().operator(SubjectKind::Operator, "", "ferry")
    }

    fn operator(mut self, kind: SubjectKind, namespace: &str, name: &str) -> Self {
        self.operators.insert(operator(kind, namespace, name));
        self
    }

    fn policy(mut self, name: &str, spec: Value) -> Self {
        self.policies.push(Policy::new(name, spec.into()));
        self
    }

    fn weekends(self) -> Self {
        let windows = json!({"schedule": [{"start": "1 0 * * 6", "end": "59 23 * * 0"}]});
        self.policy("weekends", windows)
    }

    fn rule(self, name: &str, text: &str) -> Self {
        self.policy(name, json!({"opaPolicy": text}))
    }

    fn binding(mut self, name: &str, subjects: &Value, policies: &[&str]) -> Self {
        let policies: Vec<_> = policies.iter().map(|name| json!({"name": name})).collect();
        let spec = json!({"subjects": subjects, "policyRef": policies});
        self.bindings.push(PolicyBinding::new(name, spec.into()));
        self
    }

    /// Binds policies to all Operators.
    fn all(self, policies: &[&str]) -> Self {
        self.binding("all", &json!([{"kind": "operator", "name": "*"}]), policies)
    }

    fn at(&self, at: &str, terms: Terms) -> UpgradeReview {
        let world = PolicySet::of(&self.policies, &self.bindings);
        let at = at.parse().expect("a time");
        review(&world, &self.operators, &ferry(), at, terms, &in_process)
    }

    /// Returns true if the upgrade is allowed, and the codes of the reasons.
    fn codes(&self, at: &str, terms: Terms) -> (bool, Vec<&'static str>) {
        let UpgradeReview {
            allows, reasons, ..
        } = self.at(at, terms);
        let codes = reasons.iter().map(|reason| reason.code.as_str());
        (allows, codes.collect())
    }
}

fn operator(kind: SubjectKind, namespace: &str, name: &str) -> OperatorId {
    OperatorId {
        kind,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

fn ferry() -> Move {
    let version = |version: &str| Version {
        bundle: format!("ferry.v{version}"),
        version: version.to_owned(),
    };
    Move {
        operator: operator(SubjectKind::Operator, "", "ferry"),
        package: "ferry".to_owned(),
        labels: BTreeMap::from([("tier".to_owned(), "gold".to_owned())]),
        from: Some(version("1.0.0")),
        to: version("1.1.0"),
    }
}

fn time(text: &str) -> Option<Timestamp> {
    Some(text.parse().expect("a time"))
}

#[rstest]
#[case::nothing_is_bound(Stage::new(), (true, vec!["NoPolicyBinding"]))]
#[case::another_is_bound(
    Stage::new().operator(SubjectKind::Operator, "", "rope").weekends()
        .binding("a", &json!([{"kind": "Operator", "name": "rope"}]), &["weekends"]),
    (true, vec!["NoPolicyBinding"])
)]
#[case::another_kind_is_bound(
    Stage::new().weekends()
        .binding("a", &json!([{"kind": "OperatorPolicy", "name": "*"}]), &["weekends"]),
    (true, vec!["NoPolicyBinding"])
)]
#[case::operator_is_bound(Stage::new().weekends().all(&["weekends"]), (false, vec!["TimeRestricted"]))]
#[case::by_its_name(
    Stage::new().weekends().binding("a", &json!([{"kind": "OPERATOR", "name": "ferry"}]), &["weekends"]),
    (false, vec!["TimeRestricted"])
)]
#[case::policy_allows(
    Stage::new().rule("calm", "allow := true").all(&["calm"]),
    (true, vec!["Allowed"])
)]
#[case::both_policies_must_allow(
    Stage::new().rule("calm", "allow := true").weekends().all(&["calm", "weekends"]),
    (false, vec!["TimeRestricted"])
)]
#[case::both_bindings_must_allow(
    Stage::new().rule("calm", "allow := true").rule("never", "allow := false").all(&["calm"])
        .binding("b", &json!([{"kind": "Operator", "name": "ferry"}]), &["never"]),
    (false, vec!["DeniedByRule"])
)]
#[case::every_denial_is_reported(
    Stage::new().rule("never", "allow := false").weekends().all(&["never", "weekends"]),
    (false, vec!["DeniedByRule", "TimeRestricted"])
)]
#[case::both_restrictions_of_a_policy_must_allow(
    Stage::new()
        .policy("a", json!({"schedule": [{"start": "0 0 * * 3", "end": "0 0 * * 4"}], "opaPolicy": "allow := false"}))
        .all(&["a"]),
    (false, vec!["DeniedByRule"])
)]
#[case::policy_is_unreadable(
    Stage::new().rule("odd", "allow if {").all(&["odd"]),
    (false, vec!["PolicyInvalid"])
)]
#[case::rule_fails(
    Stage::new().rule("odd", "allow := 1").all(&["odd"]),
    (false, vec!["RuleFailed"])
)]
#[case::rule_exceeds_its_budget(
    Stage::new().rule("odd", "n := numbers.range(1, 1000); allow if { some a in n; some b in n; a + b == 0 }")
        .all(&["odd"]),
    (false, vec!["RuleFailed"])
)]
#[case::rule_about_the_requested_move(
    Stage::new()
        .rule("minor", "allow if { input.operator.labels.tier == \"gold\"; input.move.to.version == \"1.1.0\" }")
        .all(&["minor"]),
    (true, vec!["Allowed"])
)]
fn bindings_allow_or_deny_an_upgrade_on_a_wednesday(
    #[case] stage: Stage,
    #[case] expected: (bool, Vec<&'static str>),
) {
    assert_eq!(stage.codes(WEDNESDAY, AS_WRITTEN), expected);
}

/// By default, a binding that refers to a missing object has no effect.
#[rstest]
#[case::missing_policy(Stage::new().weekends().all(&["weekends", "gone"]), "Policy gone")]
#[case::missing_subject(
    Stage::new().weekends().binding(
        "all", &json!([{"kind": "Operator", "name": "*"}, {"kind": "Operator", "name": "rope"}]), &["weekends"]
    ),
    "Operator rope"
)]
#[case::subject_in_another_namespace(
    Stage::new().operator(SubjectKind::OperatorPolicy, "a", "sloop").weekends().binding(
        "all",
        &json!([{"kind": "Operator", "name": "*"}, {"kind": "OperatorPolicy", "namespace": "b", "name": "sloop"}]),
        &["weekends"]
    ),
    "OperatorPolicy b/sloop"
)]
fn broken_binding_has_no_effect_and_is_reported(#[case] stage: Stage, #[case] missing: &str) {
    let found = stage.at(WEDNESDAY, AS_WRITTEN);
    assert!(found.allows);
    let codes: Vec<_> = found
        .remarks
        .iter()
        .map(|remark| remark.code.as_str())
        .collect();
    assert_eq!(codes, ["BindingBroken"]);
    assert_eq!(
        found.remarks[0].message,
        format!(
            "PolicyBinding all names missing objects: {missing}; create these objects, or remove \
             them from the PolicyBinding"
        )
    );
    let denies = Terms {
        broken: Fallback::Deny,
        ..AS_WRITTEN
    };
    assert_eq!(
        stage.codes(SATURDAY, denies),
        (false, vec!["BindingBroken"])
    );
}

#[test]
fn wildcard_does_not_break_a_binding() {
    let all = json!([{"kind": "Operator", "name": "*"}, {"kind": "OperatorPolicy", "name": "*"}]);
    let stage = Stage::new().weekends().binding("all", &all, &["weekends"]);
    assert_eq!(
        stage.codes(WEDNESDAY, AS_WRITTEN),
        (false, vec!["TimeRestricted"])
    );
    assert_eq!(stage.at(WEDNESDAY, AS_WRITTEN).remarks, []);
}

#[test]
fn unreadable_binding_is_reported_in_every_review() {
    let stage = Stage::new().binding("odd", &json!([]), &["weekends"]);
    let found = stage.at(WEDNESDAY, AS_WRITTEN);
    assert!(found.allows);
    assert_eq!(found.remarks.len(), 1);
    let denies = Terms {
        broken: Fallback::Deny,
        ..AS_WRITTEN
    };
    assert_eq!(
        stage.codes(WEDNESDAY, denies),
        (false, vec!["BindingInvalid"])
    );
}

#[test]
fn unbound_operators_can_be_denied() {
    let denies = Terms {
        unbound: Fallback::Deny,
        ..AS_WRITTEN
    };
    assert_eq!(
        Stage::new().codes(SATURDAY, denies),
        (false, vec!["NoPolicyBinding"])
    );
    let stage = Stage::new().weekends().all(&["weekends"]);
    assert_eq!(stage.codes(SATURDAY, denies), (true, vec!["Allowed"]));
    // By default, a broken binding is ignored.
    let stage = Stage::new().all(&["gone"]);
    assert_eq!(
        stage.codes(SATURDAY, denies),
        (false, vec!["NoPolicyBinding"])
    );
}

/// Each case has the time at which the decision may change next although no object changes.
#[rstest]
#[case::never(Stage::new().rule("calm", "allow := true").all(&["calm"]), WEDNESDAY, None)]
#[case::nothing_is_bound(Stage::new(), WEDNESDAY, None)]
#[case::when_the_window_opens(
    Stage::new().weekends().all(&["weekends"]), WEDNESDAY, time("2026-11-28T00:01:00Z")
)]
#[case::when_the_window_closes(
    Stage::new().weekends().all(&["weekends"]), SATURDAY, time("2026-11-29T23:59:00Z")
)]
#[case::of_several_the_first(
    Stage::new().weekends()
        .policy("nights", json!({"schedule": [{"start": "0 22 * * *", "end": "0 4 * * *"}]}))
        .all(&["weekends", "nights"]),
    WEDNESDAY, time("2026-11-25T22:00:00Z")
)]
#[case::rule_reads_the_time(
    Stage::new().rule("now", "allow if time.now_ns() > 0").all(&["now"]),
    WEDNESDAY, time("2026-11-25T12:01:00Z")
)]
#[case::at_the_start_of_a_minute(
    Stage::new().rule("now", "allow if time.now_ns() > 0").all(&["now"]),
    SATURDAY, time("2026-11-28T12:01:00Z")
)]
#[case::policy_is_unreadable(Stage::new().rule("odd", "allow if {").all(&["odd"]), WEDNESDAY, None)]
fn review_reports_when_its_decision_may_change(
    #[case] stage: Stage,
    #[case] at: &str,
    #[case] next: Option<Timestamp>,
) {
    assert_eq!(stage.at(at, AS_WRITTEN).next, next);
}

#[test]
fn reason_names_fields_that_never_exist_in_the_input() {
    let rule = "allow if input.move.to.versoin == \"1.2.0\"";
    let stage = Stage::new().rule("typo", rule).all(&["typo"]);
    let reasons = stage.at(WEDNESDAY, AS_WRITTEN).reasons;
    let expected = "Policy typo (by PolicyBinding all) has a rule that does not allow the change \
                    (the rule reads input.move.to.versoin, which does not exist; did you mean \
                    input.move.to.version?); correct the rule, and test it with `portolan policy \
                    test`";
    assert_eq!(reasons[0].message, expected);
}

#[test]
fn reason_names_the_policy_and_the_position() {
    let stage = Stage::new()
        .weekends()
        .rule("odd", "allow if {\n  x := := 1\n}")
        .all(&["weekends", "odd"]);
    let reasons = stage.at(WEDNESDAY, AS_WRITTEN).reasons;
    let lines: Vec<_> = reasons
        .iter()
        .map(|reason| reason.message.as_str())
        .collect();
    assert_eq!(
        lines,
        [
            "Policy odd (by PolicyBinding all) cannot be read, so this Policy allows no change: \
             spec.opaPolicy is refused: line 2, column 8: expecting expression",
            "Policy weekends (by PolicyBinding all) opens its next time window at \
             2026-11-28T00:01:00Z",
        ]
    );
}

/// Returns the paths of the leaf fields of a document. Labels are a leaf, because labels have no
/// fixed fields.
fn leaves(value: &Value, path: &str) -> Vec<String> {
    match value.as_object() {
        Some(fields) if path != "operator.labels" => {
            let below = fields.iter();
            let below = below.map(|(name, field)| (format!("{path}.{name}"), field));
            below
                .flat_map(|(path, field)| leaves(field, path.trim_start_matches('.')))
                .collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// Compares the documented input of rules with its schema.
#[test]
fn policy_input_matches_its_schema() {
    let found = document(&ferry(), SATURDAY.parse().expect("a time"));
    let schema: Value =
        serde_json::from_str(include_str!("../../../../../docs/policy-input.schema.json"))
            .expect("JSON");
    let names = |value: &Value| -> BTreeSet<String> {
        value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    };
    assert_eq!(names(&found), names(&schema["properties"]));
    for part in ["operator", "move"] {
        let declared = &schema["properties"][part]["properties"];
        assert_eq!(names(&found[part]), names(declared), "{part}");
    }
    assert_eq!(
        names(&found["move"]["to"]),
        names(&schema["$defs"]["version"]["properties"])
    );
    assert_eq!(leaves(&found, "").join(" "), INPUT_FIELDS.join(" "));
    assert_eq!(
        found["apiVersion"],
        schema["properties"]["apiVersion"]["const"]
    );
    let first = Move {
        from: None,
        ..ferry()
    };
    let found = document(&first, SATURDAY.parse().expect("a time"));
    assert_eq!(found["move"].get("from"), None);
}

/// A rule may be slow, and returns the same result for each binding. So it is evaluated only once.
#[test]
fn rule_is_evaluated_once_for_several_bindings() {
    let everything = json!([{"kind": "operator", "name": "*"}]);
    let stage = Stage::new()
        .rule("gold", "allow if input.move.to.version == \"1.1.0\"")
        .binding("one", &everything, &["gold"])
        .binding("another", &everything, &["gold"]);
    let world = PolicySet::of(&stage.policies, &stage.bindings);
    let at = WEDNESDAY.parse().expect("a time");
    let asked = std::cell::Cell::new(0);
    let review = review(
        &world,
        &stage.operators,
        &ferry(),
        at,
        AS_WRITTEN,
        &|rule, input, at| {
            asked.set(asked.get() + 1);
            in_process(rule, input, at)
        },
    );
    assert_eq!((review.allows, review.reasons.len()), (true, 2));
    assert_eq!(asked.get(), 1);
}

/// A client that waits for a changed decision compares the grounds with the objects that it
/// observes.
#[test]
fn grounds_list_all_relevant_objects_with_their_state() {
    let ferry = || json!([{"kind": "operator", "name": "ferry"}]);
    let mut stage = Stage::new()
        .weekends()
        .rule("never", "allow := false")
        .binding("ours", &ferry(), &["weekends"])
        .binding("broken", &ferry(), &["weekends", "gone"])
        .binding("unread", &json!([]), &["never"])
        .binding(
            "others",
            &json!([{"kind": "operator", "name": "rope"}]),
            &["never"],
        );
    stage.policies[0].metadata.uid = Some("uid-1".to_owned());
    stage.policies[0].metadata.generation = Some(2);
    let grounds = |stage: &Stage| {
        let world = PolicySet::of(&stage.policies, &stage.bindings);
        let ferry = operator(SubjectKind::Operator, "", "ferry");
        let grounds = world.grounds(&stage.operators, &ferry);
        let lines = grounds.into_iter().map(|ground| {
            let Ground {
                object,
                uid,
                generation,
                is_broken,
            } = ground;
            let state = if is_broken { " broken" } else { "" };
            format!("{} {} {uid}@{generation}{state}", object.kind, object.name)
        });
        lines.collect::<Vec<_>>()
    };
    let expected = [
        "Policy weekends uid-1@2",
        "PolicyBinding broken @0 broken",
        "PolicyBinding ours @0",
        "PolicyBinding unread @0 broken",
    ];
    assert_eq!(grounds(&stage), expected);
    stage = stage.rule("gone", "allow := true");
    assert!(grounds(&stage).contains(&"PolicyBinding broken @0".to_owned()));
}

#[rstest]
#[case::nothing_is_bound(Stage::new().weekends(), &[])]
#[case::all_operators(Stage::new().weekends().all(&["weekends"]), &["weekends"])]
#[case::two_bindings(
    Stage::new().weekends().rule("calm", "allow := true").all(&["weekends"])
        .binding("a", &json!([{"kind": "Operator", "name": "ferry"}]), &["calm", "weekends"]),
    &["calm", "weekends"]
)]
#[case::another_operator(
    Stage::new().operator(SubjectKind::Operator, "", "rope").weekends()
        .binding("a", &json!([{"kind": "Operator", "name": "rope"}]), &["weekends"]),
    &[]
)]
#[case::broken_binding(Stage::new().all(&["gone"]), &[])]
#[case::invalid_policy(Stage::new().policy("bad", json!({})).all(&["bad"]), &["bad"])]
fn policies_of_a_package_are_those_of_its_operator(
    #[case] stage: Stage,
    #[case] expected: &[&str],
) {
    let world = PolicySet::of(&stage.policies, &stage.bindings);
    let found = world.restricting(&stage.operators, &OperatorId::of_package("ferry"));
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
}
