//! The source lists: the kinds of original objects from which Installed objects are derived.

use std::fmt;

/// A source list. The order of the variants is the order of the lists in the resourceVersion of
/// Installed objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// The ClusterServiceVersions: the operators of OLM.
    ClusterServiceVersions,
    /// The Namespaces that operators watch.
    Namespaces,
    /// The OperatorGroups. They select the namespaces that operators of OLM watch.
    OperatorGroups,
    /// The Operators: the operators that are installed without OLM.
    Operators,
    /// The ResourceManifests with the ClusterServiceVersions of operators that are installed
    /// without OLM.
    ResourceManifests,
    /// The Subscriptions that request the operators of OLM.
    Subscriptions,
}

// === impl Resource ===

impl Resource {
    /// The source lists, in the order of the variants.
    pub const ALL: [Self; 6] = [
        Self::ClusterServiceVersions,
        Self::Namespaces,
        Self::OperatorGroups,
        Self::Operators,
        Self::ResourceManifests,
        Self::Subscriptions,
    ];

    /// Returns the name of the resource in URLs of the API server.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClusterServiceVersions => "clusterserviceversions",
            Self::Namespaces => "namespaces",
            Self::OperatorGroups => "operatorgroups",
            Self::Operators => "operators",
            Self::ResourceManifests => "resourcemanifests",
            Self::Subscriptions => "subscriptions",
        }
    }

    /// Returns the source list with this resource name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.name() == name)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
