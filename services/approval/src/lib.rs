//! The approval service: reviews which InstallPlans the policies of a cluster allow, and when
//! operators may be upgraded.
//!
//! This crate connects the crate `core/questions/approval` to the objects of a cluster and to gRPC.
//! The service watches the InstallPlans, the objects that affect InstallPlans, and the policies.
//! When an object changes, the core crate reviews each affected namespace, and the service reports
//! the reviews. All decisions are in the core crate. The service approves no InstallPlans.
//!
//! ```text
//! world -> cache ---> facts --> core/questions/approval -> Snapshot --\
//!             \-----> api: what policies say      \
//! request -> wire::decode -----------> question -> wire::encode -> response
//! ```
//!
//! [`portolan_core_approval::consent`] decides if an operator may be upgraded, based on the
//! UpgradePolicies and PolicyBindings. PolicyBindings also restrict the approvals of
//! OperatorPolicies. A restriction may depend on the time, so a review is valid only for one point
//! in time. Clients of a watch also get the reviews that change only because time has passed.
//!
//! The duration of a review depends on the size of its namespace and not on the size of the
//! cluster. If facts are missing or outdated, no plan is reported as approvable.

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
