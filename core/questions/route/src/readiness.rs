//! Checks if operators are ready for the upgrade of their cluster, and finds the changes that they
//! need before, during and after the upgrade.
//!
//! A cluster passes through [`Stage`]s: its current release, the releases in between, and the
//! target release. Each stage has separate catalogs. For each operator, [`judge`] returns a
//! [`Readiness`]. It contains a [`ReadinessVerdict`], the reasons for it, and the shortest paths:
//!
//! ```text
//! Question -> limit: which releases the bundle supports         olm.maxOpenShiftVersion
//!          -> removed: which releases serve its objects          table of removed APIs
//!          -> position: can OLM update it in the new catalog    package, channel, entry
//!          -> walk: the fewest hops, stage by stage             minKubeVersion, allowed versions
//!          -> Readiness: verdict, reasons, before, between, after
//!          -> neighbors: who is held up in the same namespace
//!          -> Advice: steps, responsible parties, and commands
//! ```
//!
//! # Guarantees
//!
//! A verdict is `Ready` only if all of these conditions are true:
//!
//! - Every catalog after the current stage was read completely, or the part that was read contains
//!   the bundle or an update from the bundle.
//! - The bundle supports the target.
//! - The target catalog contains the bundle, unless a part of this catalog could not be read.
//! - The channel in the target catalog contains the bundle, or an update from the bundle.
//!
//! If a fact is unknown, the verdict is `NotChecked`, unless a known fact already shows that the
//! operator is not ready.
//!
//! # Out of scope
//!
//! The module does not read the files of bundles: [`unread_bundles`] returns the bundles that the
//! caller must read. If a release of the upgrade removes an API of bundle objects, an operator is
//! `Ready` only if the objects of its bundle were read. The module evaluates no policies: the
//! caller passes the decisions of policies as [`Restraint`]s. They become reasons, but do not
//! change a verdict. The module ignores dependencies between operators: see
//! [`plan`](crate::plan()).

mod advice;
mod answer;
mod condition;
mod judge;
mod limit;
mod neighbors;
mod position;
mod reasons;
mod release;
mod removed;
mod restraint;
mod support;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_graph::{Charted, Installed};
use portolan_core_names::removed::RemovedApis;
use portolan_core_names::{BundleName, ChannelName, VersionRange};

pub use advice::{Advice, Goal, NamedOperator, REQUESTS_REMOVED_API, Step, When};
pub use answer::{Leg, Readiness, ReadinessVerdict, Reason};
pub use condition::{Agreement, UpgradeableCondition};
pub use judge::judge;
pub use limit::{InvalidLimit, Limit};
pub use release::{Minor, NotMinor, Stage};
pub use removed::{ApiRequests, removed_between, unread_bundles};
pub use restraint::{Restraint, RestraintRule};

/// The operators of a cluster, and the releases of the cluster's upgrade.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The current release, the releases in between, and the target release. The list has at least
    /// two stages.
    pub stages: Vec<Stage>,
    pub operators: Vec<Subject>,
}

/// The program that updates an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installer {
    /// OLM v0. If one Subscription of a namespace cannot be resolved, OLM v0 updates no operator of
    /// this namespace.
    OlmV0,
    /// OLM v1.
    OlmV1,
    /// Another program, such as Portolan.
    Other,
}

/// An operator, with its package in the catalogs of each stage.
#[derive(Debug, Clone)]
pub struct Subject {
    pub installer: Installer,
    /// The namespace of the operator. Empty if it is unknown.
    pub namespace: String,
    /// The installed bundle. None if no bundle is installed yet.
    pub installed: Option<Installed>,
    /// True if the object of the operator follows a catalog. False for a ClusterServiceVersion
    /// without a Subscription.
    pub is_followed: bool,
    /// The channels that the operator follows. Empty for all channels.
    pub channels: BTreeSet<ChannelName>,
    /// The versions that the object of the operator allows. None for all versions.
    pub allowed: Option<VersionRange>,
    /// The limit that the installed object states. None if only the catalog states a limit.
    pub limit: Option<Result<Limit, InvalidLimit>>,
    /// The package of the operator in the catalogs, one offer for each stage.
    pub offers: Vec<Offer>,
    pub contents: Contents,
    /// The rules of users that forbid or delay updates of the operator.
    pub restraints: Vec<Restraint>,
    /// The known requests of the operator for APIs that a release removes.
    pub requests: Vec<ApiRequests>,
}

/// The removed APIs that bundles use, by bundle. An error contains the reason why the files of the
/// bundle cannot be read.
pub type Contents = BTreeMap<BundleName, Result<RemovedApis, String>>;

/// The package of an operator in the catalogs of one stage.
#[derive(Debug, Clone, Default)]
pub struct Offer {
    /// The package. None if the catalogs do not contain the package, or if they cannot be read.
    pub package: Option<Arc<Charted>>,
    /// The reason why content may be missing in the package. None if the catalogs were read
    /// completely.
    pub gap: Option<String>,
}
