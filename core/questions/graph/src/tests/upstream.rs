//! Tests test cases from OLM's projects, and graphs as they occur in real catalogs.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::tests::upgrades::{asked, upgrade_lines};
use crate::tests::{graph, paths};

const THREE: &str = "a: 1.0.0; 2.0.0; 3.0.0 replaces 1.0.0; 3.0.0 skips 2.0.0";

/// A channel whose entries are connected only by skip ranges. Therefore each entry is a head.
const ONLY_RANGES: &str = "a/beta: 0.1.0; 1.0.0 covers >=0.1.0 <1.0.0; 1.0.1 covers >=0.1.0 <1.0.1
    1.0.2 covers >=0.1.0 <1.0.2; 2.0.0 covers >=1.0.0 <2.0.0; 3.0.0 covers >=2.0.0 <3.0.0";

/// The output of a semver template, which has one channel for each major version and for each minor
/// version. The head of each channel skips all other entries.
const TEMPLATE: &str = "a/stable-v1: 1.1.1; 1.1.2 skips 1.1.1; 1.2.0; 1.2.1 replaces 1.1.2
    1.2.1 skips 1.1.1, 1.1.2, 1.2.0
    a/stable-v1.1: 1.1.1; 1.1.2 skips 1.1.1
    a/stable-v1.2: 1.2.0; 1.2.1 replaces 1.1.2; 1.2.1 skips 1.2.0
    a/stable-v2: 2.0.0";

#[rstest]
#[case::head_replaces_one_entry(THREE, "1.0.0", &["3.0.0 stable Replaces recommended"])]
#[case::and_skips_the_other(THREE, "2.0.0", &["3.0.0 stable Skips recommended"])]
#[case::of_several_in_range_the_highest(ONLY_RANGES, "0.1.0", &[
    "1.0.2 beta SkipRange recommended",
    "1.0.1 beta SkipRange",
    "1.0.0 beta SkipRange",
    "SeveralHeads",
])]
#[case::fork_offers_every_branch(
    "a: 1.10.2 -> 1.11.0; 1.11.1 replaces 1.10.2; 1.11.1 skips 1.11.0
     1.11.2 replaces 1.10.2; 1.11.2 skips 1.11.0, 1.11.1",
    "1.10.2",
    &[
        "1.11.2 stable Replaces recommended",
        "1.11.1 stable Replaces",
        "1.11.0 stable Replaces",
    ]
)]
#[case::range_crosses_a_major_version(
    "a: 1.0.0; 2.28.0 covers >=1.0.0 <2.28.0", "1.0.0",
    &["2.28.0 stable SkipRange recommended", "SeveralHeads"]
)]
#[case::range_of_releases_contains_a_prerelease(
    "a: 0.8.1-rc.1; 0.8.1 covers >=0.8.0 <0.8.1", "0.8.1-rc.1",
    &["0.8.1 stable SkipRange recommended", "SeveralHeads"]
)]
#[case::lonely_entry_follows_a_bundle_of_another_channel(
    "a/beta: 0.68.4\n a/stable: 0.68.5 replaces 0.68.4; default stable", "0.68.4",
    &["0.68.5 stable Replaces recommended", "AtHead"]
)]
#[case::template_upgrades_to_heads_of_its_minor_and_major_version(
    TEMPLATE, "1.1.1",
    &[
        "1.2.1 stable-v1 Skips recommended",
        "1.1.2 stable-v1 Skips",
        "1.1.2 stable-v1.1 Skips",
    ]
)]
#[case::template_upgrades_to_the_next_minor_version(
    TEMPLATE, "1.1.2",
    &[
        "1.2.1 stable-v1 Replaces+Skips recommended",
        "1.2.1 stable-v1.2 Replaces recommended",
        "AtHead",
    ]
)]
#[case::template_never_upgrades_to_the_next_major_version(
    TEMPLATE, "1.2.1", &["AtHead", "AtHead", "NoSuccessor"]
)]
fn lists_the_upgrades_of_upstream_examples(
    #[case] text: &str,
    #[case] from: &str,
    #[case] expected: &[&str],
) {
    assert_same!(upgrade_lines(&asked(&graph(text), from, None)), expected);
}

#[test]
fn bundle_in_eighteen_channels_counts_as_one_update() {
    let channels: Vec<_> = (10..28).map(|at| format!("c{at}")).collect();
    let graph = graph(&format!("a[{}]: 1.0.0 -> 1.1.0", channels.join(", ")));
    let answer = asked(&graph, "1.0.0", None);
    assert_eq!(answer.successors.len(), 1);
    let permits = answer.successors[0].permits.iter();
    let permits: Vec<_> = permits.map(|permit| permit.channel.to_string()).collect();
    assert_same!(permits, channels);
}

#[test]
fn chain_of_199_entries_is_a_path_of_198_hops() {
    let versions: Vec<_> = (0..199).map(|patch| format!("1.0.{patch}")).collect();
    let graph = graph(&format!("a: {}", versions.join(" -> ")));
    let path = paths::summary(&paths::asked(&graph, "1.0.0 to head"));
    assert_same!(path, versions[1..].join(" "));
}
