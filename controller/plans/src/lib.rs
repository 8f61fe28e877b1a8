//! The controller of InstallPlans (plans.portolan.dev), called plans here. It reads the objects of
//! a plan (its members). The crate `core/kinds/install` decides. The controller then writes with
//! the permissions of the plan's ServiceAccount.
//!
//! ```text
//! PlanCache -- PlanSnapshot --> Reconciler: read <-> decide -> write members -> write the status
//!    ^   plans, metadata of members                 |
//!    \-- PlanReport: members to watch <-------------/
//! ```
//!
//! This crate makes no decisions about plans. It reads the facts that a decision requests, executes
//! the writes, caches facts, and schedules the next reconciliation.
//!
//! # Whose permissions are used
//!
//! With its own permissions, the controller reads plans, the objects that plans refer to (except
//! Secrets), namespaces, ServiceAccounts, roles that plans bind, and the served kinds. It also
//! reviews the permissions of ServiceAccounts, and writes the status, the finalizer and the events
//! of plans. All other requests use the permissions of the plan's ServiceAccount. This includes
//! each read and each watch of members.
//!
//! # When it reconciles
//!
//! If a member changes, its plan is checked immediately. If a plan needs no work, up to eight
//! checks can follow each other without a pause. After that, one check every five seconds is
//! permitted. Members that the ServiceAccount cannot watch are checked every five minutes. A
//! waiting plan is checked with growing pauses of at most a minute. A plan with a rejected write is
//! checked at least every five minutes.
//!
//! Before the controller deletes objects, it reads the served kinds and the objects of other owners
//! again.
//!
//! # When it reports
//!
//! Usually, the status of a plan is written immediately. Repairs are an exception: they are
//! reported 0.1 seconds after the last repair, and at most one second after the first repair.
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
