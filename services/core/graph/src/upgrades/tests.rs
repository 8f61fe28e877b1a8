use portolan_catalog::{Catalog, Reading, Trouble};
use portolan_kit::{assert_same, catalog};
use rstest::rstest;

use super::*;

/// The package `a` of a catalog text. Entries and bundles without each other are part of stories.
fn package(text: &str) -> Package {
    let text = catalog(text).to_yaml();
    let catalog = Catalog::of([Reading::of("text", text.as_bytes())]);
    let is_story =
        |trouble: &Trouble| matches!(trouble, Trouble::NoBundle { .. } | Trouble::Unlisted(_));
    let faults = catalog.faults.iter();
    let faults = faults.filter(|fault| !is_story(&fault.trouble));
    let faults: Vec<_> = faults.map(ToString::to_string).collect();
    assert_same!(faults, Vec::<String>::new());
    catalog.packages["a"].as_ref().clone()
}

fn bundle(version: &str) -> BundleName {
    BundleName::parse(&format!("a.v{version}")).expect("the name must parse")
}

fn asked(package: &Package, installed: &str, channel: Option<&str>) -> Upgrades {
    let installed = Installed {
        name: bundle(installed),
        version: None,
    };
    let channel = channel.map(|name| ChannelName::parse(name).expect("the name must parse"));
    list_upgrades(package, &installed, channel.as_ref()).expect("the channel must be there")
}

/// An answer in one line a statement: `1.2.0 stable SkipRange+Replaces recommended`.
fn told(upgrades: &Upgrades) -> Vec<String> {
    let update = |update: &Update| {
        let edges: Vec<_> = update
            .edges
            .iter()
            .map(|edge| format!("{edge:?}"))
            .collect();
        let notes = [
            (update.is_recommended, " recommended"),
            (update.is_downgrade, " downgrade"),
        ];
        let notes: String = notes
            .iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, n)| *n)
            .collect();
        let version = update
            .version
            .as_ref()
            .map_or("?".to_owned(), ToString::to_string);
        format!("{version} {} {}{notes}", update.channel, edges.join("+"))
    };
    let reasons = upgrades
        .reasons
        .iter()
        .map(|reason| reason.code().to_owned());
    upgrades.updates.iter().map(update).chain(reasons).collect()
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
#[case::a_skip_range_covers_what_is_not_in_the_channel(
    "a: 1.1.0 covers >=1.0.0 <1.1.0; 1.0.5 unlisted", "1.0.5",
    &["1.1.0 stable SkipRange recommended"]
)]
#[case::one_update_by_several_edges(
    "a: 1.0.0 -> 1.1.0 covers <1.1.0; 1.1.0 skips 1.0.0", "1.0.0",
    &["1.1.0 stable Replaces+Skips+SkipRange recommended"]
)]
#[case::a_range_alone_never_leads_down(
    "a: 1.0.0 covers <3.0.0; 2.0.0 unlisted", "2.0.0",
    &["NoSuccessor"]
)]
#[case::an_authored_edge_may_lead_down(
    "a: 2.0.0 -> 1.0.0", "2.0.0",
    &["1.0.0 stable Replaces recommended downgrade"]
)]
#[case::a_range_does_not_lead_to_itself("a: 1.0.0 covers <=1.0.0", "1.0.0", &["AtHead"])]
#[case::nothing_after_the_head("a: 1.0.0 -> 1.1.0", "1.1.0", &["AtHead"])]
#[case::nobody_follows_a_stranger(
    "a: 1.0.0 -> 1.1.0 covers <1.1.0", "0.9.0",
    &["UnknownVersion", "NoSuccessor"]
)]
#[case::an_entry_without_bundle_is_told_and_not_recommended(
    "a: 1.0.0 -> 1.1.0; 1.1.0 missing", "1.0.0",
    &["? stable Replaces", "NoBundle"]
)]
#[case::several_heads_still_answer(
    "a: 1.0.0 -> 1.1.0; 1.2.0 replaces 1.0.0", "1.0.0",
    &["1.2.0 stable Replaces recommended", "1.1.0 stable Replaces", "SeveralHeads"]
)]
#[case::a_cycle_still_answers(
    "a: 1.0.0 -> 1.1.0 -> 1.0.0", "1.0.0",
    &["1.1.0 stable Replaces", "NoHead"]
)]
#[case::all_channels_and_the_default_recommends(
    "a[stable, fast]: 1.0.0 -> 1.1.0\n a/fast: 1.2.0 replaces 1.0.0; 1.2.0 skips 1.1.0", "1.0.0",
    &[
        "1.2.0 fast Replaces recommended",
        "1.1.0 fast Replaces",
        "1.1.0 stable Replaces",
    ]
)]
fn over_all_channels(#[case] text: &str, #[case] installed: &str, #[case] expected: &[&str]) {
    let mut package = package(text);
    if text.contains("fast") {
        package.default_channel = ChannelName::parse("fast").ok();
    }
    assert_same!(told(&asked(&package, installed, None)), expected);
}

#[test]
fn one_channel_is_answered_alone() {
    let package = package("a/stable: 1.0.0 -> 1.1.0\na/fast: 1.0.0 -> 2.0.0");
    let fast = asked(&package, "1.0.0", Some("fast"));
    assert_same!(told(&fast), ["2.0.0 fast Replaces recommended"]);
    let channel = ChannelName::parse("fast").expect("the name must parse");
    let head = Head {
        channel,
        bundle: bundle("2.0.0"),
        version: Some(Version::new(2, 0, 0)),
    };
    assert_same!(fast.heads, [head]);
}

#[test]
fn a_stranger_of_known_version_is_covered_by_ranges() {
    let package = package("a: 1.1.0 covers >=1.0.0 <1.1.0");
    let version = Some(Version::new(1, 0, 7));
    let installed = Installed {
        name: bundle("1.0.7"),
        version: version.clone(),
    };
    let answer = list_upgrades(&package, &installed, None).expect("there is an answer");
    assert_same!(answer.installed_version, version);
    assert_same!(told(&answer), ["1.1.0 stable SkipRange recommended"]);
}

#[test]
fn an_unknown_channel_is_refused_with_those_that_there_are() {
    let package = package("a/stable: 1.0.0\na/fast: 1.0.0");
    let installed = Installed {
        name: bundle("1.0.0"),
        version: None,
    };
    let channel = ChannelName::parse("slow").expect("the name must parse");
    let refusal = list_upgrades(&package, &installed, Some(&channel)).expect_err("no such channel");
    assert_eq!(
        refusal.to_string(),
        "package a has no channel slow; it has fast, stable"
    );
}

#[test]
fn the_fixture_reads_without_faults() {
    let fixture = include_str!("../../../../../tests/fixtures/catalogs/ferry/catalog.yaml");
    let catalog = Catalog::of([Reading::of("catalog.yaml", fixture.as_bytes())]);
    assert_eq!(catalog.faults, []);
    assert_eq!(catalog.packages["ferry"].bundles.len(), 4);
}
