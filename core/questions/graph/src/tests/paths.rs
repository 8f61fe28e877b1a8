//! Tests paths, and the reasons for missing paths.

use portolan_core_names::Version;
use portolan_kit::assert_same;
use rstest::rstest;

use crate::tests::{channel, graph, installed};
use crate::{Destination, Graph, PathAnswer, Query, Walk};

/// Parses a query, for example `1.0.0 to 1.2.0 in fast as olm, downgrade, unconnected`.
fn query(text: &str) -> Query {
    let mut words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let from = words
        .next()
        .expect("a question starts with the installed version");
    let mut query = Query::new(installed(from), Destination::Head);
    while let Some(word) = words.next() {
        let mut next = || words.next().expect("another word must follow");
        match word {
            "to" => query.destination = destination(next()),
            "in" => query.channel = Some(channel(next())),
            "as" => {
                query.walk = if next() == "olm" {
                    Walk::OlmV0
                } else {
                    Walk::Catalog
                }
            }
            "of" => query.installed.version = next().parse().ok(),
            "downgrade" => query.allow_downgrade = true,
            "unconnected" => query.allow_unconnected = true,
            other => panic!("{other:?} is no word of a question"),
        }
    }
    query
}

/// Parses a destination. A range contains `_` instead of spaces.
fn destination(text: &str) -> Destination {
    match text {
        "head" => Destination::Head,
        "z" => Destination::NewestPatch,
        "y" => Destination::NewestMinor,
        text => match Version::parse(text) {
            Ok(version) => Destination::Version(version),
            Err(_) if text.starts_with("a.v") => {
                Destination::Bundle(text.parse().expect("a bundle"))
            }
            Err(_) => Destination::Range(text.replace('_', " ").parse().expect("a range")),
        },
    }
}

/// Formats an answer. Examples are `1.1.0 1.2.0(stable)` and `there`. If no path exists, the result
/// has the codes of the reasons and suggestions.
pub(crate) fn summary(answer: &PathAnswer) -> String {
    match answer {
        PathAnswer::AlreadyThere(_) => "there".to_owned(),
        PathAnswer::Reached(path) => {
            let hops = path.hops.iter().map(|hop| {
                let version = hop.to.version.as_ref().map(ToString::to_string);
                let note = match (hop.permits.is_empty(), hop.is_downgrade) {
                    (false, false) => "",
                    (false, true) => "(down)",
                    (true, false) => "(jump)",
                    (true, true) => "(jump down)",
                };
                version.unwrap_or_default() + note
            });
            hops.collect::<Vec<_>>().join(" ")
        }
        PathAnswer::Blocked(blockage) => {
            let reasons: Vec<_> = blockage
                .reasons
                .iter()
                .map(|reason| reason.code())
                .collect();
            let help: Vec<_> = blockage
                .suggestions
                .iter()
                .map(|help| help.code())
                .collect();
            format!("{}; {}", reasons.join(", "), help.join(", "))
        }
    }
}

pub(crate) fn asked(graph: &Graph, question: &str) -> PathAnswer {
    graph
        .find_path(&query(question))
        .expect("the channel must be there")
}

pub(crate) const CHAIN: &str = "a: 1.0.0 -> 1.0.1 -> 1.1.0 -> 1.2.0 -> 2.0.0; 1.2.0 skips 1.0.0";
pub(crate) const CHANNELS: &str =
    "a/slow: 1.0.0 -> 1.1.0\n a/fast: 1.0.0 -> 1.2.0 -> 2.0.0; default fast";

#[rstest]
#[case::the_fewest_hops(CHAIN, "1.0.0 to head", "1.2.0 2.0.0")]
#[case::to_a_version(CHAIN, "1.0.0 to 1.1.0", "1.0.1 1.1.0")]
#[case::to_a_bundle(CHAIN, "1.0.0 to a.v1.1.0", "1.0.1 1.1.0")]
#[case::the_installed_bundle(CHAIN, "1.0.0 to a.v1.0.0", "there")]
#[case::to_a_missing_bundle(CHAIN, "1.0.0 to a.v1.5.0", "NotOffered; ")]
#[case::to_an_older_bundle(CHAIN, "1.2.0 to a.v1.1.0", "Below; AllowUnconnectedDowngrade")]
#[case::the_installed_version(CHAIN, "1.0.0 to 1.0.0", "there")]
#[case::the_head_itself(CHAIN, "2.0.0 to head", "there")]
#[case::to_the_best_version_of_a_range(CHAIN, "1.0.0 to >=1.0.0_<1.2.0", "1.0.1 1.1.0")]
#[case::stays_in_a_range(CHAIN, "1.2.0 to <2.0.0", "there")]
#[case::the_newest_patch(CHAIN, "1.0.0 to z", "1.0.1")]
#[case::the_newest_minor(CHAIN, "1.0.0 to y", "1.2.0")]
#[case::no_newer_patch(CHAIN, "1.2.0 to z", "there")]
#[case::to_a_missing_version(CHAIN, "1.0.0 to 1.5.0", "NotOffered; ")]
#[case::range_without_versions(CHAIN, "1.0.0 to >=3.0.0", "NotOffered; ")]
#[case::back_without_permission(CHAIN, "1.2.0 to 1.1.0", "Below; AllowUnconnectedDowngrade")]
#[case::downgrade_without_an_edge(
    CHAIN,
    "1.2.0 to 1.1.0 downgrade",
    "NoEdge; Skip, AllowUnconnected"
)]
#[case::downgrade_with_a_jump(CHAIN, "1.2.0 to 1.1.0 downgrade unconnected", "1.1.0(jump down)")]
#[case::jump_to_an_older_version_needs_permission(
    CHAIN,
    "1.2.0 to 1.1.0 unconnected",
    "Below; AllowDowngrade"
)]
#[case::path_is_preferred_to_a_jump(CHAIN, "1.0.0 to head unconnected", "1.2.0 2.0.0")]
#[case::range_below_the_installed_version(
    CHAIN,
    "1.2.0 to <1.1.0",
    "Below; AllowUnconnectedDowngrade"
)]
#[case::the_default_channel_has_the_head(CHANNELS, "1.0.0 to head", "1.2.0 2.0.0")]
#[case::the_asked_channel_has_the_head(CHANNELS, "1.0.0 to head in slow", "1.1.0")]
#[case::path_stays_in_its_channel(CHANNELS, "1.0.0 to 2.0.0 in slow", "NotInChannel; InChannel")]
#[case::older_version_in_another_channel_needs_two_overrides(
    "a/slow: 1.0.0 -> 1.2.0\n a/fast: 1.2.0 -> 1.1.0",
    "1.2.0 to 1.1.0 in slow",
    "NotInChannel, Below; InChannel, AllowDowngrade"
)]
#[case::path_crosses_channels_if_all_are_requested(
    "a/slow: 1.0.0 -> 1.1.0\n a/fast: 2.0.0 replaces 1.1.0",
    "1.0.0 to 2.0.0",
    "1.1.0 2.0.0"
)]
#[case::only_all_channels_have_a_path(
    "a/slow: 1.0.0 -> 1.1.0\n a/fast: 2.0.0 replaces 1.1.0",
    "1.0.0 to 2.0.0 in fast",
    "NoEdge; OverAllChannels, Skip, AllowUnconnected"
)]
#[case::named_edge_to_an_older_version_is_used(
    "a: 0.1.2 -> 0.0.5 -> 1.0.0",
    "0.1.2 to head",
    "0.0.5(down) 1.0.0"
)]
#[case::head_below_needs_permission(
    "a: 1.0.1 -> 1.0.1-1",
    "1.0.1 to head",
    "Below; AllowDowngrade"
)]
#[case::head_below_with_permission(
    "a: 1.0.1 -> 1.0.1-1",
    "1.0.1 to head downgrade",
    "1.0.1-1(down)"
)]
#[case::range_edge_to_an_older_version_is_not_used(
    "a: 0.2.0 -> 0.8.0; 0.2.0 covers >=0.0.1",
    "0.8.0 to 0.2.0 downgrade",
    "NoEdge; Skip, AllowUnconnected"
)]
#[case::highest_first_hop_of_equal_paths(
    "a: 1.0.0 -> 1.1.0 -> 2.0.0; 1.2.0 replaces 1.0.0; 2.0.0 skips 1.2.0",
    "1.0.0 to head",
    "1.2.0 2.0.0"
)]
#[case::wildcard_range_may_move_newer_versions_further_away(
    "a: 2.2.0 -> 2.2.1 -> 2.2.2 -> 2.2.3; 2.2.3 covers >=2.1.x <2.2.1",
    "2.2.0 to head",
    "2.2.3"
)]
#[case::newer_version_is_reached_hop_by_hop(
    "a: 2.2.0 -> 2.2.1 -> 2.2.2 -> 2.2.3; 2.2.3 covers >=2.1.x <2.2.1",
    "2.2.1 to head",
    "2.2.2 2.2.3"
)]
#[case::cycle_is_walked_once(
    "a: 1.0.0 -> 1.1.0 -> 1.0.0; 1.2.0 covers =1.1.0",
    "1.0.0 to 1.2.0",
    "1.1.0 1.2.0"
)]
#[case::entry_without_a_bundle_is_no_step(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.1.0 missing",
    "1.0.0 to head",
    "NoEdge; Skip, AllowUnconnected"
)]
#[case::unknown_bundle_without_version(
    "a: 1.1.0 covers <1.1.0",
    "0.9.0 to head",
    "NoEdge, UnknownVersion; SayVersion, Skip, AllowUnconnected"
)]
#[case::unknown_bundle_with_version("a: 1.1.0 covers <1.1.0", "0.9.0 of 0.9.0 to head", "1.1.0")]
#[case::streams_need_a_version("a: 1.1.0", "0.9.0 to z", "UnknownVersion; ")]
#[case::unreachable_stream(
    "a: 1.0.0 -> 1.0.1; 1.0.2",
    "1.0.0 to z",
    "NoEdge; Skip, AllowUnconnected"
)]
#[case::prereleases_are_not_the_newest("a: 1.0.0 -> 1.0.1-rc.1", "1.0.0 to z", "there")]
#[case::prereleases_are_the_newest_of_prereleases(
    "a: 1.0.1-rc.1 -> 1.0.1-rc.2",
    "1.0.1-rc.1 to z",
    "1.0.1-rc.2"
)]
#[case::range_matches_no_prerelease(
    "a: 1.0.0 -> 1.1.0-rc.1",
    "1.0.0 to >1.0.0_<1.1.0",
    "OnlyPrereleases; "
)]
#[case::range_that_contains_a_prerelease(
    "a: 1.0.0 -> 1.1.0-rc.1",
    "1.0.0 to >=1.1.0-rc.1",
    "1.1.0-rc.1"
)]
#[case::range_with_prerelease_prefers_a_release(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0-rc.1",
    "1.0.0 to >=1.1.0-rc.1",
    "1.1.0"
)]
#[case::prerelease_by_its_version("a: 1.0.0 -> 1.1.0-rc.1", "1.0.0 to 1.1.0-rc.1", "1.1.0-rc.1")]
#[case::build_metadata_distinguishes_rebuilds(
    "a: 1.0.0 -> 1.1.0+1 -> 1.1.0+2",
    "1.0.0 to 1.1.0+2",
    "1.1.0+1 1.1.0+2"
)]
#[case::build_metadata_distinguishes_rebuilds_of_another_channel(
    "a/slow: 1.0.0 -> 1.1.0+1\n a/fast: 1.0.0 -> 1.1.0+2",
    "1.0.0 to 1.1.0+2 in slow",
    "NotInChannel; InChannel"
)]
#[case::other_bundle_of_the_same_version_does_not_match(
    "a: 1.0.0 -> 1.1.0+1 -> 1.1.0+2",
    "1.0.0 to a.v1.1.0+2",
    "1.1.0+1 1.1.0+2"
)]
#[case::any_rebuild_matches_without_build_metadata(
    "a: 1.0.0 -> 1.1.0+1 -> 1.1.0+2",
    "1.0.0 to 1.1.0",
    "1.1.0+1"
)]
#[case::two_channels_without_a_default(
    "a/slow: 1.0.0\n a/fast: 1.1.0; default none",
    "1.0.0 to head",
    "NoDefaultChannel; "
)]
#[case::empty_range("a: 1.0.0 -> 2.0.0", "1.0.0 to <1.0.0_>=2.0.0", "NotOffered; ")]
fn finds_the_best_path(#[case] text: &str, #[case] question: &str, #[case] expected: &str) {
    assert_same!(summary(&asked(&graph(text), question)), expected);
}

#[rstest]
#[case::is_avoided_among_equals("1.0.0 to 2.0.0", "1.1.0 2.0.0")]
#[case::is_used_on_a_shorter_path("1.0.0 to head", "2.0.1 2.1.0")]
#[case::is_reached_when_asked("1.0.0 to 1.2.0", "1.2.0")]
#[case::is_not_the_best_version_of_a_range("1.0.0 to >=1.1.0_<2.0.0", "1.1.0")]
#[case::highest_is_taken_if_all_are_deprecated("1.0.0 to =1.2.0_||_=2.0.1", "2.0.1")]
#[case::is_left_only_upwards("1.2.0 to <2.0.0", "there")]
fn uses_deprecated_bundle_only_if_the_path_requires_it(
    #[case] question: &str,
    #[case] expected: &str,
) {
    let graph = graph(
        "a: 1.0.0 -> 1.1.0 -> 2.0.0 -> 2.1.0; 1.2.0 replaces 1.0.0; 2.0.0 skips 1.2.0
            2.0.1 covers =1.0.0; 2.1.0 skips 2.0.1
            1.2.0 deprecated \"old\"; 2.0.1 deprecated \"old\"",
    );
    assert_same!(summary(&asked(&graph, question)), expected);
}

#[test]
fn hop_contains_its_channels_and_edges() {
    let graph = graph("a[slow, fast]: 1.0.0 -> 1.1.0\n a/fast: 1.1.0 covers <1.1.0; default slow");
    let PathAnswer::Reached(path) = asked(&graph, "1.0.0 to head") else {
        panic!("there is a path");
    };
    let permits = path.hops[0].permits.iter();
    let found: Vec<_> = permits
        .map(|p| format!("{} {:?}", p.channel, p.edges))
        .collect();
    assert_same!(found, ["fast {Replaces, SkipRange}", "slow {Replaces}"]);
}

pub(crate) fn drawn(text: &str, question: &str) -> String {
    match asked(&graph(text), question) {
        PathAnswer::Blocked(blockage) => blockage.to_string(),
        other @ (PathAnswer::Reached(_) | PathAnswer::AlreadyThere(_)) => {
            panic!("there must be no path: {other:?}")
        }
    }
}

#[test]
fn missing_edge_is_reported_as_tree() {
    let text = "a/slow: 1.0.0 -> 1.1.0 -> 1.2.0; 2.0.0 -> 2.1.0\n a/fast: 1.0.0 -> 2.1.0";
    insta::assert_snapshot!(drawn(text, "1.0.0 to 2.1.0 in slow"), @"
    no path from a.v1.0.0 to version 2.1.0 in channel slow
    ├── a.v1.2.0 can be reached in 2 hops
    ├── a.v2.0.0 does not replace a.v1.2.0, skip it, or cover its version
    ├── channel slow has several heads: a.v1.2.0, a.v2.1.0
    ├── help: channel fast has a path
    ├── help: the author of the catalog can let a.v2.0.0 skip a.v1.2.0
    └── help: allow an upgrade without an edge in the update graph (unsafe)
    ");
}

#[test]
fn downgrade_is_reported_as_tree() {
    insta::assert_snapshot!(drawn(CHAIN, "2.0.0 to 1.1.0"), @"
    no path from a.v2.0.0 to version 1.1.0 over all channels
    ├── a.v1.1.0 is older than the installed a.v2.0.0
    └── help: allow a downgrade without an edge in the update graph (unsafe)
    ");
}

#[test]
fn unknown_version_is_reported_as_tree() {
    insta::assert_snapshot!(drawn("a: 1.1.0 covers <1.1.0", "0.9.0 to head"), @"
    no path from a.v0.9.0 to head over all channels
    ├── a.v1.1.0 does not replace a.v0.9.0, skip it, or cover its version
    ├── package a has no bundle a.v0.9.0, so its version is unknown and skip ranges were not applied; set installed_version to apply them
    ├── help: specify the version of a.v0.9.0; a skip range may contain this version
    ├── help: the author of the catalog can let a.v1.1.0 skip a.v0.9.0
    └── help: allow an upgrade without an edge in the update graph (unsafe)
    ");
}

#[test]
fn missing_destination_is_reported_as_tree() {
    insta::assert_snapshot!(drawn("a: 1.0.0", "1.0.0 to >=7.0.0"), @"
    no path from a.v1.0.0 to version in >=7.0.0 over all channels
    └── package a does not offer version in >=7.0.0
    ");
}
