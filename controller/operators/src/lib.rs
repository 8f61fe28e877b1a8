//! The controller of Operators: sees them, their plans, what OLM has installed and what operators say of
//! themselves, has `core/kinds/operator` decide, and makes, lets go and deletes InstallPlans.
//!
//! ```text
//! Operators, InstallPlans, what OLM says ----------> OperatorCache -- Fleet --> OperatorReconciler
//!                                                                                   |      |
//!                                       Catalogs <------ what a decision asks for --+      +--> writes
//! ```
//!
//! It installs nothing itself: that is the business of the controller of plans. Who knows the catalogs
//! is behind [`Catalogs`], and is asked nothing twice while nothing changes.
//!
//! # When it looks again
//!
//! At those that are touched, whenever an Operator, a plan of one, a ClusterServiceVersion, a ClusterExtension or an OperatorCondition
//! changes, whenever a Policy, a PolicyBinding or a catalog does, when a version has proved itself, and when
//! a window opens. Nothing is polled. Which are touched is told by the `Ledger` of `core/kinds/operator`: after each
//! change of what is seen at once, and once the route of all was asked for anew.
//!
//! # Policies and PolicyBindings
//!
//! A [`PolicyStatusReconciler`] writes their results into their statuses: whether they can be read,
//! which operators they are about, what is not there, and when windows open.
//!
//! # Conditions of others
//!
//! A condition that another writer puts into the status of an Operator stays. That of an updater is
//! taken away once the ConfigMap is gone by which the updater is turned on: the deletion of an
//! updater leaves nothing.
//!
//! Objects that users make and delete by the command line go through an [`OperatorClient`], which
//! has no part in this.

mod cache;
mod client;
mod crds;
mod decided;
mod live;
mod members;
mod metrics;
mod policies;
mod present;
mod reconcile;
mod rehearsal;
mod statuses;
mod surveys;
mod updater;
mod written;

pub use cache::{OperatorCache, OperatorSnapshot};
pub use client::{NotWritten, OperatorClient};
pub use crds::{BundleManifests, compared_crds};
pub use metrics::BindingMetrics;
pub use portolan_core_operator::{
    Acceptance, Act, CrdComparison, Csv, CsvId, Fleet, Home, ObjectId, Present, Setting, Settings,
    Step, UnsafeUpdate, UpgradePath, adopting, disowned,
};
pub use present::{present, subscribed};
pub use reconcile::OperatorReconciler;
pub use rehearsal::{Rehearsal, Rehearsed};
pub use statuses::{PolicyStatusCache, PolicyStatusReconciler, PolicyStatusSnapshot};
pub use written::{with_settings, written};

use std::sync::Arc;

use portolan_core_operator::{Answer, Ask, Knowledge, Question, Route};

/// The source of knowledge about the catalogs, and about whether Policies let an Operator begin to
/// move.
pub trait Catalogs: std::fmt::Debug + Send + Sync + 'static {
    /// Waits until an answer may be another one. There is one who waits.
    ///
    /// # Cancel safety
    /// Dropped early, it counts as never called.
    fn changed(&self) -> impl Future<Output = ()> + Send;

    /// Returns the answer, or the reason why there is none. Whether an Operator may begin is asked
    /// anew each time.
    fn answer(&self, ask: &Ask) -> impl Future<Output = Knowledge> + Send;

    /// The routes of all Operators. There is one who asks, for one Fleet after the other.
    fn routes(
        &self,
        question: &Arc<Question>,
    ) -> impl Future<Output = Answer<Arc<Vec<Route>>>> + Send;
}
