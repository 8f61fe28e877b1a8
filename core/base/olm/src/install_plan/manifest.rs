//! Parses the manifests in an InstallPlan, and keeps only the fields that Portolan reads.
//!
//! A manifest is a JSON text inside a string of another JSON text. It is parsed in place without
//! copying, because a plan may have more than one megabyte and a cluster has many plans.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Stated, StepResource, stated};
use crate::{ClusterServiceVersion, Subscription, SubscriptionSpec};

/// The kind of the manifest that describes a bundle.
const CSV: &str = ClusterServiceVersion::KIND;
/// The kind of a Subscription.
const SUBSCRIPTION: &str = Subscription::KIND;
/// The kind of the object that replaces a manifest if OLM unpacked the bundle into a ConfigMap.
const POINTER: &str = "ConfigMap";

/// The stored part of a manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum StepManifest {
    /// The manifest is missing, or Portolan does not read its kind.
    #[default]
    Unread,
    /// A ClusterServiceVersion.
    Bundle(Box<PlannedBundle>),
    /// A Subscription.
    Subscription(Box<SubscriptionSpec>),
    /// The manifest should be a ClusterServiceVersion or a Subscription, but is invalid. Contains
    /// the error.
    Unreadable(Box<str>),
}

/// The data of a ClusterServiceVersion manifest that Portolan reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlannedBundle {
    /// The bundle that this bundle replaces. Empty if it replaces no bundle.
    pub replaces: String,
    /// The properties of the bundle.
    pub properties: Stated,
}

/// The object of a step, with a manifest of any kind.
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

/// The parsed content of a manifest, before it is compared with the kind in the step.
#[derive(Debug, Default)]
enum Text {
    #[default]
    Empty,
    Bundle(PlannedBundle),
    Pointer(PlannedBundle),
    Subscription(SubscriptionSpec),
    /// A manifest of another kind. Contains this kind.
    Other(String),
    /// A manifest that cannot be parsed. Contains the error.
    Unreadable(String),
}

struct Reader;

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
}

/// A ClusterServiceVersion manifest. The author of the bundle wrote it, so fields can be null. A
/// null field counts as missing.
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
    /// Returns the manifest of a step. If its kind differs from the kind in the step, it is
    /// unreadable, because OLM never writes such a manifest.
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
            // OLM omits the kind in the manifests of Subscriptions that it creates (seen with OLM
            // v0.46).
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
