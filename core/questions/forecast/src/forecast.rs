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
    /// The channel that it is taken from.
    pub channel: ChannelName,
    /// The catalog that it is taken from.
    pub catalog: CatalogName,
    /// The purpose of the bundle.
    pub purpose: Purpose,
    /// `spec.replaces` of the ClusterServiceVersion, which need not be there.
    pub replaces: Option<BundleName>,
}

/// The purpose for which a bundle is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// The Subscriptions that follow it, by name.
    Subscribed(Vec<String>),
    /// Something else that needs it. OLM makes a Subscription of this name for it.
    Needed {
        /// `<package>-<channel>-<catalog>-<namespace of the catalog>`.
        subscription: String,
    },
}

/// The end of a forecast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// OLM has nothing more to do until something changes. What each Subscription stays at.
    Settled(Vec<Stay>),
    /// OLM cannot resolve the namespace, and reports it in all its Subscriptions.
    Failed(Failure),
    /// OLM does nothing, and reports nothing.
    Silent(Silence),
    /// The last pass waits for an approval.
    AwaitsApproval {
        /// The Subscriptions that want approval, by name.
        manual: Vec<String>,
    },
    /// All Subscriptions wait for existing InstallPlans, with these names.
    AwaitsPlans {
        /// The Subscriptions, by name.
        subscriptions: Vec<String>,
    },
    /// The last pass ends where an earlier pass began, and so on forever.
    Circles {
        /// The position of that earlier pass.
        from: usize,
    },
    /// There are too many passes to list.
    Endless,
    /// The search took more steps than it may; OLM has no such limit.
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
    /// The reason why it has no upgrade.
    pub cause: Cause,
}

/// The reason why a Subscription has no upgrade, which OLM does not report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// It is at the head of its channel.
    Head,
    /// Its channel has entries, and none of them takes over from what is installed.
    NoEdge,
    /// The bundles that would take over cannot be installed.
    Refused {
        /// The bundles that would take over, the most preferred first.
        successors: Vec<BundleName>,
        /// The reasons that keep them out.
        reasons: Vec<Reason>,
    },
    /// The installed ClusterServiceVersion is a copy from another namespace.
    Copied,
    /// The ClusterServiceVersion is gone, and OLM does not install again what it decided on before.
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
