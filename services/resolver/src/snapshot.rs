//! What the resolver answers from.

use std::collections::BTreeMap;

use portolan_catalog::Catalog;
use portolan_names::CatalogName;

/// All catalogs, as they were read together. It never changes; a newer one takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The catalogs.
    pub catalogs: BTreeMap<CatalogName, Catalog>,
}
