//! Scenarios with operators that other operators affect.

use portolan_core_health::{CsvPhase, Probe};

use super::stories;
use crate::tests::kit::*;

/// Returns a namespace with three working operators.
fn three() -> Story {
    harbor()
        .with("dock", "dock.v1.0.0")
        .with("buoy", "buoy.v1.0.0")
}

const MISSING: &str = "constraints not satisfiable: no operators found in package fery in the \
                       catalog referenced by subscription fery, subscription fery exists";

fn wreck(story: Story, namespace: &str) -> Story {
    story
        .stall(
            namespace,
            "wreck",
            Shop::Unavailable("connection refused".to_owned()),
        )
        .change(|all| {
            let wreck = all.stalls.last_mut().expect("there must be one");
            wreck.registry.source.status.connection = connection("TRANSIENT_FAILURE");
            wreck.registry.probe = Probe::NotProbed;
        })
        .fails(&format!(
            "error using catalogsource {namespace}/wreck: failed to list bundles: rpc error: \
             code = Unavailable desc = connection refused"
        ))
}

stories! {
    subscription_blocks_three_neighbors: three().subscription("fery", "fery").fails(MISSING) => [
        "buoy: Stuck BlockedByNeighbor Subscription demo/fery",
        "dock: Stuck BlockedByNeighbor Subscription demo/fery",
        "ferry: Stuck BlockedByNeighbor Subscription demo/fery",
        "fery: Stuck PackageMissing Subscription demo/fery",
    ];
    subscription_blocks_three_neighbors_according_to_olm: three()
        .subscription("fery", "fery")
        .unread("no folder is named for it")
        .fails(MISSING) => [
            "buoy: Stuck BlockedByNeighbor Subscription demo/fery",
            "dock: Stuck BlockedByNeighbor Subscription demo/fery",
            "ferry: Stuck BlockedByNeighbor Subscription demo/fery",
            "fery: Stuck PackageMissing Subscription demo/fery",
        ];
    unused_global_catalog_is_unreachable: wreck(harbor(), "olm")
        => ["ferry: Stuck BlockedByCatalog CatalogSource olm/wreck"];
    unused_catalog_of_the_namespace_is_unreachable: wreck(harbor(), HOME)
        => ["ferry: Stuck BlockedByCatalog CatalogSource demo/wreck"];
    unreachable_catalog_blocks_its_user_and_a_neighbor: wreck(harbor(), "olm")
        .with("dock", "dock.v1.0.0")
        .subscriptions("dock", |subscription| subscription.spec.source = "wreck".to_owned())
        => [
            "dock: Stuck CatalogUnreachable CatalogSource olm/wreck",
            "ferry: Stuck BlockedByCatalog CatalogSource olm/wreck",
        ];
    orphaned_operator_blocks_its_package: shore(FERRIES)
        .with("ferry", "ferry.v1.1.0")
        .subscriptions("ferry", |subscription| {
            (subscription.status.installed_csv, subscription.status.current_csv) = (String::new(), String::new());
            (subscription.status.state, subscription.status.install_plan_ref) = (String::new(), None);
        })
        .fails(
            "constraints not satisfiable: @existing/demo//ferry.v1.1.0 and \
             shop/olm/stable/ferry.v2.0.0 originate from package ferry, clusterserviceversion \
             ferry.v1.1.0 exists and is not referenced by a subscription, subscription ferry \
             exists, subscription ferry requires shop/olm/stable/ferry.v2.0.0",
        )
        => [
            "ferry: Stuck BlockedByOrphan ClusterServiceVersion demo/ferry.v1.1.0",
            "ferry.v1.1.0: Stuck BlockedByOrphan ClusterServiceVersion demo/ferry.v1.1.0",
        ];
    broken_orphaned_operator_blocks_its_package: shore(FERRIES)
        .with("ferry", "ferry.v1.1.0")
        .subscriptions("ferry", |subscription| {
            (subscription.status.installed_csv, subscription.status.current_csv) = (String::new(), String::new());
            (subscription.status.state, subscription.status.install_plan_ref) = (String::new(), None);
        })
        .csv("ferry.v1.1.0", |csv| csv.metadata.deletion_timestamp = deleted())
        .fails(
            "constraints not satisfiable: @existing/demo//ferry.v1.1.0 and \
             shop/olm/stable/ferry.v2.0.0 originate from package ferry, clusterserviceversion \
             ferry.v1.1.0 exists and is not referenced by a subscription, subscription ferry \
             exists, subscription ferry requires shop/olm/stable/ferry.v2.0.0",
        )
        => [
            "ferry: Stuck BlockedByOrphan ClusterServiceVersion demo/ferry.v1.1.0",
            "ferry.v1.1.0: Stuck BlockedByOrphan ClusterServiceVersion demo/ferry.v1.1.0",
        ];
    orphaned_operator_blocks_its_package_according_to_olm: shore(FERRIES)
        .with("ferry", "ferry.v1.1.0")
        .subscriptions("ferry", |subscription| {
            (subscription.status.installed_csv, subscription.status.current_csv) = (String::new(), String::new());
            (subscription.status.state, subscription.status.install_plan_ref) = (String::new(), None);
        })
        .with("dock", "dock.v1.0.0")
        .unread("no folder is named for it")
        .fails(
            "constraints not satisfiable: @existing/demo//ferry.v1.1.0 and \
             shop/olm/stable/ferry.v2.0.0 originate from package ferry, clusterserviceversion \
             ferry.v1.1.0 exists and is not referenced by a subscription, subscription ferry \
             exists, subscription ferry requires shop/olm/stable/ferry.v2.0.0",
        )
        => [
            "dock: Stuck BlockedByNeighbor ClusterServiceVersion demo/ferry.v1.1.0",
            "ferry: Stuck BlockedByOrphan ClusterServiceVersion demo/ferry.v1.1.0",
            "ferry.v1.1.0: Stuck BlockedByOrphan ClusterServiceVersion demo/ferry.v1.1.0",
        ];
    crashing_upgrade_blocks_the_neighbor: at("ferry: 1.0.0 -> 1.1.0; dock: 1.0.0", "ferry.v1.0.0")
        .with("dock", "dock.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Failed, "InstallCheckFailed")
        .deployment("ferry", |one| down(one, vec![pod("ferry", crashes)]))
        .fails(
            "constraints not satisfiable: clusterserviceversion ferry.v1.0.0 exists and is not \
             referenced by a subscription, subscription ferry requires shop/olm/stable/ferry.v1.1.0",
        )
        => [
            "dock: Stuck BlockedByNeighbor ClusterServiceVersion demo/ferry.v1.1.0",
            "ferry: Broken CrashLooping Deployment demo/ferry",
        ];
}
