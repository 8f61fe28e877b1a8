//! Approval: which InstallPlans the policies of a cluster allow, and when operators may be
//! upgraded.
//!
//! This crate connects `core/questions/approval` to a world and to gRPC. It watches the
//! InstallPlans in a world, the objects that affect them, and the policies. When an object changes,
//! the core reviews each affected namespace, and this crate reports the reviews. The crate makes no
//! decisions and approves no plans.
//!
//! ```text
//! world -> cache ---> facts --> core/questions/approval -> Snapshot --\
//!             \-----> api: what policies say      \
//! request -> wire::decode -----------> question -> wire::encode -> response
//! ```
//!
//! [`portolan_core_approval::consent`] decides if an operator may be upgraded, based on the
//! UpgradePolicies and PolicyBindings. These also restrict the approvals of OperatorPolicies.
//! Therefore a review is valid only for one time. Watchers are notified if a review changes only
//! because time has passed.
//!
//! The time of a review depends on the size of its namespace and not on the size of the cluster. If
//! facts are missing or outdated, no plan is reported as approvable.

mod cache;
mod clock;
mod facts;
mod judges;
mod news;
mod question;
mod restricted;
mod review_terms;
mod serve;
mod service;
mod snapshot;
mod wire;
pub mod worker;

pub use review_terms::ReviewTerms;
pub use serve::{Broken, Flags, Unbound, listen, serve, terms};
pub use service::{Approval, Grounds, Options};

#[cfg(test)]
mod tests;
