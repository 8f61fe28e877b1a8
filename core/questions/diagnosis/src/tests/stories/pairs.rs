//! Scenarios with two problems at the same time.

use portolan_core_health::{CsvPhase, Probe};

use super::stories;
use crate::tests::kit::*;

stories! {
    crashing_pod_and_unreachable_catalog: harbor()
        .deployment("ferry", |one| down(one, vec![pod("ferry", crashes)]))
        .shop(|stall| {
            stall.registry.source.status.connection = connection("TRANSIENT_FAILURE");
            stall.registry.probe = Probe::NotProbed;
        })
        => ["ferry: Broken CrashLooping Deployment demo/ferry > CatalogUnreachable CatalogSource olm/shop"];
    operator_group_and_package_are_missing: shore(FERRIES)
        .subscription("fery", "fery")
        .change(|all| all.namespace.groups.objects.clear())
        => ["fery: Stuck OperatorGroupMissing OperatorGroup of namespace demo"];
    two_subscriptions_for_missing_packages: shore(FERRIES).subscription("fery", "fery").subscription("doc", "doc") => [
        "doc: Stuck PackageMissing Subscription demo/doc > BlockedByNeighbor Subscription demo/fery",
        "fery: Stuck PackageMissing Subscription demo/fery > BlockedByNeighbor Subscription demo/doc",
    ];
    blocked_operator_has_its_own_failure: harbor()
        .with("dock", "dock.v1.0.0")
        .deployment("dock", |one| down(one, vec![pod("dock", crashes)]))
        .subscription("fery", "fery")
        => [
            "dock: Broken CrashLooping Deployment demo/dock > BlockedByNeighbor Subscription demo/fery",
            "ferry: Stuck BlockedByNeighbor Subscription demo/fery",
            "fery: Stuck PackageMissing Subscription demo/fery",
        ];
    unreachable_catalog_and_subscription_for_a_missing_package: harbor()
        .subscription("fery", "fery")
        .stall("olm", "wreck", Shop::Unavailable("connection refused".to_owned()))
        .change(|all| {
            all.stalls[1].registry.source.status.connection = connection("TRANSIENT_FAILURE");
            all.stalls[1].registry.probe = Probe::NotProbed;
        })
        => [
            "ferry: Stuck BlockedByCatalog CatalogSource olm/wreck > BlockedByNeighbor Subscription demo/fery",
            "fery: Stuck BlockedByCatalog CatalogSource olm/wreck > PackageMissing Subscription demo/fery",
        ];
    not_upgradeable_operator_blocks_a_neighbor:
        at("ferry: 1.0.0 -> 1.1.0; dock: 1.0.0", "ferry.v1.0.0")
        .with("dock", "dock.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Pending, "OperatorConditionNotUpgradeable")
        .change(|all| {
            let own = operator_says("ferry.v1.0.0", "False", "the tide is out");
            all.namespace.conditions.objects.push(own);
        })
        .fails(
            "constraints not satisfiable: clusterserviceversion ferry.v1.0.0 exists and is not \
             referenced by a subscription, subscription ferry requires \
             shop/olm/stable/ferry.v1.1.0",
        )
        => [
            "dock: Stuck BlockedByNeighbor ClusterServiceVersion demo/ferry.v1.1.0",
            "ferry: Stuck NotUpgradeable OperatorCondition demo/ferry.v1.0.0",
        ];
    two_deployments_fail: harbor()
        .with("dock", "dock.v1.0.0")
        .deployment("ferry", |one| down(one, vec![pod("ferry", crashes)]))
        .deployment("dock", |one| down(one, vec![pod("dock", waiting("ErrImagePull", "not found"))]))
        => [
            "dock: Broken ImagePullFailing Deployment demo/dock",
            "ferry: Broken CrashLooping Deployment demo/ferry",
        ];
}
