//! Cluster upgrade readiness: what must happen to each operator before, during and after the
//! upgrade of its cluster.
//!
//! A cluster passes through [`Stage`]s: its current release, the releases in between, and the
//! target. Each stage has its own catalogs. For each operator, [`judge`] returns a [`ReadinessVerdict`] with
//! reasons, and the shortest paths:
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
//! A verdict is `Ready` only if every catalog on the way was read, the bundle supports the target,
//! and the new catalog contains the bundle, and the bundle or an update from it in its channel. An
//! unknown fact gives `NotChecked`, unless a known fact already shows that the operator is not ready.
//!
//! # Out of scope
//!
//! The module does not read the files of bundles: [`unread_bundles`] returns the bundles that the
//! caller must read. It evaluates no policies: the caller passes their decisions as [`Restraint`]s,
//! which become reasons and do not change a verdict. If the upgrade passes a release that removes an API of bundle objects, an
//! operator is `Ready` only if the objects of its bundle were read. Dependencies between operators
//! are the subject of [`plan`](crate::plan()).

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

/// The operators of a cluster, and the way of the cluster to its target.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The current release, the releases in between, and the target. At least two.
    pub stages: Vec<Stage>,
    pub operators: Vec<Subject>,
}

/// The program that updates an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installer {
    /// OLM v0. An unresolvable Subscription holds up all Subscriptions of its namespace.
    OlmV0,
    /// OLM v1.
    OlmV1,
    /// Another program, such as Portolan.
    Other,
}

/// An operator, with its offers in the catalogs of each stage.
#[derive(Debug, Clone)]
pub struct Subject {
    pub installer: Installer,
    /// The namespace of the operator. Empty if it is unknown.
    pub namespace: String,
    /// The installed bundle. None if nothing is installed yet.
    pub installed: Option<Installed>,
    /// True if its object follows a catalog. A ClusterServiceVersion without a Subscription does
    /// not.
    pub is_followed: bool,
    /// The channels whose updates are used. Empty for all channels.
    pub channels: BTreeSet<ChannelName>,
    /// The versions that its object allows. None for all versions.
    pub allowed: Option<VersionRange>,
    /// The limit that the installed object states. None if only the catalog states it.
    pub limit: Option<Result<Limit, InvalidLimit>>,
    /// The offers, one for each stage.
    pub offers: Vec<Offer>,
    pub contents: Contents,
    /// The rules of users about its updates.
    pub restraints: Vec<Restraint>,
    /// The known requests of the operator for removed APIs.
    pub requests: Vec<ApiRequests>,
}

/// The removed APIs that bundles use, or the reasons why their files cannot be read.
pub type Contents = BTreeMap<BundleName, Result<RemovedApis, String>>;

/// The package of an operator in the catalogs of one stage.
#[derive(Debug, Clone, Default)]
pub struct Offer {
    /// The package. None if the catalogs do not contain it, or if they cannot be read.
    pub package: Option<Arc<Charted>>,
    /// The reason why something may be missing in the package. None if everything was read.
    pub gap: Option<String>,
}
