//! The response to a request.

use std::fmt;

use portolan_core_names::text::{cut, plain};
use serde_json::{Value, json};

use crate::admission::{Kind, Request};

/// The maximum number of errors in one response.
const MOST: usize = 50;
/// The maximum length of a warning. API servers truncate longer warnings.
const WARNING: usize = 240;

/// An error in an object. A request with errors is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The path of the field, such as `spec.versions[1]`.
    pub field: String,
    /// The message about the field, which follows the path.
    pub sentence: String,
}

/// The response to a request. If there are no errors, the request is allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// The uid of the request.
    pub uid: String,
    /// The kind and the name of the object. None if objects of this kind are not reviewed.
    pub about: Option<(Kind, String)>,
    pub refused: Vec<Refused>,
    /// Warnings about content that may be wrong but is allowed.
    pub warnings: Vec<String>,
}

// === impl Refused ===

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, sentence } = self;
        write!(out, "{field} {sentence}")
    }
}

// === impl Response ===

impl Response {
    /// Returns a response that allows the request.
    pub fn allowed(request: &Request) -> Self {
        Self {
            uid: request.uid.clone(),
            about: request.kind.map(|kind| (kind, request.name.clone())),
            ..Self::default()
        }
    }

    /// Adds a warning.
    #[must_use]
    pub fn warning(mut self, sentence: impl Into<String>) -> Self {
        self.warnings.push(sentence.into());
        self
    }

    pub fn is_allowed(&self) -> bool {
        self.refused.is_empty()
    }

    /// Returns the response as an AdmissionReview.
    pub fn to_json(&self) -> Value {
        let warnings = self.warnings.iter();
        let warnings: Vec<_> = warnings.map(|it| cut(&plain(it), WARNING)).collect();
        let mut response = json!({
            "uid": self.uid, "allowed": self.is_allowed(), "warnings": warnings,
        });
        if !self.is_allowed() {
            response["status"] = self.status();
        }
        json!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response,
        })
    }

    /// Returns the status that an API server returns for an invalid object. kubectl prints its
    /// causes one by one.
    fn status(&self) -> Value {
        let shown = self.refused.iter().take(MOST);
        let mut causes: Vec<_> = shown
            .clone()
            .map(|Refused { field, sentence }| {
                json!({
                    "reason": "FieldValueInvalid", "field": plain(field),
                    "message": plain(sentence),
                })
            })
            .collect();
        let sentences: Vec<_> = shown.map(|it| plain(&it.to_string())).collect();
        let mut message = sentences.join(". ");
        let rest = self.refused.len().saturating_sub(MOST);
        if rest > 0 {
            let more = format!("has {rest} more errors");
            message = format!("{message}. spec {more}");
            causes.push(json!({
                "reason": "FieldValueInvalid", "field": "spec", "message": more,
            }));
        }
        let mut details = json!({"causes": causes});
        if let Some((kind, name)) = &self.about {
            details["group"] = json!(kind.group());
            details["kind"] = json!(kind.as_str());
            details["name"] = json!(name);
        }
        json!({
            "status": "Failure", "code": 422, "reason": "Invalid", "message": message,
            "details": details,
        })
    }
}
