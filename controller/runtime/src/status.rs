//! Writes statuses without the fields that the served CRD lacks. With an older CRD, the API server
//! would drop these fields, and the same status would be written repeatedly.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

use crate::client::WriteFailure;
use crate::session::{Session, Written};
use crate::write::{ObservedObject, ResourceRef, Write, set};

#[cfg(test)]
mod tests;

/// The time for which a schema is cached.
const LASTS: Duration = Duration::from_secs(600);

/// Writes the statuses of a kind in the form that the served CRD accepts.
#[derive(Debug)]
pub struct StatusPublisher {
    crd: &'static str,
    version: &'static str,
    /// The schema, and the time at which it was read. None if it was not read yet.
    known: Mutex<Option<(Instant, Arc<Schema>)>>,
}

/// The schema of a status in a CRD.
#[derive(Debug, Clone, PartialEq)]
struct Schema(Value);

// === impl StatusPublisher ===

impl StatusPublisher {
    /// Creates a publisher for a version of the CRD with this name.
    pub fn new(crd: &'static str, version: &'static str) -> Self {
        Self {
            crd,
            version,
            known: Mutex::default(),
        }
    }

    /// Replaces the status of an object. Returns None without a write if the status would not
    /// change after the API server drops unknown fields.
    ///
    /// # Errors
    /// Returns an error if the write fails or its outcome is unknown.
    pub async fn write(
        &self,
        session: &Session<'_>,
        seen: ObservedObject,
        before: &Value,
        status: Value,
    ) -> Result<Option<Written>, WriteFailure> {
        let Some(status) = self.kept(session, before, status).await? else {
            return Ok(None);
        };
        let write = Write::status(seen, status).labeled("tell");
        session.write(write).await.map(Some)
    }

    /// Writes like [`write`](Self::write), but only if the object still has all fields at these
    /// JSON pointers. This prevents data loss. Even if a request writes only the status, the API
    /// server stores the whole object, and drops all fields that its CRD lacks.
    ///
    /// # Errors
    /// Returns an error for the same reasons as [`write`](Self::write). A missing field is a
    /// conflict.
    pub async fn write_keeping(
        &self,
        session: &Session<'_>,
        seen: ObservedObject,
        (before, status): (&Value, Value),
        fields: &BTreeSet<String>,
    ) -> Result<Option<Written>, WriteFailure> {
        let Some(status) = self.kept(session, before, status).await? else {
            return Ok(None);
        };
        let write = Write::patch(seen, vec![set("/status", Some(&status))]).holding(fields);
        let write = write.on_status().labeled("tell");
        session.write(write).await.map(Some)
    }

    /// Returns the status without the fields that the API server would drop. Returns None if the
    /// result equals the current status.
    async fn kept(
        &self,
        session: &Session<'_>,
        before: &Value,
        status: Value,
    ) -> Result<Option<Value>, WriteFailure> {
        if status == *before {
            return Ok(None);
        }
        let status = self.served(session).await?.cut(status);
        Ok((status != *before).then_some(status))
    }

    /// Returns the status schema in the served CRD.
    async fn served(&self, session: &Session<'_>) -> Result<Arc<Schema>, WriteFailure> {
        let mut known = self.known.lock().await;
        if let Some((_, schema)) = known.as_ref().filter(|(at, _)| at.elapsed() < LASTS) {
            return Ok(schema.clone());
        }
        let crd = ResourceRef::new(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            None,
            self.crd,
        );
        let schema = match session.writer().client().get(&crd).await {
            Ok(crd) => Schema::of(&crd.data, self.version),
            // If the CRD cannot be read, the complete status is written, and the API server drops
            // unknown fields.
            Err(WriteFailure::Refused(error)) => {
                tracing::warn!(
                    error,
                    crd = self.crd,
                    "no permission to read the schema of a CRD"
                );
                Schema::any()
            }
            Err(failure) => return Err(failure),
        };
        let schema = Arc::new(schema);
        *known = Some((Instant::now(), schema.clone()));
        Ok(schema)
    }
}

// === impl Schema ===

impl Schema {
    /// Returns the status schema of a CRD version. If the version has no status schema, any status
    /// is accepted.
    fn of(crd: &Value, version: &str) -> Self {
        let versions = crd.pointer("/spec/versions");
        let mut versions = versions.and_then(Value::as_array).into_iter().flatten();
        let version = versions.find(|each| each["name"] == version);
        let status = version
            .and_then(|version| version.pointer("/schema/openAPIV3Schema/properties/status"));
        status.map_or_else(Self::any, |status| Self(status.clone()))
    }

    /// Returns a schema that accepts everything.
    fn any() -> Self {
        Self(json!({"x-kubernetes-preserve-unknown-fields": true}))
    }

    /// Removes the fields from a status that the API server would drop.
    fn cut(&self, status: Value) -> Value {
        cut(&self.0, status)
    }
}

fn cut(schema: &Value, value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(cut_fields(schema, fields)),
        Value::Array(items) => match schema.get("items") {
            Some(schema) => items.into_iter().map(|item| cut(schema, item)).collect(),
            None => Value::Array(items),
        },
        other => other,
    }
}

fn cut_fields(schema: &Value, fields: Map<String, Value>) -> Map<String, Value> {
    let kept = fields.into_iter().filter_map(|(name, value)| {
        let schema = field(schema, &name)?;
        Some((name, cut(&schema, value)))
    });
    kept.collect()
}

/// Returns the schema of a field. Returns None if the field is unknown.
fn field(schema: &Value, name: &str) -> Option<Value> {
    let Schema(any) = Schema::any();
    let declared = schema.pointer("/properties").and_then(|all| all.get(name));
    let others = schema
        .get("additionalProperties")
        .filter(|of| **of != false);
    let is_open = schema["x-kubernetes-preserve-unknown-fields"] == true;
    match (declared, others) {
        (Some(declared), _) => Some(declared.clone()),
        (None, Some(others)) if others.is_object() => Some(others.clone()),
        (None, Some(_)) => Some(any),
        (None, None) => is_open.then_some(any),
    }
}
