//! `Subscription`: the wish for an operator, in the words of OLM v0.

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::resource::resource;

/// A package of a catalog that shall be installed and kept up to date.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Subscription {
    /// Its name, namespace and versions.
    pub metadata: ObjectMeta,
    /// What its author wants.
    pub spec: SubscriptionSpec,
    /// What OLM has done about it.
    pub status: SubscriptionStatus,
}

resource!(
    Subscription,
    "subscriptions",
    "operators.coreos.com",
    "v1alpha1",
    NamespaceResourceScope
);

/// What its author wants.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionSpec {
    /// The package.
    #[serde(rename = "name")]
    pub package: String,
    /// The channel; empty for any.
    pub channel: String,
    /// The CatalogSource.
    pub source: String,
    /// The namespace of the CatalogSource.
    pub source_namespace: String,
    /// The bundle to begin with; empty for the head.
    #[serde(rename = "startingCSV")]
    pub starting_csv: String,
}

/// What OLM has done about it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionStatus {
    /// How far that is, such as `AtLatestKnown`.
    pub state: String,
    /// The bundle that is on its way, or was the last that came.
    #[serde(rename = "currentCSV")]
    pub current_csv: String,
    /// The bundle that is installed.
    #[serde(rename = "installedCSV")]
    pub installed_csv: String,
}
