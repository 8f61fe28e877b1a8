//! Tests of Operators that are being deleted.

use portolan_api::operator::{
    APPROVE, ConditionType, DependencyStatus, FORCE_DELETION, UserStatus,
};
use portolan_core_names::Gvk;
use portolan_core_operator::CustomResources;
use serde_json::json;
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, wish};

#[test]
fn oldest_plan_is_deleted_first() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    cluster.take_written();
    cluster.delete("ferry");
    cluster.settle();
    let all = ["delete ferry-1", "delete ferry-2", "ferry is gone"];
    assert_eq!(cluster.take_written(), all);
}

/// The predecessor of a suspended plan waits until the suspended plan is released or deleted, so
/// the suspended plan must be deleted first.
#[test]
fn suspended_plan_is_deleted_first() {
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
fn required_operator_is_kept_until_deletion_is_forced() {
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
        ..UserStatus::default()
    };
    assert_eq!(cluster.status("ferry").used_by, [user]);
    let needed = DependencyStatus {
        name: "ferry".to_owned(),
        bundle: "rope.v1.0.0".to_owned(),
        minimum_version: Some("1.2.0".to_owned()),
        range: Some(">=1.2.0 <2.0.0".to_owned()),
        satisfied: Some(true),
        installed: Some("1.2.0".to_owned()),
        ..DependencyStatus::default()
    };
    assert_eq!(cluster.status("rope").dependencies, [needed]);
    cluster.take_written();
    cluster.delete("ferry");
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False DeletionBlocked: rope 1.0.0 needs this operator; first delete the operators that \
         need it, or set the annotation operators.portolan.dev/force-deletion"
    );
    assert_eq!(cluster.take_written(), [""; 0]);
    cluster.annotate("ferry", FORCE_DELETION, "true");
    cluster.settle();
    assert_eq!(cluster.take_written(), ["delete ferry-1", "ferry is gone"]);
}

/// The deletion of an Operator keeps its CRDs, so all custom resources remain.
#[test]
fn remaining_custom_resources_are_counted_and_named() {
    let mut cluster = Cluster::with_ferry();
    cluster.provides.insert(Gvk {
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
    assert_eq!(
        told,
        Some("all objects that the Operator installed are being deleted")
    );
    assert_eq!(
        cluster.reported("ferry"),
        "False Deleting: the plan ferry-1 is deleted; 5 ferries.ferry.example (harbor/a, harbor/b \
         and 3 more) are kept, but no operator manages them any more"
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

/// The operator is also kept if the operator that requires it is still being installed.
#[test]
fn keeps_operator_required_by_an_unfinished_installation() {
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

/// Returns a cluster with packages that require other packages. Each pair contains a package and
/// the package that it requires.
fn with_packages(requires: &[(&str, &str)]) -> Cluster {
    let mut cluster = Cluster::new();
    for (package, required) in requires {
        cluster
            .packages
            .insert((*package).to_owned(), vec!["1.0.0"]);
        let needs = ((*required).to_owned(), ">=1.0.0".to_owned());
        cluster.requires.insert(format!("{package}.v1.0.0"), needs);
    }
    for (package, required) in requires {
        let versions = || vec!["1.0.0"];
        cluster
            .packages
            .entry((*required).to_owned())
            .or_insert_with(versions);
        for name in [package, required] {
            if !cluster.operators.contains_key(*name) {
                cluster.put(name, json!({"packageName": name}));
            }
        }
    }
    cluster.settle();
    cluster.settle();
    cluster.take_written();
    cluster
}

#[test]
fn mutually_required_operators_are_deleted_in_any_order() {
    for names in [["buoy", "dock"], ["dock", "buoy"]] {
        let mut cluster = with_packages(&[("buoy", "dock"), ("dock", "buoy")]);
        let used_by = &cluster.status(names[0]).used_by;
        assert!(used_by[0].mutual && !used_by[0].terminating, "{used_by:?}");
        cluster.delete(names[0]);
        cluster.settle();
        assert!(
            cluster
                .reported(names[0])
                .starts_with("False DeletionBlocked: "),
            "{}",
            cluster.reported(names[0])
        );
        assert_eq!(cluster.take_written(), [""; 0]);
        assert!(cluster.status(names[1]).used_by[0].terminating);
        cluster.delete(names[1]);
        cluster.settle();
        assert!(cluster.operators.is_empty(), "{:?}", cluster.written);
    }
}

/// A user deletes the required operator before the operators that require it.
#[test]
fn required_operator_is_deleted_after_its_users() {
    let mut cluster = with_packages(&[("buoy", "dock"), ("dock", "quay")]);
    for name in ["quay", "dock", "buoy"] {
        cluster.delete(name);
        cluster.turn(name, usize::MAX);
    }
    assert_eq!(
        cluster.reported("quay"),
        "False DeletionBlocked: dock 1.0.0 needs this operator; first delete the operators that \
         need it, or set the annotation operators.portolan.dev/force-deletion"
    );
    cluster.settle();
    let order = cluster.take_written();
    let gone = ["buoy is gone", "dock is gone", "quay is gone"];
    let places = gone.map(|it| order.iter().position(|one| one == it));
    assert!(places.is_sorted() && places[0].is_some(), "{order:?}");
}

/// `buoy` and `dock` require each other. `tug` requires `dock` and is not being deleted, so both
/// are kept.
#[test]
fn mutually_required_operators_are_kept_for_another_user() {
    let mut cluster = with_packages(&[("buoy", "dock"), ("dock", "buoy"), ("tug", "dock")]);
    for name in ["buoy", "dock"] {
        cluster.delete(name);
    }
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    for name in ["buoy", "dock"] {
        assert_eq!(
            cluster.reported(name),
            "False DeletionBlocked: tug 1.0.0 needs this operator; first delete the operators \
             that need it, or set the annotation operators.portolan.dev/force-deletion"
        );
    }
    cluster.delete("tug");
    cluster.settle();
    assert!(cluster.operators.is_empty(), "{:?}", cluster.written);
}
