//! Tests queries on catalogs that are written as short texts. Also compares results with a slow
//! reference implementation.

use std::sync::Arc;

use portolan_core_catalog::{Catalog, Defect, Package, Reading};
use portolan_core_names::{BundleName, ChannelName};
use portolan_kit::{assert_same, catalog};

use crate::{Graph, Installed};

mod channelless;
mod faults;
mod findings;
mod hostile;
mod near;
mod olm;
mod packages;
mod paths;
mod properties;
mod reference;
mod upgrades;
mod upstream;

/// Returns package `a` of a catalog. Fails if the catalog has faults, except for names without a
/// bundle, an entry or a channel.
fn package(catalog: &catalog::Catalog) -> Arc<Package> {
    let reading = Reading::of("text", catalog.to_json_lines().as_bytes());
    let catalog = Catalog::of([reading]);
    let is_story = |defect: &Defect| {
        matches!(
            defect,
            Defect::NoBundle { .. }
                | Defect::NoChannel(_)
                | Defect::Unlisted(_)
                | Defect::UnknownDefault(_)
        )
    };
    let faults = catalog
        .faults
        .iter()
        .filter(|fault| !is_story(&fault.defect));
    let faults: Vec<_> = faults.map(ToString::to_string).collect();
    assert_same!(faults, Vec::<String>::new());
    Arc::clone(&catalog.packages["a"])
}

/// Returns the graph of package `a` of a catalog text.
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
