//! What OLM v0 looks at when it resolves a namespace.

use crate::{ClusterServiceVersion, CopiedCsv, OperatorGroup, Subscription};

/// The objects of a namespace that OLM v0 resolves it from, in any order.
#[derive(Debug, Clone, Default)]
pub struct NamespaceObjects<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its OperatorGroups.
    pub operator_groups: Vec<&'a OperatorGroup>,
    /// Its Subscriptions.
    pub subscriptions: Vec<&'a Subscription>,
    /// Its ClusterServiceVersions; copies may be among them.
    pub csvs: Vec<&'a ClusterServiceVersion>,
    /// Copies of which only the metadata was read.
    pub copies: Vec<&'a CopiedCsv>,
}
