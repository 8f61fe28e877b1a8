//! The objects that OLM v0 uses to resolve a namespace, and the APIs and requirements of an
//! operator in the terms of OLM.

use std::collections::BTreeSet;

use portolan_core_catalog::{Api, Property, Requirements};
use serde_json::json;

use crate::{ClusterServiceVersion, CopiedCsv, OperatorGroup, Subscription};

/// The objects with which OLM v0 resolves a namespace, in any order.
#[derive(Debug, Clone, Default)]
pub struct NamespaceObjects<'a> {
    /// The name.
    pub name: &'a str,
    /// Its OperatorGroups.
    pub operator_groups: Vec<&'a OperatorGroup>,
    /// Its Subscriptions.
    pub subscriptions: Vec<&'a Subscription>,
    /// The ClusterServiceVersions, which may include copies.
    pub csvs: Vec<&'a ClusterServiceVersion>,
    /// The copied ClusterServiceVersions, with their metadata only.
    pub copies: Vec<&'a CopiedCsv>,
}

/// An operator, as described by its objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operator {
    /// The name of the bundle.
    pub name: String,
    /// The version. Empty if unknown.
    pub version: String,
    /// The package. Empty if unknown.
    pub package: String,
    /// The APIs that it provides.
    pub provides: BTreeSet<Api>,
    /// The requirements of the operator.
    pub requires: Requirements,
    /// The properties of the operator, which constraints of other bundles may read.
    pub properties: Vec<Property>,
}

/// Returns an API if all its fields are set.
pub(crate) fn api(group: &str, version: &str, kind: &str) -> Option<Api> {
    let is_whole = !version.is_empty() && !kind.is_empty();
    is_whole.then(|| Api {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
    })
}

/// Returns the property of a type that names an API.
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
