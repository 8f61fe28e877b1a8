//! Creates many objects in a cluster at the same time.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::discovery::ApiResource;
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Value, json};

use crate::failure::Failure;

/// The number of writes that run at the same time.
const AT_A_TIME: usize = 24;

/// The pause between two checks if a CRD is served.
const PAUSE: Duration = Duration::from_millis(100);

/// Writes the objects that it is given, without owning their fields.
#[derive(Clone)]
pub(crate) struct Writer {
    pub(crate) client: Client,
}

// === impl Writer ===

impl Writer {
    pub(crate) fn of(client: Client) -> Self {
        Self { client }
    }

    /// Creates an object with its status. Returns the uid of the object.
    pub(crate) async fn create(&self, mut manifest: Value) -> Result<String, Failure> {
        let status = manifest
            .as_object_mut()
            .and_then(|all| all.remove("status"));
        let object: DynamicObject = serde_json::from_value(manifest).map_err(unlike)?;
        let (objects, name) = (self.beside(&object)?, object.name_any());
        let made = objects.create(&PostParams::default(), &object).await;
        let made = made.map_err(portolan_rig::Failure::from)?;
        if let Some(status) = status {
            patch_status(&objects, &name, status).await?;
        }
        Ok(made.uid().unwrap_or_default())
    }

    /// Applies a change to the object that the manifest names.
    pub(crate) async fn merge(&self, manifest: Value, change: Value) -> Result<(), Failure> {
        let object: DynamicObject = serde_json::from_value(manifest).map_err(unlike)?;
        let (objects, name) = (self.beside(&object)?, object.name_any());
        let change = Patch::Merge(change);
        let changed = objects.patch(&name, &PatchParams::default(), &change).await;
        changed.map_err(portolan_rig::Failure::from)?;
        Ok(())
    }

    /// Waits until the API server serves the CRD.
    pub(crate) async fn until_established(&self, definition: &str) -> Result<(), Failure> {
        let kind = portolan_rig::Kind::CustomResourceDefinition;
        let definitions = kind.everywhere(&self.client);
        loop {
            let seen = definitions.get(definition).await;
            let seen = seen.map_err(portolan_rig::Failure::from)?;
            let conditions = seen.data["status"]["conditions"].as_array();
            let is_established = |it: &Value| it["type"] == "Established" && it["status"] == "True";
            if conditions.into_iter().flatten().any(is_established) {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Creates these objects, in any order.
    pub(crate) async fn create_all(
        &self,
        what: &str,
        manifests: impl Iterator<Item = Value>,
        total: usize,
    ) -> Result<(), Failure> {
        let writes = manifests.map(|manifest| async { self.create(manifest).await.map(drop) });
        at_a_time(what, total, writes).await
    }

    /// Returns the API for objects with the kind and namespace of this object.
    fn beside(&self, object: &DynamicObject) -> Result<Api<DynamicObject>, Failure> {
        let types = object.types.as_ref();
        let types = types.ok_or_else(|| Failure::Expect("a manifest has no kind".to_owned()))?;
        let kind = GroupVersionKind::try_from(types);
        let kind = kind.map_err(|error| Failure::Expect(error.to_string()))?;
        let resource = ApiResource::from_gvk(&kind);
        let client = self.client.clone();
        Ok(match object.namespace() {
            Some(namespace) => Api::namespaced_with(client, &namespace, &resource),
            None => Api::all_with(client, &resource),
        })
    }
}

/// Overwrites some fields of the status.
pub(crate) async fn patch_status(
    objects: &Api<DynamicObject>,
    name: &str,
    status: Value,
) -> Result<(), Failure> {
    let change = Patch::Merge(json!({"status": status}));
    let written = objects
        .patch_status(name, &PatchParams::default(), &change)
        .await;
    written.map_err(portolan_rig::Failure::from)?;
    Ok(())
}

/// Waits for all futures. Limits the number that run at the same time, and prints the progress.
pub(crate) async fn at_a_time<W>(
    what: &str,
    total: usize,
    writes: impl Iterator<Item = W>,
) -> Result<(), Failure>
where
    W: Future<Output = Result<(), Failure>>,
{
    let mut written = 0;
    let mut writes = stream::iter(writes).buffer_unordered(AT_A_TIME);
    while writes.try_next().await?.is_some() {
        written += 1;
        show_progress(what, written, total);
    }
    Ok(())
}

/// Prints the progress if the output is a terminal.
fn show_progress(what: &str, written: usize, total: usize) {
    let mut terminal = std::io::stderr();
    if terminal.is_terminal() {
        let end = if written == total { "\n" } else { "" };
        // Ignores an error, because the progress is not important.
        let _ = write!(terminal, "\r{what}: {written} of {total}{end}");
    }
}

fn unlike(error: serde_json::Error) -> Failure {
    Failure::Write(error.into())
}

/// Returns the manifest of a namespace.
pub(crate) fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}
