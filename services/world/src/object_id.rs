//! Objects of any kind, whole, as they are written: for who shows them to people.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use serde_json::Value;
use tokio::time::timeout;

/// Names an object, whatever its kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId {
    /// Its group and version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace; None where it is in none.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

// === impl ObjectId ===

impl ObjectId {
    /// The object as the API server has it; None if it does not have it, or does not answer in time.
    pub(crate) async fn of_cluster(&self, client: Client, patience: Duration) -> Option<Value> {
        let (group, version) = self.group_and_version();
        let kind = GroupVersionKind::gvk(group, version, &self.kind);
        let resource = ApiResource::from_gvk(&kind);
        let objects: Api<DynamicObject> = match &self.namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, &resource),
            None => Api::all_with(client, &resource),
        };
        let object = timeout(patience, objects.get_opt(&self.name)).await;
        match object.ok()? {
            Ok(object) => serde_json::to_value(object?).ok(),
            Err(error) => {
                tracing::debug!(%error, object = ?self, "an object is not shown");
                None
            }
        }
    }

    /// The objects that manifests have. As everywhere, the first of the same name counts.
    pub(crate) fn of_files(root: &Path, names: &[Self]) -> BTreeMap<Self, Value> {
        let mut found = BTreeMap::new();
        super::files::each_object(root, &mut |api_version, kind, value| {
            let text = |field: &str| value["metadata"][field].as_str();
            let wanted = names.iter().find(|named| {
                named.kind == kind
                    && named.api_version == api_version
                    && Some(named.name.as_str()) == text("name")
                    && named.namespace.as_deref() == text("namespace")
            });
            if let Some(named) = wanted {
                found.entry(named.clone()).or_insert_with(|| value.clone());
            }
        });
        found
    }

    fn group_and_version(&self) -> (&str, &str) {
        // The core group has no name.
        self.api_version
            .split_once('/')
            .unwrap_or(("", &self.api_version))
    }
}
