use rstest::rstest;

use super::*;
use crate::assert_same;
use crate::catalog::{Api, Bundle, Channel, Entry, Package, Requirement, catalog};

fn entry(name: &str) -> Entry {
    Entry {
        name: name.into(),
        ..Entry::default()
    }
}

fn replacing(name: &str, replaced: &str) -> Entry {
    Entry {
        replaces: Some(replaced.into()),
        ..entry(name)
    }
}

fn bundle(package: &str, version: &str) -> Bundle {
    Bundle {
        name: format!("{package}.v{version}"),
        version: version.into(),
        image: format!("registry.example/{package}:v{version}"),
        ..Bundle::default()
    }
}

#[test]
fn catalog_is_parsed_from_one_line() {
    let skipping = Entry {
        skips: vec!["a.v1.0.0".into()],
        ..replacing("a.v2.0.0", "a.v1.1.0")
    };
    let stable = Channel {
        name: "stable".into(),
        entries: vec![
            entry("a.v1.0.0"),
            replacing("a.v1.1.0", "a.v1.0.0"),
            skipping,
        ],
        deprecated: None,
    };
    let package = Package {
        name: "a".into(),
        default_channel: Some("stable".into()),
        channels: vec![stable],
        bundles: ["1.0.0", "1.1.0", "2.0.0"]
            .map(|version| bundle("a", version))
            .into(),
        deprecated: None,
    };
    let actual = catalog("a: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 skips 1.0.0");
    assert_same!(
        actual,
        Catalog {
            packages: vec![package]
        }
    );
}

#[rstest]
#[case::clauses_may_end_a_chain(
    "a: 1 -> 2 -> 4 skips 3",
    "a: 1; 2 replaces 1; 4 replaces 2; 4 skips 3"
)]
#[case::blanks_do_not_matter("a:1->2;2 covers <2", "\n a : 1  -> 2 ;; 2 covers  <2 # old\n")]
#[case::a_bare_head_means_stable("a: 1 -> 2", "a/stable: 1 -> 2")]
#[case::heads_add_up("a[x, y]: 1 -> 2", "a/x: 1 -> 2; a/y: 1 -> 2; a[x,y]: 1")]
#[case::the_first_channel_is_the_default("a[x,y]: 1", "a[x,y]: 1; default x")]
#[case::quotes_keep_marks(
    "a: 1; package deprecated \"a: b; c # d\"",
    "a:\n1\npackage deprecated \"a: b; c # d\""
)]
fn equivalent_notations_give_the_same_catalog(#[case] one: &str, #[case] other: &str) {
    assert_same!(catalog(one), catalog(other));
}

#[rstest]
#[case::several_heads("a: 1; 2", vec![entry("a.v1"), entry("a.v2")])]
#[case::a_cycle("a: 1 -> 2 -> 1", vec![replacing("a.v1", "a.v2"), replacing("a.v2", "a.v1")])]
#[case::itself("a: 1 -> 1", vec![replacing("a.v1", "a.v1")])]
#[case::an_absent_tail("a: 1 replaces 0", vec![replacing("a.v1", "a.v0")])]
#[case::a_stranded_entry("a: 0 -> 1; 2 skips 1", vec![
    entry("a.v0"),
    replacing("a.v1", "a.v0"),
    Entry { skips: vec!["a.v1".into()], ..entry("a.v2") },
])]
#[case::a_range("a: 1 covers >=0.1.0 <1.0.0 || 5.x", vec![
    Entry { skip_range: Some(">=0.1.0 <1.0.0 || 5.x".into()), ..entry("a.v1") },
])]
fn parses_broken_and_unusual_upgrade_graphs(#[case] text: &str, #[case] entries: Vec<Entry>) {
    assert_same!(
        catalog(text).package("a").channel("stable").entries,
        entries
    );
}

#[test]
fn bundles_have_provided_and_required_apis() {
    let api = |kind: &str| Api {
        group: "g.test".into(),
        kind: kind.into(),
        version: "v1".into(),
    };
    let actual = catalog(
        "a: 1.0.0 provides g.test/v1/One, g.test/v1/Two
         1.0.0 requires b >=1.0.0 <2.0.0
         1.0.0 requires g.test/v1/Three",
    );
    let range = ">=1.0.0 <2.0.0".to_string();
    let expected = Bundle {
        provides: vec![api("One"), api("Two")],
        requires: vec![
            Requirement::Package {
                name: "b".into(),
                range,
            },
            Requirement::Api(api("Three")),
        ],
        ..bundle("a", "1.0.0")
    };
    assert_same!(actual.package("a").bundles, vec![expected]);
    assert_same!(
        actual.package("a").channel("stable").entries,
        vec![entry("a.v1.0.0")]
    );
}

#[test]
fn missing_statement_removes_the_bundle_and_keeps_the_entry() {
    let actual = catalog("a: 1.0.0 -> 2.0.0; 2.0.0 missing");
    assert_same!(actual.package("a").bundles, vec![bundle("a", "1.0.0")]);
    assert_eq!(actual.package("a").channel("stable").entries.len(), 2);
}

#[test]
fn bundles_and_entries_can_lack_each_other() {
    let actual = catalog("a: 1.0.0; 2.0.0 missing; 3.0.0 unlisted; a/empty:");
    let package = actual.package("a");
    assert_same!(
        package.channel("stable").entries,
        vec![entry("a.v1.0.0"), entry("a.v2.0.0")]
    );
    assert_same!(
        package.bundles,
        vec![bundle("a", "1.0.0"), bundle("a", "3.0.0")]
    );
    assert_same!(package.channel("empty").entries, Vec::<Entry>::new());
}

#[rstest]
#[case::no_head("1.0.0", "line 1, column 1: a statement stands before the first head")]
#[case::an_unknown_clause(
    "a: 1\n   2 skipz 1",
    "line 2, column 6: `skipz` is no clause; there are"
)]
#[case::nothing_after_an_arrow("a: 1 ->", "line 1, column 8: a version after `->` is wanted here")]
#[case::nothing_to_skip("a: 1 skips", "line 1, column 11: a version is wanted here")]
#[case::no_range("a: 1 requires b", "a range of versions is wanted here")]
#[case::no_api("a: 1 provides g/v1", "`g/v1` is no API, which is group/version/Kind")]
#[case::two_replaced("a: 1 -> 3; 2 -> 3", "column 17: 3 replaces a.v1 already")]
#[case::too_much("a: 1 replaces 0 2", "column 17: `2` is left over")]
#[case::no_quotes("a: 1 deprecated old", "column 17: a message in quotes is wanted here")]
#[case::half_a_quote("a: 1 deprecated \"old; 2", "a message in quotes is wanted here")]
#[case::an_open_list("a[x: 1", "a head lacks its `]`")]
#[case::no_channel("a/: 1", "a head names a package and channels, like `a/fast:`")]
#[case::a_chain_missing("a: 1 -> 2 missing", "it is said of a single version, not of a chain")]
fn parse_error_contains_its_position(#[case] text: &str, #[case] expected: &str) {
    let misreading = text
        .parse::<Catalog>()
        .expect_err("the text must not be a catalog");
    let message = misreading.to_string();
    assert!(
        message.contains(expected),
        "{message:?} must contain {expected:?}"
    );
}

#[test]
#[should_panic(expected = "catalog text, line 1, column 6: `jumps` is no clause")]
fn invalid_catalog_panics() {
    catalog("a: 1 jumps 2");
}
