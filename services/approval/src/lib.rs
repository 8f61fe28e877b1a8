//! Approval: which InstallPlans the policies of a cluster allow, and when operators may move.
//!
//! A shell around `core/approval`. It follows the InstallPlans of a world, what bears on them, and
//! the policies; has the core review each namespace that a change bears on; and tells those who
//! ask. It decides nothing, and approves nothing.
//!
//! ```text
//! world -> cache ---> facts --> core/approval -> Snapshot --\
//!             \-----> api: what policies say      \
//! request -> wire::decode -----------> question -> wire::encode -> response
//! ```
//!
//! Whether an operator may move is for `core/consent`, over the Policies and PolicyBindings that are
//! followed with the rest. They restrict the approvals of OperatorPolicies as well: what a review says
//! is true at a time, and watchers are told when time alone makes it another one.
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
