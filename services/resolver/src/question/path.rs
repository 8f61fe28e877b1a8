//! Which path leads from an installed bundle to a destination?

use portolan_core_graph::{Answer, Query};
use portolan_core_names::{CatalogName, PackageName};

use super::{Found, Refusal};
use crate::Snapshot;

/// Which path leads to a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FindPath {
    /// None for the best catalog that has the package.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    pub(crate) query: Query,
}

/// The answer, and what it was made from.
#[derive(Debug)]
pub(crate) struct FoundPath<'a> {
    pub(crate) found: Found<'a>,
    pub(crate) answer: Answer,
}

// === impl FindPath ===

impl FindPath {
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<FoundPath<'a>, Refusal> {
        let Self {
            catalog,
            package,
            query,
        } = self;
        let found = snapshot.find(catalog.as_ref(), package)?;
        let answer = found.chart.graph().find_path(query)?;
        Ok(FoundPath { found, answer })
    }
}
