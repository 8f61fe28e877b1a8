//! Reads Subscriptions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Body, Csv, Unreadable, key, labels, shared};
use crate::Key;
use crate::operator::Origin;
use crate::sanitized::{limit_subscription, sanitize_subscription};

/// A Subscription, which requests an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The namespace and name of the Subscription.
    pub key: Key,
    /// The creation timestamp as text.
    pub created: Arc<str>,
    /// The labels.
    pub labels: BTreeMap<String, String>,
    /// The package.
    pub package: Arc<str>,
    /// The channel that the Subscription follows.
    pub channel: Arc<str>,
    /// The namespace of the CatalogSource.
    pub source_namespace: Arc<str>,
    /// The name of the installed ClusterServiceVersion.
    pub installed: Arc<str>,
    /// The name of the ClusterServiceVersion that OLM installs or installed last.
    pub current: Arc<str>,
    /// The JSON for users who may read the Subscription.
    pub body: Body,
    /// The JSON for all other users, without annotations and without values of environment
    /// variables. Equal to `body` if the Subscription has neither.
    pub limited_body: Body,
}

// === impl Subscription ===

impl Subscription {
    /// Reads a Subscription from a JSON object.
    ///
    /// # Errors
    /// Returns an error if the object has no name.
    pub fn of(mut object: Map<String, Value>) -> Result<Self, Unreadable> {
        sanitize_subscription(&mut object);
        let key = key(&object)?;
        let body = Body::of(object.clone());
        Ok(Self {
            key,
            created: shared(&object, "metadata", "creationTimestamp"),
            labels: labels(&object),
            package: shared(&object, "spec", "name"),
            channel: shared(&object, "spec", "channel"),
            source_namespace: shared(&object, "spec", "sourceNamespace"),
            installed: shared(&object, "status", "installedCSV"),
            current: shared(&object, "status", "currentCSV"),
            limited_body: if limit_subscription(&mut object) {
                Body::of(object)
            } else {
                body.clone()
            },
            body,
        })
    }

    /// Returns true if the Subscription names this ClusterServiceVersion as installed.
    pub(crate) fn has_installed(&self, csv: &Csv) -> bool {
        self.installed == csv.key.name
    }

    /// Returns the origin of the operators that the Subscription installs. OLM uses catalogs in the
    /// namespace of the Subscription and in the global namespace.
    pub(crate) fn origin(&self) -> Origin {
        if self.source_namespace == self.key.namespace {
            Origin::Namespace
        } else {
            Origin::Cluster
        }
    }
}
