//! Scenarios with upgrades that are available but blocked.

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

/// Returns a namespace in which a plan for the version `next` waits. A policy allows only the
/// versions in `allowed`.
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

/// Returns a namespace whose registry gives this response about the next version.
fn asked(answer: Option<Result<Option<&str>, &str>>) -> Story {
    let unknown = UnqueriedBundle {
        catalog: "olm/shop".parse().expect("a catalog"),
        package: "ferry".parse().expect("a package"),
        bundle: "ferry.v1.1.0".parse().expect("a bundle"),
    };
    let answer = answer.map(|answer| {
        answer
            .map(|it| it.map(str::to_owned))
            .map_err(str::to_owned)
    });
    at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .shop(|stall| stall.tells_if_asked = true)
        .change(|all| {
            all.cluster = on("1.34.0", None);
            all.asked.extend(answer.map(|answer| (unknown, answer)));
        })
}

stories! {
    channel_has_no_upgrade: at("ferry: 1.1.0 -> 2.0.0; 1.0.0 unlisted", "ferry.v1.0.0")
        => ["ferry: Stuck DeadEnd CatalogSource olm/shop"];
    channel_has_no_upgrade_and_another_channel_has_one: at(
        "ferry/stable: 1.1.0 -> 2.0.0; ferry/bridge: 1.0.0 -> 1.1.0 -> 2.0.0; ferry/long: 1.0.0 -> 1.0.5 -> 1.1.0 -> 2.0.0",
        "ferry.v1.0.0",
    ) => ["ferry: Stuck DeadEnd Subscription demo/ferry"];
    skip_range_excludes_the_installed_version: at(
        "ferry: 2.0.0 covers >=1.5.0 <2.0.0; ferry/old: 1.0.0",
        "ferry.v1.0.0",
    ) => ["ferry: Stuck OutOfSkipRange CatalogSource olm/shop"];
    skip_range_excludes_installed_version_with_a_detour: at(
        "ferry: 2.0.0 covers >=1.5.0 <2.0.0; ferry/old: 1.0.0 -> 1.5.0",
        "ferry.v1.0.0",
    ) => ["ferry: Stuck OutOfSkipRange Subscription demo/ferry"];
    next_version_is_prohibited: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        => ["ferry: Stuck NextVersionNotAllowed CatalogSource olm/shop"];
    next_version_is_prohibited_with_a_reason: at(
        "ferry: 1.0.0 -> 1.1.0 -> 2.0.0; 1.1.0 deprecated \"loses data, do not install it\"",
        "ferry.v1.0.0",
    )
    .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        => ["ferry: Stuck NextVersionNotAllowed CatalogSource olm/shop"];
    next_version_is_prohibited_with_a_detour: at(
        "ferry: 1.0.0 -> 1.1.0; ferry/fast: 1.0.0 -> 2.0.0",
        "ferry.v1.0.0",
    )
    .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        => ["ferry: Stuck NextVersionNotAllowed Subscription demo/ferry"];
    next_version_is_prohibited_and_another_catalog_is_unread:
        at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        .stall("olm", "mart", Shop::Unavailable("no folder is named for it".to_owned()))
        => ["ferry: Stuck NextVersionNotAllowed CatalogSource olm/shop"];
    next_version_is_possible_and_another_catalog_is_unread: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .stall("olm", "mart", Shop::Unavailable("no folder is named for it".to_owned()))
        => ["ferry: Well"];
    /// If the Subscription were recreated, OLM would install the startingCSV again.
    target_version_is_behind_a_prohibited_one:
        at("ferry: 1.0.0 -> 1.1.0 -> 2.0.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.is_prohibited = true)
        .change(|all| {
            all.starts.insert("ferry".to_owned(), "ferry.v1.0.0".to_owned());
        })
        => ["ferry: Stuck NextVersionNotAllowed CatalogSource olm/shop"];
    first_version_is_prohibited: shore("ferry: 1.0.0")
        .bundle("ferry.v1.0.0", |bundle| bundle.is_prohibited = true)
        .subscription("ferry", "ferry")
        => ["ferry: Stuck NextVersionNotAllowed CatalogSource olm/shop"];
    next_version_requires_a_missing_package: at(
        "ferry: 1.0.0 -> 1.1.0; 1.1.0 requires tide >=1.0.0",
        "ferry.v1.0.0",
    ) => ["ferry: Stuck DependencyMissing Package tide"];
    next_version_provides_the_api_of_a_neighbor: at(
        "ferry: 1.0.0 -> 1.1.0; 1.1.0 provides g.test/v1/Boat; tug: 1.0.0 provides g.test/v1/Boat",
        "ferry.v1.0.0",
    )
    .with("tug", "tug.v1.0.0")
        => ["ferry: Stuck ApiProvidedTwice Subscription demo/ferry", "tug: Well"];
    olm_skips_the_allowed_version: pinned(
        "ferry: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 skips 1.0.0",
        "ferry.v1.2.0",
        &["ferry.v1.0.0", "ferry.v1.1.0"],
    ) => ["ferry: Stuck AllowedVersionSkipped OperatorPolicy policies/ferry > PlanAwaitsApproval InstallPlan demo/install-new"];
    olm_upgrades_to_the_allowed_version: pinned(
        "ferry: 1.0.0 -> 1.1.0 -> 1.2.0",
        "ferry.v1.1.0",
        &["ferry.v1.1.0"],
    ) => ["ferry: Waiting PlanAwaitsApproval InstallPlan demo/install-new"];
    next_version_requires_a_newer_kubernetes: pinned("ferry: 1.0.0 -> 1.1.0", "ferry.v1.1.0", &["*"])
        .bundle("ferry.v1.1.0", |bundle| bundle.display.min_kube_version = Some("v1.99.0".into()))
        .change(|all| all.cluster = on("1.34.0", None))
        => ["ferry: Stuck NotForThisCluster Bundle ferry.v1.1.0"];
    registry_must_be_queried_for_the_next_version: asked(None)
        => ["ferry: Well"];
    queried_next_version_requires_a_newer_kubernetes:
        asked(Some(Ok(Some("1.99.0"))))
        => ["ferry: Stuck NotForThisCluster Bundle ferry.v1.1.0"];
    queried_next_version_supports_the_cluster: asked(Some(Ok(Some("1.30.0"))))
        => ["ferry: Well"];
    queried_next_version_has_no_minimum: asked(Some(Ok(None)))
        => ["ferry: Well"];
    query_for_the_next_version_failed:
        asked(Some(Err("call GetBundle of the registry failed: no data was received for 5 s")))
        => ["ferry: Well"];
    registry_is_not_queried_while_the_cluster_version_is_unknown: asked(None)
        .change(|all| all.cluster = Cluster::default())
        => ["ferry: Well"];
    registry_is_not_queried_without_a_next_version: at("ferry: 1.0.0", "ferry.v1.0.0")
        .shop(|stall| stall.tells_if_asked = true)
        .change(|all| all.cluster = on("1.34.0", None))
        => ["ferry: Well"];
    next_version_supports_older_openshift_only: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.max_openshift_version = Some("4.14".into()))
        .change(|all| all.cluster = on("1.34.0", Some("4.15.2")))
        => ["ferry: Stuck NotForThisCluster Bundle ferry.v1.1.0"];
    next_version_supports_the_cluster: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| {
            bundle.display.min_kube_version = Some("1.30.0".into());
            bundle.max_openshift_version = Some("4.15".into());
        })
        .change(|all| all.cluster = on("1.34.0", Some("4.15.2")))
        => ["ferry: Well"];
    cluster_version_is_unknown: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.display.min_kube_version = Some("1.99.0".into()))
        => ["ferry: Well"];
    openshift_version_is_unknown: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.max_openshift_version = Some("4.14".into()))
        => ["ferry: Well"];
    cluster_is_not_openshift: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .bundle("ferry.v1.1.0", |bundle| bundle.max_openshift_version = Some("4.14".into()))
        .change(|all| all.cluster = on("1.34.0", None))
        => ["ferry: Well"];
}
