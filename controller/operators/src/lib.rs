//! The controller of Operators. It watches Operators, their InstallPlans, the operators that OLM
//! has installed, and the conditions that operators report about themselves. The crate
//! `core/kinds/operator` makes the decisions. This crate creates, resumes and deletes InstallPlans.
//!
//! ```text
//! Operators, InstallPlans, what OLM says ----------> OperatorCache -- Fleet --> OperatorReconciler
//!                                                                                   |      |
//!                                       Catalogs <------ what a decision asks for --+      +--> writes
//! ```
//!
//! The plan controller installs the objects. [`Catalogs`] answers queries about catalogs. A query
//! is repeated only after a change.
//!
//! # When it reconciles
//!
//! The controller reconciles the affected Operators when an Operator, one of its InstallPlans, a
//! ClusterServiceVersion, a ClusterExtension or an OperatorCondition changes. It also reconciles
//! when a Policy, a PolicyBinding or a catalog changes, when the settle time of a version is over,
//! and when a window opens. The controller does not poll. The `Ledger` of `core/kinds/operator`
//! determines the affected Operators after each change, and again after each new response with the
//! routes of all Operators.
//!
//! # Policies and PolicyBindings
//!
//! A [`PolicyStatusReconciler`] writes the status of each Policy and PolicyBinding. The status
//! shows if the object is valid, to which operators it applies, which referenced objects are
//! missing, and when windows open.
//!
//! # Conditions of others
//!
//! The controller keeps the conditions that other writers have set in the status of an Operator. It
//! removes the condition of an updater when the ConfigMap that enables the updater no longer
//! exists. Therefore a deleted updater leaves no condition.
//!
//! Commands that create, change and delete Operators use an [`OperatorClient`]. The controller does
//! not use it.

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
    Acceptance, Act, CrdComparison, Csv, CsvId, Fleet, Home, Present, Setting, Settings, Step,
    UnsafeUpdate, UpgradePath, adopting, disowned,
};
pub use present::{present, subscribed};
pub use reconcile::OperatorReconciler;
pub use rehearsal::{Rehearsal, Rehearsed};
pub use statuses::{PolicyStatusCache, PolicyStatusReconciler, PolicyStatusSnapshot};
pub use written::{with_settings, written};

use std::sync::Arc;

use portolan_core_operator::{Answer, Ask, CommonRoute, Knowledge, Question};

/// Answers queries about catalogs, and queries if Policies allow an Operator to be upgraded.
pub trait Catalogs: std::fmt::Debug + Send + Sync + 'static {
    /// Waits until an answer may have changed. Only one task may call this method at a time.
    ///
    /// # Cancel safety
    /// This method is cancel safe: dropping the future early loses no change.
    fn changed(&self) -> impl Future<Output = ()> + Send;

    /// Returns the answer, or the reason why there is no answer. Queries if Policies allow an
    /// upgrade are sent again in each call.
    fn answer(&self, ask: &Ask) -> impl Future<Output = Knowledge> + Send;

    /// Returns the routes of all Operators. Only one task may call this method at a time, and only
    /// for one Fleet.
    fn routes(
        &self,
        question: &Arc<Question>,
    ) -> impl Future<Output = Answer<Arc<Vec<CommonRoute>>>> + Send;
}
