//! Tests of Operators that are being deleted, and of new dependencies on them.

use portolan_api::operator::{ConditionType, FORCE_DELETION};
use portolan_core_operator::{CommonRoute, End, Requirements, WantedBundle};
use serde_json::json;
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, move_to, wish};

/// Returns a cluster in which `tug` uses `ferry`, and `ferry` is being deleted. `rope` and the next
/// version of `tug` also require `ferry`.
fn cluster() -> Cluster {
    let mut cluster = Cluster::with_ferry_installed();
    for package in ["buoy", "rope", "tug"] {
        let versions = vec!["1.0.0", "1.1.0"];
        cluster.packages.insert(package.to_owned(), versions);
    }
    for bundle in ["tug.v1.0.0", "tug.v1.1.0", "rope.v1.0.0"] {
        let needs = ("ferry".to_owned(), ">=1.0.0".to_owned());
        cluster.requires.insert(bundle.to_owned(), needs);
    }
    cluster.put("tug", wish("tug", "1.0.0"));
    cluster.settle();
    cluster.delete("ferry");
    cluster.settle();
    let blocked = "False DeletionBlocked: tug 1.0.0 needs this operator";
    assert!(
        cluster.reported("ferry").starts_with(blocked),
        "{}",
        cluster.reported("ferry")
    );
    cluster.take_written();
    cluster
}

const WAITS: &str = "False WaitingForDependencies: rope.v1.0.0 requires ferry >=1.0.0, but \
                     Operator ferry, which installs ferry >=1.0.0, is being deleted; when it is \
                     gone, create it again";

#[test]
fn operator_being_deleted_satisfies_no_new_dependency() {
    let mut cluster = cluster();
    cluster.put("rope", wish("rope", "1.0.0"));
    cluster.settle();
    assert_eq!(cluster.reported("rope"), WAITS);
    assert_eq!(
        cluster.take_written(),
        ["rope has its finalizer", "make rope-1"]
    );
    let users = &cluster.status("ferry").used_by;
    let users: Vec<_> = users.iter().map(|user| &*user.name).collect();
    assert_eq!(users, ["tug"], "rope does not hold it");

    cluster.delete("tug");
    while cluster.operators.contains_key("ferry") {
        for name in ["tug", "ferry"] {
            cluster.turn(name, usize::MAX);
        }
        cluster.carry_out();
    }
    let gone = [
        "delete tug-1",
        "delete ferry-1",
        "tug is gone",
        "ferry is gone",
    ];
    assert_eq!(cluster.take_written(), gone);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    assert_eq!(cluster.installed("rope"), Some("1.0.0"));
}

/// The deletion of an operator waits for its users, so they can still be upgraded.
#[test]
fn users_of_an_operator_being_deleted_are_upgraded() {
    let mut cluster = cluster();
    cluster.put("tug", wish("tug", "1.1.0"));
    cluster.settle();
    assert_eq!(cluster.installed("tug"), Some("1.1.0"));
    let dependency = &cluster.status("tug").dependencies[0];
    assert_eq!(
        (dependency.satisfied, dependency.terminating),
        (Some(true), true)
    );
}

#[test]
fn author_may_ignore_that_a_dependency_is_being_deleted() {
    let mut cluster = cluster();
    let mut spec = wish("rope", "1.0.0");
    spec["dependencies"] = json!("ignore");
    cluster.put("rope", spec);
    cluster.settle();
    assert_eq!(cluster.installed("rope"), Some("1.0.0"));
}

/// Operators that move together begin at the same time, or not at all.
#[test]
fn partner_waits_for_an_operator_that_lacks_a_lasting_dependency() {
    let mut cluster = cluster();
    let end = |package: &str| End {
        package: package.to_owned(),
        ..End::default()
    };
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to("buoy", "1.0.0"), move_to("rope", "1.0.0")]],
        ends: vec![end("buoy"), end("rope")],
    }]);
    for name in ["rope", "buoy"] {
        cluster.put(name, wish(name, "1.0.0"));
    }
    cluster.settle();
    assert_eq!(cluster.reported("rope"), WAITS);
    let expected = "False WaitingForOtherOperators: the operator is upgraded together with rope, \
                    which cannot be upgraded to rope.v1.0.0 yet";
    assert_eq!(cluster.reported("buoy"), expected);
    assert_eq!(cluster.installed("buoy"), None);
}

#[test]
fn status_reports_dependency_that_is_being_deleted() {
    let mut cluster = cluster();
    let ferry = (String::from("ferry"), String::from(">=1.0.0"));
    let requires = Requirements {
        packages: [ferry].into(),
        ..Requirements::default()
    };
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to("rope", "1.0.0")]],
        ends: vec![End {
            package: "rope".to_owned(),
            wanted: Some(WantedBundle {
                bundle: "rope.v1.0.0".to_owned(),
                version: "1.0.0".to_owned(),
                requires,
            }),
            ..End::default()
        }],
    }]);
    cluster.put("rope", wish("rope", "1.0.0"));
    cluster.settle();
    let dependency = &cluster.status("rope").dependencies[0];
    assert_eq!(dependency.satisfied, Some(false));
    assert_eq!(dependency.installed.as_deref(), Some("1.0.0"));
    assert!(dependency.terminating);
    let met = cluster
        .status("rope")
        .condition(ConditionType::DependenciesMet);
    assert_eq!(
        met.map(|it| &*it.message),
        Some("rope.v1.0.0 requires ferry >=1.0.0; ferry 1.0.0 is being deleted")
    );
    cluster.annotate("ferry", FORCE_DELETION, "true");
    cluster.routes = None;
    cluster.settle();
    assert!(!cluster.operators.contains_key("ferry"));
}
