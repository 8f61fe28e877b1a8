//! Catalogs.

use portolan_core_catalog::{Catalog, Reading};
use portolan_core_health::{Probe, Sight};
use portolan_kit::catalog;

use super::stories;
use crate::tests::kit::*;

const TWO: &str = "ferry: 1.0.0 -> 1.1.0 -> 2.0.0; tug: 1.0.0";

fn lost(story: Story) -> Story {
    story.shop(|stall| stall.registry.source.status.connection = connection("TRANSIENT_FAILURE"))
}

/// Returns a catalog with an unreadable file.
fn torn(text: &str) -> Shop {
    let json = catalog(text).to_json_lines();
    let torn = "schema: olm.package\nname: [\n";
    Shop::Known(Catalog::of([
        Reading::of("text", json.as_bytes()),
        Reading::of("tug.yaml", torn.as_bytes()),
    ]))
}

/// Makes the resolution of OLM report a failing catalog with this connection state.
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
    olm_has_never_reached_a_catalog:
        unasked(shore(FERRIES).subscription("ferry", "ferry").unread("it was never read"), "CONNECTING")
        => ["ferry: Stuck CatalogNeverReached CatalogSource olm/shop"];
    olm_has_lost_a_catalog: unasked(harbor().unread("it was never read"), "CONNECTING")
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    olm_cannot_ask_a_catalog_that_it_says_is_ready: unasked(harbor(), "READY")
        => ["ferry: Stuck CatalogDead CatalogSource olm/shop"];
    olm_could_not_ask_a_catalog_that_answers: unasked(harbor(), "READY")
        .shop(|stall| stall.registry.probe = Probe::Answered { packages: 3 })
        => ["ferry: Stuck ResolutionStale Subscription demo/ferry"];
    the_catalog_was_deleted: harbor().change(|all| all.stalls.clear())
        => ["ferry: Stuck CatalogMissing CatalogSource olm/shop"];
    the_catalog_was_deleted_and_another_has_the_same: harbor()
        .stall("olm", "mart", Shop::Known(read(TWO)))
        .change(|all| drop(all.stalls.remove(0)))
        => ["ferry: Stuck CatalogMissing CatalogSource olm/shop"];
    a_file_of_the_catalog_hides_the_package: shore(FERRIES)
        .subscription("tug", "tug")
        .shop(|stall| stall.shop = torn(FERRIES))
        => ["tug: Working NotObserved CatalogSource olm/shop"];
    all_files_of_the_catalog_hide_what_they_have: shore(FERRIES)
        .subscription("tug", "tug")
        .shop(|stall| stall.shop = torn(""))
        => ["tug: Working NotObserved CatalogSource olm/shop"];
    a_catalog_with_such_a_file_is_not_seen_from_the_namespace: shore(FERRIES)
        .stall("far", "away", torn(FERRIES))
        .subscription("tug", "tug")
        .subscriptions("tug", |subscription| {
            (subscription.spec.source_namespace, subscription.spec.source) = ("far".to_owned(), "away".to_owned());
        })
        => ["tug: Stuck CatalogMissing Subscription demo/tug"];
    olm_says_so_where_a_file_of_the_catalog_hides_the_package: shore(FERRIES)
        .subscription("tug", "tug")
        .shop(|stall| stall.shop = torn(FERRIES))
        .fails(
            "constraints not satisfiable: no operators found in package tug in the catalog \
             referenced by subscription tug, subscription tug exists",
        ) => ["tug: Stuck PackageMissing Subscription demo/tug"];
    a_file_of_the_catalog_hides_what_is_newer: harbor()
        .shop(|stall| stall.shop = torn("ferry: 1.0.0; dock: 1.0.0"))
        => ["ferry: Well"];
    a_file_of_the_catalog_hides_a_dependency: shore("ferry: 1.0.0")
        .subscription("ferry", "ferry")
        .shop(|stall| stall.shop = torn("ferry: 1.0.0; 1.0.0 requires tug >=1.0.0"))
        => ["ferry: Stuck DependencyMissing Subscription demo/ferry"];
    a_catalog_was_never_reached: shore(FERRIES)
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
    a_catalog_is_unreachable: lost(harbor())
        .shop(|stall| stall.registry.probe = Probe::Unreachable("connection refused".to_owned()))
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    a_catalog_is_unreachable_as_olm_says: lost(harbor())
        .shop(|stall| stall.registry.probe = Probe::NotProbed)
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    a_catalog_that_has_a_pod_is_unreachable: lost(harbor())
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.registry.probe = Probe::Silent("ListPackages, after 5 s".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    the_image_of_a_catalog_does_not_come: lost(harbor())
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![pod("shop", waiting("ImagePullBackOff", "Back-off pulling image"))].into();
            stall.registry.probe = Probe::Unreachable("connection refused".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    the_pod_of_a_catalog_crashes: shore(FERRIES)
        .subscription("ferry", "ferry")
        .unread("it was never read")
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.registry.source.status.connection = None;
            stall.pods = vec![pod("shop", crashes)].into();
            stall.registry.probe = Probe::Pending;
        })
        => ["ferry: Stuck CatalogNeverReached CatalogSource olm/shop"];
    a_new_pod_of_a_catalog_does_not_come_and_the_old_one_serves: harbor()
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![pod("shop", waiting("ErrImagePull", "no such image"))].into();
        })
        => ["ferry: Well"];
    the_pod_of_a_catalog_looks_ill_and_only_olm_can_tell: harbor()
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![pod("shop", crashes)].into();
            stall.registry.probe = Probe::NameUnknown("no such host".to_owned());
        })
        => ["ferry: Well"];
    one_of_two_pods_of_a_catalog_is_ready: lost(harbor())
        .shop(|stall| {
            let mut ready = pod("mart", |_| {});
            ready.status.conditions = vec![condition("Ready", "True", "", "")];
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![pod("shop", crashes), ready].into();
            stall.registry.probe = Probe::Unreachable("connection refused".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    the_pod_of_a_catalog_was_thrown_out: lost(harbor())
        .shop(|stall| {
            let mut evicted = pod("shop", |_| {});
            (evicted.status.phase, evicted.status.reason) = ("Failed".to_owned(), "Evicted".to_owned());
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods = vec![evicted].into();
            stall.registry.probe = Probe::Unreachable("connection refused".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    the_pods_of_a_catalog_are_not_seen: lost(harbor())
        .shop(|stall| {
            stall.registry.source.spec.image = "shop:1".to_owned();
            stall.pods.sight = Sight::Dim("forbidden: no".to_owned());
            stall.registry.probe = Probe::Unreachable("connection refused".to_owned());
        })
        => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    a_catalog_is_ready_and_dead: harbor()
        .shop(|stall| stall.registry.probe = Probe::Unreachable("connection refused".to_owned()))
        => ["ferry: Stuck CatalogDead CatalogSource olm/shop"];
    a_catalog_is_not_serving: harbor().shop(|stall| stall.registry.probe = Probe::NotServing)
        => ["ferry: Stuck CatalogDead CatalogSource olm/shop"];
    a_catalog_serves_old_content: at("ferry: 1.0.0 -> 1.1.0", "ferry.v2.0.0")
        => ["ferry: Stuck CatalogOutdated CatalogSource olm/shop"];
    the_pod_of_a_catalog_serves_old_content: at("ferry: 1.0.0 -> 1.1.0", "ferry.v2.0.0")
        .shop(|stall| stall.registry.source.spec.image = "shop:1".to_owned())
        => ["ferry: Stuck CatalogOutdated CatalogSource olm/shop"];
    what_is_known_of_a_catalog_is_old: lost(harbor()).shop(|stall| {
        let content = read(FERRIES);
        stall.registry.probe = Probe::NotProbed;
        stall.shop = Shop::Stale(content, "it does not answer since noon".to_owned());
    }) => ["ferry: Stuck CatalogUnreachable CatalogSource olm/shop"];
    a_channel_has_two_heads: shore("ferry: 1.0.0; 2.0.0").subscription("ferry", "ferry")
        => ["ferry: Stuck CatalogBroken CatalogSource olm/shop"];
    a_channel_has_two_heads_and_a_neighbor_suffers:
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
    /// OLM only orders entries that could upgrade the installed one.
    a_channel_has_two_heads_and_one_is_installed: at("ferry: 1.0.0; 2.0.0", "ferry.v2.0.0")
        => ["ferry: Well"];
    a_channel_has_two_heads_above_what_is_installed:
        at("ferry: 1.0.0 -> 1.1.0; 1.2.0 replaces 1.0.0", "ferry.v1.0.0")
        => ["ferry: Stuck CatalogBroken CatalogSource olm/shop"];
    olm_says_that_a_channel_has_two_heads: shore(FERRIES)
        .subscription("ferry", "ferry")
        .unread("no folder is named for it")
        .fails(
            "a unique replacement chain within a channel is required to determine the relative \
             order between channel entries, but 2 replacement chains were found in channel \
             \"stable\" of package \"ferry\": ferry.v1.0.0, ferry.v2.0.0",
        )
        => ["ferry: Stuck CatalogBroken CatalogSource olm/shop"];
    the_catalog_is_in_another_namespace: shore(FERRIES)
        .stall("far", "away", Shop::Known(read(TWO)))
        .subscription("ferry", "ferry")
        .subscriptions("ferry", |subscription| {
            (subscription.spec.source_namespace, subscription.spec.source) = ("far".to_owned(), "away".to_owned());
        })
        => ["ferry: Stuck CatalogMissing Subscription demo/ferry"];
}
