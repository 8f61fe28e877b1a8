//! References to objects of a cluster: by kind, namespace and name.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::text::write_object;

/// A kind in one version of its API group. Kinds are ordered by `apiVersion`, then by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Gvk {
    /// The API group. Empty for the core group.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
    /// The kind, such as `Deployment`.
    pub kind: String,
}

/// A kind in any version of its API group.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKind {
    /// The API group. Empty for the core group, with kinds such as ConfigMap.
    pub group: String,
    /// The kind, such as `Deployment`.
    pub kind: String,
}

/// The namespace and name of an object, which identify it within its kind. The namespace is empty
/// for cluster-scoped kinds, and for manifests without a namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The namespace, or an empty text.
    pub namespace: Arc<str>,
    /// The name.
    pub name: Arc<str>,
}

/// A reference to an object.
///
/// With a [`GroupKind`], it identifies the object in all versions of its API group. With a [`Gvk`],
/// it also contains the version in which the object is read or written.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef<K = GroupKind> {
    /// The kind.
    pub kind: K,
    /// The namespace. None for cluster-scoped objects.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
}

/// The JSON form of a reference.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Reference {
    api_version: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    name: String,
}

// === impl Gvk ===

impl Gvk {
    /// Returns the kind with this `apiVersion` and kind name.
    pub fn new(api_version: &str, kind: &str) -> Self {
        let (group, version) = split_api_version(api_version);
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// Returns the kind of an object, from its `apiVersion` and `kind`.
    pub fn of(object: &Value) -> Self {
        let [api_version, kind] = ["apiVersion", "kind"].map(|field| object[field].as_str());
        Self::new(api_version.unwrap_or_default(), kind.unwrap_or_default())
    }

    /// Parses a kind in the form `KIND.VERSION.GROUP`.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once('.')?;
        let (version, group) = rest.split_once('.')?;
        Some(Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        })
    }

    /// Returns the group and version in the form of manifests, such as `apps/v1`.
    pub fn api_version(&self) -> String {
        let Self { group, version, .. } = self;
        match group.as_str() {
            "" => version.clone(),
            group => format!("{group}/{version}"),
        }
    }

    /// Returns true if this kind has the given `apiVersion` and kind name.
    pub fn is(&self, api_version: &str, kind: &str) -> bool {
        self.kind == kind && split_api_version(api_version) == (&*self.group, &*self.version)
    }

    /// Returns the bytes of the `apiVersion`, without allocating a string.
    fn api_version_bytes(&self) -> impl Iterator<Item = u8> {
        let slash = if self.group.is_empty() { "" } else { "/" };
        let group = self.group.bytes().chain(slash.bytes());
        group.chain(self.version.bytes())
    }
}

impl Ord for Gvk {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_version = self.api_version_bytes().cmp(other.api_version_bytes());
        by_version
            .then_with(|| self.kind.cmp(&other.kind))
            .then_with(|| self.group.cmp(&other.group))
    }
}

impl PartialOrd for Gvk {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Formats the kind as kubectl takes it, as in `Deployment.v1.apps`.
impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            group,
            version,
            kind,
        } = self;
        write!(f, "{kind}.{version}.{group}")
    }
}

// === impl GroupKind ===

impl GroupKind {
    /// Returns the kind with this group and kind name.
    pub fn new(group: &str, kind: &str) -> Self {
        Self {
            group: group.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// Returns the kind of an object.
    pub fn of(object: &Value) -> Self {
        Gvk::of(object).into()
    }

    /// Returns the kind Job.
    pub fn job() -> Self {
        Self::new("batch", "Job")
    }

    /// Returns true if this kind has the given group and kind name.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    /// Returns true for the kind CustomResourceDefinition.
    pub fn is_definition(&self) -> bool {
        self.is("apiextensions.k8s.io", "CustomResourceDefinition")
    }

    /// Returns true for the kind Namespace.
    pub fn is_namespace(&self) -> bool {
        self.is("", "Namespace")
    }

    /// Returns true for the kind APIService.
    pub fn is_api_service(&self) -> bool {
        self.is("apiregistration.k8s.io", "APIService")
    }

    /// Returns true if the deletion of an object of this kind also deletes other objects or data.
    pub fn is_precious(&self) -> bool {
        self.is_definition() || self.is_namespace() || self.is("", "PersistentVolumeClaim")
    }
}

impl From<Gvk> for GroupKind {
    fn from(Gvk { group, kind, .. }: Gvk) -> Self {
        Self { group, kind }
    }
}

/// Formats the kind as in `Deployment.apps`.
impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group.as_str() {
            "" => f.write_str(&self.kind),
            group => write!(f, "{}.{group}", self.kind),
        }
    }
}

// === impl Key ===

impl Key {
    /// Returns the key with this namespace and name.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

/// Formats the key as in `harbor/ferry`.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { namespace, name } = self;
        match &**namespace {
            "" => f.write_str(name),
            namespace => write!(f, "{namespace}/{name}"),
        }
    }
}

// === impl ObjectRef ===

impl<K> ObjectRef<K> {
    /// Returns the reference with this namespace and name. An empty namespace becomes None.
    pub fn new<'a>(kind: K, namespace: impl Into<Option<&'a str>>, name: &str) -> Self {
        let namespace = namespace.into().filter(|it| !it.is_empty());
        Self {
            kind,
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    /// Returns the namespace. Returns an empty text for cluster-scoped objects.
    pub fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }

    /// Returns the namespace and name as a key.
    pub fn key(&self) -> Key {
        Key::new(self.namespace(), &self.name)
    }

    /// Returns a reference of this kind, with the namespace and name of a manifest.
    fn named(kind: K, manifest: &Value) -> Self {
        let text = |field: &str| manifest["metadata"][field].as_str();
        Self::new(kind, text("namespace"), text("name").unwrap_or_default())
    }
}

impl ObjectRef {
    /// Returns the reference to an object, without its API version.
    pub fn of(object: &Value) -> Self {
        Self::named(GroupKind::of(object), object)
    }
}

impl ObjectRef<Gvk> {
    /// Returns the reference to an object, with the API version of the manifest.
    pub fn versioned(object: &Value) -> Self {
        Self::named(Gvk::of(object), object)
    }
}

/// Formats the object as in `Deployment.apps harbor/ferry`.
impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_object(f, &self.kind, self.namespace(), &self.name)
    }
}

/// Formats the object as in `Deployment harbor/ferry`.
impl fmt::Display for ObjectRef<Gvk> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_object(f, &self.kind.kind, self.namespace(), &self.name)
    }
}

impl Serialize for ObjectRef<Gvk> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self {
            kind,
            namespace,
            name,
        } = self.clone();
        let reference = Reference {
            api_version: kind.api_version(),
            kind: kind.kind,
            namespace,
            name,
        };
        reference.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ObjectRef<Gvk> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Reference {
            api_version,
            kind,
            namespace,
            name,
        } = Reference::deserialize(deserializer)?;
        Ok(Self {
            kind: Gvk::new(&api_version, &kind),
            namespace,
            name,
        })
    }
}

/// Splits an `apiVersion` into group and version. The group is empty for the core group.
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::core("v1", "", "v1")]
    #[case::group("apps/v1", "apps", "v1")]
    fn api_version_is_split_into_group_and_version(
        #[case] api_version: &str,
        #[case] group: &str,
        #[case] version: &str,
    ) {
        let gvk = Gvk::new(api_version, "Thing");
        assert_eq!((&*gvk.group, &*gvk.version), (group, version));
        assert_eq!(gvk.api_version(), api_version);
        assert!(gvk.is(api_version, "Thing"));
        assert!(!gvk.is("apps/v2", "Thing") && !gvk.is(api_version, "Other"));
    }

    #[rstest]
    #[case::namespaced(
        Some("harbor"),
        "Deployment.apps harbor/ferry",
        "Deployment harbor/ferry"
    )]
    #[case::cluster_scoped(None, "Deployment.apps ferry", "Deployment ferry")]
    fn reference_formats_as_kind_and_names(
        #[case] namespace: Option<&str>,
        #[case] identity: &str,
        #[case] versioned: &str,
    ) {
        let object = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "ferry", "namespace": namespace},
        });
        assert_eq!(ObjectRef::of(&object).to_string(), identity);
        assert_eq!(ObjectRef::versioned(&object).to_string(), versioned);
    }

    #[test]
    fn object_reference_is_serialized_as_in_kubernetes() {
        let namespaced = ObjectRef::new(Gvk::new("apps/v1", "Deployment"), "harbor", "ferry");
        let json = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "namespace": "harbor", "name": "ferry",
        });
        assert_eq!(serde_json::to_value(&namespaced).ok(), Some(json));
        let cluster = ObjectRef::new(Gvk::new("v1", "Namespace"), None, "harbor");
        let text = r#"{"apiVersion":"v1","kind":"Namespace","name":"harbor"}"#;
        assert_eq!(serde_json::to_string(&cluster).ok().as_deref(), Some(text));
    }

    #[test]
    fn kind_parses_the_form_of_kubectl() {
        let ship = Gvk::new("ferry.example/v1", "Ship");
        assert_eq!(ship.to_string(), "Ship.v1.ferry.example");
        assert_eq!(Gvk::parse("Ship.v1.ferry.example"), Some(ship));
        assert_eq!(Gvk::parse("Ship.v1"), None);
    }

    fn gvk() -> impl Strategy<Value = Gvk> {
        let parts = ("(|[a-c][a-c.-]{0,3})", "v[12]", "[A-C]");
        parts.prop_map(|(group, version, kind)| Gvk {
            group,
            version,
            kind,
        })
    }

    proptest! {
        #[test]
        fn kinds_are_ordered_as_their_api_versions(one in gvk(), other in gvk()) {
            let text = |gvk: &Gvk| (gvk.api_version(), gvk.kind.clone());
            prop_assert_eq!(one.cmp(&other), text(&one).cmp(&text(&other)));
        }

        #[test]
        fn references_round_trip_through_json(kind in gvk(), namespace in "[a-c]{0,2}", name in "[a-c]+") {
            let reference = ObjectRef::new(kind, &*namespace, &name);
            let json = serde_json::to_value(&reference).expect("a reference must serialize");
            let read: ObjectRef<Gvk> = serde_json::from_value(json).expect("a reference must parse");
            prop_assert_eq!(read, reference);
        }
    }
}
