//! Tests the findings about whole catalogs.

use portolan_core_catalog::{Catalog, Reading};
use portolan_core_names::CatalogName;
use portolan_kit::assert_same;
use portolan_kit::blocks::rows_of_words;

use crate::{Finding, findings};

fn finding_lines(catalogs: &[(&str, &str)]) -> Vec<String> {
    let catalogs: Vec<_> = catalogs
        .iter()
        .map(|(name, text)| {
            let text = portolan_kit::catalog(text).to_json_lines();
            let name = CatalogName::parse(name).expect("the name must parse");
            (name, Catalog::of([Reading::of("f", text.as_bytes())]))
        })
        .collect();
    let found = findings(catalogs.iter().map(|(name, catalog)| (name, catalog)));
    let lines = found.iter().map(|finding| {
        let package = finding.package().unwrap_or("?");
        format!(
            "{} {} {package} {}: {finding}",
            finding.catalog(),
            finding.severity(),
            finding.code()
        )
    });
    lines.collect()
}

#[test]
fn findings_are_sorted_by_severity_and_catalog() {
    let one = "b: 1.0.0 -> 1.1.0; 1.1.0 requires a >=1.0.0; 1.2.0 replaces 1.0.0
               1.2.0 skips 1.1.0; 1.2.0 -> 1.3.0 covers >=1.4.0";
    let two = "a: 1.0.0; 1.1.0; 1.1.0 requires g.test/v1/Gone; 1.0.0 requires g.test/v1/Gone";
    assert_same!(
        finding_lines(&[("one", one), ("two", two)]),
        [
            "two error a SeveralHeads: package a, channel stable has several heads: a.v1.0.0, \
             a.v1.1.0",
            "one warning b IdleRange: package b, channel stable has an entry b.v1.3.0 whose skip \
             range covers no older entry: >=1.4.0",
            "two warning a UnmetApi: package a requires API g.test/v1/Gone, which no bundle \
             provides: a.v1.1.0 and 1 more",
            "one note b Fork: package b, channel stable has several entries that replace b.v1.0.0: \
             b.v1.1.0, b.v1.2.0",
        ]
    );
}

#[test]
fn entry_without_bundle_is_reported_once_with_its_line() {
    assert_same!(
        finding_lines(&[("one", "a: 1.0.0 -> 1.1.0; 1.1.0 missing")]),
        [
            "one error a NoBundle: f:2: package a: channel stable has the entry a.v1.1.0, but the \
             catalog has no such bundle"
        ]
    );
}

#[test]
fn page_documents_each_code() {
    let page = include_str!("../../../../../docs/catalog-check.md");
    let rows = Finding::codes().map(|(code, meaning)| format!("| `{code}` | {meaning} |\n"));
    assert_same!(rows_of_words(page), rows.collect::<String>());
}
