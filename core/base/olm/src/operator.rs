//! The objects that OLM v0 uses to resolve a namespace, and the APIs and requirements of an
//! operator in the terms of OLM.

use std::collections::BTreeSet;

use portolan_core_catalog::{Api, Property, Requirements};
use serde_json::json;

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
    /// Copies, with their metadata only.
    pub copies: Vec<&'a CopiedCsv>,
}

/// An operator, as described by its objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operator {
    /// The name of its bundle.
    pub name: String,
    /// Its version; empty if unknown.
    pub version: String,
    /// Its package; empty if unknown.
    pub package: String,
    /// The APIs that it provides.
    pub provides: BTreeSet<Api>,
    /// The requirements that it has beside itself.
    pub requires: Requirements,
    /// Its properties, for rules in constraints of other bundles.
    pub properties: Vec<Property>,
}

/// Returns an API, if its parts are complete.
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
