//! Declares which metadata of each kind Portolan reads: annotations, labels, owners, finalizers and
//! field managers.
//!
//! Metadata may be the largest part of an object. Therefore Portolan stores only the metadata that
//! the crates declare as [`Reads`]. Code can read an annotation or label only through its
//! [`Annotation`] or [`Label`]. The crate that reads it must declare it in its `READS`.
//! `tests/layers` checks both rules.
//!
//! ```
//! use kube_core::ObjectMeta;
//! use portolan_core_olm::{Annotation, Pod, Reads};
//!
//! const COLOR: Annotation = Annotation::new("ferry.example/color");
//! const READS: &[Reads] = &[Reads::of::<Pod>().annotations(&[COLOR]).owners()];
//!
//! let annotations = [("ferry.example/color".to_owned(), "blue".to_owned())];
//! let metadata = ObjectMeta { annotations: Some(annotations.into()), ..ObjectMeta::default() };
//! assert_eq!(COLOR.of(&metadata), Some("blue"));
//! assert!(READS[0].is_of::<Pod>());
//! ```

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;

use kube_core::ObjectMeta;

use crate::catalog_source::SERVES;
use crate::cluster_extension::EXTENSION;
use crate::cluster_service_version::COPIED_FROM;
use crate::component::COMPONENT;
use crate::deployment::{DOWNSCALER_ANNOTATIONS, ORIGINAL_REPLICAS, OWNER, REVISION, TRACKED};
use crate::operator_group::{EXCLUDES_GLOBAL, INHERITED, PROVIDED};
use crate::properties::PROPERTIES;
use crate::tool::{TOOL_ANNOTATIONS, TOOL_LABELS};
use crate::workload::{LINEAGE, PART, PROGRAM, VERSION};

use crate::{
    AnyDeployment, ApiRequestCount, ApiService, CatalogSource, ClusterCatalog, ClusterExtension,
    ClusterOperator, ClusterServiceVersion, ClusterVersion, ComponentOperator, CopiedCsv,
    CustomResourceDefinition, DaemonSet, Deployment, Event, ImageContentSourcePolicy,
    ImageDigestMirrorSet, ImageTagMirrorSet, InstallPlan, Job, JobEvent, Lease, Namespace, Node,
    OlmDeployment, OperatorCondition, OperatorGroup, Pod, PullSecretEvent, ReplicaSet, StatefulSet,
    Subscription, ValidatingWebhookConfiguration,
};

/// Every label of an object. Users can select a catalog by any label, and Pods select a node by any
/// label.
const ANY: Label = Label::beginning("");

/// The metadata that the functions of this crate read.
pub const READS: &[Reads] = &[
    Reads::of::<AnyDeployment>()
        .annotations(&[ORIGINAL_REPLICAS])
        .labels(&[EXTENSION, LINEAGE, OWNER, PART, PROGRAM])
        .managers(Managers::Names),
    Reads::of::<ApiRequestCount>(),
    Reads::of::<ApiService>(),
    Reads::of::<CatalogSource>().labels(&[ANY]),
    Reads::of::<ClusterCatalog>().labels(&[ANY]),
    Reads::of::<ClusterExtension>(),
    Reads::of::<ClusterOperator>(),
    Reads::of::<ClusterServiceVersion>()
        .annotations(&[PROPERTIES])
        .labels(&[COMPONENT, COPIED_FROM]),
    Reads::of::<ClusterVersion>(),
    Reads::of::<ComponentOperator>(),
    Reads::of::<CopiedCsv>().labels(&[COPIED_FROM]),
    Reads::of::<CustomResourceDefinition>().labels(&[PROGRAM, VERSION]),
    Reads::of::<DaemonSet>().labels(&[LINEAGE]),
    Reads::of::<Deployment>()
        .annotations(&[TRACKED])
        .labels(&[OWNER])
        .owners()
        .managers(Managers::Names),
    Reads::of::<Event>(),
    Reads::of::<ImageContentSourcePolicy>(),
    Reads::of::<ImageDigestMirrorSet>(),
    Reads::of::<ImageTagMirrorSet>(),
    Reads::of::<InstallPlan>(),
    Reads::of::<Job>(),
    Reads::of::<JobEvent>(),
    Reads::of::<Lease>(),
    Reads::of::<Namespace>(),
    Reads::of::<Node>().labels(&[ANY]),
    Reads::of::<OlmDeployment>(),
    Reads::of::<OperatorCondition>(),
    Reads::of::<OperatorGroup>().annotations(&[EXCLUDES_GLOBAL, INHERITED, PROVIDED]),
    Reads::of::<Pod>().labels(&[SERVES]).owners(),
    Reads::of::<PullSecretEvent>(),
    Reads::of::<ReplicaSet>().annotations(&[REVISION]).owners(),
    Reads::of::<StatefulSet>().labels(&[LINEAGE]),
    Reads::of::<ValidatingWebhookConfiguration>(),
    // The schedule by which kube-downscaler scales Deployments.
    Reads::of::<AnyDeployment>().annotations(DOWNSCALER_ANNOTATIONS),
    Reads::of::<Deployment>().annotations(DOWNSCALER_ANNOTATIONS),
    // The labels and annotations of tools that apply users' objects, and the contacts of the
    // owners.
    Reads::of::<AnyDeployment>()
        .annotations(TOOL_ANNOTATIONS)
        .labels(TOOL_LABELS),
    Reads::of::<ClusterExtension>()
        .annotations(TOOL_ANNOTATIONS)
        .labels(TOOL_LABELS)
        .managers(Managers::Names),
    Reads::of::<CatalogSource>()
        .annotations(TOOL_ANNOTATIONS)
        .managers(Managers::Names),
    Reads::of::<Deployment>()
        .annotations(TOOL_ANNOTATIONS)
        .labels(TOOL_LABELS),
    Reads::of::<OperatorGroup>()
        .annotations(TOOL_ANNOTATIONS)
        .labels(TOOL_LABELS)
        .managers(Managers::Names),
    Reads::of::<Subscription>()
        .annotations(TOOL_ANNOTATIONS)
        .labels(TOOL_LABELS)
        .managers(Managers::Names),
];

/// An annotation that Portolan reads, by its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotation(&'static str);

/// A label that Portolan reads, by its key. Also several labels, by the common prefix of their
/// keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    name: &'static str,
    is_prefix: bool,
}

/// The metadata of a kind that a crate reads. Names, uid, versions and deletion time are always
/// read.
#[derive(Debug, Clone, Copy)]
pub struct Reads {
    kind: fn() -> TypeId,
    /// The annotations that the crate reads.
    pub annotations: &'static [Annotation],
    /// The labels that the crate reads.
    pub labels: &'static [Label],
    /// True if the crate reads the owner references.
    pub owners: bool,
    /// True if the crate reads the finalizers. The finalizers of an object that is being deleted
    /// are always stored.
    pub finalizers: bool,
    /// The field managers that the crate reads.
    pub managers: Managers,
    /// True if the crate reads all fields of spec and status. Most crates read only some fields.
    pub in_full: bool,
}

/// The name and uid of an object, at one resource version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectIdentity {
    /// The namespace. None if the object is cluster-scoped.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The uid. None for an object that does not come from a cluster, such as an object in a file.
    pub uid: Option<String>,
    /// The resource version. None for an object that does not come from a cluster.
    pub resource_version: Option<String>,
}

/// The field managers that a crate reads. Each variant includes the previous variants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Managers {
    /// The crate reads no field managers.
    #[default]
    Nobody,
    /// The field managers that wrote at least one field of the status.
    OfStatus,
    /// The names of all field managers, without the fields that each of them wrote.
    Names,
    /// The field managers of each field of the spec, and the field managers of any part of the
    /// status.
    OfSpec,
}

// === impl Annotation ===

impl Annotation {
    /// Creates an annotation with this key.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the key of the annotation.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Returns true if this is the key of the annotation.
    pub fn is_named(self, name: &str) -> bool {
        self.0 == name
    }

    /// Returns the value of this annotation on an object.
    pub fn of(self, metadata: &ObjectMeta) -> Option<&str> {
        let annotations = metadata.annotations.as_ref()?;
        annotations.get(self.0).map(String::as_str)
    }
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

// === impl Label ===

impl Label {
    /// Creates a label with this key.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            is_prefix: false,
        }
    }

    /// Creates a label that stands for all labels whose keys start with this prefix.
    pub const fn beginning(prefix: &'static str) -> Self {
        Self {
            name: prefix,
            is_prefix: true,
        }
    }

    /// Returns the key of the label, or the prefix of the keys.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns true if this is the key of the label, or if the key has the prefix.
    pub fn is_named(self, name: &str) -> bool {
        name.strip_prefix(self.name)
            .is_some_and(|rest| self.is_prefix || rest.is_empty())
    }

    /// Returns the value of this label on an object.
    pub fn of(self, metadata: &ObjectMeta) -> Option<&str> {
        let labels = metadata.labels.as_ref()?;
        labels.get(self.name).map(String::as_str)
    }

    /// Returns the keys of an object's labels that have this prefix, without the prefix.
    pub fn suffixes(self, metadata: &ObjectMeta) -> impl Iterator<Item = &str> {
        let labels = metadata.labels.iter().flat_map(|labels| labels.keys());
        labels.filter_map(move |name| name.strip_prefix(self.name))
    }
}

// === impl Reads ===

impl Reads {
    /// Declares that only names, uid, versions and deletion time are read.
    pub const fn of<K: 'static>() -> Self {
        Self {
            kind: TypeId::of::<K>,
            annotations: &[],
            labels: &[],
            owners: false,
            finalizers: false,
            managers: Managers::Nobody,
            in_full: false,
        }
    }

    /// Adds annotations that are read.
    #[must_use]
    pub const fn annotations(self, annotations: &'static [Annotation]) -> Self {
        Self {
            annotations,
            ..self
        }
    }

    /// Adds labels that are read.
    #[must_use]
    pub const fn labels(self, labels: &'static [Label]) -> Self {
        Self { labels, ..self }
    }

    /// Adds the owner references, which are then read.
    #[must_use]
    pub const fn owners(self) -> Self {
        Self {
            owners: true,
            ..self
        }
    }

    /// Adds the finalizers, which are then read.
    #[must_use]
    pub const fn finalizers(self) -> Self {
        Self {
            finalizers: true,
            ..self
        }
    }

    /// Adds field managers that are read.
    #[must_use]
    pub const fn managers(self, managers: Managers) -> Self {
        Self { managers, ..self }
    }

    /// Declares that all fields of spec and status are read.
    #[must_use]
    pub const fn in_full(self) -> Self {
        Self {
            in_full: true,
            ..self
        }
    }

    /// Returns true if this declares the metadata of kind `K`.
    pub fn is_of<K: 'static>(&self) -> bool {
        (self.kind)() == TypeId::of::<K>()
    }
}

// === impl ObjectIdentity ===

impl From<&ObjectMeta> for ObjectIdentity {
    fn from(metadata: &ObjectMeta) -> Self {
        Self {
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone().unwrap_or_default(),
            uid: metadata.uid.clone(),
            resource_version: metadata.resource_version.clone(),
        }
    }
}

/// Returns the uid of the controlling owner. An object has at most one controlling owner.
pub(crate) fn controller_uid(metadata: &ObjectMeta) -> Option<&str> {
    let mut owners = metadata.owner_references.iter().flatten();
    let owner = owners.find(|owner| owner.controller == Some(true));
    owner.map(|owner| owner.uid.as_str())
}

/// Returns true if an object has all these labels.
pub(crate) fn has_labels(metadata: &ObjectMeta, wanted: &BTreeMap<String, String>) -> bool {
    let labels = metadata.labels.as_ref();
    let mut wanted = wanted.iter();
    wanted.all(|(name, value)| labels.and_then(|labels| labels.get(name)) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_is_found_by_its_name_or_its_prefix() {
        let labels = ["olm.owner", "olm.owner.namespace"];
        let labels = labels.map(|name| (name.to_owned(), "a".to_owned()));
        let metadata = ObjectMeta {
            labels: Some(labels.into()),
            ..ObjectMeta::default()
        };
        let (one, many) = (Label::new("olm.owner"), Label::beginning("olm.owner"));
        assert_eq!(one.of(&metadata), Some("a"));
        assert_eq!(
            many.suffixes(&metadata).collect::<Vec<_>>(),
            ["", ".namespace"]
        );
        assert!(one.is_named("olm.owner") && !one.is_named("olm.owner.namespace"));
        assert!(many.is_named("olm.owner.namespace") && !many.is_named("olm"));
    }
}
