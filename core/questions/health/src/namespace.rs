//! The objects that affect the operators of one namespace.

use std::collections::BTreeMap;

use portolan_core_olm::{
    ApiService, CatalogSource, CustomResourceDefinition, InstallPlan, OperatorCondition,
    OperatorGroup, Subscription,
};

use crate::{Csv, Item, Workload};

/// A namespace with the objects that determine the health of its operators. The objects may have
/// any order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Namespace {
    /// The name of the namespace.
    pub name: String,
    /// The Subscriptions, which request packages.
    pub subscriptions: ObservedObjects<Item<Subscription>>,
    /// The OperatorGroups of the namespace. OLM requires exactly one.
    pub groups: ObservedObjects<Item<OperatorGroup>>,
    /// The InstallPlans of the namespace, which describe current and past installations by OLM.
    pub plans: ObservedObjects<Item<InstallPlan>>,
    /// The ClusterServiceVersions of the namespace. Copies from other namespaces are excluded.
    pub csvs: ObservedObjects<Csv>,
    /// The names of the ClusterServiceVersions that OLM copied to this namespace from other
    /// namespaces.
    pub copied: ObservedObjects<String>,
    /// The OperatorConditions of the namespace, in which operators report about themselves.
    pub conditions: ObservedObjects<Item<OperatorCondition>>,
    /// The Deployments of the operators.
    pub deployments: ObservedObjects<Workload>,
    /// The CustomResourceDefinitions that the operators own or require.
    pub crds: ObservedObjects<Item<CustomResourceDefinition>>,
    /// The APIServices that the operators own or require.
    pub served: ObservedObjects<Item<ApiService>>,
    /// The catalogs that the Subscriptions name.
    pub catalogs: ObservedObjects<Item<CatalogSource>>,
}

/// The observed objects of a kind, with the certainty that the list is complete and current.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedObjects<T> {
    /// The known objects of the kind.
    pub objects: Vec<T>,
    /// The certainty that the list of objects is complete and current.
    pub sight: Sight,
}

/// The certainty that a list of objects is complete and current.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// The objects are complete and current.
    #[default]
    Clear,
    /// The list is complete and current, but some objects could not be read completely, so their
    /// fields may be missing. Contains a sentence about the problem of each such object, by
    /// namespace and name.
    Odd(BTreeMap<(String, String), String>),
    /// The objects are stale or were never read. Contains the reason without the kind, for example
    /// `as of 2026-11-22T09:00:00Z: the API server has not answered`.
    Dim(String),
}

// === impl ObservedObjects ===

impl<T> Default for ObservedObjects<T> {
    fn default() -> Self {
        Self {
            objects: Vec::new(),
            sight: Sight::Clear,
        }
    }
}

impl<T> From<Vec<T>> for ObservedObjects<T> {
    fn from(objects: Vec<T>) -> Self {
        Self {
            objects,
            sight: Sight::Clear,
        }
    }
}
