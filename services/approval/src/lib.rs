//! Approval: which InstallPlans the policies of a cluster allow, and when operators may move.
//!
//! A shell around `core/questions/approval`. It follows the InstallPlans of a world, the objects that affect
//! them, and the policies; lets the core review each namespace that a change affects; and reports
//! the reviews. It decides nothing, and approves nothing.
//!
//! ```text
//! world -> cache ---> facts --> core/questions/approval -> Snapshot --\
//!             \-----> api: what policies say      \
//! request -> wire::decode -----------> question -> wire::encode -> response
//! ```
//!
//! [`portolan_core_approval::consent`] decides if an operator may be upgraded, based on the
//! Policies and PolicyBindings that are followed as well. They also restrict the approvals of
//! OperatorPolicies: a review is valid at a time, and watchers get a change when time alone changes
//! it.
//!
//! A review costs what its namespace holds, never what the cluster holds. What is not seen, or not
//! lately, makes no plan approvable.

mod cache;
mod clock;
mod facts;
mod judges;
mod news;
mod question;
mod restricted;
mod serve;
mod service;
mod snapshot;
mod wire;
pub mod worker;

pub use serve::{Broken, Flags, Unbound, listen, serve, terms};
pub use service::{Approval, Grounds, Options};

#[cfg(test)]
mod tests;
