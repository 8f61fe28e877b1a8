//! Healthy namespaces, for which no problem may be reported.

use portolan_core_health::{CsvPhase, InstallPlanPhase, Probe};

use super::stories;
use crate::tests::kit::*;

stories! {
    operator_is_healthy: harbor() => ["ferry: Well"];
    operator_is_healthy_without_catalog_content: harbor().unread("no folder is named for it") => ["ferry: Well"];
    two_operators_are_healthy: harbor().with("dock", "dock.v1.0.0") => ["dock: Well", "ferry: Well"];
    orphaned_operator_blocks_no_subscription: harbor()
        .change(|all| all.namespace.subscriptions.objects.clear()) => ["ferry.v2.0.0: Well"];
    subscription_is_new: shore(FERRIES).subscription("ferry", "ferry")
        => ["ferry: Working InProgress Subscription demo/ferry"];
    plan_is_being_executed: shore(FERRIES)
        .subscription("ferry", "ferry")
        .subscriptions("ferry", |subscription| {
            subscription.status.state = "UpgradePending".to_owned();
            subscription.status.current_csv = "ferry.v2.0.0".to_owned();
            subscription.status.install_plan_ref = plan_ref("install-ferry");
        })
        .change(|all| {
            let mut plan = install_plan("install-ferry", &["ferry.v2.0.0"]);
            plan.status.phase = InstallPlanPhase::Installing;
            all.namespace.plans.objects.push(plan);
        }) => ["ferry: Working InProgress InstallPlan demo/install-ferry"];
    plan_installs_two_operators: shore(FERRIES)
        .subscription("ferry", "ferry")
        .subscription("dock", "dock")
        .change(|all| {
            let mut plan = install_plan("install-both", &["dock.v1.0.0", "ferry.v2.0.0"]);
            plan.status.phase = InstallPlanPhase::Installing;
            all.namespace.plans.objects.push(plan);
            for subscription in &mut all.namespace.subscriptions.objects {
                subscription.status.install_plan_ref = plan_ref("install-both");
            }
        }) => [
            "dock: Working InProgress InstallPlan demo/install-both",
            "ferry: Working InProgress InstallPlan demo/install-both",
        ];
    olm_installed_a_csv_before_updating_the_subscription: shore(FERRIES)
        .with("ferry", "ferry.v2.0.0")
        .phase("ferry.v2.0.0", CsvPhase::Pending, "RequirementsNotMet", "it needs an account")
        .subscriptions("ferry", |subscription| {
            subscription.status.state = String::new();
            subscription.status.current_csv = String::new();
            subscription.status.installed_csv = String::new();
            subscription.status.install_plan_ref = None;
        })
        .change(|all| all.namespace.plans.objects[0].status.phase = InstallPlanPhase::Installing)
        => ["ferry: Working InProgress ClusterServiceVersion demo/ferry.v2.0.0"];
    operator_is_being_rolled_out: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Installing, "InstallWaiting", "waiting for deployment ferry")
        .deployment("ferry", |one| {
            rolling(one, vec![pod("ferry", waiting("ContainerCreating", ""))]);
        }) => ["ferry: Working InProgress Pod demo/ferry-1-a"];
    upgrade_is_in_progress: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Installing, "InstallWaiting")
        .deployment("ferry", |one| {
            rolling(one, vec![pod("ferry", waiting("ContainerCreating", ""))]);
        }) => ["ferry: Working InProgress Pod demo/ferry-1-a"];
    upgrade_is_in_progress_and_olm_blames_the_old_csv: at("ferry: 1.0.0 -> 1.1.0; dock: 1.0.0", "ferry.v1.0.0")
        .with("dock", "dock.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Installing, "InstallWaiting")
        .subscriptions("ferry", |subscription| subscription.status.installed_csv = "ferry.v1.1.0".to_owned())
        .deployment("ferry", |one| {
            rolling(one, vec![pod("ferry", waiting("ContainerCreating", ""))]);
        })
        .fails(
            "constraints not satisfiable: clusterserviceversion ferry.v1.0.0 exists and is not \
             referenced by a subscription, subscription ferry requires olm/shop/stable/ferry.v1.1.0",
        ) => [
            "dock: Working BlockedByNeighbor ClusterServiceVersion demo/ferry.v1.1.0",
            "ferry: Working InProgress Pod demo/ferry-1-a",
        ];
    operator_was_upgraded: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.1.0")
        .csv("ferry.v1.1.0", |csv| csv.spec.replaces = "ferry.v1.0.0".to_owned()) => ["ferry: Well"];
    replaced_csv_is_being_deleted: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Succeeded, "InstallSucceeded")
        .phase("ferry.v1.0.0", CsvPhase::Deleting, "Replaced", "has been replaced")
        => ["ferry: Well"];
    upgrade_has_not_started: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0") => ["ferry: Well"];
    another_channel_has_newer_versions: at(
        "ferry/stable: 1.0.0; ferry/fast: 1.0.0 -> 2.0.0",
        "ferry.v1.0.0",
    ) => ["ferry: Well"];
    not_upgradeable_operator_has_no_upgrade: harbor().change(|all| {
        let own = operator_says("ferry.v2.0.0", "False", "the tide is out");
        all.namespace.conditions.objects.push(own);
    }) => ["ferry: Well"];
    catalog_is_connecting: harbor().shop(|stall| {
        stall.registry.source.status.connection = connection("CONNECTING");
    }) => ["ferry: Well"];
    unused_catalog_is_unreachable_and_no_upgrade_exists: harbor()
        .stall("olm", "wreck", Shop::Unavailable("it cannot be read".to_owned()))
        .change(|all| {
            all.stalls[1].registry.source.status.connection = connection("TRANSIENT_FAILURE");
            all.stalls[1].registry.probe = Probe::NotProbed;
        })
        => ["ferry: Well"];
}
