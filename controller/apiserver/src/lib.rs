//! The API server of Installed. It answers kubectl through the API server of the cluster.
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
//! `core/views/installed` decides the answers and defines Installed. This crate authenticates
//! callers, waits, and sends.
//!
//! # Guarantees
//!
//! - Headers that name a user count only with a certificate of an API server.
//! - Documents are served before the cluster has been read. Installed objects are served only when
//!   everything has been read, so that "not found" is reliable.
//! - A caller may use only a part of the slots for watches and lists, so that other callers can
//!   continue.
//! - No watch has a queue. Each watch has a position in the history. A client gets 410 Gone if the
//!   history no longer contains its position, and is disconnected if it reads nothing.

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
