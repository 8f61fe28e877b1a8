//! What the API server keeps of fields that are written whole.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kube::api::DynamicObject;
use portolan_core_operatorpolicy::Unkept;
use serde_json::{Value, json};

use super::contest::{self, Object, Path, at, readable};
use super::ownership::WHOLE;
use super::place::Place;
use super::{Reviewer, Writer};

#[cfg(test)]
mod tests;

/// For how long it is believed that the API server would do the same again: its definitions change.
const LASTS: Duration = Duration::from_secs(600);

/// What it did not keep.
#[derive(Debug, Default)]
pub(super) struct Losses(BTreeMap<(Object, Path), Loss>);

#[derive(Debug)]
struct Loss {
    wrote: Value,
    kept: Option<Value>,
    seen: Instant,
}

// === impl Losses ===

impl Losses {
    /// This was written to a field of an object, which is so now. Returns what was not kept of it.
    pub(super) fn wrote(
        &mut self,
        object: &Object,
        (path, value): (&Path, Option<&Value>),
        now_is: &Value,
        now: Instant,
    ) -> Vec<String> {
        self.0.retain(|_, loss| loss.lasts(now));
        let key = (object.clone(), path.clone());
        let kept = at(now_is, path);
        let Some(wrote) = value.filter(|value| kept != Some(value)) else {
            self.0.remove(&key);
            return Vec::new();
        };
        let loss = Loss {
            wrote: wrote.clone(),
            kept: kept.cloned(),
            seen: now,
        };
        let lost = loss.told(&key.0, &key.1).lost();
        self.0.insert(key, loss);
        lost
    }

    /// The object is gone, and all that was about it.
    pub(super) fn forget(&mut self, object: &Object) {
        self.0.retain(|(about, _), _| about != object);
    }

    /// What was not kept of the objects of a namespace.
    pub(super) fn of(&self, namespace: &str, now: Instant) -> Vec<Unkept> {
        let there = self
            .0
            .iter()
            .filter(|((object, _), loss)| object.namespace == namespace && loss.lasts(now));
        there
            .map(|((object, path), loss)| loss.told(object, path))
            .collect()
    }
}

// === impl Writer ===

impl<R: Reviewer> Writer<R> {
    /// Compares an object with what it was made of.
    pub(super) fn compare(&self, object: &Object, manifest: &Value, made: &DynamicObject) {
        let made = spec(made);
        for name in WHOLE {
            let path = contest::path(&format!("/spec/{name}"));
            if let Some(value) = at(manifest, &path) {
                let wrote = (&path, Some(value));
                self.losses().wrote(object, wrote, &made, Instant::now());
            }
        }
    }

    /// What the API server did not keep of a field that was written whole.
    pub(super) fn lost(
        &self,
        place: &Place,
        wrote: (&Path, Option<&Value>),
        written: &DynamicObject,
    ) -> Vec<String> {
        let object = place.contested();
        let lost = object.map(|object| {
            let written = spec(written);
            self.losses()
                .wrote(&object, wrote, &written, Instant::now())
        });
        lost.unwrap_or_default()
    }
}

fn spec(object: &DynamicObject) -> Value {
    json!({"spec": object.data["spec"]})
}

// === impl Loss ===

impl Loss {
    fn lasts(&self, now: Instant) -> bool {
        now.duration_since(self.seen) < LASTS
    }

    fn told(&self, object: &Object, path: &Path) -> Unkept {
        Unkept {
            kind: object.kind,
            name: object.name.clone(),
            field: readable(path),
            wrote: self.wrote.clone(),
            kept: self.kept.clone(),
        }
    }
}
