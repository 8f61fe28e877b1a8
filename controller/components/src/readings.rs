//! Reads the content of components. Each version of an object is read once.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::{StreamExt, stream};
use portolan_core_components::{Component, Reading};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_runtime::{FencedClient, ResourceRef, WriteFailure};
use portolan_world::Key;
use serde_json::json;

use crate::watched::WatchedKinds;

/// The maximum number of concurrent reads for one Operator.
const AT_ONCE: usize = 8;

/// The components that were read, by Operator.
#[derive(Debug, Default)]
pub(crate) struct Readings(Mutex<BTreeMap<Key, ReadObjects>>);

type ReadObjects = BTreeMap<ObjectRef<Gvk>, Read>;

/// A component that was read.
#[derive(Debug, Clone)]
struct Read {
    uid: String,
    version: String,
    reading: Reading,
}

// === impl Readings ===

impl Readings {
    /// Returns the components with the state that they report. Leaves out components that were
    /// deleted in the meantime.
    ///
    /// # Errors
    /// Returns an error if access to a component is denied, or the API server does not respond.
    pub(crate) async fn read(
        &self,
        client: &FencedClient,
        operator: &Key,
        components: Vec<Component>,
        kinds: &WatchedKinds,
    ) -> Result<Vec<Component>, WriteFailure> {
        let known = self.all().get(operator).cloned().unwrap_or_default();
        let reads = components.into_iter().map(|component| {
            let kind = kinds.of(&component.id).filter(|kind| kind.is_read);
            let at = kind.map(|kind| at(&component.id, &kind.plural));
            let known = known.get(&component.id).cloned();
            read(client, component, at, known)
        });
        let reads = stream::iter(reads).buffered(AT_ONCE);
        let reads: Vec<_> = reads.collect().await;
        let mut components = Vec::new();
        let mut read_now = ReadObjects::new();
        let mut failed = None;
        for read in reads {
            match read {
                Ok(Some((component, is_read))) => {
                    if is_read {
                        read_now.insert(component.id.clone(), Read::of(&component));
                    }
                    components.push(component);
                }
                Ok(None) => {}
                Err(failure) => failed = Some(failure),
            }
        }
        self.all().insert(operator.clone(), read_now);
        failed.map_or(Ok(components), Err)
    }

    pub(crate) fn forget(&self, operator: &Key) {
        self.all().remove(operator);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<Key, ReadObjects>> {
        // No code that holds this lock can panic while the data is inconsistent, so a poisoned lock
        // is safe to use.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Read ===

impl Read {
    fn of(component: &Component) -> Self {
        Self {
            uid: component.uid.clone(),
            version: component.resource_version.clone(),
            reading: component.reading.clone(),
        }
    }
}

/// Returns the reference to an object for requests.
pub(crate) fn at(id: &ObjectRef<Gvk>, plural: &str) -> ResourceRef {
    ResourceRef {
        object: id.clone(),
        plural: Some(plural.to_owned()),
    }
}

/// Returns a component with the state that it reports. Returns None if the object was deleted or
/// replaced.
async fn read(
    client: &FencedClient,
    mut component: Component,
    at: Option<ResourceRef>,
    known: Option<Read>,
) -> Result<Option<(Component, bool)>, WriteFailure> {
    let Some(at) = at else {
        return Ok(Some((component, false)));
    };
    let is_known =
        |it: &Read| (&it.uid, &it.version) == (&component.uid, &component.resource_version);
    if let Some(known) = known.filter(is_known) {
        component.reading = known.reading;
        return Ok(Some((component, true)));
    }
    let Some(object) = client.find(&at).await? else {
        return Ok(None);
    };
    if object.metadata.uid.as_ref() != Some(&component.uid) {
        return Ok(None);
    }
    // The object may be newer than the last event of the watch. The version that was read is
    // recorded, so that the next event causes no second read.
    let version = object.metadata.resource_version.clone();
    component.resource_version = version.unwrap_or_default();
    component.reading = Reading::of(&component.id.kind.kind, &json!(object));
    Ok(Some((component, true)))
}
