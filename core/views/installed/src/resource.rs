//! The lists from which Installed objects are derived.

use std::fmt;

/// A list from which Installed objects are derived. The order of the variants is the order in a
/// composite resourceVersion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// The operators of OLM.
    ClusterServiceVersions,
    /// The namespaces that operators watch.
    Namespaces,
    /// The OperatorGroups, which select these namespaces.
    OperatorGroups,
    /// The operators that are installed without OLM.
    Operators,
    /// The ClusterServiceVersions of these operators.
    ResourceManifests,
    /// The Subscriptions that requested the operators of OLM.
    Subscriptions,
}

// === impl Resource ===

impl Resource {
    /// The lists, in order.
    pub const ALL: [Self; 6] = [
        Self::ClusterServiceVersions,
        Self::Namespaces,
        Self::OperatorGroups,
        Self::Operators,
        Self::ResourceManifests,
        Self::Subscriptions,
    ];

    /// Returns the name in paths of the API server.
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

    /// Returns the list with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.name() == name)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
