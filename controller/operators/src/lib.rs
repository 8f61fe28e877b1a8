//! The controller of Operators. It watches Operators, their plans, the objects that OLM installed,
//! and the conditions that operators report about themselves. The crate `core/kinds/operator` makes
//! the decisions. This crate creates, resumes and deletes InstallPlans.
//!
//! ```text
//! Operators, InstallPlans, what OLM says ----------> OperatorCache -- Fleet --> OperatorReconciler
//!                                                                                   |      |
//!                                       Catalogs <------ what a decision asks for --+      +--> writes
//! ```
//!
//! This controller does not install objects itself. The plan controller installs them. Catalogs are
//! accessed through [`Catalogs`]. A query is repeated only after a change.
//!
//! # When it reconciles
//!
//! The controller reconciles the affected Operators when an Operator, one of its plans, a
//! ClusterServiceVersion, a ClusterExtension or an OperatorCondition changes. It also does so when
//! a Policy, a PolicyBinding or a catalog changes, when the settle time of a version is over, and
//! when a window opens. The controller does not poll. The `Ledger` of `core/kinds/operator`
//! determines the affected Operators: at once after each change, and again after each new response
//! with the routes of all Operators.
//!
//! # Policies and PolicyBindings
//!
//! A [`PolicyStatusReconciler`] writes the status of each policy object. The status shows if the
//! object is valid, which operators it applies to, which referenced objects are missing, and when
//! windows open.
//!
//! # Conditions of others
//!
//! The controller keeps the conditions of other writers in the status of an Operator. It removes
//! the condition of an updater when the ConfigMap that enables the updater no longer exists, so
//! that a deleted updater leaves no condition.
//!
//! Objects that users create and delete on the command line go through an [`OperatorClient`],
//! independent of this controller.

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

/// The source of knowledge about catalogs, and about the consent of Policies for an Operator to
/// start moving.
pub trait Catalogs: std::fmt::Debug + Send + Sync + 'static {
    /// Waits until a result may have changed. Only one task may wait.
    ///
    /// # Cancel safety
    /// This method is cancel safe: dropping the future early loses no change.
    fn changed(&self) -> impl Future<Output = ()> + Send;

    /// Returns the result, or the reason why it is missing. The consent for the start of an
    /// Operator is requested again in each call.
    fn answer(&self, ask: &Ask) -> impl Future<Output = Knowledge> + Send;

    /// Returns the routes of all Operators. Only one task may call this method, and only for one
    /// Fleet at a time.
    fn routes(
        &self,
        question: &Arc<Question>,
    ) -> impl Future<Output = Answer<Arc<Vec<CommonRoute>>>> + Send;
}
