//! A package whose graph is built on demand.

use std::sync::{Arc, OnceLock};

use portolan_core_catalog::Package;

use crate::Graph;

/// A package with its graph. The graph is built when it is first used, because most packages are
/// never queried.
#[derive(Debug)]
pub struct Charted {
    package: Arc<Package>,
    graph: OnceLock<Graph>,
}

// === impl Charted ===

impl Charted {
    pub fn new(package: Arc<Package>) -> Self {
        Self {
            package,
            graph: OnceLock::new(),
        }
    }

    pub fn package(&self) -> &Arc<Package> {
        &self.package
    }

    pub fn graph(&self) -> &Graph {
        self.graph
            .get_or_init(|| Graph::new(Arc::clone(&self.package)))
    }
}
