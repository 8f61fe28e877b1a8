//! The request of an API server to a conversion webhook, and the answer.

use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use crate::convert::converted;

/// Bytes that are no question.
#[derive(Debug, Error)]
pub enum NoConversion {
    #[error("it is no ConversionReview")]
    Json(#[from] serde_json::Error),
    #[error("the ConversionReview has no request")]
    Empty,
}

/// Objects, and the version that they are wanted in.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conversion {
    uid: String,
    #[serde(rename = "desiredAPIVersion")]
    desired_api_version: String,
    #[serde(default)]
    objects: Vec<Value>,
}

/// The answer to such a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted {
    uid: String,
    /// The objects, or why one of them cannot be had.
    pub objects: Result<Vec<Value>, String>,
}

#[derive(Deserialize)]
struct Review {
    request: Option<Conversion>,
}

// === impl Conversion ===

impl Conversion {
    /// Reads a ConversionReview of version v1.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoConversion> {
        let Review { request } = serde_json::from_slice(bytes)?;
        request.ok_or(NoConversion::Empty)
    }

    /// Converts all of them, or none.
    pub fn answer(&self) -> Converted {
        let objects = self.objects.iter();
        let objects = objects.map(|object| converted(object, &self.desired_api_version));
        let objects: Result<Vec<_>, _> = objects.collect();
        Converted {
            uid: self.uid.clone(),
            objects: objects.map_err(|why| why.to_string()),
        }
    }
}

// === impl Converted ===

impl Converted {
    /// The ConversionReview that answers.
    pub fn to_json(&self) -> Value {
        let Self { uid, objects } = self;
        let response = match objects {
            Ok(objects) => json!({
                "uid": uid, "convertedObjects": objects, "result": {"status": "Success"},
            }),
            Err(why) => json!({
                "uid": uid, "convertedObjects": [],
                "result": {"status": "Failure", "message": why},
            }),
        };
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
            "response": response,
        })
    }
}
