//! Tests the upgrades that OLM chooses.

use std::sync::Arc;

use portolan_core_catalog::Package;
use portolan_kit::assert_same;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use rstest::rstest;

use crate::tests::packages::{VERSIONS, catalogs, installations};
use crate::tests::paths::{CHAIN, CHANNELS, asked, drawn, summary};
use crate::tests::properties::meant;
use crate::tests::reference::Reference;
use crate::tests::{bundle, channel, graph, package};
use crate::{Destination, Graph, PathAnswer, Query, Walk};

/// Sets `olm.deprecated` for some versions, because a catalog text cannot express this property.
fn prohibit(mut package: Arc<Package>, versions: &[&str]) -> Arc<Package> {
    let changed = Arc::make_mut(&mut package);
    for version in versions {
        if let Some(bundle) = changed.bundles.get_mut(&bundle(version)) {
            Arc::make_mut(bundle).is_prohibited = true;
        }
    }
    package
}

#[rstest]
#[case::takes_the_entry_nearest_to_the_head(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0 -> 1.3.0; 1.3.0 covers >=1.0.0 <1.2.0",
    "1.0.0 to head as olm",
    "1.3.0"
)]
#[case::skips_the_requested_version(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 covers >=1.0.0 <1.1.0",
    "1.0.0 to 1.1.0 as olm",
    "LeaptOver; HopByHop, AllowUnconnected"
)]
#[case::never_selects_a_skipped_entry(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.3.0 skips 1.1.0; 1.2.0 -> 1.3.0",
    "1.0.0 to 1.1.0 as olm",
    "OlmStops; HopByHop, AllowUnconnected"
)]
#[case::walks_hop_by_hop(CHAIN, "1.0.1 to head as olm", "1.1.0 1.2.0 2.0.0")]
#[case::refuses_several_heads(
    "a: 1.0.0 -> 1.1.0; 1.2.0 replaces 1.0.0",
    "1.0.0 to 1.2.0 as olm",
    "OlmStops; HopByHop, AllowUnconnected"
)]
#[case::stays_in_the_default_channel(CHANNELS, "1.0.0 to 1.1.0 as olm", "NotInChannel; InChannel")]
#[case::follows_a_range_to_an_older_version(
    "a: 0.2.0 -> 0.8.0; 0.2.0 covers >=0.0.1",
    "0.8.0 to 0.2.0 downgrade as olm",
    "0.2.0(down)"
)]
#[case::downgrades_before_it_upgrades_again(
    "a: 0.2.0 -> 0.5.0 -> 0.8.0; 0.2.0 covers >=0.7.0",
    "0.8.0 to 0.5.0 downgrade as olm",
    "0.2.0(down) 0.5.0"
)]
#[case::downgrades_only_if_allowed(
    "a: 0.2.0 -> 0.8.0; 0.2.0 covers >=0.0.1",
    "0.8.0 to 0.2.0 as olm",
    "Below; AllowDowngrade"
)]
#[case::prefers_entry_nearer_to_the_head_to_a_downgrade(
    "a: 0.2.0 -> 0.5.0 -> 0.8.0; 0.2.0 covers >=0.0.1",
    "0.5.0 to 0.8.0 as olm",
    "0.8.0"
)]
#[case::stays_if_a_range_contains_its_own_version(
    "a: 1.0.0 covers >=0.1.0; 1.0.0 -> 2.0.0 covers >=1.0.0",
    "2.0.0 to 1.0.0 downgrade as olm",
    "OlmStops; AllowUnconnected"
)]
#[case::downgrades_an_unknown_bundle(
    "a: 1.0.0 covers >=0.1.0",
    "1.5.0 of 1.5.0 to 1.0.0 downgrade as olm",
    "1.0.0(down)"
)]
fn finds_the_path_that_olm_takes(
    #[case] text: &str,
    #[case] question: &str,
    #[case] expected: &str,
) {
    assert_same!(summary(&asked(&graph(text), question)), expected);
}

#[test]
fn downgrade_hop_names_the_range_that_permits_it() {
    let graph = graph("a: 0.2.0 -> 0.8.0; 0.2.0 covers >=0.0.1");
    let PathAnswer::Reached(path) = asked(&graph, "0.8.0 to 0.2.0 downgrade as olm") else {
        panic!("there is a path");
    };
    let permits = path.hops[0].permits.iter();
    let found: Vec<_> = permits
        .map(|p| format!("{} {:?}", p.channel, p.edges))
        .collect();
    assert_same!(found, ["stable {SkipRange}"]);
}

#[rstest]
#[case::is_never_taken_by_olm("1.0.0 to head as olm", "OlmStops; HopByHop, AllowUnconnected")]
#[case::is_skipped_for_the_next_entry("1.0.0 to 1.1.0 as olm", "1.1.0")]
#[case::is_reached_hop_by_hop("1.0.0 to head", "1.2.0")]
fn only_olm_avoids_prohibited_bundle(#[case] question: &str, #[case] expected: &str) {
    let catalog = portolan_kit::catalog("a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 skips 1.0.0");
    let graph = Graph::new(prohibit(package(&catalog), &["1.2.0"]));
    assert_same!(summary(&asked(&graph, question)), expected);
}

#[test]
fn prohibited_bundle_is_listed_with_the_deprecated_bundles() {
    let catalog = portolan_kit::catalog("a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 deprecated \"use b\"");
    let graph = Graph::new(prohibit(package(&catalog), &["1.1.0", "1.2.0"]));
    let advice: Vec<_> = graph
        .nodes()
        .iter()
        .map(|node| node.deprecation.as_deref())
        .collect();
    let prohibited = "the property olm.deprecated of the bundle prevents the installation";
    assert_same!(advice, [Some("use b"), Some(prohibited), None]);
}

#[test]
fn bundle_that_olm_skips_is_reported_as_tree() {
    let text = "a: 1.0.0 -> 1.1.0 -> 1.2.0 -> 1.3.0; 1.3.0 covers >=1.1.0 <1.2.0";
    insta::assert_snapshot!(drawn(text, "1.0.0 to 1.2.0 as olm"), @"
    no path from a.v1.0.0 to version 1.2.0 in channel stable
    ├── a.v1.1.0 can be reached in one hop
    ├── OLM upgrades from a.v1.1.0 directly to a.v1.3.0, skipping a.v1.2.0
    ├── help: a path exists if OLM installs each version on the path and skips no version
    └── help: allow an upgrade without an edge in the update graph (unsafe)
    ");
}

#[test]
fn cycle_of_olm_is_reported_as_tree() {
    let text = "a: 0.1.0 -> 0.2.0 -> 0.8.0; 0.2.0 covers >=0.2.0";
    insta::assert_snapshot!(drawn(text, "0.8.0 to 0.1.0 downgrade as olm"), @"
    no path from a.v0.8.0 to version 0.1.0 in channel stable
    ├── a.v0.2.0 can be reached in one hop
    ├── OLM goes from a.v0.2.0 back to a.v0.8.0 in channel stable, in an endless cycle
    └── help: allow an upgrade without an edge in the update graph (unsafe)
    ");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn olm_walk_equals_the_reference(
        catalog in catalogs(),
        installed in installations(),
        scope in select(vec!["fast", "slow"]),
        prohibited in subsequence(VERSIONS.to_vec(), 0..3),
    ) {
        let package = prohibit(package(&catalog), &prohibited);
        let graph = Graph::new(package.clone());
        let channel = channel(scope);
        let walk = Reference { package: &package, channel: Some(&channel) }.olm_walk(&installed);
        for bundle in package.bundles.values() {
            let query = Query {
                channel: Some(channel.clone()),
                walk: Walk::OlmV0,
                allow_downgrade: true,
                ..Query::new(installed.clone(), Destination::Version(bundle.version.clone()))
            };
            let meant = meant(&package, &query, &bundle.version);
            let expected = walk.iter().position(|name| meant.contains(name));
            match graph.find_path(&query).expect("the channel must be there") {
                PathAnswer::Reached(path) => {
                    let found: Vec<_> = path.hops.iter().map(|hop| &hop.to.name).collect();
                    prop_assert_eq!(Some(&found[..]), expected.map(|last| &walk[..=last]));
                    prop_assert!(path.hops.iter().all(|hop| !hop.permits.is_empty()));
                }
                PathAnswer::Blocked(_) => prop_assert_eq!(expected, None),
                PathAnswer::AlreadyThere(there) => {
                    prop_assert_eq!(there.version.as_ref(), Some(&bundle.version));
                }
            }
        }
    }
}
