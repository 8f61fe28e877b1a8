//! The original objects from which Installed objects are derived. Each has the fields that the
//! index needs, and the text that Installed objects contain.

mod csv;
mod group;
mod own;
mod subscription;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use thiserror::Error;

pub use self::csv::Csv;
pub use self::group::{Group, Targets};
pub(crate) use self::own::Planned;
pub use self::own::{OwnOperator, StoredCsv};
pub use self::subscription::Subscription;
use crate::{Key, Resource};

/// An original object, from which Installed objects are derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Original {
    /// The ClusterServiceVersion of an operator of OLM.
    Csv(Arc<Csv>),
    /// A copied ClusterServiceVersion, which is ignored.
    Copy(Key),
    /// The Subscription that requested an operator.
    Subscription(Arc<Subscription>),
    /// An OperatorGroup: the namespaces that the operators in its namespace watch.
    Group(Arc<Group>),
    /// A namespace.
    Namespace(Arc<Namespace>),
    /// The Operator of an operator that is installed without OLM.
    Operator(Arc<OwnOperator>),
    /// The ClusterServiceVersion of an operator that is installed without OLM.
    Stored(Arc<StoredCsv>),
}

/// A namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// The name.
    pub name: Arc<str>,
    /// The labels of the namespace. OperatorGroups select namespaces by their labels.
    pub labels: BTreeMap<String, String>,
}

/// The JSON of an object. All Installed objects that contain it share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body(Arc<str>);

/// The reason why a text is not a valid original object.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// The text is not a JSON object.
    #[error("it is not a JSON object: {0}")]
    NoObject(String),
    /// The object has no name.
    #[error("it has no metadata.{0}")]
    Unnamed(&'static str),
    /// The ResourceManifest contains no valid ClusterServiceVersion.
    #[error("it has no ClusterServiceVersion: {0}")]
    NoCsv(String),
}

// === impl Original ===

impl Original {
    /// Parses an object of a source list from the JSON of an API server.
    ///
    /// # Errors
    /// Returns an error if the text is not an object, or if the object has no name.
    pub fn read(resource: Resource, json: &str) -> Result<Self, Unreadable> {
        let object = parse(json)?;
        match resource {
            Resource::ClusterServiceVersions => {
                let csv = Csv::of(object)?;
                Ok(if csv.is_copy {
                    Self::Copy(csv.key)
                } else {
                    Self::Csv(csv.into())
                })
            }
            Resource::Subscriptions => Ok(Self::Subscription(Subscription::of(object)?.into())),
            Resource::OperatorGroups => Ok(Self::Group(Group::of(object)?.into())),
            Resource::Namespaces => Ok(Self::Namespace(Namespace::of(&object)?.into())),
            Resource::Operators => Ok(Self::Operator(OwnOperator::of(&object)?.into())),
            Resource::ResourceManifests => Ok(Self::Stored(StoredCsv::of(&object)?.into())),
        }
    }

    /// Returns the source list to which the object belongs.
    pub fn resource(&self) -> Resource {
        match self {
            Self::Csv(_) | Self::Copy(_) => Resource::ClusterServiceVersions,
            Self::Subscription(_) => Resource::Subscriptions,
            Self::Group(_) => Resource::OperatorGroups,
            Self::Namespace(_) => Resource::Namespaces,
            Self::Operator(_) => Resource::Operators,
            Self::Stored(_) => Resource::ResourceManifests,
        }
    }

    /// Returns the key of the object.
    pub fn key(&self) -> Key {
        match self {
            Self::Csv(csv) => csv.key.clone(),
            Self::Copy(key) => key.clone(),
            Self::Subscription(subscription) => subscription.key.clone(),
            Self::Group(group) => group.key.clone(),
            Self::Namespace(namespace) => Key {
                namespace: "".into(),
                name: namespace.name.clone(),
            },
            Self::Operator(operator) => Key {
                namespace: "".into(),
                name: operator.name.clone(),
            },
            Self::Stored(stored) => stored.key.clone(),
        }
    }
}

// === impl Namespace ===

impl Namespace {
    /// Returns a namespace without labels.
    pub fn named(name: Arc<str>) -> Self {
        Self {
            name,
            labels: BTreeMap::new(),
        }
    }

    fn of(object: &Map<String, Value>) -> Result<Self, Unreadable> {
        Ok(Self {
            name: text(object, "metadata", "name")
                .ok_or(Unreadable::Unnamed("name"))?
                .into(),
            labels: labels(object),
        })
    }
}

// === impl Body ===

impl Body {
    pub(crate) fn of(object: Map<String, Value>) -> Self {
        Self(Value::Object(object).to_string().into())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

pub(crate) fn parse(json: &str) -> Result<Map<String, Value>, Unreadable> {
    serde_json::from_str(json).map_err(|error| Unreadable::NoObject(error.to_string()))
}

/// Returns the namespace and name of a namespaced object.
fn key(object: &Map<String, Value>) -> Result<Key, Unreadable> {
    let named = |field| text(object, "metadata", field).ok_or(Unreadable::Unnamed(field));
    Ok(Key::new(named("namespace")?, named("name")?))
}

/// Returns a text in a field of `part`, such as `metadata`. Returns None if it is empty or not a
/// text.
fn text<'a>(object: &'a Map<String, Value>, part: &str, field: &str) -> Option<&'a str> {
    let text = object.get(part)?.get(field)?.as_str()?;
    (!text.is_empty()).then_some(text)
}

/// Returns a text in a field of `part`. Returns an empty text if the field is missing.
fn shared(object: &Map<String, Value>, part: &str, field: &str) -> Arc<str> {
    text(object, part, field).unwrap_or_default().into()
}

fn labels(object: &Map<String, Value>) -> BTreeMap<String, String> {
    let labels = object
        .get("metadata")
        .and_then(|metadata| metadata.get("labels"));
    let labels = labels.and_then(Value::as_object).into_iter().flatten();
    let labels =
        labels.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    labels.collect()
}
