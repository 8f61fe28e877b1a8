//! The predicted decisions of OLM v0 in a namespace.

use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, Version};

use crate::{Failure, Reason};

/// The forecast for a namespace. The forecast assumes that every installation succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// The passes of OLM. Each pass creates one InstallPlan.
    pub passes: Vec<Pass>,
    /// The state in which the forecast ends.
    pub end: End,
}

/// One pass of OLM, which results in one InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The bundles that the pass installs, sorted by OLM's names for bundles. Never empty.
    pub installs: Vec<Install>,
}

/// A bundle that OLM installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// The name of the bundle.
    pub bundle: BundleName,
    /// The version of the bundle.
    pub version: Version,
    /// The package of the bundle.
    pub package: PackageName,
    /// The channel that contains the bundle.
    pub channel: ChannelName,
    /// The catalog that contains the bundle.
    pub catalog: CatalogName,
    /// The reason why OLM installs the bundle.
    pub purpose: Purpose,
    /// The `spec.replaces` of the ClusterServiceVersion. The named bundle may not exist.
    pub replaces: Option<BundleName>,
}

/// The reason why OLM installs a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Subscriptions request the bundle. Contains their names.
    Subscribed(Vec<String>),
    /// Another bundle needs the bundle, so OLM creates a Subscription for it.
    Needed {
        /// The name of the new Subscription: `<package>-<channel>-<catalog>-<namespace of the
        /// catalog>`.
        subscription: String,
    },
}

/// The state in which a forecast ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// OLM makes no change until an object changes. Contains the final state of each Subscription.
    Settled(Vec<Stay>),
    /// OLM cannot resolve the namespace, and reports an error in all Subscriptions of the
    /// namespace.
    Failed(Failure),
    /// OLM makes no change and reports no reason.
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
    /// The last pass results in a state that existed before an earlier pass. OLM repeats these
    /// passes forever.
    Circles {
        /// The index of the earlier pass.
        from: usize,
    },
    /// The forecast reached the maximum number of passes.
    Endless,
    /// The search for a solution exceeded the step limit of the forecast. OLM has no such limit.
    GaveUp {
        /// The maximum number of steps.
        steps: u64,
    },
}

/// The bundle at which a Subscription stays, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stay {
    /// The name of the Subscription.
    pub subscription: String,
    /// The installed bundle. None if no bundle is installed.
    pub installed: Option<BundleName>,
    /// The reason why OLM does not upgrade the bundle.
    pub cause: Cause,
}

/// The reason why OLM does not upgrade a Subscription. OLM itself does not report this reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The installed bundle is the head of its channel.
    Head,
    /// No entry of its channel upgrades the installed bundle.
    NoEdge,
    /// Upgrades exist, but OLM cannot install them.
    Refused {
        /// The available upgrades, most preferred first.
        successors: Vec<BundleName>,
        /// The constraints that prevent the upgrades.
        reasons: Vec<Reason>,
    },
    /// The installed ClusterServiceVersion is a copy from another namespace.
    Copied,
    /// The ClusterServiceVersion no longer exists. OLM does not install a bundle again that it
    /// selected before.
    Gone,
}

/// The reason why OLM does nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// The namespace has no Subscription.
    NoSubscription,
    /// The namespace does not have exactly one OperatorGroup.
    OperatorGroups {
        /// The number of OperatorGroups in the namespace.
        found: usize,
    },
}
