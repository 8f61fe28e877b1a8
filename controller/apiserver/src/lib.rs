//! The API server of Installed. It serves kubectl through the API server of the cluster.
//!
//! ```text
//! API server -- HTTPS --> Identities: whose certificate, for whom --> Permissions: may they --> Server: answers
//!                 ^         ConfigMap of kube-system                    SubjectAccessReview       ^
//!    certificate  |   Keeper: its Secret, and the caBundle of the APIService                      |
//!                 \----                                                                         Shown
//!       ClusterServiceVersions, Subscriptions, OperatorGroups, Namespaces,
//!       Operators and what lies beside their plans ----------------------> follow --> Index --/
//! ```
//!
//! The crate `core/views/installed` defines Installed and computes the responses. This crate
//! authenticates callers, waits, and sends responses.
//!
//! # Guarantees
//!
//! - Headers that name a user are ignored without a client certificate of an API server.
//! - Documents are served even before the cluster was read. Installed objects are served only after
//!   all lists were read, so that "not found" is reliable.
//! - A caller may use only a share of the slots for watches and lists, so that other callers are
//!   not blocked.
//! - A watch has no queue. Instead, it has a position in the history of changes. A client gets 410
//!   Gone if the history no longer contains the position of its watch. A client that reads nothing
//!   is disconnected.

mod authenticate;
mod authorize;
mod flags;
mod follow;
mod metrics;
mod ready;
mod sent;
mod serve;
mod server;
mod shown;
mod slots;
mod watching;

pub use flags::Flags;
pub use portolan_core_certificate::Lifetimes;
pub use portolan_runtime::certificates::Terms;
pub use serve::{listen, serve};

#[cfg(test)]
mod tests;
