//! The updater: writes the versions into Operators that their rules let them have, for who has turned it on.
//!
//! ```text
//! ConfigMap, Operators, catalogs change --> a round: look at all of it, core/kinds/generate decides,
//!                                           the resolver generates, spec.version is written
//! ```
//!
//! A round reads everything anew, and so does the next one: nothing is kept in between, and whoever is
//! killed in the middle leaves nothing that the next one does not see. While nothing changes there is no
//! round.
//!
//! It is nobody but itself: a ServiceAccount of its own, a Lease of its own, and a field manager that owns
//! `spec.version` of the Operators that it has updated, and one condition. It takes `spec.version` only from people who
//! wrote it with kubectl or `portolan`, and only where the ConfigMap says `takeOver: true` of the Operator.
//!
//! # What it may do
//!
//! Look at Operators and change them, which the API server limits to `spec.version` and that condition; read one
//! ConfigMap; make events; and hold its Lease.

mod catalogs;
mod changes;
mod flags;
mod metrics;
mod observe;
mod once;
mod round;
mod serve;
mod write;

pub use flags::{Flags, Once};
pub use once::{Line, Ran, once};
pub use serve::{listen, serve};
