//! The objects from which OLM v0 resolves a namespace, and an operator as OLM's resolver reads it.

use std::collections::BTreeSet;

use portolan_core_catalog::{Api, Property, Requirements};
use serde_json::json;

use crate::{ClusterServiceVersion, CopiedCsv, OperatorGroup, Subscription};

/// The objects from which OLM v0 resolves a namespace, in any order.
#[derive(Debug, Clone, Default)]
pub struct NamespaceObjects<'a> {
    /// The name of the namespace.
    pub name: &'a str,
    /// The OperatorGroups of the namespace.
    pub operator_groups: Vec<&'a OperatorGroup>,
    /// The Subscriptions of the namespace.
    pub subscriptions: Vec<&'a Subscription>,
    /// The ClusterServiceVersions of the namespace. They may include copies.
    pub csvs: Vec<&'a ClusterServiceVersion>,
    /// The copied ClusterServiceVersions of the namespace, with their metadata only.
    pub copies: Vec<&'a CopiedCsv>,
}

/// An operator as OLM's resolver reads it from a ClusterServiceVersion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operator {
    /// The name of the bundle.
    pub name: String,
    /// The version. Empty if unknown.
    pub version: String,
    /// The package. Empty if unknown.
    pub package: String,
    /// The APIs that the operator provides.
    pub provides: BTreeSet<Api>,
    /// The requirements of the operator.
    pub requires: Requirements,
    /// The properties of the operator. Constraints of other bundles may read them.
    pub properties: Vec<Property>,
}

/// Returns the API, or None if the version or the kind is empty.
pub(crate) fn api(group: &str, version: &str, kind: &str) -> Option<Api> {
    let is_whole = !version.is_empty() && !kind.is_empty();
    is_whole.then(|| Api {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
    })
}

/// Returns a property of this type whose value is an API.
pub(crate) fn property(of_type: &str, api: &Api) -> Property {
    let Api {
        group,
        version,
        kind,
    } = api;
    let value = json!({"group": &**group, "version": &**version, "kind": &**kind});
    Property {
        kind: of_type.into(),
        value: value.to_string().into(),
    }
}
