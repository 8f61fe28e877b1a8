//! Tests of channels and their entries.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::lines::{PACKAGE, bundle, catalog, catalog_lines, channel, with_entries};

/// Returns the channels and faults of package a, which has the bundles a.v1, a.v2 and a.v3.
fn entry_lines(entries: &str) -> Vec<String> {
    let lines = catalog_lines(&catalog(&with_entries(entries)));
    lines
        .into_iter()
        .filter(|line| line.starts_with("channel") || line.starts_with('!'))
        .collect()
}

const REST: &str = "- name: a.v2\n- name: a.v3\n";

#[rstest]
#[case::all_edges_of_an_entry(
    "- {name: a.v1}\n- {name: a.v2, skipRange: '<2.0.0'}\n\
     - {name: a.v3, replaces: a.v1, skips: [a.v2, a.v0]}\n",
    &["channel s: a.v1 a.v2 (covers <2.0.0) a.v3 (replaces a.v1, skips a.v0, skips a.v2)"]
)]
#[case::entries_in_any_order(
    "- name: a.v3\n- name: a.v1\n- name: a.v2\n", &["channel s: a.v1 a.v2 a.v3"]
)]
#[case::an_entry_that_replaces_and_skips_the_same(
    "- name: a.v1\n- {name: a.v2, replaces: a.v1, skips: [a.v1, a.v1]}\n- name: a.v3\n",
    &["channel s: a.v1 a.v2 (replaces a.v1, skips a.v1) a.v3"]
)]
#[case::an_entry_that_replaces_itself(
    "- {name: a.v1, replaces: a.v1}\n- name: a.v2\n- name: a.v3\n",
    &["channel s: a.v1 (replaces a.v1) a.v2 a.v3"]
)]
#[case::a_tail_that_replaces_a_missing_bundle(
    "- {name: a.v1, replaces: b.v0}\n- name: a.v2\n- name: a.v3\n",
    &["channel s: a.v1 (replaces b.v0) a.v2 a.v3"]
)]
#[case::an_entry_without_bundle(
    "- name: a.v1\n- name: a.v2\n- name: a.v3\n- name: a.v4\n",
    &[
        "channel s: a.v1 a.v2 a.v3 a.v4",
        "! f:4: package a: channel s has the entry a.v4, but the catalog has no such bundle",
    ]
)]
#[case::a_bundle_in_no_channel(
    "- name: a.v1\n- name: a.v3\n",
    &["channel s: a.v1 a.v3", "! f:19: package a: bundle a.v2 is in no channel"]
)]
#[case::the_same_entry_twice(
    "- name: a.v1\n- {name: a.v2, replaces: a.v1}\n- name: a.v2\n- name: a.v3\n",
    &[
        "channel s: a.v1 a.v2 (replaces a.v1) a.v3",
        "! f:11: package a, channel s, entry a.v2: entry a.v2 appears twice in its channel; the \
         first one is used",
    ]
)]
#[case::an_empty_text_among_the_skips(
    "- name: a.v1\n- {name: a.v2, skips: ['', a.v1]}\n- name: a.v3\n",
    &[
        "channel s: a.v1 a.v2 (skips a.v1) a.v3",
        "! f:10: package a, channel s, entry a.v2: an element of `skips` has no `name`",
    ]
)]
#[case::an_empty_skip_range_and_nulls(
    "- {name: a.v1, skipRange: '', replaces: '', skips: null}\n- name: a.v2\n- name: a.v3\n",
    &["channel s: a.v1 a.v2 a.v3"]
)]
#[case::a_skip_range_with_a_v(
    "- {name: a.v1, skipRange: '>v0.1.0'}\n- {name: a.v2, replaces: a.v1}\n- name: a.v3\n",
    &[
        "channel s: a.v1 a.v2 (replaces a.v1) a.v3",
        "! f:9: package a, channel s, entry a.v1: `skipRange`: \">v0.1.0\" is not a version range: \
         at column 2, a version starts with a digit; write \"0.1.0\"",
    ]
)]
#[case::a_skip_range_with_a_leading_zero(
    "- {name: a.v1, skipRange: '>1.00.1', replaces: a.v0}\n- name: a.v2\n- name: a.v3\n",
    &[
        "channel s: a.v1 (replaces a.v0) a.v2 a.v3",
        "! f:9: package a, channel s, entry a.v1: `skipRange`: \">1.00.1\" is not a version range: \
         at column 4, \"00\" has a leading zero; write \"0\"",
    ]
)]
#[case::a_skip_range_that_olm_refuses_for_a_letter(
    "- {name: a.v1, skipRange: '>=1.0.0 <=1.2.0-next', replaces: a.v0}\n- name: a.v2\n- name: a.v3\n",
    &[
        "channel s: a.v1 (replaces a.v0) a.v2 a.v3",
        "! f:9: package a, channel s, entry a.v1: `skipRange`: \">=1.0.0 <=1.2.0-next\": OLM misreads \"<=1.2.0-next\": it treats the \"x\" as a wildcard",
    ]
)]
#[case::a_skip_range_that_olm_refuses_for_a_tab(
    "- {name: a.v1, skipRange: \">=1.0.0\\t<1.2.0\"}\n- name: a.v2\n- name: a.v3\n",
    &[
        "channel s: a.v1 a.v2 a.v3",
        "! f:9: package a, channel s, entry a.v1: `skipRange`: \">=1.0.0\\t<1.2.0\": OLM may \
         misread the tabs and line breaks in it; use spaces",
    ]
)]
#[case::skips_that_are_no_list(
    "- {name: a.v1, skips: a.v0, replaces: a.v0}\n- name: a.v2\n- name: a.v3\n",
    &[
        "channel s: a.v1 (replaces a.v0) a.v2 a.v3",
        "! f:9: package a, channel s, entry a.v1: `skips` is the text \"a.v0\"; expected a list",
    ]
)]
#[case::an_entry_without_name(
    "- name: a.v1\n- replaces: a.v1\n- name: a.v2\n- name: a.v3\n",
    &["channel s: a.v1 a.v2 a.v3", "! f:10: package a, channel s: an entry has no `name`"]
)]
#[case::an_entry_that_is_a_text(
    "- a.v1\n- name: a.v1\n- name: a.v2\n- name: a.v3\n",
    &[
        "channel s: a.v1 a.v2 a.v3",
        "! f:9: package a, channel s: `an entry` is the text \"a.v1\"; expected an object",
    ]
)]
#[case::a_hostile_name(
    "- name: a.v1\n- {name: a.v2, replaces: \"../\\e[31m\"}\n- name: a.v3\n",
    &[
        "channel s: a.v1 a.v2 a.v3",
        "! f:10: package a, channel s, entry a.v2: `replaces`: \"../\\u{1b}[31m\" is not a bundle \
         name: at column 3, \"/\" is not an ASCII letter, digit, hyphen, dot, underscore or plus \
         sign",
    ]
)]
fn channel_document_has_the_expected_entries(#[case] entries: &str, #[case] expected: &[&str]) {
    assert_same!(entry_lines(entries), expected);
}

#[test]
fn channel_without_entries_is_listed_with_a_fault() {
    let text = format!("{PACKAGE}---\nschema: olm.channel\npackage: a\nname: s\n");
    assert_same!(
        catalog_lines(&catalog(&text)),
        [
            "package a -> s",
            "channel s:",
            "! f:4: package a: channel s has no entries"
        ]
    );
}

#[test]
fn first_of_two_documents_of_the_same_channel_wins() {
    let text = with_entries(&format!("- name: a.v1\n{REST}")) + &channel("- name: a.v9\n");
    assert_same!(
        catalog_lines(&catalog(&text)),
        [
            "package a -> s",
            "channel s: a.v1 a.v2 a.v3",
            "bundle a.v1 1.0.0",
            "bundle a.v2 2.0.0",
            "bundle a.v3 3.0.0",
            "! f:36: package a: channel s appears twice in the catalog; the first one is used",
        ]
    );
}

#[test]
fn channel_without_package_or_name_is_omitted() {
    let text = with_entries(&format!("- name: a.v1\n{REST}"))
        + "---\nschema: olm.channel\nname: t\n---\nschema: olm.channel\npackage: a\nname: ''\n";
    let faults: Vec<_> = catalog_lines(&catalog(&text)).split_off(5);
    assert_same!(
        faults,
        [
            "! f:37: olm.channel has no `package`",
            "! f:42: package a, channel : olm.channel has no `name`"
        ]
    );
}

#[test]
fn bundle_has_separate_edges_in_each_channel() {
    let text = with_entries(&format!("- name: a.v1\n{REST}"))
        + "---\nschema: olm.channel\npackage: a\nname: t\nentries:\n- {name: a.v2, replaces: \
             a.v1}\n";
    let channels: Vec<_> = catalog_lines(&catalog(&text)).drain(1..3).collect();
    assert_same!(
        channels,
        [
            "channel s: a.v1 a.v2 a.v3",
            "channel t: a.v2 (replaces a.v1)"
        ]
    );
}

#[test]
fn entry_without_bundle_is_reported_in_any_channel() {
    let text = with_entries(&format!("- name: a.v1\n- name: a.v8\n{REST}"))
        + "---\nschema: olm.channel\npackage: a\nname: t\nentries:\n- name: a.v1\n- name: a.v9\n";
    let faults: Vec<_> = catalog_lines(&catalog(&text)).split_off(6);
    assert_same!(
        faults,
        [
            "! f:4: package a: channel s has the entry a.v8, but the catalog has no such bundle",
            "! f:37: package a: channel t has the entry a.v9, but the catalog has no such bundle",
        ]
    );
}

#[test]
fn documents_without_an_olm_package_give_only_one_fault() {
    let text = channel("- name: a.v1\n") + &bundle("a.v1", "1.0.0", "");
    assert_same!(
        catalog_lines(&catalog(&text)),
        ["! f:1: package a: package a has no olm.package document, so it is not offered"]
    );
}

#[test]
fn channel_or_package_with_too_many_entries_is_omitted() {
    let channel = |name: &str, count: usize| {
        let entries: Vec<_> = (0..count)
            .map(|at| format!("{{\"name\": \"a.v{at}\"}}"))
            .collect();
        let entries = entries.join(",");
        let head = "{\"schema\": \"olm.channel\", \"package\": \"a\", \"name\"";
        format!("{head}: \"{name}\", \"entries\": [{entries}]}}\n")
    };
    let text = String::from("{\"schema\": \"olm.package\", \"name\": \"a\"}\n")
        + &channel("long", 10_001)
        + &channel("one", 10_000)
        + &channel("two", 10_000)
        + &channel("three", 1);
    let catalog = portolan_core_catalog::Catalog::of([portolan_core_catalog::Reading::of(
        "f",
        text.as_bytes(),
    )]);
    let channels = catalog.packages["a"].channels.iter();
    let channels: Vec<_> = channels
        .map(|(name, one)| (name.as_str(), one.entries.len()))
        .collect();
    assert_same!(channels, [("one", 10_000), ("three", 1)]);
    let faults = catalog
        .faults
        .iter()
        .filter(|fault| fault.defect.code() == "TooMuch");
    let faults: Vec<_> = faults.map(ToString::to_string).collect();
    assert_same!(
        faults,
        [
            "f:2: package a, channel long: a channel of more entries than 10000, more than any \
             catalog needs; the rest was not read",
            "f:4: package a, channel two: a package of more entries in all its channels than \
             20000, more than any catalog needs; the rest was not read",
        ]
    );
}
