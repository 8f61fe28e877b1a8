//! The controller of InstallPlans. It reads the objects of a plan, gets a decision from
//! `core/kinds/install`, and writes with the permissions of the plan's ServiceAccount.
//!
//! ```text
//! PlanCache -- PlanSnapshot --> Reconciler: read <-> decide -> write members -> write the status
//!    ^   plans, metadata of members                 |
//!    \-- PlanReport: members to watch <-------------/
//! ```
//!
//! This crate makes no decisions about plans. It reads the facts that a decision requires, executes
//! the writes, caches facts from earlier reads, and schedules the next reconciliation.
//!
//! # Whose permissions are used
//!
//! With its own permissions, the controller reads plans, the objects that they refer to (except
//! Secrets), namespaces, ServiceAccounts, roles that plans bind, and the served kinds. It also
//! reviews the permissions of ServiceAccounts, and writes the status, the finalizer and the events
//! of plans. For all other requests, it uses the permissions of the ServiceAccount, including each
//! read and watch of a plan's objects.
//!
//! # When it reconciles
//!
//! A changed member is checked at once. For a plan at rest, up to eight checks without a repair can
//! follow each other immediately, and after that one check every five seconds. Members that the
//! ServiceAccount cannot watch are checked every five minutes. A waiting plan is checked with
//! increasing delays of at most a minute. A plan with a rejected write is checked at least every
//! five minutes.
//!
//! Before the controller deletes objects, it reads the served kinds and the objects of other owners
//! again.
//!
//! # When it reports
//!
//! The status of a plan is written at once. Only repairs are an exception: they are reported a
//! tenth of a second after the last repair, and at most a second after the first.
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
