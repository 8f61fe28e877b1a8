//! Detects fields that the API server does not store as written.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use portolan_api::PrunedField;
use serde_json::Value;

use super::contest::{ContestedObject, FieldPath, at, readable};

#[cfg(test)]
mod tests;

/// The time after which a result is dropped, because the CRD may have changed.
const LASTS: Duration = Duration::from_secs(600);

/// The values that the API server did not store.
#[derive(Debug, Default)]
pub(crate) struct Losses(BTreeMap<(ContestedObject, FieldPath), Loss>);

#[derive(Debug)]
struct Loss {
    wrote: Value,
    kept: Option<Value>,
    seen: Instant,
}

// === impl Losses ===

impl Losses {
    /// Compares a written value with the object after the write. Returns the field if the API
    /// server did not store the value.
    pub(crate) fn wrote(
        &mut self,
        object: &ContestedObject,
        (path, value): (&FieldPath, Option<&Value>),
        now_is: &Value,
        now: Instant,
    ) -> Option<PrunedField> {
        self.0.retain(|_, loss| loss.lasts(now));
        let key = (object.clone(), path.clone());
        let kept = at(now_is, path);
        let Some(wrote) = value.filter(|value| kept != Some(value)) else {
            self.0.remove(&key);
            return None;
        };
        let loss = Loss {
            wrote: wrote.clone(),
            kept: kept.cloned(),
            seen: now,
        };
        let pruned = loss.pruned_field(&key.0, &key.1);
        self.0.insert(key, loss);
        Some(pruned)
    }

    /// Forgets a deleted object.
    pub(crate) fn forget(&mut self, object: &ContestedObject) {
        self.0.retain(|(about, _), _| about != object);
    }

    /// Returns the fields in a namespace that were not stored as written.
    pub(crate) fn of(&self, namespace: &str, now: Instant) -> Vec<PrunedField> {
        let there = self
            .0
            .iter()
            .filter(|((object, _), loss)| object.namespace() == namespace && loss.lasts(now));
        there
            .map(|((object, path), loss)| loss.pruned_field(object, path))
            .collect()
    }
}

// === impl Loss ===

impl Loss {
    fn lasts(&self, now: Instant) -> bool {
        now.duration_since(self.seen) < LASTS
    }

    fn pruned_field(&self, object: &ContestedObject, path: &FieldPath) -> PrunedField {
        PrunedField {
            kind: object.kind,
            name: object.name.clone(),
            field: readable(path),
            wrote: self.wrote.clone(),
            kept: self.kept.clone(),
        }
    }
}
