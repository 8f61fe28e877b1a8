//! Decides which Operators get another `spec.version` automatically, and reports why the others
//! keep their version.
//!
//! ```text
//!  a ConfigMap ------- Configuration --\
//!  Operators ----- SeenOperator --------+-- decide --> Decision::Asks: what to ask the resolver
//!  catalogs, answers ------------------/           \-> Decision::Done: moves and reports
//! ```
//!
//! The module accesses no catalog and no cluster, and does not resolve versions itself. A
//! [`Question`] is a request to [`generate`](fn@crate::generate). The caller of [`decide`] answers
//! each question and stores the answer in the [`Observation`]. Then it calls [`decide`] again,
//! until there are no more questions.
//!
//! # Guarantees
//!
//! - The updater changes only Operators that the [`Configuration`] names, and only their field
//!   `spec.version`.
//! - While the configuration or a catalog is broken, the updater changes nothing.
//! - If another field manager owns `spec.version`, the updater does not change it. There is one
//!   exception: the [`Configuration`] can allow the updater to take over a version that a user
//!   wrote with kubectl or `portolan`. The updater never takes over a version from a controller.
//! - An Operator is updated only if it is ready in its current version, or if this version has
//!   failed and a newer version is available.

mod configuration;
mod decide;
mod operator;
mod owners;
mod report;

pub use configuration::{Configuration, Entry, Mode, Name, Rule, parse};
pub use decide::{
    Answer, Catalogs, Change, Decision, Move, Observation, Outcome, Question, decide,
};
pub use operator::{Phase, SeenOperator};
pub use owners::Owners;
pub use report::{OperatorReport, Reason, condition};

/// The field manager of the updater, for `spec.version` and its condition.
pub const MANAGER: &str = "portolan-updater";
