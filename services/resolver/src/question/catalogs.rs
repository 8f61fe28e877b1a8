//! Which catalogs are there, and in which state?

use portolan_core_names::CatalogName;

use super::Refusal;
use crate::Snapshot;
use crate::snapshot::Offer;

/// Which catalogs there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListCatalogs {
    /// None for all.
    pub(crate) catalog: Option<CatalogName>,
}

// === impl ListCatalogs ===

impl ListCatalogs {
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
    ) -> Result<Vec<(&'a CatalogName, &'a Offer)>, Refusal> {
        match &self.catalog {
            Some(name) => Ok(vec![snapshot.offer(name)?]),
            None => Ok(snapshot.each().collect()),
        }
    }
}
