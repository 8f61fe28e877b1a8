//! Definitions of kinds that are custom resources.

use std::collections::BTreeSet;

use crate::{Condition, Observed};

/// A CustomResourceDefinition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Definition {
    /// Which object.
    pub observed: Observed,
    /// The versions that it serves.
    pub served: BTreeSet<String>,
    /// All its versions, the ones that it does not serve as well.
    pub versions: BTreeSet<String>,
    /// The versions in which objects are stored, or were.
    pub stored: BTreeSet<String>,
    /// What Kubernetes says of it.
    pub conditions: Vec<Condition>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}
