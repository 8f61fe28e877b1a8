//! Approval: which InstallPlans the policies of a cluster allow.
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
//! A review costs what its namespace holds, never what the cluster holds. What is not seen, or not
//! lately, makes no plan approvable.

mod cache;
mod facts;
mod question;
mod serve;
mod service;
mod snapshot;
mod wire;

pub use serve::{Flags, listen, serve};
pub use service::{Approval, Grounds, Options};

#[cfg(test)]
mod tests;
