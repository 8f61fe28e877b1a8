//! Kinds that an API server of its own serves.

use crate::{Condition, Observed};

/// An APIService.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServedApi {
    /// Which object.
    pub observed: Observed,
    /// What Kubernetes says of it.
    pub conditions: Vec<Condition>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}
