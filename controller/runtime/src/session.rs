//! A sequence of writes. The session remembers the versions of objects after its earlier writes.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::api::DynamicObject;
use portolan_api::{Contest, PrunedField};
use serde_json::Value;

use crate::client::{FencedClient, WriteFailure};
use crate::fields::contest::{self, ContestedObject};
use crate::fields::ownership::Owner;
use crate::fields::{FieldMemory, FieldRules};
use crate::pending::{Expected, PendingWrite};
use crate::write::{Body, Expects, ObservedObject, ResourceRef, Write};

/// The maximum number of attempts to change the owners of fields if another client writes at the
/// same time.
const TRIES: usize = 3;

/// Writes objects of one kind, and tracks their fields.
#[derive(Debug)]
pub struct Writer {
    client: FencedClient,
    rules: FieldRules,
    memory: FieldMemory,
}

/// The writes of one reconciliation. If an earlier write of the session has changed an object,
/// later writes use the new version of the object.
#[derive(Debug)]
pub struct Session<'a> {
    writer: &'a Writer,
    client: FencedClient,
    versions: WrittenVersions,
}

/// A completed write.
#[derive(Debug, Clone)]
pub struct Written {
    /// The current object. None if it no longer exists.
    pub object: Option<DynamicObject>,
    /// The write that the cache must contain. None if the write changed nothing.
    pub pending: Option<PendingWrite>,
    /// The fields inside wholly replaced fields that the API server did not store.
    pub pruned: Vec<PrunedField>,
}

/// The versions of objects: when they were read, and after the writes of this session.
#[derive(Debug, Default)]
struct WrittenVersions(Mutex<BTreeMap<ResourceRef, (String, String)>>);

// === impl Writer ===

impl Writer {
    /// Creates a writer that uses this client.
    pub fn new(client: FencedClient, rules: FieldRules) -> Self {
        Self {
            client,
            rules,
            memory: FieldMemory::default(),
        }
    }

    /// Returns the client of the writer.
    pub fn client(&self) -> &FencedClient {
        &self.client
    }

    /// Starts a session with the identity of the process.
    pub fn session(&self) -> Session<'_> {
        self.session_by(self.client.clone())
    }

    /// Starts a session with another client, such as one that impersonates a user.
    pub fn session_by(&self, client: FencedClient) -> Session<'_> {
        Session {
            writer: self,
            client,
            versions: WrittenVersions::default(),
        }
    }

    /// Returns the fields in a namespace that another manager repeatedly reverts.
    pub fn contests(&self, namespace: &str) -> Vec<Contest> {
        self.memory.contested(namespace)
    }

    /// Returns the time after which all of these fields may be written again. Returns None if there
    /// are no such fields.
    pub fn contested_until(&self, namespace: &str) -> Option<Instant> {
        self.memory.contested_until(namespace)
    }

    /// Returns the fields in a namespace that the API server did not store as written.
    pub fn pruned(&self, namespace: &str) -> Vec<PrunedField> {
        self.memory.pruned(namespace)
    }

    /// Returns true if the fields of an object are tracked. Then [`forget`](Self::forget) must be
    /// called when the object is deleted.
    pub fn remembers(&self, object: &ResourceRef) -> bool {
        self.rules.contested(object).is_some()
    }

    /// Drops the tracked fields of an object.
    pub fn forget(&self, object: &ResourceRef) {
        if let Some(object) = self.rules.contested(object) {
            self.memory.forget(&object);
        }
    }
}

// === impl Session ===

impl Session<'_> {
    pub(crate) fn writer(&self) -> &Writer {
        self.writer
    }

    /// Sends a write. For an apply, makes this manager the only owner of the applied fields. For
    /// tracked kinds, also records the written fields, and the managers that had changed these
    /// fields before.
    ///
    /// # Errors
    /// Returns an error if the write fails or its outcome is unknown.
    pub async fn write(&self, mut write: Write) -> Result<Written, WriteFailure> {
        let contested = self.writer.rules.contested(&write.target);
        let live = self.live(&write, contested.as_ref()).await;
        let seen = self.versions.bring_up_to_date(&mut write);
        let object = self.client.write(&write).await?;
        let object = match object {
            Some(object) => Some(self.owned(&write, contested.as_ref(), object).await),
            None => None,
        };
        let pruned = match (&contested, &object) {
            (Some(contested), Some(object)) => self.remember(&write, contested, live, object),
            (Some(_), None) | (None, _) => Vec::new(),
        };
        if let (Some(contested), Body::Delete(_)) = (&contested, &write.body) {
            self.writer.memory.forget(contested);
        }
        let after = expected(&write, object.as_ref());
        if let (Some(seen), Expected::Version(after)) = (&seen, &after) {
            self.versions.wrote(&write.target, seen, after);
        }
        let pending = PendingWrite {
            before: match &write.body {
                Body::Delete(_) => seen,
                _ => write.version().map(str::to_owned),
            },
            kind: write.target.object.kind.kind,
            namespace: write.target.object.namespace,
            name: write.target.object.name,
            after,
        };
        Ok(Written {
            object,
            pending: Some(pending).filter(PendingWrite::is_change),
            pruned,
        })
    }

    /// Reads an object immediately before a write, to find out which manager has changed its
    /// fields. Returns None if the object is not tracked or cannot be read.
    async fn live(
        &self,
        write: &Write,
        contested: Option<&ContestedObject>,
    ) -> Option<DynamicObject> {
        let is_needed = match &write.body {
            Body::Apply { .. } | Body::Field(..) => contested.is_some(),
            Body::Create(_) | Body::Patch(_) | Body::Replace(_) | Body::Delete(_) => false,
        };
        if !is_needed {
            return None;
        }
        self.client.get(&write.target).await.ok()
    }

    /// Records the written fields. Returns the fields that the API server did not store.
    fn remember(
        &self,
        write: &Write,
        contested: &ContestedObject,
        live: Option<DynamicObject>,
        object: &DynamicObject,
    ) -> Vec<PrunedField> {
        let memory = &self.writer.memory;
        let fields = FieldRules::fields(write);
        let (is_compared, is_remembered): (Vec<_>, bool) = match &write.body {
            Body::Create(manifest) => (self.whole(manifest), true),
            Body::Field(..) => (fields.clone(), live.is_some()),
            Body::Apply { .. } => (Vec::new(), live.is_some()),
            Body::Patch(_) | Body::Replace(_) | Body::Delete(_) => return Vec::new(),
        };
        let pruned = memory.compare(contested, &is_compared, object);
        if is_remembered {
            memory.wrote(contested, fields, live.as_ref(), self.client.manager());
        }
        pruned
    }

    /// Returns the fields of a manifest that are always replaced as a whole.
    fn whole(&self, manifest: &Value) -> Vec<(contest::FieldPath, Option<Value>)> {
        let whole = self.writer.rules.whole.iter();
        let whole = whole.map(|name| contest::path(&format!("/spec/{name}")));
        let whole = whole.filter_map(|path| {
            let value = contest::at(manifest, &path).cloned()?;
            Some((path, Some(value)))
        });
        whole.collect()
    }

    /// After an apply, makes this manager the only owner of the applied fields. After a create of a
    /// tracked kind, converts the fields of the create to applied fields.
    async fn owned(
        &self,
        write: &Write,
        contested: Option<&ContestedObject>,
        object: DynamicObject,
    ) -> DynamicObject {
        let owner = Owner {
            manager: self.client.manager(),
            rules: &self.writer.rules,
        };
        match &write.body {
            Body::Create(manifest) if contested.is_some() => {
                let adopt = |entries: &[ManagedFieldsEntry]| owner.adopt(entries, manifest);
                self.transfer(&write.target, object, adopt).await
            }
            Body::Apply { .. } => {
                let take_over = |entries: &[ManagedFieldsEntry]| owner.take_over(entries);
                self.transfer(&write.target, object, take_over).await
            }
            Body::Create(_)
            | Body::Field(..)
            | Body::Patch(_)
            | Body::Replace(_)
            | Body::Delete(_) => object,
        }
    }

    /// Changes the ownership of fields with `transfer`. The write itself has already succeeded, so
    /// a failure is only logged. The next apply tries again. Until then, no field is removed.
    async fn transfer(
        &self,
        at: &ResourceRef,
        mut object: DynamicObject,
        transfer: impl Fn(&[ManagedFieldsEntry]) -> Option<Vec<Value>>,
    ) -> DynamicObject {
        for _ in 0..TRIES {
            let kind = &at.object.kind;
            let entries = object.metadata.managed_fields.as_deref().unwrap_or(&[]);
            let Some(operations) = transfer(entries) else {
                break;
            };
            let seen = ObservedObject::of(&kind.api_version(), &kind.kind, &object.metadata);
            let mut write = Write::patch(seen, operations).labeled("own");
            write.target = at.clone();
            match self.client.write(&write).await {
                Ok(amended) => return amended.unwrap_or(object),
                Err(WriteFailure::Conflict(_)) => match self.client.get(at).await {
                    Ok(read) if read.metadata.uid == object.metadata.uid => object = read,
                    Ok(_) | Err(_) => break,
                },
                Err(failure) => {
                    let object = &at.object.name;
                    tracing::warn!(error = %failure, object, "the field managers of an object were \
                        not migrated");
                    break;
                }
            }
        }
        object
    }
}

// === impl WrittenVersions ===

impl WrittenVersions {
    /// Replaces the version that a write expects with the current version, if only this session has
    /// written the object since it was read. Returns the version that was read.
    fn bring_up_to_date(&self, write: &mut Write) -> Option<String> {
        let (Expects::Seen { version, .. } | Expects::Unchanged { version, .. }) =
            &mut write.expects
        else {
            return None;
        };
        let seen = version.clone();
        if let Some((before, after)) = self.all().get(&write.target)
            && *before == seen
        {
            version.clone_from(after);
        }
        Some(seen)
    }

    /// Records the version of an object after a write. `seen` is the version that was read before
    /// the session.
    fn wrote(&self, object: &ResourceRef, seen: &str, after: &str) {
        let versions = (seen.to_owned(), after.to_owned());
        self.all().insert(object.clone(), versions);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<ResourceRef, (String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the state that the object must have in the cache after a write.
fn expected(write: &Write, object: Option<&DynamicObject>) -> Expected {
    let uid = match &write.expects {
        Expects::Seen { uid, .. } | Expects::Unchanged { uid, .. } => uid.clone(),
        Expects::New | Expects::Any => String::new(),
    };
    let Some(metadata) = object.map(|object| &object.metadata) else {
        return Expected::Gone(uid);
    };
    // The API server may return an object in the state in which its last finalizer was removed.
    let is_held = metadata
        .finalizers
        .as_ref()
        .is_some_and(|all| !all.is_empty());
    let is_gone =
        metadata.deletion_timestamp.is_some() && !is_held && !matches!(write.body, Body::Delete(_));
    if is_gone {
        return Expected::Gone(metadata.uid.clone().unwrap_or(uid));
    }
    Expected::Version(metadata.resource_version.clone().unwrap_or_default())
}
