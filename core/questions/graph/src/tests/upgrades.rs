//! Tests the upgrades of an installed bundle.

use portolan_core_catalog::{Catalog, Reading};
use portolan_core_names::Version;
use portolan_kit::assert_same;
use rstest::rstest;

use crate::tests::{bundle, channel, graph, installed};
use crate::{Graph, Head, Installed, Permit, Successor, Upgrades};

pub(crate) fn asked(graph: &Graph, from: &str, channel_name: Option<&str>) -> Upgrades {
    let channel = channel_name.map(channel);
    graph
        .list_upgrades(&installed(from), channel.as_ref())
        .expect("the channel must be there")
}

/// Formats one line for each update, for example `1.2.0 stable SkipRange+Replaces recommended`.
pub(crate) fn upgrade_lines(upgrades: &Upgrades) -> Vec<String> {
    let successors = upgrades.successors.iter().flat_map(|successor| {
        let permits = successor.permits.iter();
        permits
            .map(|permit| permit_line(upgrades, successor, permit))
            .collect::<Vec<_>>()
    });
    let reasons = upgrades
        .reasons
        .iter()
        .map(|reason| reason.code().to_owned());
    let faults = upgrades.faults.iter().map(|fault| fault.code().to_owned());
    successors.chain(reasons).chain(faults).collect()
}

fn permit_line(upgrades: &Upgrades, successor: &Successor, permit: &Permit) -> String {
    let edges: Vec<_> = permit
        .edges
        .iter()
        .map(|edge| format!("{edge:?}"))
        .collect();
    let is_recommended = upgrades.recommended.as_ref() == Some(&successor.bundle.name);
    let version = successor.bundle.version.as_ref();
    let version = version.map_or("?".to_owned(), ToString::to_string);
    let notes = [
        (is_recommended, " recommended"),
        (successor.is_downgrade, " downgrade"),
        (successor.bundle.deprecation.is_some(), " deprecated"),
    ];
    let notes: String = notes
        .iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, note)| *note)
        .collect();
    format!("{version} {} {}{notes}", permit.channel, edges.join("+"))
}

/// Formats unreachable bundles with reasons, for example `2.0.0 stable: NoEdge 1.1.0 -> 2.0.0;
/// Skip, AllowUnconnected`.
fn missed(upgrades: &Upgrades) -> Vec<String> {
    let version = |name: &portolan_core_names::BundleName| name.as_str().replace("a.v", "");
    let missed = upgrades.unreachable.iter().map(|unreachable| {
        let blockage = &unreachable.blockage;
        let channels: Vec<_> = unreachable
            .channels
            .iter()
            .map(ToString::to_string)
            .collect();
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
        let missing = blockage.missing.as_ref();
        let missing =
            missing.map(|edge| format!(" {} -> {}", version(&edge.from), version(&edge.to)));
        format!(
            "{} {}: {}{}; {}",
            version(&unreachable.bundle.name),
            channels.join("+"),
            reasons.join(", "),
            missing.unwrap_or_default(),
            help.join(", ")
        )
    });
    missed.collect()
}

#[rstest]
#[case::replaces("a: 1.0.0 -> 1.1.0", "1.0.0", &["1.1.0 stable Replaces recommended"])]
#[case::only_the_next_hop(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0", "1.0.0",
    &["1.1.0 stable Replaces recommended"]
)]
#[case::the_nearest_to_the_head_is_recommended(
    "a: 1.0.0 -> 1.1.0 -> 1.2.0 -> 1.3.0; 1.2.0 skips 1.0.0", "1.0.0",
    &["1.2.0 stable Skips recommended", "1.1.0 stable Replaces"]
)]
#[case::skip_range_covers_bundle_outside_the_channel(
    "a: 1.1.0 covers >=1.0.0 <1.1.0; 1.0.5 unlisted", "1.0.5",
    &["1.1.0 stable SkipRange recommended"]
)]
#[case::one_update_with_several_edges(
    "a: 1.0.0 -> 1.1.0 covers <1.1.0; 1.1.0 skips 1.0.0", "1.0.0",
    &["1.1.0 stable Replaces+Skips+SkipRange recommended"]
)]
#[case::range_alone_never_leads_to_an_older_version(
    "a: 1.0.0 covers <3.0.0; 2.0.0 unlisted", "2.0.0",
    &["NoSuccessor"]
)]
#[case::named_edge_may_lead_to_an_older_version(
    "a: 2.0.0 -> 1.0.0", "2.0.0",
    &["1.0.0 stable Replaces downgrade", "Below"]
)]
#[case::range_does_not_lead_to_its_own_entry("a: 1.0.0 covers <=1.0.0", "1.0.0", &["AtHead"])]
#[case::nothing_after_the_head("a: 1.0.0 -> 1.1.0", "1.1.0", &["AtHead"])]
#[case::unknown_bundle_has_no_successor(
    "a: 1.0.0 -> 1.1.0 covers <1.1.0", "0.9.0",
    &["UnknownVersion", "NoSuccessor"]
)]
#[case::entry_without_bundle_is_listed_and_not_recommended(
    "a: 1.0.0 -> 1.1.0; 1.1.0 missing", "1.0.0",
    &["? stable Replaces", "NoHeadBundle", "NoBundle"]
)]
#[case::several_heads_still_answer(
    "a: 1.0.0 -> 1.1.0; 1.2.0 replaces 1.0.0", "1.0.0",
    &["1.2.0 stable Replaces recommended", "1.1.0 stable Replaces", "SeveralHeads"]
)]
#[case::cycle_has_a_result(
    "a: 1.0.0 -> 1.1.0 -> 1.0.0", "1.0.0",
    &["1.1.0 stable Replaces", "NoHeadBundle", "NoHead", "Cycle"]
)]
#[case::all_channels_and_the_default_recommends(
    "a[stable, fast]: 1.0.0 -> 1.1.0
     a/fast: 1.2.0 replaces 1.0.0; 1.2.0 skips 1.1.0; default fast", "1.0.0",
    &[
        "1.2.0 fast Replaces recommended",
        "1.1.0 fast Replaces",
        "1.1.0 stable Replaces",
    ]
)]
#[case::over_all_channels_the_head_of_the_default_channel_counts(
    "a/slow: 1.0.0 -> 1.1.0\n a/fast: 1.0.0 -> 2.0.0; default slow", "1.0.0",
    &["2.0.0 fast Replaces", "1.1.0 slow Replaces recommended"]
)]
#[case::two_channels_without_a_default_have_no_recommendation(
    "a/fast: 1.0.0 -> 1.1.0\n a/slow: 1.0.0 -> 1.1.0; default none", "1.0.0",
    &["1.1.0 fast Replaces", "1.1.0 slow Replaces", "NoDefaultChannel"]
)]
#[case::bundle_of_another_channel_has_successors_in_this_channel(
    "a/fast: 1.0.0\n a/slow: 1.1.0 replaces 1.0.0; default slow", "1.0.0",
    &["1.1.0 slow Replaces recommended", "AtHead"]
)]
#[case::entry_that_replaces_and_skips_the_same_bundle_is_one_update(
    "a: 1.0.0 -> 1.1.0; 1.1.0 skips 1.0.0", "1.0.0",
    &["1.1.0 stable Replaces+Skips recommended"]
)]
#[case::only_skips_lead_straight_to_the_head(
    "a: 2.3.8 skips 2.3.1, 2.3.2, 1.1.2; 2.3.1; 2.3.2", "2.3.1",
    &["2.3.8 stable Skips recommended"]
)]
#[case::skipped_bundle_of_another_channel_has_a_successor(
    "a: 2.3.8 skips 1.1.2", "1.1.2",
    &["2.3.8 stable Skips recommended", "UnknownVersion"]
)]
#[case::semver_older_rebuild_is_offered_and_not_recommended(
    "a: 1.0.1 -> 1.0.1-1", "1.0.1",
    &["1.0.1-1 stable Replaces downgrade", "Below"]
)]
#[case::path_may_contain_a_downgrade(
    "a: 0.1.2 -> 0.0.5 -> 1.0.0", "0.1.2",
    &["0.0.5 stable Replaces recommended downgrade"]
)]
#[case::names_decide_and_not_precedence(
    "a: 2.1.0 replaces 2.0.0; 2.2.0 skips 2.0.0+1", "2.0.0+1",
    &["2.2.0 stable Skips recommended", "UnknownVersion", "SeveralHeads"]
)]
#[case::release_in_the_build_metadata_is_newer(
    "a: 1.0.0+1; 1.0.0+2 covers >=1.0.0", "1.0.0+1",
    &["1.0.0+2 stable SkipRange recommended", "SeveralHeads"]
)]
#[case::range_without_upper_bound_allows_no_downgrade(
    "a: 0.2.0 -> 0.8.0; 0.2.0 covers >=0.0.1", "0.8.0", &["AtHead"]
)]
#[case::prerelease_with_an_edge_is_listed(
    "a: 1.0.0 -> 1.1.0-rc.1", "1.0.0",
    &["1.1.0-rc.1 stable Replaces recommended"]
)]
#[case::highest_reachable_head_is_the_target(
    "a: 1.0.0 -> 1.5.0; 1.11.0 covers >=1.0.0 <1.11.0; 1.11.0 -> 1.12.0", "1.0.0",
    &["1.11.0 stable SkipRange recommended", "1.5.0 stable Replaces", "SeveralHeads"]
)]
#[case::one_of_several_heads_may_lead_to_a_higher_head(
    "a: 1.0.0; 1.1.0 covers <1.1.0; 1.2.0 covers <1.2.0", "1.1.0",
    &["1.2.0 stable SkipRange recommended", "SeveralHeads"]
)]
fn lists_upgrades_over_all_channels(
    #[case] text: &str,
    #[case] from: &str,
    #[case] expected: &[&str],
) {
    assert_same!(upgrade_lines(&asked(&graph(text), from, None)), expected);
}

#[rstest]
#[case::head_without_edges_is_unreachable(
    "a: 1.0.0 -> 1.1.0; 2.0.0", None,
    &["2.0.0 stable: NoEdge 1.1.0 -> 2.0.0; Skip, AllowUnconnected"]
)]
#[case::bundles_behind_a_gap_name_the_first_gap(
    "a: 1.0.0 -> 1.1.0; 2.0.0 -> 2.1.0", None,
    &[
        "2.1.0 stable: NoEdge 1.1.0 -> 2.0.0; Skip, AllowUnconnected",
        "2.0.0 stable: NoEdge 1.1.0 -> 2.0.0; Skip, AllowUnconnected",
    ]
)]
#[case::another_channel_contains_it(
    "a/slow: 1.0.0 -> 1.1.0\na/fast: 1.0.0 -> 2.0.0", Some("slow"),
    &["2.0.0 fast: NotInChannel; InChannel"]
)]
#[case::another_channel_has_a_path_to_it(
    "a/slow: 1.0.0; 2.0.0\na/fast: 1.0.0 -> 2.0.0", Some("slow"),
    &["2.0.0 fast+slow: NoEdge 1.0.0 -> 2.0.0; InChannel, Skip, AllowUnconnected"]
)]
#[case::only_all_channels_together_have_a_path_to_it(
    "a/slow: 1.0.0 -> 1.1.0\na/fast: 1.1.0 -> 2.0.0", Some("slow"),
    &["2.0.0 fast: NotInChannel; OverAllChannels"]
)]
#[case::no_channel_contains_it("a: 1.0.0; 2.0.0 unlisted", None, &["2.0.0 : NotInChannel; "])]
#[case::prereleases_are_not_reported_as_missed_for_a_release("a: 1.0.0; 2.0.0-rc.1", None, &[])]
fn lists_newer_bundles_that_cannot_be_reached(
    #[case] text: &str,
    #[case] channel: Option<&str>,
    #[case] expected: &[&str],
) {
    assert_same!(missed(&asked(&graph(text), "1.0.0", channel)), expected);
}

#[test]
fn installed_prerelease_includes_newer_prereleases() {
    let answer = asked(&graph("a: 1.0.0-rc.1; 2.0.0-rc.1"), "1.0.0-rc.1", None);
    let expected = ["2.0.0-rc.1 stable: NoEdge 1.0.0-rc.1 -> 2.0.0-rc.1; Skip, AllowUnconnected"];
    assert_same!(missed(&answer), expected);
}

#[test]
fn reachable_bundles_have_the_minimum_number_of_hops() {
    let graph = graph("a: 1.0.0 -> 1.1.0 -> 1.2.0 -> 1.3.0; 1.3.0 skips 1.1.0; 1.4.0 missing");
    let answer = asked(&graph, "1.0.0", None);
    let reachable = answer.reachable.iter();
    let found: Vec<_> = reachable
        .map(|r| format!("{} {}", r.bundle.name, r.hops))
        .collect();
    assert_same!(found, ["a.v1.3.0 2", "a.v1.2.0 2", "a.v1.1.0 1"]);
}

#[test]
fn deprecated_bundle_is_listed_and_avoided_among_equals() {
    let graph = graph(
        "a: 1.0.0 -> 1.1.0 -> 2.0.0; 1.2.0 replaces 1.0.0; 2.0.0 skips 1.2.0
            1.2.0 deprecated \"it loses data\"",
    );
    let answer = asked(&graph, "1.0.0", None);
    let expected = [
        "1.2.0 stable Replaces deprecated",
        "1.1.0 stable Replaces recommended",
    ];
    assert_same!(upgrade_lines(&answer), expected);
}

#[test]
fn query_for_one_channel_ignores_other_channels() {
    let graph = graph("a/stable: 1.0.0 -> 1.1.0\na/fast: 1.0.0 -> 2.0.0");
    let fast = asked(&graph, "1.0.0", Some("fast"));
    assert_same!(fast.installed_in, [channel("fast"), channel("stable")]);
    assert_same!(upgrade_lines(&fast), ["2.0.0 fast Replaces recommended"]);
    let head = Head {
        channel: channel("fast"),
        bundle: bundle("2.0.0"),
        version: Some(Version::new(2, 0, 0)),
    };
    assert_same!(fast.heads, [head]);
}

#[test]
fn ranges_contain_an_unknown_bundle_with_a_version() {
    let graph = graph("a: 1.1.0 covers >=1.0.0 <1.1.0");
    let version = Some(Version::new(1, 0, 7));
    let installed = Installed {
        name: bundle("1.0.7"),
        version: version.clone(),
    };
    let answer = graph
        .list_upgrades(&installed, None)
        .expect("there is an answer");
    assert_same!(answer.installed_version, version);
    assert_same!(
        upgrade_lines(&answer),
        ["1.1.0 stable SkipRange recommended"]
    );
}

#[test]
fn unknown_channel_is_refused_with_the_known_channels() {
    let graph = graph("a/stable: 1.0.0\na/fast: 1.0.0");
    let asked = graph.list_upgrades(&installed("1.0.0"), Some(&channel("slow")));
    let refusal = asked.expect_err("no such channel");
    assert_eq!(
        refusal.to_string(),
        "package a has no channel slow; it has fast, stable"
    );
}

#[test]
fn fixture_catalog_has_no_faults() {
    let fixture = include_str!("../../../../../tests/fixtures/catalogs/ferry/catalog.yaml");
    let catalog = Catalog::of([Reading::of("catalog.yaml", fixture.as_bytes())]);
    assert_eq!(catalog.faults, []);
    assert_eq!(catalog.packages["ferry"].bundles.len(), 4);
}
