//! Tracks the fields of written objects: their owners, the fields that other managers have
//! reverted, and the fields that the API server did not store.

pub(crate) mod contest;
pub(crate) mod kept;
pub(crate) mod ownership;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kube::api::DynamicObject;
use portolan_api::{Contest, PrunedField};
use serde_json::{Value, json};

use self::contest::{ContestedObject, Contests, FieldPath, Live};
use self::kept::Losses;
use crate::write::{Body, ResourceRef, Write};

/// The kinds whose fields are tracked, and the rules for the ownership of their fields.
#[derive(Debug, Clone, Copy, Default)]
pub struct FieldRules {
    /// The kinds whose fields are tracked. After a create of such an object, the fields of the
    /// create become applied fields. Objects of other kinds are written once and not tracked.
    pub contested: &'static [&'static str],
    /// The fields of a spec that are never applied, but always replaced as a whole.
    pub whole: &'static [&'static str],
    /// An earlier field manager. An apply removes the ownership of this manager.
    pub predecessor: Option<&'static str>,
}

/// The fields that this process has written. They are kept only in memory. After a restart, a field
/// must be reverted several times again before this is detected.
#[derive(Debug, Default)]
pub(crate) struct FieldMemory {
    contests: Mutex<Contests>,
    losses: Mutex<Losses>,
}

// === impl FieldRules ===

impl FieldRules {
    /// Returns the object if its fields are tracked. Returns None for a kind whose objects are
    /// written only once.
    pub(crate) fn contested(&self, object: &ResourceRef) -> Option<ContestedObject> {
        let object = &object.object;
        let kind = self
            .contested
            .iter()
            .find(|kind| **kind == object.kind.kind)?;
        Some(ContestedObject {
            kind,
            namespace: object.namespace.clone(),
            name: object.name.clone(),
        })
    }

    /// Returns the fields that a write to a tracked object sets or removes.
    pub(crate) fn fields(write: &Write) -> Vec<(FieldPath, Option<Value>)> {
        match &write.body {
            Body::Create(manifest) | Body::Apply { manifest, .. } => contest::fields(manifest),
            Body::Field(pointer, value) => vec![(contest::path(pointer), value.clone())],
            Body::Patch(_) | Body::Replace(_) | Body::Delete(_) => Vec::new(),
        }
    }
}

// === impl FieldMemory ===

impl FieldMemory {
    /// Records the fields that a write has set. `live` is the object before the write, or None if
    /// the object did not exist.
    pub(crate) fn wrote(
        &self,
        object: &ContestedObject,
        fields: Vec<(FieldPath, Option<Value>)>,
        live: Option<&DynamicObject>,
        manager: &str,
    ) {
        // An object that was parsed can always be serialized.
        let json = live.map(|live| serde_json::to_value(live).unwrap_or_default());
        let managed = live.and_then(|live| live.metadata.managed_fields.as_deref());
        let live = json.as_ref().map(|json| Live {
            fields: json,
            managed: managed.unwrap_or(&[]),
            manager,
        });
        self.contests().wrote(object, fields, live, Instant::now());
    }

    /// Compares fields that were replaced as a whole with the object after the write. Returns the
    /// fields that differ.
    pub(crate) fn compare(
        &self,
        object: &ContestedObject,
        wrote: &[(FieldPath, Option<Value>)],
        now_is: &DynamicObject,
    ) -> Vec<PrunedField> {
        let now_is = json!({"spec": now_is.data["spec"]});
        let mut losses = self.losses();
        let lost = wrote.iter().filter_map(|(path, value)| {
            let wrote = (path, value.as_ref());
            losses.wrote(object, wrote, &now_is, Instant::now())
        });
        lost.collect()
    }

    /// Returns the fields in a namespace that another manager repeatedly reverts.
    pub(crate) fn contested(&self, namespace: &str) -> Vec<Contest> {
        self.contests().contests(namespace, Instant::now())
    }

    /// Returns the time after which all of these fields may be written again. Returns None if there
    /// are no such fields.
    pub(crate) fn contested_until(&self, namespace: &str) -> Option<Instant> {
        self.contests().until(namespace, Instant::now())
    }

    /// Returns the fields in a namespace that the API server did not store as written.
    pub(crate) fn pruned(&self, namespace: &str) -> Vec<PrunedField> {
        self.losses().of(namespace, Instant::now())
    }

    /// Drops an object that no longer exists.
    pub(crate) fn forget(&self, object: &ContestedObject) {
        self.contests().forget(object);
        self.losses().forget(object);
    }

    fn contests(&self) -> MutexGuard<'_, Contests> {
        // No code that holds this lock can panic while the data is inconsistent, so a poisoned lock
        // is safe to use.
        self.contests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn losses(&self) -> MutexGuard<'_, Losses> {
        self.losses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
