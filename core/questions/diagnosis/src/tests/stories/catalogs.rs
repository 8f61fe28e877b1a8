//! Scenarios with catalogs.

use portolan_core_catalog::{Catalog, Reading};
use portolan_core_health::{Probe, Sight};
use portolan_kit::catalog;

use super::stories;
use crate::tests::kit::*;

const TWO: &str = "ferry: 1.0.0 -> 1.1.0 -> 2.0.0; tug: 1.0.0";

fn lost(story: Story) -> Story {
    story.shop(|stall| stall.registry.source.status.connection = connection("TRANSIENT_FAILURE"))
}

/// Returns the content of a catalog in which one file cannot be parsed.
fn torn(text: &str) -> Shop {
    let json = catalog(text).to_json_lines();
    let torn = "schema: olm.package\nname: [\n";
    Shop::Known(Catalog::of([
        Reading::of("text", json.as_bytes()),
        Reading::of("tug.yaml", torn.as_bytes()),
    ]))
}

/// Makes OLM report that it cannot query the catalog. The CatalogSource has this connection state.
fn unasked(story: Story, connection: &str) -> Story {
    story
        .shop(|stall| {
            stall.registry.probe = Probe::NotProbed;
            stall.registry.source.status.connection = super::super::kit::connection(connection);
        })
        .fails(
            "error using catalogsource olm/shop: failed to list bundles: rpc error: code = \
             Unavailable desc = connection refused",
        )
}

stories! {
    olm_never_connected_to_a_catalog:
        unasked(shore(FERRIES).subscription("ferry", "ferry").unread("it was never read"), "CONNECTING")
        => ["ferry: Stuck CatalogNeverReached CatalogSource olm/shop"];
    olm_lost_its_connection_to_a_catalog: unasked(harbor().unread("it was never read"), "CONNECTING")
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    olm_cannot_query_a_catalog_that_it_reports_ready: unasked(harbor(), "READY")
        => ["ferry: Stuck CatalogNotAnswering CatalogSource olm/shop"];
    olm_could_not_query_a_catalog_that_answers: unasked(harbor(), "READY")
        .shop(|stall| stall.registry.probe = Probe::Answered { packages: 3 })
        => ["ferry: Stuck ResolutionStale Subscription demo/ferry"];
    catalog_source_was_deleted: harbor().change(|all| all.stalls.clear())
        => ["ferry: Stuck CatalogMissing CatalogSource olm/shop"];
    catalog_source_was_deleted_and_another_has_the_package: harbor()
        .stall("olm", "mart", Shop::Known(read(TWO)))
        .change(|all| drop(all.stalls.remove(0)))
        => ["ferry: Stuck CatalogMissing CatalogSource olm/shop"];
    catalog_error_hides_the_package: shore(FERRIES)
        .subscription("tug", "tug")
        .shop(|stall| stall.shop = torn(FERRIES))
        => ["tug: Working NotObserved CatalogSource olm/shop"];
    catalog_errors_hide_all_packages: shore(FERRIES)
        .subscription("tug", "tug")
        .shop(|stall| stall.shop = torn(""))
        => ["tug: Working NotObserved CatalogSource olm/shop"];
    catalog_with_errors_is_in_another_namespace: shore(FERRIES)
        .stall("far", "away", torn(FERRIES))
        .subscription("tug", "tug")
        .subscriptions("tug", |subscription| {
            (subscription.spec.source_namespace, subscription.spec.source) = ("far".to_owned(), "away".to_owned());
        })
        => ["tug: Stuck CatalogMissing Subscription demo/tug"];
    olm_reports_missing_package_that_a_catalog_error_hides: shore(FERRIES)
        .subscription("tug", "tug")
        .shop(|stall| stall.shop = torn(FERRIES))
        .fails(
            "constraints not satisfiable: no operators found in package tug in the catalog \
             referenced by subscription tug, subscription tug exists",
        ) => ["tug: Stuck PackageMissing Subscription demo/tug"];
    catalog_error_hides_newer_versions: harbor()
        .shop(|stall| stall.shop = torn("ferry: 1.0.0; dock: 1.0.0"))
        => ["ferry: Well"];
    catalog_error_hides_a_dependency: shore("ferry: 1.0.0")
        .subscription("ferry", "ferry")
        .shop(|stall| stall.shop = torn("ferry: 1.0.0; 1.0.0 requires tug >=1.0.0"))
        => ["ferry: Stuck DependencyMissing Package tug"];
    catalog_was_never_reached: shore(FERRIES)
        .subscription("ferry", "ferry")
        .unread("it was never read")
        .shop(|stall| {
            stall.registry.source.status.connection = None;
            stall.registry.address = Err("OLM has not written where".to_owned());
            stall.registry.source.status.reason = "RegistryServerError".to_owned();
            stall.registry.source.status.message = "no image is given".to_owned();
            stall.registry.probe = Probe::NotProbed;
        })
        => ["ferry: Stuck CatalogNeverReached CatalogSource olm/shop"];
    catalog_is_unreachable: lost(harbor())
        .shop(|stall| stall.registry.probe = Probe::Unreachable("connection refused".to_owned()))
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    catalog_is_unreachable_according_to_olm: lost(harbor())
        .shop(|stall| stall.registry.probe = Probe::NotProbed)
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    catalog_with_a_pod_is_unreachable: lost(harbor())
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.registry.probe = Probe::Silent("ListPackages, after 5 s".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    catalog_image_cannot_be_pulled: lost(harbor())
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![pod("shop", waiting("ImagePullBackOff", "Back-off pulling image"))].into();
            stall.registry.probe = Probe::Unreachable("connection refused".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    pull_secret_of_the_catalog_is_missing: lost(harbor())
        .shop(|stall| {
            stall.registry.source.spec.image = "quay.example:5000/shop:1".to_owned();
            stall.registry.source.spec.secrets = vec!["shop-pull".to_owned()];
            stall.missing_secrets = ["shop-pull".to_owned()].into();
            let said = "Back-off pulling image \"a\": ErrImagePull: unauthorized: authentication required";
            stall.pods = vec![pod("shop", waiting("ImagePullBackOff", said))].into();
            stall.registry.probe = Probe::Unreachable("connection refused".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable Secret olm/shop-pull"];
    credentials_of_the_catalog_are_rejected: lost(harbor())
        .shop(|stall| {
            stall.registry.source.spec.image = "quay.example:5000/shop:1".to_owned();
            stall.registry.source.spec.secrets = vec!["shop-pull".to_owned()];
            stall.pods = vec![pod("shop", waiting("ErrImagePull", "unauthorized"))].into();
            stall.registry.probe = Probe::NotProbed;
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    catalog_pod_crashes: shore(FERRIES)
        .subscription("ferry", "ferry")
        .unread("it was never read")
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.registry.source.status.connection = None;
            stall.pods = vec![pod("shop", crashes)].into();
            stall.registry.probe = Probe::Pending;
        })
        => ["ferry: Stuck CatalogNeverReached CatalogSource olm/shop"];
    new_catalog_pod_fails_while_old_catalog_serves: harbor()
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![pod("shop", waiting("ErrImagePull", "no such image"))].into();
        })
        => ["ferry: Well"];
    catalog_pod_crashes_but_olm_is_connected: harbor()
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![pod("shop", crashes)].into();
            stall.registry.probe = Probe::NameUnknown("no such host".to_owned());
        })
        => ["ferry: Well"];
    one_of_two_catalog_pods_is_ready: lost(harbor())
        .shop(|stall| {
            let mut ready = pod("mart", |_| {});
            ready.status.conditions = vec![condition("Ready", "True", "", "")];
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![pod("shop", crashes), ready].into();
            stall.registry.probe = Probe::Unreachable("connection refused".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    catalog_pod_was_evicted: lost(harbor())
        .shop(|stall| {
            let mut evicted = pod("shop", |_| {});
            (evicted.status.phase, evicted.status.reason) = ("Failed".to_owned(), "Evicted".to_owned());
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![evicted].into();
            stall.registry.probe = Probe::Unreachable("connection refused".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    catalog_pods_cannot_be_listed: lost(harbor())
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods.sight = Sight::Dim("forbidden: no".to_owned());
            stall.registry.probe = Probe::Unreachable("connection refused".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    catalog_is_ready_but_unreachable: harbor()
        .shop(|stall| stall.registry.probe = Probe::Unreachable("connection refused".to_owned()))
        => ["ferry: Stuck CatalogNotAnswering CatalogSource olm/shop"];
    catalog_is_not_serving: harbor().shop(|stall| stall.registry.probe = Probe::NotServing)
        => ["ferry: Stuck CatalogNotAnswering CatalogSource olm/shop"];
    catalog_serves_outdated_content: at("ferry: 1.0.0 -> 1.1.0", "ferry.v2.0.0")
        => ["ferry: Stuck CatalogOutdated CatalogSource olm/shop"];
    catalog_pod_serves_outdated_content: at("ferry: 1.0.0 -> 1.1.0", "ferry.v2.0.0")
        .shop(|stall| stall.registry.source.spec.image = "shop:1".to_owned())
        => ["ferry: Stuck CatalogOutdated CatalogSource olm/shop"];
    known_catalog_content_is_stale: lost(harbor()).shop(|stall| {
        let content = read(FERRIES);
        stall.registry.probe = Probe::NotProbed;
        stall.shop = Shop::Stale(content, "it does not answer since noon".to_owned());
    }) => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    channel_has_two_heads: shore("ferry: 1.0.0; 2.0.0").subscription("ferry", "ferry")
        => ["ferry: Stuck CatalogBroken CatalogSource olm/shop"];
    channel_with_two_heads_blocks_a_neighbor:
        shore("ferry: 1.0.0; 2.0.0; dock: 1.0.0").with("dock", "dock.v1.0.0").subscription("ferry", "ferry")
        => [
            "dock: Stuck BlockedByCatalog CatalogSource olm/shop",
            "ferry: Stuck CatalogBroken CatalogSource olm/shop",
        ];
    two_channels_have_two_heads: shore("ferry: 1.0.0; 2.0.0; dock: 1.0.0; 2.0.0")
        .subscription("dock", "dock")
        .subscription("ferry", "ferry")
        => [
            "dock: Stuck CatalogBroken CatalogSource olm/shop > BlockedByCatalog CatalogSource olm/shop",
            "ferry: Stuck CatalogBroken CatalogSource olm/shop > BlockedByCatalog CatalogSource olm/shop",
        ];
    /// OLM only compares the entries that could upgrade the installed bundle. Therefore two heads
    /// are no problem here.
    channel_has_two_heads_and_one_is_installed: at("ferry: 1.0.0; 2.0.0", "ferry.v2.0.0")
        => ["ferry: Well"];
    channel_has_two_heads_above_the_installed_version:
        at("ferry: 1.0.0 -> 1.1.0; 1.2.0 replaces 1.0.0", "ferry.v1.0.0")
        => ["ferry: Stuck CatalogBroken CatalogSource olm/shop"];
    olm_reports_a_channel_with_two_heads: shore(FERRIES)
        .subscription("ferry", "ferry")
        .unread("no folder is named for it")
        .fails(
            "a unique replacement chain within a channel is required to determine the relative \
             order between channel entries, but 2 replacement chains were found in channel \
             \"stable\" of package \"ferry\": ferry.v1.0.0, ferry.v2.0.0",
        )
        => ["ferry: Stuck CatalogBroken CatalogSource olm/shop"];
    catalog_is_in_another_namespace: shore(FERRIES)
        .stall("far", "away", Shop::Known(read(TWO)))
        .subscription("ferry", "ferry")
        .subscriptions("ferry", |subscription| {
            (subscription.spec.source_namespace, subscription.spec.source) = ("far".to_owned(), "away".to_owned());
        })
        => ["ferry: Stuck CatalogMissing Subscription demo/ferry"];
}
