//! The forecast of OLM's decisions.

use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, Version};

use crate::{Failure, Reason};

/// The forecast for a namespace if every operator that OLM installs succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// Its passes, one InstallPlan after the other.
    pub passes: Vec<Pass>,
    /// Its end.
    pub end: End,
}

/// One InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The bundles that it installs, by the order of OLM's names for bundles; never empty.
    pub installs: Vec<Install>,
}

/// A bundle that OLM installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// The bundle.
    pub bundle: BundleName,
    /// Its version.
    pub version: Version,
    /// Its package.
    pub package: PackageName,
    /// The channel that provides it.
    pub channel: ChannelName,
    /// The catalog that provides it.
    pub catalog: CatalogName,
    /// The purpose of the bundle.
    pub purpose: Purpose,
    /// `spec.replaces` of the ClusterServiceVersion. That bundle may not exist.
    pub replaces: Option<BundleName>,
}

/// The purpose of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// The Subscriptions that follow it, by name.
    Subscribed(Vec<String>),
    /// A dependency of something else. OLM creates a Subscription of this name for it.
    Needed {
        /// `<package>-<channel>-<catalog>-<namespace of the catalog>`.
        subscription: String,
    },
}

/// The end of a forecast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// OLM has nothing more to do until something changes. Holds the final state of each
    /// Subscription.
    Settled(Vec<Stay>),
    /// OLM cannot resolve the namespace, and reports it in all its Subscriptions.
    Failed(Failure),
    /// OLM does nothing, and reports nothing.
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
    /// The last pass ends where an earlier pass began, in an endless loop.
    Circles {
        /// The position of that earlier pass.
        from: usize,
    },
    /// There are too many passes to list.
    Endless,
    /// The search exceeded its limit of steps. OLM has no such limit.
    GaveUp {
        /// The limit.
        steps: u64,
    },
}

/// The state in which a Subscription stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stay {
    /// The Subscription.
    pub subscription: String,
    /// The installed bundle; None if nothing is installed.
    pub installed: Option<BundleName>,
    /// The reason why it is not upgraded.
    pub cause: Cause,
}

/// The reason why a Subscription is not upgraded, which OLM does not report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The installed bundle is the head of its channel.
    Head,
    /// No entry of its channel upgrades the installed bundle.
    NoEdge,
    /// The upgrades cannot be installed.
    Refused {
        /// The possible upgrades, most preferred first.
        successors: Vec<BundleName>,
        /// The reasons why they cannot be installed.
        reasons: Vec<Reason>,
    },
    /// The installed ClusterServiceVersion is a copy from another namespace.
    Copied,
    /// The ClusterServiceVersion is gone, and OLM does not reinstall the bundle that it selected
    /// earlier.
    Gone,
}

/// The reason why OLM does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// There is no Subscription.
    NoSubscription,
    /// There is not exactly one OperatorGroup.
    OperatorGroups {
        /// The number of OperatorGroups.
        found: usize,
    },
}
