//! The controller of InstallPlans: looks at what a plan has made, has `core/kinds/install` decide, and
//! writes as the ServiceAccount of the plan.
//!
//! ```text
//! PlanCache -- PlanSnapshot --> Reconciler: look <-> decide -> write members -> write the status
//!    ^   plans, metadata of members                 |
//!    \-- PlanReport: what is to be watched <--------/
//! ```
//!
//! The decision what is done about a plan is not made here. This crate knows how to look at what is
//! asked for, how the writes are sent, what of it need not be looked at again, and when to look
//! again.
//!
//! # In whose name
//!
//! The controller itself reads plans, what they refer to but for Secrets, namespaces, ServiceAccounts,
//! roles that plans bind, and which kinds are served, asks what a ServiceAccount may do, and writes the
//! status, the finalizer and the events of plans. All else, also each look at an object of a plan and
//! each watch of them, is done as the ServiceAccount.
//!
//! # When it looks again
//!
//! A member that somebody changes is looked at at once. Of a plan that is at rest, eight such looks that
//! found nothing to be put right may follow each other; then there is one in five seconds. What is not
//! watched, as the ServiceAccount may not watch it, is looked at every five minutes. A plan that waits for something looks again, the longer it waits the
//! seldomer, and at least once a minute; one of which a write was refused, at least every five minutes.
//!
//! Before anything is deleted, which kinds there are and what others have is looked at anew.
//!
//! # When it tells
//!
//! The status of a plan is written at once, but for members that were put right: these are told a
//! tenth of a second after the last of them, and a second after the first at the latest.
//!
//! # Installs
//!
//! [`grants`] is the controller of Installs, which makes InstallPlans and the ServiceAccounts that these name.

mod cache;
mod discovery;
pub mod grants;
mod live;
mod memory;
mod metrics;
mod namespaces;
mod news;
mod observe;
mod reconcile;
mod rest;
mod untold;
mod write;

pub use cache::{PlanCache, PlanReport, PlanSnapshot};
pub use discovery::DiscoveryCache;
pub use live::{LivePlan, live};
pub use metrics::PlanMetrics;
pub use reconcile::PlanReconciler;
