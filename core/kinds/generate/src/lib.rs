//! Operators as they should be written: manifests, catalogs and wishes in; manifests out.
//!
//! ```text
//!  documents ---- Inputs --\
//!  wishes, a manifest ------+-- generate --> Outcome::Asks: what has to be known first
//!  Knowledge --------------/            \-> Outcome::Done: objects, changes, diagnostics
//! ```
//!
//! The caller of [`generate`] answers its questions, puts the answers into [`Knowledge`], and calls
//! it again, until it is done. So the crate knows no catalog, no cluster and no file, and the same
//! arguments have the same outcome byte for byte, in whatever order documents and catalogs come.
//!
//! # How it goes
//!
//! 1. Each document is read: Operators, which change; catalogs, which are printed as they are; all
//!    else is left out, and told.
//! 2. Each wish becomes a version: the newest one that the update graph leads to, or the one asked for.
//! 3. What these versions require and nobody has is added. What nobody has named moves only where
//!    something requires it, and only if it was added in the same way.
//! 4. The route from what is installed to all of it is asked for. What only a hop in the middle
//!    requires is added, too.
//! 5. What nothing needs any more is taken away, where that is asked for.
//!
//! # What is promised
//!
//! - An error means no objects: [`Generated::objects`] is empty then.
//! - Every version that is written is in a catalog, and a route leads there.
//! - Of what was read nothing changes but `spec.version` and two annotations; what an API server
//!   writes into the metadata of objects is left out.
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
mod request;
mod sweep;
pub mod updater;
mod verified;
mod wish;

pub use change::{BundlePath, Change, report};
pub use generate::{Diagnostics, Generated, Outcome, generate};
pub use input::{Document, Format};
pub use knowledge::{
    Answers, Ask, BundleAnswer, BundleKey, Conflict, GraphAnswer, GraphBundle, Knowledge, Need,
    PackageKey, PackageWish, Resolution, ResolveQuestion, Solved, SolvedOperator, Update,
};
pub use manifest::only_fields;
pub use request::{Autoremove, Request};
pub use wish::{NoWish, Target, Wish};
