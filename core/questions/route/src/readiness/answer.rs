//! The answer about the readiness of one operator.

use portolan_core_graph::Node;
use portolan_core_names::removed::RemovedApiUse;
use portolan_core_names::{BundleName, ChannelName, VersionRange};

use super::{ApiRequests, InvalidLimit, Minor, Restraint};

/// The readiness of one operator for the upgrade of its cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Readiness {
    pub verdict: ReadinessVerdict,
    /// The reasons for the verdict, and other relevant facts.
    pub reasons: Vec<Reason>,
    /// The updates before the target, stage by stage. The first stage is the current release.
    pub legs: Vec<Leg>,
    /// The channel that the object of the operator must follow. None if the operator keeps its
    /// channels.
    pub channel: Option<ChannelName>,
    /// The updates after the upgrade, up to the head of the channel. None if no path leads to a
    /// single head.
    pub after: Option<Vec<Node>>,
    /// The index of the first stage that the installed bundle does not support. If the reason is
    /// the limit of the bundle, OLM blocks the upgrade to this stage.
    pub blocks: Option<usize>,
    /// The operators whose Subscriptions prevent OLM from updating this operator after the upgrade,
    /// as indexes of the question. These Subscriptions are in the same namespace.
    pub held_up_by: Vec<usize>,
}

/// The updates while the cluster runs one stage. The list is never empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Leg {
    /// The index of the stage.
    pub stage: usize,
    pub hops: Vec<Node>,
}

/// The verdict about the readiness of one operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadinessVerdict {
    /// The operator needs no change.
    Ready,
    /// The operator must be updated in its channel before the upgrade.
    UpdateFirst,
    /// The operator must be updated while the cluster runs a release between the current release
    /// and the target.
    UpdateBetween,
    /// The operator must follow another channel before the upgrade.
    SwitchChannelFirst,
    /// The operator must follow another channel right after the upgrade, because the current
    /// catalog does not contain this channel.
    SwitchChannelAfter,
    /// The operator keeps running and gets updates. But the new catalogs do not contain its bundle,
    /// so this version cannot be installed again.
    NotReinstallable,
    /// The operator keeps running, but gets no updates after the upgrade.
    Stranded,
    /// The new catalogs do not contain the package.
    PackageGone,
    /// The operator blocks the upgrade, and no available bundle helps.
    Blocked,
    /// A required fact is unknown.
    NotChecked,
}

/// A reason for a verdict, or another relevant fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The installed bundle supports releases only up to this release. The upgrade goes beyond it.
    AboveLimit(Minor),
    /// The property with the limit is invalid, so OLM blocks the upgrade.
    InvalidLimit(InvalidLimit),
    /// No catalog contains the installed bundle, so the limit of the bundle is unknown.
    UnknownLimit,
    PackageGone,
    /// The package in the new catalogs has none of the followed channels.
    ChannelGone,
    /// The channel in the new catalogs contains neither the bundle nor an update from it.
    Stranded,
    /// The package in the new catalogs does not contain the installed bundle.
    NotReinstallable,
    /// The versions that the object of the operator allows exclude a bundle on the path.
    NotAllowed(VersionRange),
    /// A rule of a user forbids or delays the update to this bundle, which the operator needs.
    Restrained {
        bundle: BundleName,
        restraint: Restraint,
    },
    /// A bundle that would help needs a newer Kubernetes than the cluster has at that stage.
    NeedsNewerKubernetes {
        bundle: BundleName,
        minimum: String,
    },
    /// The package, the channel or the updates are missing only in a release between the current
    /// release and the target.
    GoneBetween {
        stage: usize,
    },
    /// The catalogs of a stage could not be read completely.
    Unread {
        stage: usize,
        why: String,
    },
    /// Objects of the bundle use APIs that the cluster upgrade removes. Therefore the bundle cannot
    /// be installed again after the upgrade.
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
    /// The objects of the bundle were not checked for APIs that this release of Kubernetes removes.
    ObjectsNotRead {
        bundle: BundleName,
        release: Minor,
        /// The reason why the objects cannot be read. Empty if no program has tried to read them.
        why: String,
    },
    /// No bundle is installed yet.
    NothingInstalled,
    /// The operator follows no catalog, so a user must update it.
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

    /// Returns the bundle that is installed when the cluster reaches its target. Returns None if
    /// the operator is not updated before.
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

    /// Returns the severity of the verdict. A higher number needs more attention.
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

    /// Returns the name of the verdict for programs.
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
