//! Tests of `portolan upgrades` with later bundles and with bundles that cannot be reached.

use insta::assert_snapshot;
use portolan_kit::{Catalog, catalog};

use crate::program::{in_demo, transcript};

/// Returns a package with a long chain of updates, a second chain that no update leads to, and many
/// warnings.
fn archipelago() -> Catalog {
    let mut demo = catalog(
        "a: 1.0.0 -> 1.1.0 -> 1.2.0 -> 1.3.0 -> 1.4.0 -> 1.5.0 -> 1.6.0 -> 1.7.0
         a/fast: 2.0.0 -> 2.1.0 -> 2.2.0 -> 2.3.0
         channel fast deprecated \"too fast\"
         package deprecated \"sunk\"",
    );
    let package = &mut demo.packages[0];
    // The output must escape control characters in the texts of bundle authors.
    package.deprecated = Some("sunk\nin \u{1b}[31mred\u{7}".to_owned());
    demo
}

const QUESTION: &str = "upgrades a --from a.v1.0.0";

#[test]
fn table_limits_further_bundles() {
    assert_snapshot!(transcript(&mut in_demo(&archipelago().temp(), QUESTION)), @r#"
    [stdout]
    UPDATE     VERSION   VIA        CHANNELS   NOTE
    a.v1.1.0   1.1.0     replaces   stable     recommended

    Reachable in several hops:
      in 2 hops: a.v1.2.0
      in 3 hops: a.v1.3.0
      in 4 hops: a.v1.4.0
      in 5 hops: a.v1.5.0
      in 6 hops: a.v1.6.0
      ... 1 bundle with more hops (-o wide shows all)

    Newer bundles without an upgrade path:
    no path from a.v1.0.0 to version 2.3.0 over all channels
    ├── a.v1.7.0 can be reached in 7 hops
    ├── a.v2.0.0 does not replace a.v1.7.0, skip it, or cover its version
    ├── help: the author of the catalog can let a.v2.0.0 skip a.v1.7.0
    └── help: allow an upgrade without an edge in the update graph (unsafe): path --allow-unconnected
    no path from a.v1.0.0 to version 2.2.0 over all channels
    ├── a.v1.7.0 can be reached in 7 hops
    ├── a.v2.0.0 does not replace a.v1.7.0, skip it, or cover its version
    ├── help: the author of the catalog can let a.v2.0.0 skip a.v1.7.0
    └── help: allow an upgrade without an edge in the update graph (unsafe): path --allow-unconnected
    ... also a.v2.1.0, a.v2.0.0 (-o wide shows the reasons)

    package a is deprecated: sunk in \u{1b}[31mred\u{7}
    channel a/fast is deprecated: too fast
    [exit 0]
    "#);
}

#[test]
fn wide_table_shows_everything() {
    let line = format!("{QUESTION} -o wide");
    assert_snapshot!(transcript(&mut in_demo(&archipelago().temp(), &line)), @r#"
    [stdout]
    UPDATE     VERSION   VIA        CHANNELS   NOTE
    a.v1.1.0   1.1.0     replaces   stable     recommended

    Reachable in several hops:
      in 2 hops: a.v1.2.0
      in 3 hops: a.v1.3.0
      in 4 hops: a.v1.4.0
      in 5 hops: a.v1.5.0
      in 6 hops: a.v1.6.0
      in 7 hops: a.v1.7.0

    Newer bundles without an upgrade path:
    no path from a.v1.0.0 to version 2.3.0 over all channels
    ├── a.v1.7.0 can be reached in 7 hops
    ├── a.v2.0.0 does not replace a.v1.7.0, skip it, or cover its version
    ├── help: the author of the catalog can let a.v2.0.0 skip a.v1.7.0
    └── help: allow an upgrade without an edge in the update graph (unsafe): path --allow-unconnected
    no path from a.v1.0.0 to version 2.2.0 over all channels
    ├── a.v1.7.0 can be reached in 7 hops
    ├── a.v2.0.0 does not replace a.v1.7.0, skip it, or cover its version
    ├── help: the author of the catalog can let a.v2.0.0 skip a.v1.7.0
    └── help: allow an upgrade without an edge in the update graph (unsafe): path --allow-unconnected
    no path from a.v1.0.0 to version 2.1.0 over all channels
    ├── a.v1.7.0 can be reached in 7 hops
    ├── a.v2.0.0 does not replace a.v1.7.0, skip it, or cover its version
    ├── help: the author of the catalog can let a.v2.0.0 skip a.v1.7.0
    └── help: allow an upgrade without an edge in the update graph (unsafe): path --allow-unconnected
    no path from a.v1.0.0 to version 2.0.0 over all channels
    ├── a.v1.7.0 can be reached in 7 hops
    ├── a.v2.0.0 does not replace a.v1.7.0, skip it, or cover its version
    ├── help: the author of the catalog can let a.v2.0.0 skip a.v1.7.0
    └── help: allow an upgrade without an edge in the update graph (unsafe): path --allow-unconnected

    package a is deprecated: sunk in \u{1b}[31mred\u{7}
    channel a/fast is deprecated: too fast
    [exit 0]
    "#);
}

#[test]
fn table_counts_many_channels() {
    let demo = catalog("a[c1, c2, c3, c4, c5, c6]: 1.0.0 -> 1.1.0").temp();
    let narrow = transcript(&mut in_demo(&demo, QUESTION));
    assert!(narrow.contains("c1, c2, c3 and 3 more"), "{narrow}");
    let wide = transcript(&mut in_demo(&demo, &format!("{QUESTION} -o wide")));
    assert!(wide.contains("c1, c2, c3, c4, c5, c6"), "{wide}");
}

#[test]
fn reports_successor_missing_from_catalog() {
    let demo = catalog("a: 1.0.0 -> 1.1.0; 1.1.0 missing").temp();
    assert_snapshot!(transcript(&mut in_demo(&demo, QUESTION)), @r#"
    [stdout]
    UPDATE     VERSION   VIA        CHANNELS   NOTE
    a.v1.1.0   -         replaces   stable     not in the catalog

    NoHeadBundle: channel stable has no head that can be installed

    NoBundle: channel stable has the entry a.v1.1.0, but the catalog has no such bundle, so the entry cannot be installed
    NoBundle: a/catalog.yaml:5: package a: channel stable has the entry a.v1.1.0, but the catalog has no such bundle
    [exit 0]
    "#);
}

#[test]
fn lists_valid_output_formats() {
    let line = format!("{QUESTION} -o toml");
    assert_snapshot!(transcript(&mut in_demo(&archipelago().temp(), &line)), @r#"
    [stderr]
    error: invalid value 'toml' for '--output <FORM>'
      [possible values: table, wide, json, yaml, name]

    For more information, try '--help'.
    [exit 2]
    "#);
}
