//! A request of an API server to review an object.

use std::collections::BTreeMap;

use portolan_core_grants::Approver;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::admission::Kind;

/// The reason why bytes cannot be parsed as a request.
#[derive(Debug, Error)]
pub enum NoRequest {
    #[error("the request is not an AdmissionReview")]
    Json(#[from] serde_json::Error),
    #[error("the AdmissionReview has no request")]
    Empty,
}

/// The operation of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Create,
    Update,
    /// Another operation, or an operation on a subresource. It is not reviewed.
    Other,
}

/// A request of an API server to review one object.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub uid: String,
    /// The kind of the object. None if objects of this kind are not reviewed.
    pub kind: Option<Kind>,
    pub operation: Operation,
    pub namespace: String,
    /// The name of the object. Empty if the API server generates the name.
    pub name: String,
    /// The user who makes the request.
    pub user: Approver,
    /// The new object; null on deletion.
    pub object: Value,
    /// The existing object; null on creation.
    pub old_object: Value,
}

#[derive(Deserialize)]
struct AdmissionReview {
    request: Option<AdmissionRequest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AdmissionRequest {
    uid: String,
    kind: RequestKind,
    #[serde(default)]
    sub_resource: Option<String>,
    operation: String,
    #[serde(default)]
    namespace: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    user_info: UserInfo,
    #[serde(default)]
    object: Value,
    #[serde(default)]
    old_object: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct UserInfo {
    username: String,
    groups: Option<Vec<String>>,
    extra: Option<BTreeMap<String, Vec<String>>>,
}

#[derive(Deserialize)]
struct RequestKind {
    #[serde(default)]
    group: String,
    kind: String,
}

// === impl Request ===

impl Request {
    /// Parses an AdmissionReview of version v1.
    ///
    /// # Errors
    /// Returns an error if the bytes are not an AdmissionReview.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoRequest> {
        let AdmissionReview { request } = serde_json::from_slice(bytes)?;
        let asked = request.ok_or(NoRequest::Empty)?;
        let is_whole = asked.sub_resource.is_none_or(|part| part.is_empty());
        let operation = match asked.operation.as_str() {
            "CREATE" if is_whole => Operation::Create,
            "UPDATE" if is_whole => Operation::Update,
            _ => Operation::Other,
        };
        let named = asked.object["metadata"]["name"].as_str();
        let name = named.map(str::to_owned).or(asked.name);
        Ok(Self {
            uid: asked.uid,
            kind: Kind::of(&asked.kind.group, &asked.kind.kind),
            operation,
            namespace: asked.namespace.unwrap_or_default(),
            name: name.unwrap_or_default(),
            user: Approver {
                user: asked.user_info.username,
                groups: asked.user_info.groups.unwrap_or_default(),
                extra: asked.user_info.extra.unwrap_or_default(),
            },
            object: asked.object,
            old_object: asked.old_object,
        })
    }

    /// Returns the kind of the object if the request must be reviewed. Returns None if the object
    /// is being deleted or if the request does not change the spec.
    pub(crate) fn reviewed(&self) -> Option<Kind> {
        let is_new = match self.operation {
            Operation::Create => true,
            Operation::Update => self.object["spec"] != self.old_object["spec"],
            Operation::Other => false,
        };
        let is_going = !self.object["metadata"]["deletionTimestamp"].is_null();
        self.kind.filter(|_| is_new && !is_going)
    }
}
