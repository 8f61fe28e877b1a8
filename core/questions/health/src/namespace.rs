//! The objects that affect the operators of one namespace.

use std::collections::BTreeMap;

use portolan_core_olm::{
    ApiService, CatalogSource, CustomResourceDefinition, InstallPlan, OperatorCondition,
    OperatorGroup, Subscription,
};

use crate::{Csv, Item, Workload};

/// A namespace, with the objects that its operators are judged by. The order does not matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Namespace {
    /// Its name.
    pub name: String,
    /// The Subscriptions, which request packages.
    pub subscriptions: ObservedObjects<Item<Subscription>>,
    /// Its OperatorGroups. OLM wants exactly one.
    pub groups: ObservedObjects<Item<OperatorGroup>>,
    /// Its InstallPlans: current and past actions of OLM.
    pub plans: ObservedObjects<Item<InstallPlan>>,
    /// Its operators, without the copied ones.
    pub csvs: ObservedObjects<Csv>,
    /// The names of the ClusterServiceVersions that OLM copied here from another namespace.
    pub copied: ObservedObjects<String>,
    /// Its OperatorConditions: what operators report about themselves.
    pub conditions: ObservedObjects<Item<OperatorCondition>>,
    /// The Deployments of its operators.
    pub deployments: ObservedObjects<Workload>,
    /// The CustomResourceDefinitions that its operators own or require.
    pub crds: ObservedObjects<Item<CustomResourceDefinition>>,
    /// The APIServices that its operators own or require.
    pub served: ObservedObjects<Item<ApiService>>,
    /// The catalogs that its Subscriptions name.
    pub catalogs: ObservedObjects<Item<CatalogSource>>,
}

/// The objects of a kind, with their completeness and freshness.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedObjects<T> {
    /// The objects.
    pub objects: Vec<T>,
    /// The certainty about these objects.
    pub sight: Sight,
}

/// The certainty about objects.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// The objects are complete and fresh.
    #[default]
    Clear,
    /// Complete and fresh, but some objects were not read whole, so a missing field may exist.
    /// Holds the problem of each, by namespace and name, in a sentence that names it.
    Odd(BTreeMap<(String, String), String>),
    /// The objects are stale, or there was no answer at all. Holds the reason, without the kind:
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
