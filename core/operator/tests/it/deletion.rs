//! Operators that go.

use portolan_api::operator::{
    APPROVE, ConditionType, DependencyStatus, FORCE_DELETION, UserStatus,
};
use portolan_core_operator::{Api, CustomResources};
use serde_json::json;
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, wish};

#[test]
fn plans_go_the_oldest_first() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    cluster.take_written();
    cluster.delete("ferry");
    cluster.settle();
    let all = ["delete ferry-1", "delete ferry-2", "ferry is gone"];
    assert_eq!(cluster.take_written(), all);
}

/// The one before a plan that is held waits for that one to be decided.
#[test]
fn a_plan_that_is_held_goes_first() {
    let mut cluster = Cluster::with_ferry();
    let spec = |version| {
        json!({
            "packageName": "ferry", "version": version, "settleSeconds": 0, "approval": "Manual",
        })
    };
    cluster.put("ferry", spec("1.0.0"));
    cluster.annotate("ferry", APPROVE, "ferry.v1.0.0");
    cluster.settle();
    cluster.put("ferry", spec("1.1.0"));
    cluster.settle();
    cluster.take_written();
    cluster.delete("ferry");
    cluster.settle();
    let all = ["delete ferry-2", "delete ferry-1", "ferry is gone"];
    assert_eq!(cluster.take_written(), all);
}

#[test]
fn one_that_another_needs_stays_until_somebody_forces_it() {
    let mut cluster = Cluster::with_ferry();
    cluster.packages.insert("rope".to_owned(), vec!["1.0.0"]);
    let needs = ("ferry".to_owned(), ">=1.2.0 <2.0.0".to_owned());
    cluster.requires.insert("rope.v1.0.0".to_owned(), needs);
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.put("rope", json!({"packageName": "rope"}));
    cluster.settle();
    cluster.settle();
    let user = UserStatus {
        name: "rope".to_owned(),
        version: "1.0.0".to_owned(),
    };
    assert_eq!(cluster.status("ferry").used_by, [user]);
    let needed = DependencyStatus {
        name: "ferry".to_owned(),
        minimum_version: Some("1.2.0".to_owned()),
        range: Some(">=1.2.0 <2.0.0".to_owned()),
    };
    assert_eq!(cluster.status("rope").dependencies, [needed]);
    cluster.take_written();
    cluster.delete("ferry");
    cluster.settle();
    assert_eq!(
        cluster.said("ferry"),
        "False DeletionBlocked: rope 1.0.0 needs it; delete what needs it first, or set the \
         annotation operators.portolan.dev/force-deletion"
    );
    assert_eq!(cluster.take_written(), [""; 0]);
    cluster.annotate("ferry", FORCE_DELETION, "true");
    cluster.settle();
    assert_eq!(cluster.take_written(), ["delete ferry-1", "ferry is gone"]);
}

/// Definitions stay, and so do the objects of others.
#[test]
fn the_custom_resources_that_stay_are_counted_and_named() {
    let mut cluster = Cluster::with_ferry();
    cluster.provides.insert(Api {
        group: "ferry.example".to_owned(),
        version: "v1".to_owned(),
        kind: "Ferry".to_owned(),
    });
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    cluster.resources = Some(vec![
        CustomResources {
            definition: "ferries.ferry.example".to_owned(),
            count: 5,
            first: vec!["harbor/a".to_owned(), "harbor/b".to_owned()],
        },
        CustomResources {
            definition: "docks.ferry.example".to_owned(),
            ..CustomResources::default()
        },
    ]);
    cluster.delete("ferry");
    assert!(cluster.turn("ferry", usize::MAX));
    let told = cluster.decide("ferry").status;
    let told = told.condition(ConditionType::Installing);
    let told = told.map(|it| it.message.as_str());
    assert_eq!(told, Some("all that it installed is deleted"));
    assert_eq!(
        cluster.said("ferry"),
        "False Deleting: the plan ferry-1 is deleted; 5 ferries.ferry.example (harbor/a, harbor/b and \
         3 more) stay, and nobody looks after them"
    );

    cluster.put("ferry", wish("ferry", "1.1.0"));
    let ferry = cluster.operators.get_mut("ferry").expect("an Operator");
    ferry.metadata.deletion_timestamp = None;
    cluster.settle();
    cluster.resources = None;
    cluster.delete("ferry");
    cluster.settle();
    assert!(
        !cluster.operators.contains_key("ferry"),
        "it goes all the same"
    );
}

/// Also while it is being installed, and has not come to its end.
#[test]
fn one_that_is_needed_by_what_is_being_installed_stays() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.packages.insert("rope".to_owned(), vec!["1.0.0"]);
    let needs = ("ferry".to_owned(), ">=1.0.0".to_owned());
    cluster.requires.insert("rope.v1.0.0".to_owned(), needs);
    cluster.stuck.insert("rope.v1.0.0".to_owned());
    cluster.put("rope", json!({"packageName": "rope"}));
    cluster.settle();
    cluster.settle();
    assert_eq!(cluster.status("ferry").used_by.len(), 1);
    cluster.take_written();
    cluster.delete("ferry");
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
}
