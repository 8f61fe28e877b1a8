//! The error response for a rejected request.

use std::fmt::Display;

use serde::Serialize;

use crate::apiserver::request::Attributes;
use crate::{GROUP, RESOURCE};

/// The reason why a request is rejected. Clients react to this reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Reason {
    /// The request is malformed.
    BadRequest,
    /// The caller is not authenticated.
    Unauthorized,
    /// The caller has no permission.
    Forbidden,
    /// The object does not exist.
    NotFound,
    /// The server does not support the verb.
    MethodNotAllowed,
    /// The server does not support an accepted format.
    NotAcceptable,
    /// The requested version is too old.
    Expired,
    /// A parameter is invalid, or two parameters conflict.
    Invalid,
    /// There are too many requests.
    TooManyRequests,
    /// The server has an internal error.
    InternalError,
    /// The server is not ready yet.
    ServiceUnavailable,
    /// The server did not reach the requested version in time.
    Timeout,
}

/// The error response for a rejected request: a Kubernetes `Status` of `v1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    kind: &'static str,
    api_version: &'static str,
    metadata: Metadata,
    status: &'static str,
    /// The message for users.
    pub message: String,
    /// The reason for the rejection.
    pub reason: Reason,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Box<Details>>,
    /// The HTTP status code.
    pub code: u16,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct Metadata {}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    group: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    causes: Vec<Cause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Cause {
    reason: &'static str,
    message: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    field: &'static str,
}

// === impl Reason ===

impl Reason {
    /// Returns the HTTP status code.
    pub const fn code(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::Expired => 410,
            Self::Invalid => 422,
            Self::TooManyRequests => 429,
            Self::InternalError => 500,
            Self::ServiceUnavailable => 503,
            Self::Timeout => 504,
        }
    }
}

// === impl Status ===

impl Status {
    fn new(reason: Reason, message: impl Display) -> Self {
        Self {
            kind: "Status",
            api_version: "v1",
            metadata: Metadata {},
            status: "Failure",
            message: message.to_string(),
            reason,
            details: None,
            code: reason.code(),
        }
    }

    fn with(self, details: Details) -> Self {
        let details = Some(Box::new(details));
        Self { details, ..self }
    }

    fn again_in(self, seconds: u32) -> Self {
        self.with(Details {
            retry_after_seconds: Some(seconds),
            ..Details::default()
        })
    }

    /// Returns the response for a malformed request.
    pub fn bad_request(why: impl Display) -> Self {
        Self::new(Reason::BadRequest, why)
    }

    /// Returns the response for a caller that is not authenticated.
    pub fn unauthorized() -> Self {
        Self::new(Reason::Unauthorized, "Unauthorized")
    }

    /// Returns the response for a user without permission. `why` is the reason that the cluster
    /// reports.
    pub fn forbidden(user: &str, asked: &Attributes, why: &str) -> Self {
        let because = if why.is_empty() {
            String::new()
        } else {
            format!(": {why}")
        };
        let told = asked.verb();
        match asked {
            Attributes::Path { path, .. } => {
                let message =
                    format!("forbidden: User {user:?} cannot {told} path {path:?}{because}");
                Self::new(Reason::Forbidden, message)
            }
            Attributes::Resource {
                name, namespace, ..
            } => {
                let quoted = if name.is_empty() {
                    String::new()
                } else {
                    format!(" {name:?}")
                };
                let place = if namespace.is_empty() {
                    "at the cluster scope".to_owned()
                } else {
                    format!("in the namespace {namespace:?}")
                };
                let message = format!(
                    "{RESOURCE}.{GROUP}{quoted} is forbidden: User {user:?} cannot {told} resource \
                     {RESOURCE:?} in API group {GROUP:?} {place}{because}"
                );
                Self::new(Reason::Forbidden, message).with(Details {
                    name: name.clone(),
                    group: GROUP,
                    kind: RESOURCE,
                    ..Details::default()
                })
            }
        }
    }

    /// Returns the response for a name that no Installed has.
    pub fn not_found(name: &str) -> Self {
        let message = format!("{RESOURCE}.{GROUP} {name:?} not found");
        Self::new(Reason::NotFound, message).with(Details {
            name: name.to_owned(),
            group: GROUP,
            kind: RESOURCE,
            ..Details::default()
        })
    }

    /// Returns the response for an unknown path.
    pub fn no_path() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(Reason::NotFound, message)
    }

    /// Returns the response for a verb that the server does not support for Installed objects.
    pub fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(Reason::MethodNotAllowed, message)
    }

    /// Returns the response if the server supports no accepted format.
    pub fn not_acceptable() -> Self {
        let message = "only the following media types are accepted: application/json, \
                       application/json;as=Table;v=v1;g=meta.k8s.io, \
                       application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io, \
                       application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
        Self::new(Reason::NotAcceptable, message)
    }

    /// Returns the response if the requested version is too old.
    pub fn expired(why: impl Display) -> Self {
        Self::new(Reason::Expired, why)
    }

    /// Returns the response for a parameter that is invalid or that conflicts with another
    /// parameter.
    pub fn invalid(field: &'static str, value: &str, why: impl Display) -> Self {
        let why = if value.is_empty() {
            format!("Forbidden: {why}")
        } else {
            format!("Invalid value: {value:?}: {why}")
        };
        let message = format!("ListOptions.meta.k8s.io \"\" is invalid: {field}: {why}");
        let cause = Cause {
            reason: "FieldValueInvalid",
            message: why,
            field,
        };
        Self::new(Reason::Invalid, message).with(Details {
            group: "meta.k8s.io",
            kind: "ListOptions",
            causes: vec![cause],
            ..Details::default()
        })
    }

    /// Returns the response if there are too many requests.
    pub fn too_many(why: impl Display) -> Self {
        Self::new(Reason::TooManyRequests, why).again_in(1)
    }

    /// Returns the response for an internal error of the server, or of an API that the server uses.
    pub fn internal(why: impl Display) -> Self {
        let message = format!("Internal error occurred: {why}");
        Self::new(Reason::InternalError, message)
    }

    /// Returns the response while the server is not ready yet.
    pub fn unavailable(why: impl Display) -> Self {
        Self::new(Reason::ServiceUnavailable, why).again_in(1)
    }

    /// Returns the response for a resourceVersion that the server has not reached in time.
    pub fn not_reached(why: impl Display) -> Self {
        let message = format!("Too large resource version: {why}");
        let cause = Cause {
            reason: "ResourceVersionTooLarge",
            message: "Too large resource version".to_owned(),
            field: "",
        };
        Self::new(Reason::Timeout, message).with(Details {
            causes: vec![cause],
            retry_after_seconds: Some(1),
            ..Details::default()
        })
    }

    /// Returns the number of seconds after which the client should retry. Returns None if it is not
    /// set.
    pub fn retry_after(&self) -> Option<u32> {
        self.details.as_ref()?.retry_after_seconds
    }

    /// Returns the response as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a Status must be JSON")
    }
}

#[cfg(test)]
mod tests;
