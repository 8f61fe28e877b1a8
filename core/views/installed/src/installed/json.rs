//! Writes Installed objects as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{GROUP, Installed, KIND, REPLACED_BY, SAME_NAME_IN, VERSION};
use crate::original::Body;

/// The fields of a Subscription that a user may see. Only users who may read the Subscription may
/// see the values of its environment variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubscriptionDetail {
    /// Every field, for users who may read the Subscription.
    Full,
    /// The fields without annotations and without values of environment variables.
    Limited,
}

/// A piece of JSON. Pieces that several Installed objects share are not copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A text of a single object.
    Own(String),
    /// A text that several objects share.
    Shared(Body),
    /// A constant text.
    Fixed(&'static str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<&'static str, &'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    creation_timestamp: &'a str,
    labels: &'a BTreeMap<String, String>,
    name: &'a str,
    namespace: &'a str,
    resource_version: String,
    uid: String,
}

// === impl Installed ===

impl Installed {
    /// Returns the object as pieces of JSON, so that writing a list needs little memory.
    pub fn pieces(&self, detail: SubscriptionDetail) -> Vec<Piece> {
        let head = format!(
            r#"{{"apiVersion":"{GROUP}/{VERSION}","kind":"{KIND}","metadata":{},"status":{{"clusterServiceVersion":"#,
            self.metadata_json(),
        );
        let mut pieces = vec![
            Piece::Own(head),
            Piece::Shared(self.operator.csv.body.clone()),
        ];
        if let Some(subscription) = &self.operator.subscription {
            let body = match detail {
                SubscriptionDetail::Full => &subscription.body,
                SubscriptionDetail::Limited => &subscription.limited_body,
            };
            pieces.push(Piece::Fixed(r#","subscription":"#));
            pieces.push(Piece::Shared(body.clone()));
        }
        pieces.push(Piece::Fixed("}}"));
        pieces
    }

    /// Returns the object as JSON.
    pub fn to_json(&self, detail: SubscriptionDetail) -> String {
        let pieces = self.pieces(detail);
        pieces.iter().map(Piece::as_str).collect()
    }

    /// Returns the object as JSON of a PartialObjectMetadata, which has only the metadata.
    pub fn to_partial(&self) -> String {
        format!(
            r#"{{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{}}}"#,
            self.metadata_json()
        )
    }

    /// Returns the metadata as JSON.
    pub fn metadata_json(&self) -> String {
        let replaced_by = self.operator.replaced_by.as_deref().unwrap_or_default();
        let annotations = [
            (REPLACED_BY, replaced_by),
            (SAME_NAME_IN, &*self.same_name_in),
        ];
        let annotations = annotations.into_iter().filter(|(_, text)| !text.is_empty());
        let metadata = Metadata {
            annotations: annotations.collect(),
            creation_timestamp: &self.operator.csv.created,
            labels: &self.operator.labels,
            name: &self.name,
            namespace: &self.namespace,
            resource_version: self.version.to_string(),
            uid: self.uid(),
        };
        serde_json::to_string(&metadata).expect("texts must be JSON")
    }
}

// === impl Piece ===

impl Piece {
    /// Returns the text of the piece.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Shared(body) => body.as_str(),
            Self::Fixed(text) => text,
        }
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        self.as_str().as_bytes()
    }
}
