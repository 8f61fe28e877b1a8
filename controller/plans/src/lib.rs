//! The controller of InstallPlans. It reads the objects of a plan, asks `core/kinds/install` for a
//! decision, and writes with the permissions of the plan's ServiceAccount.
//!
//! ```text
//! PlanCache -- PlanSnapshot --> Reconciler: read <-> decide -> write members -> write the status
//!    ^   plans, metadata of members                 |
//!    \-- PlanReport: members to watch <-------------/
//! ```
//!
//! This crate makes no decisions about plans. It reads the facts that a decision requests, sends
//! the writes, caches facts from earlier reads, and determines when to reconcile again.
//!
//! # Whose permissions are used
//!
//! With its own permissions, the controller reads plans, the objects that they refer to (except
//! Secrets), namespaces, ServiceAccounts, roles that plans bind, and the served kinds. It also
//! reviews the permissions of ServiceAccounts, and writes the status, the finalizer and the events
//! of plans. It does everything else with the permissions of the ServiceAccount, including each
//! read and watch of a plan's objects.
//!
//! # When it reconciles
//!
//! A changed member is checked at once. A plan at rest allows eight such checks in a row that find
//! nothing to repair, and then one every five seconds. Members that the ServiceAccount cannot watch
//! are checked every five minutes. A plan that waits is checked with increasing pauses of at most a
//! minute. A plan with a refused write is checked at least every five minutes.
//!
//! Before the controller deletes objects, it reads the served kinds and the objects of other owners
//! again.
//!
//! # When it reports
//!
//! The status of a plan is written at once, except for repaired members. Repairs are reported a
//! tenth of a second after the last of them, and at most a second after the first.
//!
//! # Installs
//!
//! [`grants`] is the controller of Installs. It creates InstallPlans and the ServiceAccounts that
//! they name.

mod cache;
mod discovery;
pub mod grants;
mod live;
mod memory;
mod metrics;
mod namespaces;
mod news;
mod observe;
mod pending_status;
mod reconcile;
mod rest;
mod write;

pub use cache::{PlanCache, PlanReport, PlanSnapshot};
pub use discovery::DiscoveryCache;
pub use live::{LivePlan, live};
pub use metrics::PlanMetrics;
pub use reconcile::PlanReconciler;
