//! Scenarios with Subscriptions that refer to missing objects.

use super::stories;
use crate::tests::kit::*;

fn asks(name: &str, package: &str) -> Story {
    shore(FERRIES).subscription(name, package)
}

fn unexplained_failure(message: &str) -> Story {
    asks("ferry", "ferry")
        .unread("no folder is named for it")
        .fails(&format!("constraints not satisfiable: {message}"))
}

stories! {
    package_is_missing: asks("fery", "fery")
        => ["fery: Stuck PackageMissing Subscription demo/fery"];
    package_is_missing_without_similar_names: asks("zeppelin", "zeppelin")
        => ["zeppelin: Stuck PackageMissing Subscription demo/zeppelin"];
    package_is_in_another_catalog: asks("tug", "tug")
        .stall("olm", "mart", Shop::Known(read("tug: 1.0.0")))
        => ["tug: Stuck PackageMissing Subscription demo/tug"];
    similar_package_has_other_channels: shore("ferry/fast: 1.0.0").subscription("fery", "fery")
        => ["fery: Stuck PackageMissing Subscription demo/fery"];
    olm_reports_a_missing_package: unexplained_failure(
        "no operators found in package ferry in the catalog referenced by subscription ferry, \
         subscription ferry exists",
    ) => ["ferry: Stuck PackageMissing Subscription demo/ferry"];
    channel_is_missing: asks("ferry", "ferry")
        .subscriptions("ferry", |subscription| subscription.spec.channel = "stabel".to_owned())
        => ["ferry: Stuck ChannelMissing Subscription demo/ferry"];
    subscription_with_a_missing_channel_is_applied_by_flux: asks("ferry", "ferry")
        .subscriptions("ferry", |subscription| {
            subscription.spec.channel = "stabel".to_owned();
            label(&mut subscription.metadata, "kustomize.toolkit.fluxcd.io/name", "apps");
            label(&mut subscription.metadata, "kustomize.toolkit.fluxcd.io/namespace", "flux-system");
            let owner = ("a8r.io/owner".to_owned(), "harbor team".to_owned());
            subscription.metadata.annotations = Some([owner].into());
        })
        => ["ferry: Stuck ChannelMissing Subscription demo/ferry"];
    channel_is_missing_without_similar_names: asks("ferry", "ferry")
        .subscriptions("ferry", |subscription| subscription.spec.channel = "nightly".to_owned())
        => ["ferry: Stuck ChannelMissing Subscription demo/ferry"];
    /// OLM reports no failure, because it has not resolved the namespace since the channel was
    /// changed.
    channel_is_missing_and_the_operator_works: harbor()
        .subscriptions("ferry", |subscription| subscription.spec.channel = "stabel".to_owned())
        => ["ferry: Stuck ChannelMissing Subscription demo/ferry"];
    package_is_missing_and_the_operator_works: harbor()
        .subscriptions("ferry", |subscription| subscription.spec.package = "fery".to_owned())
        => ["ferry: Stuck PackageMissing Subscription demo/ferry"];
    catalog_is_missing_and_the_operator_works: harbor()
        .subscriptions("ferry", |subscription| subscription.spec.source = "shopp".to_owned())
        => ["ferry: Stuck CatalogMissing CatalogSource olm/shopp"];
    olm_reports_a_missing_channel: unexplained_failure(
        "no operators found in channel stable of package ferry in the catalog referenced by \
         subscription ferry, subscription ferry exists",
    ) => ["ferry: Stuck ChannelMissing Subscription demo/ferry"];
    starting_csv_is_missing: asks("ferry", "ferry").change(|all| {
        all.starts.insert("ferry".to_owned(), "ferry-operator.v1.1.0".to_owned());
    }) => ["ferry: Stuck StartingCsvMissing Subscription demo/ferry"];
    starting_csv_is_missing_without_similar_names: asks("ferry", "ferry").change(|all| {
        all.starts.insert("ferry".to_owned(), "ferry.v9.0.0".to_owned());
    }) => ["ferry: Stuck StartingCsvMissing Subscription demo/ferry"];
    olm_reports_an_empty_catalog: unexplained_failure(
        "no operators found from catalog shop in namespace olm referenced by subscription ferry, \
         subscription ferry exists",
    ) => ["ferry: Stuck CatalogMissing Subscription demo/ferry"];
    dependency_is_missing: shore("ferry: 1.0.0; 1.0.0 requires dok >=1.0.0; dock: 1.0.0")
        .subscription("ferry", "ferry")
        => ["ferry: Stuck DependencyMissing Package dok"];
    dependency_is_an_api_without_provider:
        shore("ferry: 1.0.0; 1.0.0 requires g.test/v1/Tide").subscription("ferry", "ferry")
        => ["ferry: Stuck DependencyMissing Subscription demo/ferry"];
    dependency_is_out_of_range: shore("ferry: 1.0.0; 1.0.0 requires dock >=2.0.0; dock: 1.0.0 -> 1.1.0")
        .subscription("ferry", "ferry")
        => ["ferry: Stuck DependencyOutOfRange Package dock"];
    /// The catalog has versions below and above the required range.
    dependencies_of_all_versions_are_out_of_range: shore(
        "ferry: 0.9.0 -> 1.0.0 -> 1.1.0 -> 2.0.0
         ferry: 1.0.0 requires dock >=2.0.0 <3.0.0; 1.1.0 requires dock >=2.0.0 <3.0.0
         ferry: 0.9.0 requires dock >=2.0.0 <3.0.0; 2.0.0 requires dock >=2.5.0 <3.0.0
         dock: 1.0.0 -> 1.1.0 -> 3.0.0",
    )
    .subscription("ferry", "ferry")
        => ["ferry: Stuck DependencyOutOfRange Package dock"];
    /// A suitable version exists in another channel, but OLM does not select it.
    installed_dependency_is_too_old_and_a_newer_one_fits:
        shore("ferry: 1.0.0; 1.0.0 requires dock >=2.0.0; dock: 1.0.0; dock/fast: 2.0.0")
        .with("dock", "dock.v1.0.0")
        .subscription("ferry", "ferry")
        => [
            "dock: Stuck BlockedByNeighbor Subscription demo/ferry",
            "ferry: Stuck DependencyOutOfRange Subscription demo/ferry > DuplicateSubscription Subscription demo/ferry",
        ];
    installed_dependency_is_out_of_range:
        shore("ferry: 1.0.0; 1.0.0 requires dock >=2.0.0; dock: 1.0.0")
        .with("dock", "dock.v1.0.0")
        .subscription("ferry", "ferry")
        => [
            "dock: Stuck BlockedByNeighbor Subscription demo/ferry",
            "ferry: Stuck DependencyOutOfRange Subscription demo/ferry",
        ];
    olm_reports_a_missing_dependency: unexplained_failure(
        "bundle ferry.v1.0.0 requires an operator with package: tide and with version in range: \
         >=1.0.0, subscription ferry exists, subscription ferry requires \
         shop/olm/stable/ferry.v1.0.0",
    ) => ["ferry: Stuck DependencyMissing Package tide"];
    two_subscriptions_are_for_one_package: shore(FERRIES).with("ferry", "ferry.v2.0.0").subscription("again", "ferry")
        => [
            "again: Stuck DuplicateSubscription Subscription demo/again",
            "ferry: Stuck BlockedByNeighbor Subscription demo/again",
        ];
    two_operators_provide_the_same_api:
        shore("ferry: 1.0.0 provides g.test/v1/Boat; tug: 1.0.0 provides g.test/v1/Boat")
        .with("ferry", "ferry.v1.0.0")
        .subscription("tug", "tug")
        => [
            "ferry: Stuck BlockedByNeighbor Subscription demo/tug",
            "tug: Stuck ApiProvidedTwice Subscription demo/tug",
        ];
    olm_reports_an_outdated_failure: harbor().fails(
        "constraints not satisfiable: no operators found in package tug in the catalog referenced \
         by subscription tug, subscription tug exists",
    ) => ["ferry: Stuck ResolutionStale Subscription demo/ferry"];
    olm_reports_an_outdated_failure_without_catalog_content: harbor()
        .unread("no folder is named for it")
        .fails(
            "constraints not satisfiable: no operators found in package tug in the catalog \
             referenced by subscription tug, subscription tug exists",
        ) => ["ferry: Stuck ResolutionStale Subscription demo/ferry"];
    resolution_cannot_be_predicted: harbor()
        .subscription("fery", "fery")
        .fails(
            "constraints not satisfiable: no operators found in package fery in the catalog \
             referenced by subscription fery, subscription fery exists",
        )
        .change(|all| all.unresolved = Some("a version cannot be read".to_owned()))
        => [
            "ferry: Stuck BlockedByNeighbor Subscription demo/fery",
            "fery: Stuck PackageMissing Subscription demo/fery",
        ];
    olm_reports_an_unknown_failure: harbor()
        .unread("no folder is named for it")
        .fails("the moon is in the wrong house")
        => ["ferry: Stuck ResolutionFailed Subscription demo/ferry"];
}
