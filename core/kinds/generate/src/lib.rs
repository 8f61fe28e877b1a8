//! Generates Operators from manifests, catalogs and requests.
//!
//! ```text
//!  documents ---- Inputs --\
//!  requests, a manifest ----+-- generate --> Outcome::Asks: information that is needed first
//!  Knowledge --------------/            \-> Outcome::Done: objects, changes, diagnostics
//! ```
//!
//! The caller of [`generate`] answers its questions, stores the answers in [`Knowledge`], and calls
//! it again until it is done. The crate accesses no catalog, cluster or file. The same arguments
//! give the same outcome byte for byte, whatever the order of documents and catalogs.
//!
//! # Algorithm
//!
//! 1. Documents are parsed. Operators are changed, and catalogs are printed unchanged. Other
//!    documents are omitted with a message.
//! 2. Each request is resolved to a version: the newest one in the update graph, or the requested
//!    one.
//! 3. Missing requirements of these versions are added. Operators that are not part of the request
//!    move only if something requires it, and only if they were added as requirements.
//! 4. The route from the installed to the new versions is requested. Operators that only an
//!    intermediate hop requires are also added.
//! 5. Operators that nothing needs any more are removed, if requested.
//!
//! # Guarantees
//!
//! - If there is an error, [`Generated::objects`] is empty.
//! - Every generated version is in a catalog and reachable by a route.
//! - In the input, only `spec.version` and two annotations change. Metadata that an API server
//!   writes is omitted.
//!
//! [`updater`] decides which Operators are upgraded without a request.

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
