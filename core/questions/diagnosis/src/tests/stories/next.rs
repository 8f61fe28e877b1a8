//! Upgrades that are due and do not happen.

use portolan_core_health::InstallPlanPhase;
use portolan_core_names::Version;

use super::stories;
use crate::tests::kit::*;
use crate::{Cluster, Openshift, UnqueriedBundle};

fn version(text: &str) -> Version {
    Version::parse(text).expect("a version must parse")
}

fn on(kubernetes: &str, openshift: Option<&str>) -> Cluster {
    Cluster {
        kubernetes: Some(version(kubernetes)),
        openshift: openshift.map_or(Openshift::No, |text| Openshift::Yes(version(text))),
    }
}

/// Returns a namespace with a waiting plan for `next`, and a policy that permits `allowed`.
fn pinned(text: &str, next: &str, allowed: &[&str]) -> Story {
    let mut plan = install_plan("install-new", &[next]);
    (plan.spec.approved, plan.status.phase) = (false, InstallPlanPhase::RequiresApproval);
    let policy = policy("ferry", allowed);
    at(text, "ferry.v1.0.0")
        .subscriptions("ferry", |subscription| {
            subscription.status.state = "UpgradePending".to_owned();
            subscription.status.current_csv = next.to_owned();
            subscription.status.install_plan_ref = plan_ref("install-new");
        })
        .change(|all| {
            all.manual.insert("ferry".to_owned());
            all.namespace.plans.objects.push(plan);
            all.policies.push(policy);
        })
}

/// Returns a namespace with this answer of the registry about the next version.
fn asked(told: Option<Result<Option<&str>, &str>>) -> Story {
    let untold = UnqueriedBundle {
        catalog: "olm/shop".parse().expect("a catalog"),
        package: "ferry".parse().expect("a package"),
        bundle: "ferry.v1.1.0".parse().expect("a bundle"),
    };
    let told = told.map(|told| told.map(|it| it.map(str::to_owned)).map_err(str::to_owned));
    at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .shop(|stall| stall.tells_if_asked = true)
        .change(|all| {
            all.cluster = on("1.34.0", None);
            all.asked.extend(told.map(|told| (untold, told)));
        })
}

stories! {
    a_channel_leads_nowhere: at("ferry: 1.1.0 -> 2.0.0; 1.0.0 unlisted", "ferry.v1.0.0")
        => ["ferry: Stuck DeadEnd CatalogSource olm/shop"];
    a_channel_leads_nowhere_and_another_does: at(
        "ferry/stable: 1.1.0 -> 2.0.0; ferry/bridge: 1.0.0 -> 1.1.0 -> 2.0.0; ferry/long: 1.0.0 -> 1.0.5 -> 1.1.0 -> 2.0.0",
        "ferry.v1.0.0",
    ) => ["ferry: Stuck DeadEnd Subscription demo/ferry"];
    a_range_does_not_cover_what_is_installed: at(
        "ferry: 2.0.0 covers >=1.5.0 <2.0.0; ferry/old: 1.0.0",
        "ferry.v1.0.0",
    ) => ["ferry: Stuck OutOfSkipRange CatalogSource olm/shop"];
    a_range_does_not_cover_what_is_installed_and_there_is_a_way_round: at(
        "ferry: 2.0.0 covers >=1.5.0 <2.0.0; ferry/old: 1.0.0 -> 1.5.0",
        "ferry.v1.0.0",
    ) => ["ferry: Stuck OutOfSkipRange Subscription demo/ferry"];
    the_next_one_is_forbidden: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        => ["ferry: Stuck HopForbidden CatalogSource olm/shop"];
    the_next_one_is_forbidden_and_its_publisher_says_why: at(
        "ferry: 1.0.0 -> 1.1.0 -> 2.0.0; 1.1.0 deprecated \"loses data, do not install it\"",
        "ferry.v1.0.0",
    )
    .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        => ["ferry: Stuck HopForbidden CatalogSource olm/shop"];
    the_next_one_is_forbidden_and_there_is_a_way_round: at(
        "ferry: 1.0.0 -> 1.1.0; ferry/fast: 1.0.0 -> 2.0.0",
        "ferry.v1.0.0",
    )
    .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        => ["ferry: Stuck HopForbidden Subscription demo/ferry"];
    the_next_one_is_forbidden_and_another_catalog_is_not_read:
        at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        .stall("olm", "mart", Shop::Unavailable("no folder is named for it".to_owned()))
        => ["ferry: Stuck HopForbidden CatalogSource olm/shop"];
    the_next_one_comes_and_another_catalog_is_not_read: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .stall("olm", "mart", Shop::Unavailable("no folder is named for it".to_owned()))
        => ["ferry: Well"];
    /// The Subscription would start from its startingCSV again.
    what_people_want_is_behind_a_forbidden_one:
        at("ferry: 1.0.0 -> 1.1.0 -> 2.0.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        .change(|all| {
            all.starts.insert("ferry".to_owned(), "ferry.v1.0.0".to_owned());
        })
        => ["ferry: Stuck HopForbidden CatalogSource olm/shop"];
    the_first_one_is_forbidden: shore("ferry: 1.0.0")
        .bundle("ferry.v1.0.0", |bundle| bundle.is_prohibited = true)
        .subscription("ferry", "ferry")
        => ["ferry: Stuck HopForbidden CatalogSource olm/shop"];
    the_next_one_needs_what_is_not_there: at(
        "ferry: 1.0.0 -> 1.1.0; 1.1.0 requires tide >=1.0.0",
        "ferry.v1.0.0",
    ) => ["ferry: Stuck DependencyMissing Subscription demo/ferry"];
    the_next_one_brings_what_a_neighbor_brings: at(
        "ferry: 1.0.0 -> 1.1.0; 1.1.0 provides g.test/v1/Boat; tug: 1.0.0 provides g.test/v1/Boat",
        "ferry.v1.0.0",
    )
    .with("tug", "tug.v1.0.0")
        => ["ferry: Stuck ProviderClash Subscription demo/ferry", "tug: Well"];
    olm_leaps_over_the_allowed_version: pinned(
        "ferry: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 skips 1.0.0",
        "ferry.v1.2.0",
        &["ferry.v1.0.0", "ferry.v1.1.0"],
    ) => ["ferry: Stuck AllowedVersionLeapt OperatorPolicy policies/ferry > PlanAwaitsApproval InstallPlan demo/install-new"];
    olm_goes_to_the_allowed_version: pinned(
        "ferry: 1.0.0 -> 1.1.0 -> 1.2.0",
        "ferry.v1.1.0",
        &["ferry.v1.1.0"],
    ) => ["ferry: Waiting PlanAwaitsApproval InstallPlan demo/install-new"];
    the_next_one_needs_a_newer_kubernetes: pinned("ferry: 1.0.0 -> 1.1.0", "ferry.v1.1.0", &["*"])
        .bundle("ferry.v1.1.0", |bundle| bundle.display.min_kube_version = Some("v1.99.0".into()))
        .change(|all| all.cluster = on("1.34.0", None))
        => ["ferry: Stuck NotForThisCluster CatalogSource olm/shop"];
    the_registry_has_to_be_asked_for_the_next_one: asked(None)
        => ["ferry: Well"];
    the_registry_was_asked_and_the_next_one_needs_a_newer_kubernetes:
        asked(Some(Ok(Some("1.99.0"))))
        => ["ferry: Stuck NotForThisCluster CatalogSource olm/shop"];
    the_registry_was_asked_and_the_next_one_suits_the_cluster: asked(Some(Ok(Some("1.30.0"))))
        => ["ferry: Well"];
    the_registry_was_asked_and_the_next_one_runs_everywhere: asked(Some(Ok(None)))
        => ["ferry: Well"];
    the_registry_was_asked_for_the_next_one_and_did_not_answer:
        asked(Some(Err("call GetBundle of the registry: nothing came for 5 s")))
        => ["ferry: Well"];
    the_registry_is_not_asked_while_the_version_of_the_cluster_is_not_known: asked(None)
        .change(|all| all.cluster = Cluster::default())
        => ["ferry: Well"];
    the_registry_is_not_asked_where_nothing_comes_next: at("ferry: 1.0.0", "ferry.v1.0.0")
        .shop(|stall| stall.tells_if_asked = true)
        .change(|all| all.cluster = on("1.34.0", None))
        => ["ferry: Well"];
    the_next_one_runs_on_older_openshifts_only: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.max_openshift_version = Some("4.14".into()))
        .change(|all| all.cluster = on("1.34.0", Some("4.15.2")))
        => ["ferry: Stuck NotForThisCluster CatalogSource olm/shop"];
    the_next_one_suits_the_cluster: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| {
            bundle.display.min_kube_version = Some("1.30.0".into());
            bundle.max_openshift_version = Some("4.15".into());
        })
        .change(|all| all.cluster = on("1.34.0", Some("4.15.2")))
        => ["ferry: Well"];
    the_version_of_the_cluster_is_not_known: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.display.min_kube_version = Some("1.99.0".into()))
        => ["ferry: Well"];
    it_is_not_known_whether_the_cluster_is_openshift: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.max_openshift_version = Some("4.14".into()))
        => ["ferry: Well"];
    the_cluster_is_no_openshift: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.max_openshift_version = Some("4.14".into()))
        .change(|all| all.cluster = on("1.34.0", None))
        => ["ferry: Well"];
}
