//! Tests the faults of channels.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::tests::graph;

#[rstest]
#[case::chain_has_no_fault("a: 1.0.0 -> 1.1.0 -> 1.2.0; 1.2.0 skips 1.0.0, 1.1.0", &[])]
#[case::two_heads_are_named(
    "a: 1.0.0 -> 3.0.0; 4.0.0 replaces 1.0.0",
    &[
        "SeveralHeads: channel stable has several heads: a.v3.0.0, a.v4.0.0",
        "Fork: channel stable has several entries that replace a.v1.0.0: a.v3.0.0, a.v4.0.0",
    ]
)]
#[case::cycle_has_no_head(
    "a: 1.0.0 -> 3.0.0 -> 1.0.0",
    &[
        "NoHead: channel stable has no head: each of its entries is replaced or skipped by \
         another one",
        "Cycle: channel stable has entries that replace each other in a cycle: a.v1.0.0, a.v3.0.0",
        "LeadsDown: channel stable has an upgrade from a.v3.0.0 to a.v1.0.0, which is a lower \
         version",
    ]
)]
#[case::entry_that_replaces_itself_is_a_cycle(
    "a: 4.0.0 replaces 4.0.0; 4.0.0 -> 5.0.0; 4.0.0 replaces 4.0.0",
    &["Cycle: channel stable has entries that replace each other in a cycle: a.v4.0.0"]
)]
#[case::cycle_below_the_head(
    "a: 1.0.0 -> 3.0.0 -> 2.0.0 -> 1.0.0; 4.0.0 replaces 2.0.0",
    &[
        "Cycle: channel stable has entries that replace each other in a cycle: a.v1.0.0, \
         a.v2.0.0, a.v3.0.0",
        "LeadsDown: channel stable has an upgrade from a.v3.0.0 to a.v2.0.0, which is a lower \
         version",
        "LeadsDown: channel stable has an upgrade from a.v2.0.0 to a.v1.0.0, which is a lower \
         version",
        "Fork: channel stable has several entries that replace a.v2.0.0: a.v1.0.0, a.v4.0.0",
    ]
)]
#[case::fork_is_a_note(
    "a: 1.10.2 -> 1.11.0; 1.11.1 replaces 1.10.2; 1.11.1 skips 1.11.0",
    &["Fork: channel stable has several entries that replace a.v1.10.2: a.v1.11.0, a.v1.11.1"]
)]
#[case::range_without_an_upper_bound(
    "a: 0.2.0 -> 0.7.0 -> 0.8.0; 0.2.0 covers >=0.0.1 <0.8.0",
    &[
        "IdleRange: channel stable has an entry a.v0.2.0 whose skip range covers no older entry: \
         >=0.0.1 <0.8.0",
        "WideRange: channel stable has an entry a.v0.2.0 whose skip range >=0.0.1 <0.8.0 \
         includes versions higher than the entry itself, up to a.v0.7.0; OLM may downgrade these \
         versions to a.v0.2.0",
    ]
)]
#[case::range_that_contains_its_own_version("a: 0.1.0 -> 0.2.0 covers >=0.0.1", &[])]
#[case::entries_below_a_skipped_entry_are_unreachable(
    "a: 1.0.0 -> 2.0.0; 3.0.0 skips 2.0.0",
    &[
        "Stranded: channel stable has entries that are not skipped and not on the chain of \
         replaces below its head: a.v1.0.0",
    ]
)]
#[case::walk_stops_at_an_entry_that_is_replaced_and_skipped(
    "a: 1.0.0 -> 2.0.0 -> 3.0.0; 3.0.0 skips 2.0.0",
    &[
        "Stranded: channel stable has entries that are not skipped and not on the chain of \
         replaces below its head: a.v1.0.0",
    ]
)]
#[case::skipped_entry_may_skip(
    "a: 1.0.0; 2.0.0 skips 1.0.0; 3.0.0 skips 2.0.0; 3.0.0 -> 4.0.0", &[]
)]
#[case::head_replaces_a_missing_entry(
    "a: 1.0.0 -> 1.1.0; 1.2.0 replaces 9.9.9",
    &[
        "SeveralHeads: channel stable has several heads: a.v1.1.0, a.v1.2.0; a.v1.2.0 replaces \
         a.v9.9.9, which the package does not have",
    ]
)]
#[case::tail_may_replace_a_missing_entry("a: 1.1.0 replaces 1.0.0", &[])]
#[case::entry_without_a_bundle(
    "a: 1.0.0 -> 1.1.0; 1.1.0 missing",
    &[
        "NoBundle: channel stable has the entry a.v1.1.0, but the catalog has no such bundle, so \
         the entry cannot be installed",
    ]
)]
#[case::head_without_the_highest_version(
    "a: 1.0.1 -> 1.0.1-1",
    &[
        "LeadsDown: channel stable has an upgrade from a.v1.0.1 to a.v1.0.1-1, which is a lower \
         version",
        "LowHead: channel stable has the head a.v1.0.1-1, although a.v1.0.1 is a higher version",
    ]
)]
#[case::range_that_contains_no_version(
    "a: 1.0.0 -> 1.26.0 covers >=1.1.0 <1.26.0",
    &[
        "IdleRange: channel stable has an entry a.v1.26.0 whose skip range covers no older entry: \
         >=1.1.0 <1.26.0",
    ]
)]
fn finds_faults_of_a_channel(#[case] text: &str, #[case] expected: &[&str]) {
    let faults = graph(text)
        .faults()
        .iter()
        .map(|f| format!("{}: {f}", f.code()))
        .collect::<Vec<_>>();
    assert_same!(faults, expected);
}

#[test]
fn long_list_of_heads_is_truncated() {
    let versions: Vec<_> = (0..11).map(|minor| format!("1.{minor}.0")).collect();
    let faults = graph(&format!("a: {}", versions.join("; ")))
        .faults()
        .to_vec();
    assert!(
        faults[0]
            .to_string()
            .ends_with("a.v1.5.0, a.v1.6.0 and 3 more"),
        "{}",
        faults[0]
    );
}
