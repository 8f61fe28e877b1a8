//! The forecast of the decisions of OLM.

use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, Version};

use crate::{Failure, Reason};

/// The forecast for a namespace. It assumes that every operator that OLM installs succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// The passes of OLM. Each pass creates one InstallPlan.
    pub passes: Vec<Pass>,
    /// The end.
    pub end: End,
}

/// One pass of OLM. A pass results in one InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The bundles that the pass installs, sorted by OLM's names for bundles. Never empty.
    pub installs: Vec<Install>,
}

/// A bundle that OLM installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// The bundle.
    pub bundle: BundleName,
    /// The version.
    pub version: Version,
    /// The package.
    pub package: PackageName,
    /// The channel that provides it.
    pub channel: ChannelName,
    /// The catalog that provides it.
    pub catalog: CatalogName,
    /// The reason for installing the bundle.
    pub purpose: Purpose,
    /// The `spec.replaces` of the ClusterServiceVersion. The named bundle may not exist.
    pub replaces: Option<BundleName>,
}

/// The reason for an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Subscriptions request the bundle. Contains their names.
    Subscribed(Vec<String>),
    /// Another bundle needs the bundle. OLM creates a Subscription of this name for it.
    Needed {
        /// `<package>-<channel>-<catalog>-<namespace of the catalog>`.
        subscription: String,
    },
}

/// The end of a forecast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// OLM does nothing until an object changes. Contains the final state of each Subscription.
    Settled(Vec<Stay>),
    /// OLM cannot resolve the namespace, and reports this in all its Subscriptions.
    Failed(Failure),
    /// OLM does nothing and reports no reason.
    Silent(Silence),
    /// The last pass waits for an approval.
    AwaitsApproval {
        /// The Subscriptions that require approval, by name.
        manual: Vec<String>,
    },
    /// Every Subscription waits for an existing InstallPlan.
    AwaitsPlans {
        /// The Subscriptions, by name.
        subscriptions: Vec<String>,
    },
    /// The last pass ends in the state in which an earlier pass began. OLM repeats these passes
    /// forever.
    Circles {
        /// The index of that earlier pass.
        from: usize,
    },
    /// There are too many passes to list.
    Endless,
    /// The search exceeded its step limit. OLM has no such limit.
    GaveUp {
        /// The limit.
        steps: u64,
    },
}

/// The final state of a Subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stay {
    /// The Subscription.
    pub subscription: String,
    /// The installed bundle. None if no bundle is installed.
    pub installed: Option<BundleName>,
    /// The reason why the bundle is not upgraded.
    pub cause: Cause,
}

/// A reason that prevents the upgrade of a Subscription and that OLM does not report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The installed bundle is the head of its channel.
    Head,
    /// No entry of its channel upgrades the installed bundle.
    NoEdge,
    /// The upgrades exist but cannot be installed.
    Refused {
        /// The available upgrades, most preferred first.
        successors: Vec<BundleName>,
        /// The reasons why they cannot be installed.
        reasons: Vec<Reason>,
    },
    /// The installed ClusterServiceVersion is a copy from another namespace.
    Copied,
    /// The ClusterServiceVersion no longer exists. OLM does not reinstall a bundle that it selected
    /// earlier.
    Gone,
}

/// The reason why OLM does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// There is no Subscription.
    NoSubscription,
    /// The number of OperatorGroups in the namespace is not one.
    OperatorGroups {
        /// The number of OperatorGroups.
        found: usize,
    },
}
