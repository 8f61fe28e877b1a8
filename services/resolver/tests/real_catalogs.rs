//! The catalogs of real operators, whole.
//!
//! They are no part of the repository: `PORTOLAN_CATALOGS` names the folder that has them. Without
//! it nothing is proved here, and the test says so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use portolan_catalog::{Catalog, Fault, Reading};
use portolan_kit::assert_same;
use portolan_names::CatalogName;
use portolan_resolver::source::{self, CatalogFolder};
use rstest::rstest;

/// The folder of a catalog; None, and loudly, if it is not at hand.
fn folder(name: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("PORTOLAN_CATALOGS") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/catalogs"),
    };
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "LEFT OUT: the real catalog {name}, for it is not at {}; set PORTOLAN_CATALOGS",
        folder.display()
    );
    None
}

fn read(path: &Path) -> Catalog {
    let name = CatalogName::parse("real").expect("the name must parse");
    let folder = CatalogFolder {
        name: name.clone(),
        path: path.to_owned(),
    };
    let mut snapshot = source::read(&[folder]).expect("the folder must be readable");
    snapshot
        .catalogs
        .remove(&name)
        .expect("the catalog must be there")
}

/// Counted in the catalogs by other means.
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
    faults: usize,
}

fn counts(catalog: &Catalog) -> Counts {
    let packages = || catalog.packages.values();
    let bundles = || packages().flat_map(|package| package.bundles.values());
    let channels = || packages().flat_map(|package| package.channels.values());
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
        faults: catalog.faults.len(),
    }
}

#[rstest]
#[case::community("community-v4.20", Counts {
    packages: 37, channels: 85, bundles: 803, entries: 929,
    provides: 6845, requires_apis: 40, requires_packages: 8, constraints: 0, max_openshift: 0,
    faults: 0,
})]
#[case::operatorhub("operatorhub", Counts {
    packages: 333, channels: 654, bundles: 7016, entries: 9025,
    provides: 37771, requires_apis: 121, requires_packages: 151, constraints: 1,
    max_openshift: 566, faults: 0,
})]
#[case::operatorhub_csv_edges("operatorhub-csv-edges", Counts {
    packages: 333, channels: 654, bundles: 7016, entries: 9025,
    provides: 37771, requires_apis: 121, requires_packages: 151, constraints: 1,
    max_openshift: 566, faults: 0,
})]
fn everything_is_read(#[case] name: &str, #[case] expected: Counts) {
    if let Some(folder) = folder(name) {
        let catalog = read(&folder);
        let mut codes: BTreeMap<_, Vec<&Fault>> = BTreeMap::new();
        for fault in &catalog.faults {
            codes.entry(fault.trouble.code()).or_default().push(fault);
        }
        for (code, faults) in codes {
            eprintln!("{code} {}", faults.len());
            for f in faults.iter().take(400) {
                eprintln!("   {f}");
            }
        }
        assert_same!(counts(&catalog), expected);
    }
}
