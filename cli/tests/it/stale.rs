//! Tests of answers from a stale catalog, whose source can no longer be read.

use std::fs;

use portolan_kit::{TempFolder, catalog};
use rstest::rstest;

use crate::program::{portolan, run, transcript};
use crate::serving::{ANY_PORT, Resolver};

/// Starts a resolver, removes its catalog folder, and waits until the catalog is stale.
fn stranded(outer: &TempFolder) -> Resolver {
    let folder = outer.join("demo");
    catalog("a: 1.0.0 -> 1.1.0").write(&folder);
    let mut command = portolan(&format!("serve resolver {ANY_PORT} --catalog"));
    let place = format!("demo={}", folder.display());
    let resolver = Resolver::start(command.arg(place));
    fs::rename(&folder, outer.join("away")).expect("the folder must move");
    let mut listed = portolan("catalog list --server");
    listed.arg(resolver.url());
    while !transcript(&mut listed).contains("stale") {}
    resolver
}

// Queries about one package or bundle are not in this list, because they would read the removed
// folder.
#[rstest]
#[case::upgrades("upgrades a --from a.v1.0.0")]
#[case::path("path a --from a.v1.0.0")]
#[case::route("route a --installed /dev/null")]
#[case::resolve("resolve a")]
#[case::graph("graph a")]
#[case::packages("packages")]
#[case::check("catalog check")]
fn table_reports_stale_catalog(#[case] question: &str) {
    let outer = TempFolder::empty();
    let resolver = stranded(&outer);
    let warning = "\n\ncatalog demo is stale, because it could not be reloaded; run `portolan catalog list` to see the reason\n";
    for form in ["table", "wide"] {
        let line = format!("{question} -o {form} --server {}", resolver.url());
        let table = run(&mut portolan(&line)).stdout;
        let table = String::from_utf8_lossy(&table);
        assert!(table.ends_with(warning), "{table}");
    }
    let line = format!("{question} -o json --server {}", resolver.url());
    let json = transcript(&mut portolan(&line));
    assert!(json.contains("\"stale\": true"), "{json}");
    assert!(!json.contains("is stale"), "{json}");
}
