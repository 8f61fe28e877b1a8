//! Who holds up a namespace.

use portolan_names::{BundleName, CatalogName};

use super::BundleId;

/// One who holds up the whole namespace, in our own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    /// The object.
    pub culprit: Culprit,
    /// What is wrong with it, a sentence.
    pub why: String,
    /// What would help, a sentence.
    pub remedy: String,
}

/// An object that holds up a namespace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Culprit {
    /// A Subscription of the namespace, by name.
    Subscription(String),
    /// A ClusterServiceVersion of the namespace.
    Csv(BundleName),
    /// A CatalogSource.
    Catalog(CatalogName),
    /// A bundle of a catalog.
    Bundle(BundleId),
}
