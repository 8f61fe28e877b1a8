//! The kinds that an API server serves, with their resource names and versions.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{GroupKind, nearest};
use serde_json::Value;

use crate::manifest::Members;
use crate::object::{items, text};

/// The resource of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedKind {
    /// The name of the resource in URLs, such as `configmaps`.
    pub plural: String,
    pub is_namespaced: bool,
    /// True if objects of the kind can be listed and deleted. Otherwise, the deletion of the kind
    /// deletes no objects.
    pub is_listed: bool,
    /// The served versions.
    pub versions: BTreeSet<String>,
}

/// The kinds that the API server serves. If the server of an API group does not answer, the last
/// known kinds of this group stay in the list. Otherwise, these kinds would count as removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovery(BTreeMap<GroupKind, ServedKind>);

impl Discovery {
    pub fn kind(&self, kind: &GroupKind) -> Option<&ServedKind> {
        self.0.get(kind)
    }

    /// Returns the kind of the same group with the most similar name. Returns None if no name is
    /// similar.
    pub fn nearest(&self, kind: &GroupKind) -> Option<&str> {
        let same_group = self.0.keys().filter(|other| other.group == kind.group);
        let names: BTreeSet<_> = same_group.map(|other| other.kind.as_str()).collect();
        nearest(&kind.kind, names.iter()).copied()
    }

    /// Returns true if the API server currently serves the kind in this version.
    pub fn serves(&self, kind: &GroupKind, version: &str) -> bool {
        let served = self.kind(kind);
        served.is_some_and(|served| served.versions.contains(version))
    }

    /// Returns the version in which objects of the kind are read and deleted. This is the version
    /// of the manifest if it is served, and another served version otherwise. Returns None if the
    /// kind is not served.
    pub fn version<'d>(&'d self, kind: &GroupKind, written: &str) -> Option<&'d str> {
        let versions = &self.kind(kind)?.versions;
        let version = versions.get(written).or_else(|| versions.last());
        version.map(String::as_str)
    }

    /// Iterates over the kinds.
    pub fn iter(&self) -> impl Iterator<Item = (&GroupKind, &ServedKind)> {
        self.0.iter()
    }

    /// Returns a copy that also contains the kinds that the CRDs of the plan define.
    #[must_use]
    pub fn with_definitions(&self, members: &Members) -> Self {
        let definitions = members
            .iter()
            .filter(|member| member.identity.kind.is_definition());
        let mut kinds = self.0.clone();
        kinds.extend(definitions.map(|member| defined(&member.manifest)));
        Self(kinds)
    }
}

impl IntoIterator for Discovery {
    type Item = (GroupKind, ServedKind);
    type IntoIter = std::collections::btree_map::IntoIter<GroupKind, ServedKind>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<(GroupKind, ServedKind)> for Discovery {
    fn from_iter<I: IntoIterator<Item = (GroupKind, ServedKind)>>(kinds: I) -> Self {
        Self(kinds.into_iter().collect())
    }
}

/// Returns the kind that a CRD defines.
pub fn defined(definition: &Value) -> (GroupKind, ServedKind) {
    let kind = GroupKind::new(
        text(definition, "/spec/group"),
        text(definition, "/spec/names/kind"),
    );
    let versions = items(definition, "/spec/versions").iter();
    let versions = versions.filter(|version| version["served"] == true);
    let served = ServedKind {
        plural: text(definition, "/spec/names/plural").to_owned(),
        is_namespaced: text(definition, "/spec/scope") == "Namespaced",
        is_listed: true,
        versions: versions
            .map(|version| text(version, "/name").to_owned())
            .collect(),
    };
    (kind, served)
}
