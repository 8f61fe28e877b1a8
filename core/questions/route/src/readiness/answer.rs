//! The answer for one operator.

use portolan_core_graph::Node;
use portolan_core_names::removed::RemovedApiUse;
use portolan_core_names::{BundleName, ChannelName, VersionRange};

use super::{ApiRequests, InvalidLimit, Minor, Restraint};

/// The answer for one operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Readiness {
    pub verdict: ReadinessVerdict,
    /// The reasons for the verdict, and other facts that matter for it.
    pub reasons: Vec<Reason>,
    /// The updates before the target, stage by stage. The first stage is the current release.
    pub legs: Vec<Leg>,
    /// The channel that its object must follow. None to keep the channels.
    pub channel: Option<ChannelName>,
    /// The updates after the upgrade, to the head of the channel. None if no path leads to a single
    /// head.
    pub after: Option<Vec<Node>>,
    /// The first stage that the installed bundle does not support. OLM blocks the upgrade to it if
    /// the reason is the limit of the bundle.
    pub blocks: Option<usize>,
    /// The operators that keep OLM from updating this one after the upgrade, as indexes of the
    /// question. Their Subscriptions are in the same namespace.
    pub held_up_by: Vec<usize>,
}

/// Updates while the cluster runs one stage. At least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// The index of the stage.
    pub stage: usize,
    pub hops: Vec<Node>,
}

/// The verdict about one operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadinessVerdict {
    /// No action is required.
    Ready,
    /// The operator must be updated before the upgrade, in its channel.
    UpdateFirst,
    /// The operator must be updated while the cluster runs a release in between.
    UpdateBetween,
    /// The operator must follow another channel before the upgrade.
    SwitchChannelFirst,
    /// The operator must follow another channel right after the upgrade. The current catalog does
    /// not contain this channel.
    SwitchChannelAfter,
    /// The operator keeps running and gets updates, but the new catalogs do not contain its bundle.
    /// This version cannot be installed again.
    NotReinstallable,
    /// The operator gets no updates after the upgrade.
    Stranded,
    /// The new catalogs do not contain the package.
    PackageGone,
    /// The operator blocks the upgrade, and no bundle on offer helps.
    Blocked,
    /// A fact is unknown.
    NotChecked,
}

/// A fact that decides about an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The last release that the installed bundle supports is older than the target or a release before it.
    AboveLimit(Minor),
    /// The property with the limit is invalid, so OLM blocks the upgrade.
    InvalidLimit(InvalidLimit),
    /// No catalog contains the installed bundle, so its limit is unknown.
    UnknownLimit,
    PackageGone,
    /// The new package has none of the followed channels.
    ChannelGone,
    /// The channel of the new catalog contains neither the bundle nor an update from it.
    Stranded,
    /// The new package does not contain the installed bundle.
    NotReinstallable,
    /// The versions that its object allows exclude a bundle on the path.
    NotAllowed(VersionRange),
    /// An object of a user forbids or delays the update to this bundle, which the operator needs.
    Restrained {
        bundle: BundleName,
        restraint: Restraint,
    },
    /// A bundle that would help needs a newer Kubernetes than the cluster has at that time.
    NeedsNewerKubernetes {
        bundle: BundleName,
        minimum: String,
    },
    /// The package, the channel or the updates are missing only in a release in between.
    GoneBetween {
        stage: usize,
    },
    /// The catalogs of a stage could not be read completely.
    Unread {
        stage: usize,
        why: String,
    },
    /// Objects of the bundle use APIs that the cluster upgrade removes, so the bundle cannot be
    /// installed again.
    RemovedObjects {
        bundle: BundleName,
        uses: Vec<RemovedApiUse>,
    },
    /// Permissions of the bundle name resources that the cluster upgrade removes.
    RemovedPermissions {
        bundle: BundleName,
        uses: Vec<RemovedApiUse>,
    },
    /// The operator requests APIs that the cluster upgrade removes.
    RequestsRemovedApi(Vec<ApiRequests>),
    /// The objects of the bundle are not checked for APIs that this release of Kubernetes removes.
    ObjectsNotRead {
        bundle: BundleName,
        release: Minor,
        /// The reason why they cannot be read. Empty if nothing tried to read them.
        why: String,
    },
    /// No bundle is installed yet.
    NothingInstalled,
    /// The operator follows no catalog, so updates are manual.
    NotFollowed,
}

// === impl Readiness ===

impl Readiness {
    pub(super) fn of(verdict: ReadinessVerdict) -> Self {
        Self {
            verdict,
            reasons: Vec::new(),
            legs: Vec::new(),
            channel: None,
            after: None,
            blocks: None,
            held_up_by: Vec::new(),
        }
    }

    /// Returns the bundle that is installed when the cluster reaches its target. None if it is the
    /// bundle that is installed now.
    pub fn last(&self) -> Option<&Node> {
        self.legs.last().and_then(|leg| leg.hops.last())
    }
}

// === impl ReadinessVerdict ===

impl ReadinessVerdict {
    pub const ALL: [Self; 10] = [
        Self::Ready,
        Self::UpdateFirst,
        Self::UpdateBetween,
        Self::SwitchChannelFirst,
        Self::SwitchChannelAfter,
        Self::NotReinstallable,
        Self::Stranded,
        Self::PackageGone,
        Self::Blocked,
        Self::NotChecked,
    ];

    /// Returns the severity. Verdicts with a higher number need more attention.
    pub fn severity(self) -> u8 {
        match self {
            Self::Ready => 0,
            Self::NotReinstallable => 1,
            Self::SwitchChannelAfter => 2,
            Self::NotChecked => 3,
            Self::UpdateBetween => 4,
            Self::UpdateFirst => 5,
            Self::SwitchChannelFirst => 6,
            Self::Stranded => 7,
            Self::PackageGone => 8,
            Self::Blocked => 9,
        }
    }

    /// Returns the word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::UpdateFirst => "update-first",
            Self::UpdateBetween => "update-between",
            Self::SwitchChannelFirst => "switch-channel-first",
            Self::SwitchChannelAfter => "switch-channel-after",
            Self::NotReinstallable => "not-reinstallable",
            Self::Stranded => "stranded",
            Self::PackageGone => "package-gone",
            Self::Blocked => "blocked",
            Self::NotChecked => "not-checked",
        }
    }
}
