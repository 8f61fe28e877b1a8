//! What the resolver answers from.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use portolan_catalog::Catalog;
use portolan_graph::Graph;
use portolan_names::{CatalogName, PackageName};

/// All catalogs, as they were read together. It never changes; a newer one takes its place.
#[derive(Debug)]
pub struct Snapshot {
    /// The catalogs.
    pub catalogs: BTreeMap<CatalogName, Catalog>,
    /// A graph for each package, charted when it is first asked for: most packages never are.
    graphs: BTreeMap<CatalogName, BTreeMap<PackageName, OnceLock<Graph>>>,
}

// === impl Snapshot ===

impl Snapshot {
    /// A Snapshot of these catalogs.
    pub fn new(catalogs: BTreeMap<CatalogName, Catalog>) -> Self {
        let graphs = |catalog: &Catalog| {
            let packages = catalog.packages.keys();
            packages
                .map(|name| (name.clone(), OnceLock::new()))
                .collect()
        };
        Self {
            graphs: catalogs
                .iter()
                .map(|(name, catalog)| (name.clone(), graphs(catalog)))
                .collect(),
            catalogs,
        }
    }

    /// The graph of a package, if there is such a package.
    pub(crate) fn graph(&self, catalog: &CatalogName, package: &PackageName) -> Option<&Graph> {
        let charted = self.graphs.get(catalog)?.get(package)?;
        let package = self.catalogs.get(catalog)?.packages.get(package)?;
        Some(charted.get_or_init(|| Graph::new(Arc::clone(package))))
    }
}
