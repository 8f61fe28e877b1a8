//! Parses the conversion request of an API server, and builds the response.

use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use crate::convert::converted;

/// The reason why bytes are not a conversion request.
#[derive(Debug, Error)]
pub enum NoConversion {
    #[error("it is no ConversionReview")]
    Json(#[from] serde_json::Error),
    #[error("the ConversionReview has no request")]
    Empty,
}

/// A conversion request: objects, and the version to which they must be converted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conversion {
    uid: String,
    #[serde(rename = "desiredAPIVersion")]
    desired_api_version: String,
    #[serde(default)]
    objects: Vec<Value>,
}

/// The response to a conversion request.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted {
    uid: String,
    /// The converted objects. If one of them cannot be converted, the reason.
    pub objects: Result<Vec<Value>, String>,
}

#[derive(Deserialize)]
struct ConversionReview {
    request: Option<Conversion>,
}

// === impl Conversion ===

impl Conversion {
    /// Parses a ConversionReview of version v1.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a ConversionReview, or if it has no request.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoConversion> {
        let ConversionReview { request } = serde_json::from_slice(bytes)?;
        request.ok_or(NoConversion::Empty)
    }

    /// Converts all objects. If one object cannot be converted, the response contains none.
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
    /// Returns the ConversionReview that contains the response.
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
