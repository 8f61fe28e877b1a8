//! Tests decisions of OLM v1 for ClusterExtensions and catalogs. The scenarios come from the tests
//! and the documentation of OLM v1.

use portolan_core_catalog::{Catalog, Package, Reading};
use portolan_core_olm::{ClusterCatalog, ClusterExtension};
use portolan_kit::catalog::catalog;
use rstest::rstest;
use serde_json::{Value, json};

use super::{ExtensionCatalog, ExtensionForecast, forecast_extension};

/// A catalog: its name, its options, and its content. Options are a priority, `disabled`, `broken`
/// (not served), `unread`, and labels such as `team=a`.
type Given = (&'static str, &'static str, &'static str);

const CHAIN: &str = "a: 1.0.0 -> 1.1.0 -> 1.2.0";

fn cluster_catalog((name, options, _): &Given) -> ClusterCatalog {
    let words = || options.split_whitespace();
    let has = |word: &str| words().any(|it| it == word);
    let labels = words().filter_map(|it| it.split_once('='));
    let labels: serde_json::Map<_, _> = labels
        .map(|(key, value)| (key.to_owned(), json!(value)))
        .collect();
    let priority = words().find_map(|it| it.parse::<i32>().ok());
    let mode = if has("disabled") {
        "Unavailable"
    } else {
        "Available"
    };
    let serving = if has("broken") { "False" } else { "True" };
    let object = json!({
        "metadata": {"name": name, "labels": labels},
        "spec": {"priority": priority.unwrap_or_default(), "availabilityMode": mode},
        "status": {"conditions": [{"type": "Serving", "status": serving}]},
    });
    serde_json::from_value(object).expect("a ClusterCatalog")
}

/// Returns a ClusterExtension for package `a`. `installed` is the installed version, or empty if no
/// bundle is installed.
fn extension(installed: &str, options: Value) -> ClusterExtension {
    let mut package = json!({"packageName": "a"});
    for (key, value) in options.as_object().expect("options") {
        package[key] = value.clone();
    }
    let name = format!("a.v{installed}");
    let status = match installed {
        "" => json!({}),
        version => json!({"install": {"bundle": {"name": name, "version": version}}}),
    };
    let object = json!({
        "metadata": {"name": "a"},
        "spec": {"namespace": "ns", "source": {"sourceType": "Catalog", "catalog": package}},
        "status": status,
    });
    serde_json::from_value(object).expect("a ClusterExtension")
}

fn forecast(installed: &str, options: Value, given: &[Given]) -> ExtensionForecast {
    let objects: Vec<_> = given.iter().map(cluster_catalog).collect();
    let contents = given.iter().map(|(_, _, text)| {
        let json = catalog(text).to_json_lines();
        Catalog::of([Reading::of("text", json.as_bytes())])
    });
    let contents: Vec<_> = contents.collect();
    let catalogs: Vec<_> = given
        .iter()
        .zip(objects.iter().zip(&contents))
        .map(|((_, options, _), (object, content))| {
            let package = content
                .packages
                .iter()
                .find(|(name, _)| name.as_str() == "a");
            let package: Option<&Package> = package.map(|(_, package)| &**package);
            ExtensionCatalog {
                catalog: object,
                package: if options.contains("unread") {
                    Err("the disk is gone".to_owned())
                } else {
                    Ok(package)
                },
            }
        })
        .collect();
    forecast_extension(&extension(installed, options), &catalogs)
}

/// Formats the state, the path with the catalogs, and the reason why OLM v1 stops.
fn summary(forecast: &ExtensionForecast) -> String {
    let steps = forecast
        .path
        .iter()
        .map(|step| format!(" {}@{}", step.bundle, step.catalog));
    let stop = forecast.stop.as_ref();
    let stop = stop.map(|stop| format!("; {}: {stop}", stop.code()));
    let state = forecast.state();
    format!(
        "{state}{}{}",
        steps.collect::<String>(),
        stop.unwrap_or_default()
    )
}

/// Each case has one served catalog with the name `one`.
#[rstest]
#[case::newest_version_is_installed("", json!({}), CHAIN, "Install a.v1.2.0@one")]
#[case::pinned_version_is_installed(
    "", json!({"version": "1.0.0"}), CHAIN, "Install a.v1.0.0@one"
)]
#[case::newest_version_of_range_is_installed(
    "", json!({"version": "1.1.x"}), "a: 1.0.0 -> 1.1.0 -> 1.1.5 -> 1.2.0", "Install a.v1.1.5@one"
)]
#[case::bundle_without_channel_is_installed(
    "", json!({}), "a: 1.0.0; 1.1.0 unlisted", "Install a.v1.1.0@one"
)]
#[case::upgrades_are_single_steps(
    "1.0.0", json!({}), CHAIN, "Upgrade a.v1.1.0@one a.v1.2.0@one"
)]
#[case::range_ends_the_steps(
    "1.0.0", json!({"version": "<1.2"}), CHAIN, "Upgrade a.v1.1.0@one"
)]
#[case::highest_successor_is_preferred(
    "1.0.0", json!({}), "a: 1.0.0 -> 1.1.0; 1.2.0 replaces 1.1.0; 1.2.0 skips 1.0.0",
    "Upgrade a.v1.2.0@one"
)]
#[case::skipped_bundle_remains_a_target(
    "1.0.0", json!({"version": "<1.2.0"}), "a: 1.0.0 -> 1.1.0; 1.2.0 replaces 1.0.0; 1.2.0 skips 1.1.0",
    "Upgrade a.v1.1.0@one"
)]
#[case::skip_range_permits_upgrade(
    "1.0.0", json!({}), "a: 1.0.0; 2.0.0 covers >=1.0.0 <2.0.0", "Upgrade a.v2.0.0@one"
)]
#[case::skip_range_covers_version_that_the_catalog_lacks(
    "0.9.0", json!({}), "a: 2.0.0 covers <2.0.0", "Upgrade a.v2.0.0@one"
)]
#[case::replaces_names_bundle_that_the_catalog_lacks(
    "0.9.0", json!({}), "a: 1.0.0 replaces 0.9.0", "Upgrade a.v1.0.0@one"
)]
#[case::pin_needs_a_direct_upgrade(
    "1.0.0", json!({"version": "1.2.0"}), CHAIN,
    "Blocked; NoUpgrade: a.v1.0.0 can be upgraded directly only to 1.1.0, which version \"1.2.0\" \
     excludes"
)]
#[case::downgrade_needs_self_certified(
    "1.1.0", json!({"version": "1.0.0"}), "a: 1.0.0 -> 1.1.0",
    "Blocked; NoUpgrade: version \"1.0.0\" allows neither a.v1.1.0 nor a direct upgrade of it"
)]
#[case::self_certified_downgrades(
    "1.1.0", json!({"version": "1.0.0", "upgradeConstraintPolicy": "SelfCertified"}),
    "a: 1.0.0 -> 1.1.0", "Downgrade a.v1.0.0@one"
)]
#[case::skip_range_permits_a_downgrade(
    "1.1.0", json!({"version": "1.0.0"}), "a: 1.0.0 covers >=1.1.0; 1.1.0", "Downgrade a.v1.0.0@one"
)]
#[case::self_certified_ignores_edges(
    "1.0.0", json!({"upgradeConstraintPolicy": "SelfCertified"}), "a: 1.0.0; 3.0.0",
    "Upgrade a.v3.0.0@one"
)]
#[case::installed_bundle_is_unknown_to_the_catalog(
    "0.5.0", json!({}), CHAIN,
    "Blocked; NoUpgrade: the catalogs have neither a.v0.5.0 nor a direct upgrade of it"
)]
#[case::newest_is_installed("1.2.0", json!({}), CHAIN, "UpToDate")]
#[case::newer_bundle_has_no_edge("1.0.0", json!({}), "a: 1.0.0; 2.0.0", "Held")]
#[case::pin_holds_the_installed_version("1.0.0", json!({"version": "1.0.0"}), CHAIN, "Held")]
#[case::deprecated_bundle_comes_last(
    "", json!({}), "a: 1.0.0 -> 1.1.0; 1.1.0 deprecated \"bad\"", "Install a.v1.0.0@one"
)]
#[case::deprecated_bundle_is_better_than_none(
    "", json!({"version": "1.1.0"}), "a: 1.0.0 -> 1.1.0; 1.1.0 deprecated \"bad\"",
    "Install a.v1.1.0@one"
)]
#[case::installed_bundle_is_preferred_to_deprecated_upgrade(
    "1.0.0", json!({}), "a: 1.0.0 -> 1.1.0; 1.1.0 deprecated \"bad\"", "Held"
)]
#[case::deprecated_bundles_are_upgraded_to_the_newest(
    "1.0.0", json!({}),
    "a: 1.0.0 -> 1.1.0; 1.0.0 deprecated \"bad\"; 1.1.0 deprecated \"bad\"",
    "Upgrade a.v1.1.0@one"
)]
#[case::all_channels_have_upgrades(
    "1.0.0", json!({}), "a/stable: 1.0.0; a/fast: 1.0.0 -> 2.0.0", "Upgrade a.v2.0.0@one"
)]
#[case::requested_channel_has_no_upgrade(
    "1.0.0", json!({"channels": ["stable"]}), "a/stable: 1.0.0
     a/fast: 1.0.0 -> 2.0.0", "Held"
)]
#[case::channel_and_range_must_both_match(
    "", json!({"channels": ["stable"], "version": "2.x"}), "a/stable: 1.0.0
     a/fast: 2.0.0",
    "Blocked; VersionMissing: package a has no version in \"2.x\"; its versions are 1.0.0"
)]
#[case::several_channels_are_used(
    "", json!({"channels": ["stable", "fast"]}), "a/stable: 1.0.0
     a/fast: 2.0.0
     a/wild: 3.0.0", "Install a.v2.0.0@one"
)]
#[case::channel_is_missing(
    "", json!({"channels": ["stabel"]}), CHAIN,
    "Blocked; ChannelMissing: package a has no bundle in channel stabel; its channels are stable"
)]
#[case::version_is_missing(
    "", json!({"version": "7.x"}), CHAIN,
    "Blocked; VersionMissing: package a has no version in \"7.x\"; its versions are 1.2.0, 1.1.0 \
     and 1.0.0"
)]
#[case::package_is_missing(
    "", json!({}), "b: 1.0.0",
    "Blocked; PackageMissing: package a not found in ClusterCatalog one"
)]
#[case::range_is_invalid(
    "", json!({"version": "stable"}), CHAIN,
    "Blocked; VersionsInvalid: spec.source.catalog.version: \"stable\" is not a version range that \
     OLM v1 accepts"
)]
#[case::selector_is_invalid(
    "", json!({"selector": {"matchExpressions": [{"key": "x", "operator": "Near"}]}}), CHAIN,
    "Blocked; SelectorInvalid: spec.source.catalog.selector is invalid"
)]
#[case::range_excludes_prereleases(
    "", json!({"version": ">=1.0.0"}), "a: 1.0.0 -> 2.0.0-rc.1", "Install a.v1.0.0@one"
)]
#[case::no_range_includes_prereleases(
    "", json!({}), "a: 1.0.0 -> 2.0.0-rc.1", "Install a.v2.0.0-rc.1@one"
)]
#[case::dependency_is_not_supported(
    "", json!({}), "a: 1.0.0 -> 1.1.0; 1.1.0 requires b >=1.0.0",
    "Blocked; DependencyUnsupported: OLM v1 does not support dependencies, and a.v1.1.0 requires \
     package b \">=1.0.0\""
)]
#[case::rebuild_is_an_upgrade(
    "1.0.0+1", json!({"version": "1.0.0"}), "a: 1.0.0+1 -> 1.0.0+2", "Upgrade a.v1.0.0+2@one"
)]
fn decides_as_olm_v1_with_one_catalog(
    #[case] installed: &str,
    #[case] options: Value,
    #[case] text: &'static str,
    #[case] expected: &str,
) {
    let forecast = forecast(installed, options, &[("one", "", text)]);
    assert_eq!(summary(&forecast), expected);
}

/// Each case has several catalogs, and a ClusterExtension with installed version 1.0.0.
#[rstest]
#[case::higher_priority_wins(
    json!({}), &[("one", "", CHAIN), ("two", "5", "a: 1.0.0 -> 1.1.0")], "Upgrade a.v1.1.0@two"
)]
#[case::equal_priorities_are_ambiguous(
    json!({}), &[("one", "", CHAIN), ("two", "", CHAIN)],
    "Blocked; CatalogsAmbiguous: ClusterCatalogs one and two have an allowed bundle, and no \
     ClusterCatalog has the highest priority"
)]
#[case::ambiguity_names_lower_priorities_too(
    json!({}), &[("one", "3", CHAIN), ("two", "3", CHAIN), ("three", "1", CHAIN)],
    "Blocked; CatalogsAmbiguous: ClusterCatalogs one, three and two have an allowed bundle, and no \
     ClusterCatalog has the highest priority"
)]
#[case::catalog_without_candidate_is_not_ambiguous(
    json!({}), &[("one", "", CHAIN), ("two", "", "a: 5.0.0")],
    "Upgrade a.v1.1.0@one a.v1.2.0@one"
)]
#[case::catalog_without_deprecation_wins_over_priority(
    json!({"version": "1.1.0"}),
    &[("one", "9", "a: 1.0.0 -> 1.1.0; 1.1.0 deprecated \"bad\""), ("two", "", CHAIN)],
    "Upgrade a.v1.1.0@two"
)]
#[case::broken_catalog_stops_everything(
    json!({}), &[("one", "", CHAIN), ("two", "broken", "b: 1.0.0")],
    "Blocked; CatalogNotServed: OLM v1 resolves nothing while ClusterCatalog two is not served"
)]
#[case::disabled_catalog_is_ignored(
    json!({}), &[("one", "", "a: 1.0.0 -> 1.1.0"), ("two", "disabled broken", CHAIN)],
    "Upgrade a.v1.1.0@one"
)]
#[case::selector_ignores_broken_catalog(
    json!({"selector": {"matchLabels": {"team": "x"}}}),
    &[("one", "team=x", "a: 1.0.0 -> 1.1.0"), ("two", "broken team=y", CHAIN)],
    "Upgrade a.v1.1.0@one"
)]
#[case::selector_selects_nothing(
    json!({"selector": {"matchLabels": {"team": "z"}}}), &[("one", "team=x", CHAIN)],
    "Blocked; NoCatalog: spec.source.catalog.selector selects no ClusterCatalog that is available"
)]
#[case::all_catalogs_are_gone(
    json!({}), &[], "Blocked; NoCatalog: the cluster has no ClusterCatalog"
)]
#[case::unread_catalog_makes_the_forecast_unknown(
    json!({}), &[("one", "", CHAIN), ("two", "unread", CHAIN)],
    "Unknown; CatalogUnread: the content of ClusterCatalog two is unknown: the disk is gone"
)]
#[case::best_bundle_of_a_catalog_has_no_substitute(
    json!({}), &[("one", "", CHAIN), ("two", "5", "a: 1.0.0 -> 1.3.0; 1.3.0 requires b >=1.0.0")],
    "Blocked; DependencyUnsupported: OLM v1 does not support dependencies, and a.v1.3.0 requires \
     package b \">=1.0.0\""
)]
fn decides_as_olm_v1_with_several_catalogs(
    #[case] options: Value,
    #[case] given: &[Given],
    #[case] expected: &str,
) {
    assert_eq!(summary(&forecast("1.0.0", options, given)), expected);
}

#[test]
fn lists_reasons_that_exclude_newer_bundles() {
    let one = "a/stable: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 deprecated \"bad\"; 2.0.0
               a/fast: 3.0.0";
    let two = "a: 1.0.0 -> 1.1.0 -> 1.5.0";
    let options = json!({"version": "<3.0.0", "channels": ["stable"]});
    let forecast = forecast("1.0.0", options, &[("one", "1", one), ("two", "", two)]);
    let newer = forecast.newer.iter().map(|it| {
        let exclusions: Vec<_> = it.exclusions.iter().map(ToString::to_string).collect();
        format!("{}@{}: {}", it.bundle, it.catalog, exclusions.join("; "))
    });
    assert_eq!(
        newer.collect::<Vec<_>>(),
        [
            "a.v3.0.0@one: spec.source.catalog.channels excludes it: it is in channel fast; \
             spec.source.catalog.version \"<3.0.0\" excludes it; the catalog has no direct upgrade \
             from a.v1.1.0",
            "a.v2.0.0@one: the catalog has no direct upgrade from a.v1.1.0",
            "a.v1.5.0@two: OLM v1 prefers ClusterCatalog one",
            "a.v1.2.0@one: it is deprecated, and OLM v1 prefers a bundle that is not",
        ]
    );
}

#[test]
fn reports_why_each_catalog_is_used_or_ignored() {
    let given = [
        ("best", "5", CHAIN),
        ("empty", "", "b: 1.0.0"),
        ("far", "", "a: 7.0.0"),
        ("off", "disabled", CHAIN),
        ("other", "team=x", CHAIN),
        ("spare", "", CHAIN),
    ];
    let selector = json!({"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]});
    let forecast = forecast("1.0.0", json!({"selector": selector}), &given);
    let roles = forecast.catalogs.iter();
    let roles: Vec<_> = roles
        .map(|it| format!("{}: {}", it.name, it.role))
        .collect();
    assert_eq!(
        roles,
        [
            "best: used: a.v1.1.0",
            "empty: does not have the package",
            "far: has no allowed bundle",
            "off: disabled",
            "other: not selected",
            "spare: not used: a.v1.1.0",
        ]
    );
    let used = forecast.used_catalog().map(|it| it.name.as_str());
    assert_eq!(used, Some("best"));
}

/// Install modes of the bundle, the configured namespace, and the decision. The operator is in the
/// namespace `ns`.
#[rstest]
#[case::all_namespaces(&["AllNamespaces"], None, "Install a.v1.0.0@one")]
#[case::other_modes_need_a_namespace(
    &["OwnNamespace"], None,
    "Blocked; InstallModeUnsupported: OLM v1 installs operators for all namespaces, and a.v1.0.0 \
     supports only OwnNamespace"
)]
#[case::own_namespace(&["OwnNamespace"], Some("ns"), "Install a.v1.0.0@one")]
#[case::own_namespace_only(
    &["AllNamespaces", "OwnNamespace"], Some("quay"),
    "Blocked; WatchNamespaceInvalid: spec.config.inline.watchNamespace is \"quay\", but a.v1.0.0 \
     can watch only its own namespace ns"
)]
#[case::single_namespace(&["SingleNamespace"], Some("quay"), "Install a.v1.0.0@one")]
#[case::single_namespace_is_another_one(
    &["SingleNamespace"], Some("ns"),
    "Blocked; WatchNamespaceInvalid: spec.config.inline.watchNamespace is \"ns\", but a.v1.0.0 \
     cannot watch its own namespace"
)]
#[case::own_and_single_namespace(
    &["OwnNamespace", "SingleNamespace"], Some("ns"), "Install a.v1.0.0@one"
)]
#[case::all_namespaces_only(
    &["AllNamespaces"], Some("quay"),
    "Blocked; WatchNamespaceInvalid: spec.config.inline.watchNamespace is \"quay\", but a.v1.0.0 \
     always watches all namespaces"
)]
fn install_modes_limit_the_watched_namespace(
    #[case] modes: &[&str],
    #[case] watched: Option<&str>,
    #[case] expected: &str,
) {
    let json = catalog("a: 1.0.0").installable();
    let json = json.with_install_modes(modes).by_image();
    let content = Catalog::of([Reading::of("text", json.to_json_lines().as_bytes())]);
    let object = cluster_catalog(&("one", "", ""));
    let package = content.packages.values().next();
    let catalogs = [ExtensionCatalog {
        catalog: &object,
        package: Ok(package.map(|it| &**it)),
    }];
    let mut extension = extension("", json!({}));
    extension.spec.config.inline.watch_namespace = watched.map(str::to_owned);
    assert_eq!(
        summary(&forecast_extension(&extension, &catalogs)),
        expected
    );
}
