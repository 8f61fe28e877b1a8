//! The fields of the manifests in an InstallPlan that are kept.
//!
//! A manifest is a JSON text in a string of another JSON text. It is parsed in place and never
//! copied, because a plan may have more than one megabyte, and there are many plans.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Stated, StepResource, stated};
use crate::{ClusterServiceVersion, Subscription, SubscriptionSpec};

/// The kind of a bundle.
const CSV: &str = ClusterServiceVersion::KIND;
/// The kind of a Subscription.
const SUBSCRIPTION: &str = Subscription::KIND;
/// The kind that replaces a manifest if the bundle was unpacked into a ConfigMap.
const POINTER: &str = "ConfigMap";

/// The stored part of a manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum StepManifest {
    /// The manifest is missing, or its kind is not read.
    #[default]
    Unread,
    /// A ClusterServiceVersion.
    Bundle(Box<PlannedBundle>),
    /// A Subscription.
    Subscription(Box<SubscriptionSpec>),
    /// A manifest with one of these kinds that is invalid. Contains the reason.
    Unreadable(Box<str>),
}

/// The data of a bundle that an InstallPlan contains in addition to the ClusterServiceVersion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlannedBundle {
    /// The bundle that this bundle replaces. Empty if it replaces none.
    pub replaces: String,
    /// The properties of the bundle.
    pub properties: Stated,
}

/// The unparsed object of a step, with any manifest.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Carried {
    group: String,
    kind: String,
    name: String,
    source_name: String,
    source_namespace: String,
    manifest: Text,
}

/// The content of a manifest, parsed independently of its step.
#[derive(Debug, Default)]
enum Text {
    #[default]
    Empty,
    Bundle(PlannedBundle),
    Pointer(PlannedBundle),
    Subscription(SubscriptionSpec),
    /// Another kind. Contains the kind.
    Other(String),
    /// The manifest is unreadable. Contains the reason.
    Unreadable(String),
}

struct Reader;

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
}

/// A ClusterServiceVersion as written by its author, in which null counts as missing.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Csv {
    metadata: Option<Metadata>,
    spec: Option<Spec>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    annotations: Option<Annotations>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Annotations {
    #[serde(rename = "operatorframework.io/properties")]
    properties: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    replaces: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Pointer {
    replaces: String,
    properties: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SubscriptionManifest {
    spec: SubscriptionSpec,
}

// === impl StepManifest ===

impl StepManifest {
    /// Creates the manifest of a step. A manifest of another kind is unreadable, because OLM never
    /// writes one.
    fn of(kind: &str, text: Text) -> Self {
        match (kind, text) {
            (CSV | SUBSCRIPTION, Text::Unreadable(why)) => Self::Unreadable(why.into()),
            (CSV, Text::Bundle(bundle) | Text::Pointer(bundle)) => Self::Bundle(Box::new(bundle)),
            (SUBSCRIPTION, Text::Subscription(spec)) => Self::Subscription(Box::new(spec)),
            (CSV | SUBSCRIPTION, Text::Empty) => Self::Unread,
            (CSV | SUBSCRIPTION, text) => {
                Self::Unreadable(format!("it is of kind {:?}", text.kind()).into())
            }
            (_, _) => Self::Unread,
        }
    }
}

// === impl StepResource ===

impl From<Carried> for StepResource {
    fn from(carried: Carried) -> Self {
        let Carried {
            group,
            kind,
            name,
            source_name,
            source_namespace,
            manifest,
        } = carried;
        Self {
            manifest: StepManifest::of(&kind, manifest),
            group,
            kind,
            name,
            source_name,
            source_namespace,
        }
    }
}

// === impl Text ===

impl Text {
    fn read(text: &str) -> Result<Self, serde_json::Error> {
        let Head { kind } = serde_json::from_str(text)?;
        Ok(match &*kind {
            CSV => Self::Bundle(serde_json::from_str::<Csv>(text)?.into()),
            POINTER => Self::Pointer(serde_json::from_str::<Pointer>(text)?.into()),
            // OLM writes the Subscriptions that it creates without their kind (seen with v0.46).
            SUBSCRIPTION | "" => {
                Self::Subscription(serde_json::from_str::<SubscriptionManifest>(text)?.spec)
            }
            _ => Self::Other(kind.into_owned()),
        })
    }

    fn kind(&self) -> &str {
        match self {
            Self::Empty | Self::Unreadable(_) => "",
            Self::Bundle(_) => CSV,
            Self::Pointer(_) => POINTER,
            Self::Subscription(_) => SUBSCRIPTION,
            Self::Other(kind) => kind,
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(Reader)
    }
}

impl Visitor<'_> for Reader {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a manifest as a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        if text.is_empty() {
            return Ok(Text::Empty);
        }
        Ok(Text::read(text).unwrap_or_else(|error| Text::Unreadable(error.to_string())))
    }
}

// === impl PlannedBundle ===

impl From<Csv> for PlannedBundle {
    fn from(csv: Csv) -> Self {
        let annotations = csv.metadata.and_then(|metadata| metadata.annotations);
        let text = annotations.and_then(|annotations| annotations.properties);
        Self {
            replaces: csv.spec.and_then(|spec| spec.replaces).unwrap_or_default(),
            properties: text.as_deref().and_then(stated),
        }
    }
}

impl From<Pointer> for PlannedBundle {
    fn from(pointer: Pointer) -> Self {
        Self {
            properties: stated(&pointer.properties),
            replaces: pointer.replaces,
        }
    }
}
