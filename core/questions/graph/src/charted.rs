//! A package whose graph is made when it is needed.

use std::sync::{Arc, OnceLock};

use portolan_core_catalog::Package;

use crate::Graph;

/// A package with its graph, which is charted when it is first asked for: most never are.
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
