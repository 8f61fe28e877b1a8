//! Tables over catalog texts, and properties against a slow reference.

use std::sync::Arc;

use portolan_catalog::{Format, Package, Reader};
use portolan_kit::catalog;
use portolan_names::{BundleName, ChannelName};

use crate::{Graph, Installed};

mod faults;
mod paths;
mod properties;
mod reference;
mod upgrades;

/// The package `a` of a catalog.
fn package(catalog: &catalog::Catalog) -> Arc<Package> {
    let mut reader = Reader::default();
    reader.read("text", Format::Json, catalog.to_json_lines().as_bytes());
    let catalog = reader.finish();
    assert_eq!(catalog.faults, [], "the catalog text must be readable");
    Arc::clone(&catalog.packages["a"])
}

/// The graph of package `a` of a catalog text.
fn graph(text: &str) -> Graph {
    Graph::new(package(&catalog::catalog(text)))
}

fn bundle(version: &str) -> BundleName {
    BundleName::parse(&format!("a.v{version}")).expect("the name must parse")
}

fn channel(name: &str) -> ChannelName {
    ChannelName::parse(name).expect("the name must parse")
}

fn installed(version: &str) -> Installed {
    Installed {
        name: bundle(version),
        version: None,
    }
}
