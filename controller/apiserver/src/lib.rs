//! The API server of Installed: answers kubectl, through the API server of the cluster.
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
//! The answers are decided by `core/views/installed`, and so is what an Installed is. This
//! crate proves who asks, waits, and sends.
//!
//! # Guarantees
//!
//! - Headers that name a user count only beside a certificate of an API server.
//! - Documents are answered before anything is known of the cluster. Of Installed nothing is said before all is
//!   known: an object that is not found is not there.
//! - A caller takes at most a share of the places for watches and lists: the others go on.
//! - No watch has a queue. Each has its place among what has happened; a client that falls behind
//!   that is told so (410), and a client that takes nothing is cut off.

mod authenticate;
mod authorize;
mod flags;
mod follow;
mod metrics;
mod places;
mod ready;
mod sent;
mod serve;
mod server;
mod shown;
mod watching;

pub use flags::Flags;
pub use portolan_core_certificate::Lifetimes;
pub use portolan_runtime::certificates::Terms;
pub use serve::{listen, serve};

#[cfg(test)]
mod tests;
