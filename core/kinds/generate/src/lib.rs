//! Generates Operators from manifests, catalogs and requests.
//!
//! ```text
//!  documents ---- Inputs --\
//!  requests, a manifest ----+-- generate --> Outcome::Asks: information that is needed first
//!  Knowledge --------------/            \-> Outcome::Done: objects, changes, diagnostics
//! ```
//!
//! The caller of [`generate`] answers its queries, stores the results in [`Knowledge`], and calls
//! it again until there are no more queries. The crate accesses no catalog, cluster or file. The
//! same arguments give the same output, byte for byte. The order of documents and catalogs has no
//! effect.
//!
//! # Algorithm
//!
//! 1. Documents are parsed. Operators may be changed. Catalogs stay unchanged. Other documents are
//!    omitted with a message.
//! 2. Each request selects a version: the newest version in the update graph, or the requested
//!    version.
//! 3. Missing requirements of these versions are added. An operator without a request changes its
//!    version only if another operator requires this. The operator must also have been added as a
//!    requirement.
//! 4. The resolver finds the route from the installed versions to the new versions. Operators that
//!    only an intermediate version requires are added too.
//! 5. Operators that no other operator needs any more are removed, if the request asks for this.
//!
//! # Guarantees
//!
//! - If the diagnostics contain an error, [`Generated::objects`] is empty.
//! - Every generated version is in a catalog and reachable by a route.
//! - Of an existing Operator, only `spec.version` and two annotations change. The output omits
//!   metadata that an API server writes.
//!
//! [`updater`] decides which Operators are upgraded automatically.

#![warn(clippy::wildcard_enum_match_arm)]

mod additions;
mod change;
mod generate;
mod input;
mod knowledge;
mod manifest;
mod members;
mod newest;
mod output;
mod owned;
mod owner;
mod request;
mod requested_operator;
mod sweep;
pub mod updater;
mod verified;

pub use change::{BundlePath, Change, report};
pub use generate::{Diagnostics, Generated, Outcome, generate};
pub use input::{Document, Format};
pub use knowledge::{
    Answers, Ask, BundleAnswer, BundleKey, ChannelUpdate, GraphAnswer, GraphBundle, Knowledge,
    Need, PackageKey, PackageWish, RequestConflict, Resolution, ResolveQuestion, Solved,
    SolvedOperator,
};
pub use manifest::only_fields;
pub use owner::PackageOwner;
pub use portolan_api::inventory::Manager;
pub use portolan_core_names::requirement::Target;
pub use request::{Autoremove, Request};
pub use requested_operator::{InvalidRequest, RequestedOperator};
