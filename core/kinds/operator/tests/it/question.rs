//! Tests of the route request for all Operators.

use std::collections::BTreeMap;

use portolan_api::operator::Operator;
use portolan_core_operator::{Fleet, Goal, Installation, Installer, Offer, Offers, Present};
use serde_json::{Value, json};
use similar_asserts::assert_eq;

fn operator(name: &str, second: i64, spec: Value) -> Operator {
    let mut operator = Operator::new(name, spec.into());
    operator.metadata.uid = Some(format!("uid-of-{name}"));
    let at = jiff::Timestamp::from_second(second).expect("a time");
    operator.metadata.creation_timestamp = serde_json::from_value(json!(at)).expect("a time");
    operator
}

fn offers() -> Offers {
    let demo = Offer {
        catalog: "demo".to_owned(),
        ..Offer::default()
    };
    BTreeMap::from(["ferry", "rope"].map(|it| (it.to_owned(), vec![demo.clone()])))
}

fn fleet(operators: impl IntoIterator<Item = Operator>) -> Fleet {
    let operators: Vec<_> = operators.into_iter().collect();
    Fleet::of(&operators, [], "portolan")
}

#[test]
fn request_contains_ignored_edges_and_dependencies() {
    let lifted = operator(
        "ferry",
        1,
        json!({
            "packageName": "ferry", "version": "1.2.3", "channels": ["stable"],
            "dependencies": "ignore", "unsafeAllowDirectUpgrades": true,
            "unsafeAllowDowngrades": true, "unsafeIgnoreConflicts": true,
        }),
    );
    let plain = operator("rope", 0, json!({"packageName": "rope"}));
    let question = fleet([lifted, plain]).question(&offers());
    let [rope, ferry] = &question.operators[..] else {
        panic!("the older one comes first: {question:?}");
    };
    assert_eq!(ferry.wish, Goal::Range("1.2.3".to_owned()));
    assert_eq!(ferry.channels, ["stable".to_owned()].into());
    let of = |asked: &portolan_core_operator::Asked| {
        [
            asked.ignore_dependencies,
            asked.direct_upgrades,
            asked.downgrades,
            asked.ignore_conflicts,
        ]
    };
    assert_eq!((of(ferry), of(rope)), ([true; 4], [false; 4]));
    assert_eq!((&rope.wish, &*rope.catalog), (&Goal::Any, "demo"));
}

#[test]
fn treats_operators_that_cannot_be_upgraded_as_installed() {
    let mut fleet = fleet([
        operator("ferry", 0, json!({"packageName": "ferry"})),
        operator("odd", 1, json!({"packageName": "nowhere"})),
        operator("wrong", 2, json!({"packageName": "rope", "version": "~1"})),
    ]);
    let installs = Installation {
        package: "tug".to_owned(),
        bundle: "tug.v1.0.0".to_owned(),
        version: "1.0.0".to_owned(),
        ..Installation::default()
    };
    fleet.present.push(Present {
        object: "ClusterServiceVersion olm/tug.v1.0.0".to_owned(),
        by: Installer::Olm,
        installs: installs.clone(),
        csv: None,
    });
    let question = fleet.question(&offers());
    let packages: Vec<_> = question.operators.iter().map(|it| &*it.package).collect();
    assert_eq!(packages, ["ferry"]);
    assert_eq!(question.others, [installs]);
}
