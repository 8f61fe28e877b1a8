//! Tests that a Policy allows nothing if its rule cannot be evaluated. This test has a separate
//! binary, because its memory limit affects all threads of the process.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portolan_api::policy::{Policy, PolicyBinding, SubjectKind};
use portolan_core_approval::consent::{
    Code, Move, OperatorId, PolicySet, Terms, UpgradeReview, Version, in_process, review,
};
use portolan_kit::without_room;
use serde_json::json;
use similar_asserts::assert_eq;

const NOW: &str = "2026-11-28T12:00:30Z";

fn now() -> Timestamp {
    NOW.parse().expect("a time")
}

fn policy() -> Policy {
    Policy::new("gold", json!({"opaPolicy": "allow := true"}).into())
}

fn world() -> PolicySet {
    let spec = json!({
        "subjects": [{"kind": "operator", "name": "*"}], "policyRef": [{"name": "gold"}],
    });
    PolicySet::of([&policy()], [&PolicyBinding::new("all", spec.into())])
}

fn asked(world: &PolicySet) -> UpgradeReview {
    let asked = Move {
        operator: OperatorId::of(SubjectKind::Operator, "", "ferry"),
        package: "ferry".to_owned(),
        labels: BTreeMap::new(),
        from: None,
        to: Version::default(),
    };
    review(
        world,
        &BTreeSet::new(),
        &asked,
        now(),
        Terms::default(),
        &in_process,
    )
}

#[test]
fn rule_that_cannot_be_evaluated_denies() {
    let (world, denied) = without_room(|| {
        let world = world();
        let denied = asked(&world);
        (world, denied)
    });
    let UpgradeReview {
        allows,
        reasons,
        next,
        ..
    } = denied;
    let codes: Vec<_> = reasons.iter().map(|reason| reason.code).collect();
    assert_eq!((allows, codes), (false, vec![Code::RuleFailed]));
    let said = &reasons[0].message;
    let expected = "Policy gold (by PolicyBinding all) has a rule that cannot be evaluated, so the \
                    Policy allows no change: the rule cannot be evaluated here: no thread can be \
                    started for it: ";
    assert!(said.starts_with(expected), "{said}");
    assert_eq!(next, "2026-11-28T12:01:00Z".parse().ok());

    assert!(asked(&world).allows, "memory is available again");
}
