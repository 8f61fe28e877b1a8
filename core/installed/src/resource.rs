//! The lists that Installed are made from.

use std::fmt;

/// A list of a cluster that Installed are made from, in the order of a composite resourceVersion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// The operators of OLM.
    ClusterServiceVersions,
    /// The operators that InstallPlans of ours have installed.
    InstallPlans,
    /// The namespaces that operators watch.
    Namespaces,
    /// Which namespaces these are.
    OperatorGroups,
    /// Who asked for the operators.
    Subscriptions,
}

// === impl Resource ===

impl Resource {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [
        Self::ClusterServiceVersions,
        Self::InstallPlans,
        Self::Namespaces,
        Self::OperatorGroups,
        Self::Subscriptions,
    ];

    /// Those of Kubernetes and of OLM, which are there wherever OLM is.
    pub const OF_OLM: [Self; 4] = [
        Self::ClusterServiceVersions,
        Self::Namespaces,
        Self::OperatorGroups,
        Self::Subscriptions,
    ];

    /// Its name in paths of the API server.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClusterServiceVersions => "clusterserviceversions",
            Self::InstallPlans => "installplans",
            Self::Namespaces => "namespaces",
            Self::OperatorGroups => "operatorgroups",
            Self::Subscriptions => "subscriptions",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.name() == name)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
