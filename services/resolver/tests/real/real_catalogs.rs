//! Tests of reading the complete catalogs of real operators. The catalogs are not in the
//! repository. `PORTOLAN_CATALOGS` is the path of their folder. Without this variable, the test
//! checks nothing and prints a note.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use portolan_core_catalog::{Catalog, Reader, Reading};
use portolan_core_graph::Graph;
use portolan_kit::{assert_same, real_catalog as folder};
use portolan_resolver::source;
use rstest::rstest;

fn read(path: &Path) -> Catalog {
    source::read_folder(path).expect("the folder must be readable")
}

/// The expected numbers. They were counted in the catalogs with other tools.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    packages: usize,
    channels: usize,
    bundles: usize,
    entries: usize,
    provides: usize,
    requires_apis: usize,
    requires_packages: usize,
    constraints: usize,
    max_openshift: usize,
    faults: BTreeMap<&'static str, usize>,
}

fn counts(catalog: &Catalog) -> Counts {
    let packages = || catalog.packages.values();
    let bundles = || packages().flat_map(|package| package.bundles.values());
    let channels = || packages().flat_map(|package| package.channels.values());
    let mut faults = BTreeMap::new();
    for fault in &catalog.faults {
        *faults.entry(fault.defect.code()).or_default() += 1;
    }
    Counts {
        packages: packages().count(),
        channels: channels().count(),
        bundles: bundles().count(),
        entries: channels().map(|channel| channel.entries.len()).sum(),
        provides: bundles().map(|bundle| bundle.provides.len()).sum(),
        requires_apis: bundles().map(|bundle| bundle.requires.apis.len()).sum(),
        requires_packages: bundles().map(|bundle| bundle.requires.packages.len()).sum(),
        constraints: bundles()
            .map(|bundle| bundle.requires.constraints.len())
            .sum(),
        max_openshift: bundles()
            .filter(|b| b.max_openshift_version.is_some())
            .count(),
        faults,
    }
}

#[rstest]
#[case::community("community-v4.20", Counts {
    packages: 37, channels: 85, bundles: 803, entries: 929,
    provides: 6845, requires_apis: 40, requires_packages: 8, constraints: 0, max_openshift: 0,
    faults: BTreeMap::new(),
})]
#[case::operatorhub("operatorhub", Counts {
    packages: 333, channels: 654, bundles: 7016, entries: 9025,
    provides: 37771, requires_apis: 121, requires_packages: 151, constraints: 1,
    max_openshift: 566, faults: known_faults(),
})]
#[case::operatorhub_csv_edges("operatorhub-csv-edges", Counts {
    packages: 333, channels: 654, bundles: 7016, entries: 9025,
    provides: 37771, requires_apis: 121, requires_packages: 151, constraints: 1,
    max_openshift: 566, faults: known_faults(),
})]
fn real_catalogs_are_read_completely(#[case] name: &str, #[case] expected: Counts) {
    if let Some(folder) = folder(name) {
        assert_same!(counts(&read(&folder)), expected);
    }
}

/// Checks the number of channels with a fault for which opm rejects their catalog: several heads,
/// or stranded entries. The expected numbers come from another count in the documentation of the
/// catalogs.
#[rstest]
#[case::community("community-v4.20", &[])]
#[case::operatorhub("operatorhub", &[("SeveralHeads", 61), ("Stranded", 19)])]
#[case::operatorhub_csv_edges(
    "operatorhub-csv-edges", &[("SeveralHeads", 260), ("Stranded", 17)]
)]
fn counts_faulty_channels_of_real_catalogs(#[case] name: &str, #[case] expected: &[(&str, usize)]) {
    let Some(folder) = folder(name) else {
        return;
    };
    let mut found = BTreeMap::new();
    for package in read(&folder).packages.values() {
        let graph = Graph::new(Arc::clone(package));
        // A channel with several heads also strands entries. Such a channel is counted only once.
        let mut channels = BTreeMap::new();
        for fault in graph.faults().iter().filter(|fault| fault.is_error()) {
            channels
                .entry(fault.channel().clone())
                .or_insert(fault.code());
        }
        channels
            .values()
            .for_each(|code| *found.entry(*code).or_insert(0) += 1);
    }
    assert_same!(found, BTreeMap::from_iter(expected.iter().copied()));
}

/// Returns the number of known faults by code: 31 skip ranges with a `v`, 14 images with a scheme
/// and one image with an empty digest.
fn known_faults() -> BTreeMap<&'static str, usize> {
    BTreeMap::from([("Doubtful", 15), ("Refused", 31)])
}

#[rstest]
fn document_order_and_read_steps_do_not_change_the_catalog(
    #[values("community-v4.20", "operatorhub")] name: &str,
) {
    let Some(folder) = folder(name) else {
        return;
    };
    let expected = read(&folder);
    let mut readings: Vec<Reading> = files(&folder)
        .iter()
        .map(|path| reading(&folder, path))
        .collect();
    for _ in 0..3 {
        let third = readings.len() / 3;
        readings.rotate_left(third);
        readings[..2 * third].reverse();
        assert!(
            Catalog::of(&readings) == expected,
            "the order of files must not matter"
        );
    }
}

/// Returns the catalog files below a folder, in the order of the file system.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder must be readable");
    let paths = entries.map(|entry| entry.expect("the entry must be readable").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Parses a file in pieces of irregular size.
fn reading(folder: &Path, path: &Path) -> Reading {
    let mut bytes = fs::read(path).expect("the file must be readable");
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut unzipped = Vec::new();
        MultiGzDecoder::new(bytes.as_slice())
            .read_to_end(&mut unzipped)
            .expect("the file must be zipped");
        bytes = unzipped;
    }
    let name = path
        .strip_prefix(folder)
        .expect("the file must lie in the folder");
    let mut reader = Reader::new(&name.to_string_lossy());
    for step in bytes.chunks(9973) {
        assert!(reader.feed(step).is_continue());
    }
    reader.finish()
}

/// A second space after the colon does not change the YAML. The parser has a shortcut that skips
/// long values, and this space hides the property from the shortcut, so that the parser must read
/// every line.
#[test]
fn skipping_long_values_does_not_change_the_result() {
    let Some(folder) = folder("community-v4.20") else {
        return;
    };
    let (part, instead) = ("- type: olm.csv.metadata", "- type:  olm.csv.metadata");
    let mut readings = Vec::new();
    for path in files(&folder) {
        let text = fs::read_to_string(&path).expect("the file must be text");
        assert!(text.contains(part), "{} must have metadata", path.display());
        let text = text.replace(part, instead);
        readings.push(Reading::of(&path.to_string_lossy(), text.as_bytes()));
    }
    let whole = Catalog::of(readings);
    let short = read(&folder);
    assert_same!(whole.faults, []);
    assert_eq!(whole.digest, short.digest);
    assert_eq!(whole.display_digest, short.display_digest);
    let named = |catalog: &Catalog| {
        let packages = catalog.packages.values();
        let bundles = packages.flat_map(|package| package.bundles.values());
        bundles
            .filter(|bundle| bundle.display.name.is_some())
            .count()
    };
    assert_eq!((named(&whole), named(&short)), (803, 803));
}
