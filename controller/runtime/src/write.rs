//! A write as a value: the object, the precondition, and the change.
//!
//! A [`FencedClient`](crate::FencedClient) sends a [`Write`]. [`Write::after`] computes the result
//! of a write without sending it.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use kube::Resource;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, ObjectMeta, Patch, PatchParams, PostParams,
    Preconditions, PropagationPolicy,
};
use kube::core::{GroupVersionKind, Request};
use portolan_world::{Gvk, ObjectRef};
use serde_json::{Map, Value, json};

use crate::client::WriteFailure;

/// A resource version that no object has, because versions only increase. An apply with this
/// version creates a missing object, and fails with a conflict if the object exists.
const NO_VERSION: &str = "1";

/// The address of an object for requests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourceRef {
    /// The reference to the object. The name is empty in requests for all objects of a kind.
    pub object: ObjectRef<Gvk>,
    /// The name of the resource in URLs. None if the name is the regular plural of the kind.
    pub plural: Option<String>,
}

/// The identity and version of an object that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedObject {
    /// The reference to the object.
    pub target: ResourceRef,
    /// The uid.
    pub uid: String,
    /// The resourceVersion.
    pub version: String,
}

/// A single write.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    /// The object that is written.
    pub target: ResourceRef,
    /// The condition that the object must satisfy. The write fails if the condition is false.
    pub expects: Expects,
    /// The change to the object.
    pub body: Body,
    /// True if the write changes only the status.
    pub is_status: bool,
    /// The verb in metrics.
    pub label: &'static str,
}

/// The condition that the object must satisfy before a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expects {
    /// The object must not exist.
    New,
    /// There is no condition.
    Any,
    /// The object must have this uid and, except for deletions, this resourceVersion.
    Seen {
        /// The uid.
        uid: String,
        /// The resourceVersion.
        version: String,
    },
    /// The object must have this uid and this resourceVersion, even for deletions.
    Unchanged {
        /// The uid.
        uid: String,
        /// The resourceVersion.
        version: String,
    },
}

/// The change that a write makes to an object.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Creates the object from this manifest.
    Create(Value),
    /// Server-side apply. After the write, the manager owns exactly the fields in the manifest.
    Apply {
        /// The manifest.
        manifest: Value,
        /// If true, takes over fields that other managers own with different values. If false, such
        /// fields cause [`WriteFailure::FieldsOwned`], and the object is not written.
        force: bool,
    },
    /// Replaces the whole field at a JSON pointer. None removes the field.
    Field(String, Option<Value>),
    /// Operations of a JSON patch.
    Patch(Vec<Value>),
    /// Replaces the object. The name, the uid and the resourceVersion come from the other fields of
    /// the write.
    Replace(Value),
    /// Deletes the object.
    Delete(Propagation),
}

/// The treatment of the objects that a deleted object owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Propagation {
    /// The owned objects are deleted after the owner.
    Background,
    /// The owned objects are deleted before the owner.
    Foreground,
    /// The owned objects are not deleted.
    Orphan,
}

// === impl ResourceRef ===

impl ResourceRef {
    /// Returns the reference to the object in a manifest.
    ///
    /// # Errors
    /// Returns an error if the manifest has no kind or no name.
    pub fn of(manifest: &Value) -> Result<Self, WriteFailure> {
        let object = ObjectRef::versioned(manifest);
        let Gvk { version, kind, .. } = &object.kind;
        if [version, kind, &object.name].iter().any(|it| it.is_empty()) {
            let sentence = format!("a manifest has no name: {manifest}");
            return Err(WriteFailure::Refused(sentence));
        }
        Ok(object.into())
    }

    /// Returns the reference to the object with these names. An empty namespace means no namespace.
    pub fn new<'a>(
        api_version: &str,
        kind: &str,
        namespace: impl Into<Option<&'a str>>,
        name: &str,
    ) -> Self {
        ObjectRef::new(Gvk::new(api_version, kind), namespace, name).into()
    }

    /// Returns the reference to the object with this kind, and with the name and namespace in this
    /// metadata.
    pub fn named(api_version: &str, kind: &str, metadata: &ObjectMeta) -> Self {
        let name = metadata.name.as_deref().unwrap_or_default();
        Self::new(api_version, kind, metadata.namespace.as_deref(), name)
    }

    /// Returns the request builder for objects of the same kind in the same namespace.
    pub(crate) fn requests(&self) -> Request {
        let Gvk {
            group,
            version,
            kind,
        } = &self.object.kind;
        let kind = GroupVersionKind::gvk(group, version, kind);
        let resource = match &self.plural {
            Some(plural) => ApiResource::from_gvk_with_plural(&kind, plural),
            None => ApiResource::from_gvk(&kind),
        };
        let namespace = self.object.namespace.as_deref();
        Request::new(DynamicObject::url_path(&resource, namespace))
    }
}

impl From<ObjectRef<Gvk>> for ResourceRef {
    fn from(object: ObjectRef<Gvk>) -> Self {
        Self {
            object,
            plural: None,
        }
    }
}

// === impl ObservedObject ===

impl ObservedObject {
    /// Returns the identity and version of the object with this kind and this metadata.
    pub fn of(api_version: &str, kind: &str, metadata: &ObjectMeta) -> Self {
        Self {
            target: ResourceRef::named(api_version, kind, metadata),
            uid: metadata.uid.clone().unwrap_or_default(),
            version: metadata.resource_version.clone().unwrap_or_default(),
        }
    }
}

// === impl Write ===

impl Write {
    /// Creates an object. If the object already exists, the write fails with a conflict.
    ///
    /// # Errors
    /// Returns an error if the manifest names no object.
    pub fn create(manifest: Value) -> Result<Self, WriteFailure> {
        Ok(Self {
            target: ResourceRef::of(&manifest)?,
            expects: Expects::New,
            body: Body::Create(manifest),
            is_status: false,
            label: "create",
        })
    }

    /// Applies exactly the fields of a manifest, and takes over these fields from other managers by
    /// force. If the manifest contains the uid and the resourceVersion, the write fails for any
    /// other version. If it contains only the uid, any version of this object is accepted. If it
    /// contains neither, a missing object is created.
    ///
    /// # Errors
    /// Returns an error if the manifest names no object.
    pub fn apply(manifest: Value) -> Result<Self, WriteFailure> {
        let text = |pointer| manifest.pointer(pointer).and_then(Value::as_str);
        let expects = match (text("/metadata/uid"), text("/metadata/resourceVersion")) {
            (Some(uid), Some(version)) => Expects::Seen {
                uid: uid.to_owned(),
                version: version.to_owned(),
            },
            (_, _) => Expects::Any,
        };
        Ok(Self {
            target: ResourceRef::of(&manifest)?,
            expects,
            body: Body::Apply {
                manifest,
                force: true,
            },
            is_status: false,
            label: "apply",
        })
    }

    /// Replaces the whole field at a JSON pointer, or removes it.
    pub fn field(seen: ObservedObject, pointer: &str, value: Option<Value>) -> Self {
        Self::of(seen, Body::Field(pointer.to_owned(), value), "update")
    }

    /// Applies the operations of a JSON patch.
    pub fn patch(seen: ObservedObject, operations: Vec<Value>) -> Self {
        Self::of(seen, Body::Patch(operations), "update")
    }

    /// Replaces the status of an object.
    pub fn status(seen: ObservedObject, status: Value) -> Self {
        let body = Body::Replace(json!({"status": status}));
        Self::of(seen, body, "status").on_status()
    }

    /// Deletes an object, even if it has changed since it was read. Fails if another object now has
    /// the same name.
    pub fn delete(seen: ObservedObject, propagation: Propagation) -> Self {
        Self::of(seen, Body::Delete(propagation), "delete")
    }

    /// Deletes an object. Fails if the object has changed since it was read.
    pub fn delete_unchanged(seen: ObservedObject, propagation: Propagation) -> Self {
        let ObservedObject { uid, version, .. } = seen.clone();
        Self {
            expects: Expects::Unchanged { uid, version },
            ..Self::delete(seen, propagation)
        }
    }

    /// Adds a finalizer to an object. `there` contains its current finalizers. Returns None if the
    /// object already has the finalizer.
    pub fn add_finalizer(seen: ObservedObject, there: &[String], finalizer: &str) -> Option<Self> {
        let operation = match there {
            all if all.iter().any(|each| each == finalizer) => return None,
            [] => set("/metadata/finalizers", Some(&json!([finalizer]))),
            _ => set("/metadata/finalizers/-", Some(&json!(finalizer))),
        };
        let body = Body::Patch(vec![operation]);
        Some(Self::of(seen, body, "add_finalizer"))
    }

    /// Removes a finalizer from an object. `there` contains its current finalizers. Returns None if
    /// the object does not have the finalizer.
    pub fn remove_finalizer(
        seen: ObservedObject,
        there: &[String],
        finalizer: &str,
    ) -> Option<Self> {
        let place = there.iter().position(|each| each == finalizer)?;
        let path = format!("/metadata/finalizers/{place}");
        let operations = vec![
            json!({"op": "test", "path": path, "value": finalizer}),
            set(&path, None),
        ];
        let body = Body::Patch(operations);
        Some(Self::of(seen, body, "remove_finalizer"))
    }

    /// Creates an object with an apply, so that the field ownership is the same as after an apply.
    /// Fails with a conflict if the object exists.
    ///
    /// # Errors
    /// Returns an error if the manifest names no object.
    pub fn create_by_apply(manifest: Value) -> Result<Self, WriteFailure> {
        Ok(Self {
            expects: Expects::New,
            label: "create",
            ..Self::apply(manifest)?.unforced()
        })
    }

    /// Disables force. The write then fails with [`WriteFailure::FieldsOwned`] if other managers
    /// own fields with other values.
    pub fn unforced(mut self) -> Self {
        if let Body::Apply { force, .. } = &mut self.body {
            *force = false;
        }
        self
    }

    /// Limits the write to the status.
    pub fn on_status(self) -> Self {
        Self {
            is_status: true,
            ..self
        }
    }

    /// Makes a patch fail if the object lacks a field at one of these JSON pointers.
    pub fn holding(mut self, paths: &BTreeSet<String>) -> Self {
        if let Body::Patch(operations) = &mut self.body {
            let held = paths.iter().map(|path| holds(path));
            operations.splice(0..0, held);
        }
        self
    }

    /// Sets the verb that metrics count for this write.
    pub fn labeled(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    /// Returns the expected object after the write. Returns None if the write deletes the object.
    /// `before` is the current object. Ignores fields that the API server adds, and the operations
    /// of patches.
    pub fn after(&self, before: Option<&Value>) -> Option<Value> {
        let mut after = before.cloned().unwrap_or_else(|| json!({}));
        match &self.body {
            Body::Create(manifest) => return Some(manifest.clone()),
            Body::Apply { manifest, .. } | Body::Replace(manifest) => {
                let mut manifest = manifest.clone();
                // The uid and the resourceVersion of the manifest are only preconditions, so they
                // do not change the object.
                if let Some(metadata) = manifest.get_mut("metadata").and_then(Value::as_object_mut)
                {
                    metadata.remove("uid");
                    metadata.remove("resourceVersion");
                }
                merge(&mut after, &manifest);
            }
            Body::Field(pointer, value) => put(&mut after, pointer, value.as_ref()),
            Body::Patch(_) => {}
            Body::Delete(_) => return None,
        }
        Some(after)
    }

    /// Returns the required resourceVersion of the object. Returns None if any version is accepted.
    pub(crate) fn version(&self) -> Option<&str> {
        match &self.expects {
            Expects::New | Expects::Any => None,
            Expects::Seen { version, .. } | Expects::Unchanged { version, .. } => Some(version),
        }
    }

    /// Converts the write to an HTTP request.
    pub(crate) fn request(&self, how: &How<'_>) -> Result<hyper::Request<Vec<u8>>, WriteFailure> {
        let requests = self.target.requests();
        let name = &self.target.object.name;
        let made = match &self.body {
            Body::Create(manifest) => requests.create(&how.posting(), bytes(manifest)?),
            Body::Apply { manifest, force } => {
                let mut manifest = manifest.clone();
                let version = match &self.expects {
                    Expects::New => Some(NO_VERSION),
                    Expects::Any | Expects::Seen { .. } | Expects::Unchanged { .. } => {
                        self.version()
                    }
                };
                if let Some(version) = version {
                    manifest["metadata"]["resourceVersion"] = json!(version);
                }
                let params = PatchParams {
                    force: *force,
                    ..how.patching()
                };
                let patch = Patch::Apply(manifest);
                if self.is_status {
                    requests.patch_subresource("status", name, &params, &patch)
                } else {
                    requests.patch(name, &params, &patch)
                }
            }
            Body::Field(pointer, value) => {
                let patch = self.json_patch(vec![set(pointer, value.as_ref())])?;
                self.patching(&requests, &patch, how)
            }
            Body::Patch(operations) => {
                let patch = self.json_patch(operations.clone())?;
                self.patching(&requests, &patch, how)
            }
            Body::Replace(object) if self.is_status => {
                let object = bytes(&self.replacement(object))?;
                requests.replace_subresource("status", name, &how.posting(), object)
            }
            Body::Replace(object) => {
                requests.replace(name, &how.posting(), bytes(&self.replacement(object))?)
            }
            Body::Delete(propagation) => requests.delete(name, &self.deleting(*propagation, how)),
        };
        let mut request =
            made.map_err(|error| WriteFailure::Refused(portolan_shell::with_causes(&error)))?;
        if how.is_strict && !matches!(self.body, Body::Delete(_)) {
            // kube has no option for this parameter in some requests, so it is added to the URL.
            // The URL always contains other parameters.
            let uri = format!("{}&fieldValidation=Strict", request.uri()).parse();
            *request.uri_mut() =
                uri.map_err(|error| WriteFailure::Refused(portolan_shell::with_causes(&error)))?;
        }
        Ok(request)
    }

    fn of(seen: ObservedObject, body: Body, label: &'static str) -> Self {
        let ObservedObject {
            target,
            uid,
            version,
        } = seen;
        Self {
            target,
            expects: Expects::Seen { uid, version },
            body,
            is_status: false,
            label,
        }
    }

    /// Returns a JSON patch that fails if the object has another version than expected.
    fn json_patch(&self, operations: Vec<Value>) -> Result<Patch<()>, WriteFailure> {
        let mut all = Vec::new();
        if let Expects::Seen { uid, version } | Expects::Unchanged { uid, version } = &self.expects
        {
            all.push(json!({"op": "test", "path": "/metadata/uid", "value": uid}));
            all.push(json!({"op": "test", "path": "/metadata/resourceVersion", "value": version}));
        }
        all.extend(operations);
        parse(Value::Array(all)).map(Patch::Json)
    }

    fn patching(
        &self,
        requests: &Request,
        patch: &Patch<()>,
        how: &How<'_>,
    ) -> Result<hyper::Request<Vec<u8>>, kube::core::request::Error> {
        let (name, params) = (&self.target.object.name, how.patching());
        if self.is_status {
            return requests.patch_subresource("status", name, &params, patch);
        }
        requests.patch(name, &params, patch)
    }

    fn replacement(&self, object: &Value) -> Value {
        let ObjectRef {
            kind,
            namespace,
            name,
        } = &self.target.object;
        let mut object = object.clone();
        object["apiVersion"] = json!(kind.api_version());
        object["kind"] = json!(kind.kind);
        object["metadata"]["name"] = json!(name);
        object["metadata"]["namespace"] = json!(namespace);
        if let Expects::Seen { uid, version } | Expects::Unchanged { uid, version } = &self.expects
        {
            object["metadata"]["uid"] = json!(uid);
            object["metadata"]["resourceVersion"] = json!(version);
        }
        object
    }

    fn deleting(&self, propagation: Propagation, how: &How<'_>) -> DeleteParams {
        let (uid, version) = match &self.expects {
            Expects::New | Expects::Any => (None, None),
            Expects::Seen { uid, .. } => (Some(uid.clone()), None),
            Expects::Unchanged { uid, version } => (Some(uid.clone()), Some(version.clone())),
        };
        DeleteParams {
            dry_run: how.is_dry_run,
            propagation_policy: Some(match propagation {
                Propagation::Background => PropagationPolicy::Background,
                Propagation::Foreground => PropagationPolicy::Foreground,
                Propagation::Orphan => PropagationPolicy::Orphan,
            }),
            preconditions: uid.map(|uid| Preconditions {
                uid: Some(uid),
                resource_version: version,
            }),
            ..DeleteParams::default()
        }
    }
}

/// The parameters of a request: the field manager, if the request is a dry run, and if unknown
/// fields are rejected.
#[derive(Debug, Clone, Copy)]
pub(crate) struct How<'a> {
    pub(crate) manager: &'a str,
    pub(crate) is_dry_run: bool,
    pub(crate) is_strict: bool,
}

impl How<'_> {
    fn posting(&self) -> PostParams {
        PostParams {
            dry_run: self.is_dry_run,
            field_manager: Some(self.manager.to_owned()),
        }
    }

    fn patching(&self) -> PatchParams {
        PatchParams {
            dry_run: self.is_dry_run,
            field_manager: Some(self.manager.to_owned()),
            ..PatchParams::default()
        }
    }
}

/// Returns a JSON patch operation that replaces one whole field or removes it.
pub fn set(path: &str, value: Option<&Value>) -> Value {
    match value {
        Some(value) => json!({"op": "add", "path": path, "value": value}),
        None => json!({"op": "remove", "path": path}),
    }
}

/// Returns a JSON patch operation that changes nothing, and fails if the object lacks the field at
/// this path. A test operation would depend on the encoding of the value.
pub fn holds(path: &str) -> Value {
    json!({"op": "move", "from": path, "path": path})
}

/// Parses JSON for a request. Returns an error if the JSON is invalid, so that invalid JSON is
/// never sent.
fn parse<T: serde::de::DeserializeOwned>(json: Value) -> Result<T, WriteFailure> {
    serde_json::from_value(json).map_err(|error| WriteFailure::Refused(error.to_string()))
}

fn bytes(json: &Value) -> Result<Vec<u8>, WriteFailure> {
    serde_json::to_vec(json).map_err(|error| WriteFailure::Refused(error.to_string()))
}

/// Merges the fields of a manifest into an object, as an apply does. A list replaces the previous
/// list.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => into.clone_from(from),
    }
}

/// Sets the field at a JSON pointer, or removes the field.
fn put(object: &mut Value, pointer: &str, value: Option<&Value>) {
    let Some((parents, last)) = pointer.rsplit_once('/') else {
        return;
    };
    let mut at = object;
    for name in parents.split('/').skip(1) {
        at = &mut fields(at)[name.replace("~1", "/").replace("~0", "~")];
    }
    let last = last.replace("~1", "/").replace("~0", "~");
    let at = fields(at);
    match value {
        Some(value) => at[last] = value.clone(),
        None => drop(at.as_object_mut().and_then(|fields| fields.remove(&last))),
    }
}

/// Returns the map in a value. If the value is not a map, replaces it with an empty map first.
fn fields(value: &mut Value) -> &mut Value {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value
}
