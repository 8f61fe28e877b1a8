//! Automatic changes of `spec.version`, and the reasons why Operators keep their version.
//!
//! ```text
//!  a ConfigMap ------- Configuration --\
//!  Operators ----- SeenOperator --------+-- decide --> Decision::Asks: what to ask the resolver
//!  catalogs, answers ------------------/           \-> Decision::Done: moves and reports
//! ```
//!
//! The module accesses no catalog and no cluster, and does not resolve versions itself. A
//! [`Question`] is a request to [`generate`](fn@crate::generate). The caller of [`decide`] answers
//! the questions, stores the answers in the [`Observation`], and calls it again until it has no
//! more questions.
//!
//! # Guarantees
//!
//! - Only Operators in the [`Configuration`] are updated, and only their field `spec.version`
//!   changes.
//! - While the configuration or a catalog is broken, the updater changes nothing.
//! - The updater keeps a version that another field manager owns. If the [`Configuration`] permits
//!   it for an Operator, the updater takes over a version that a user wrote with kubectl or
//!   `portolan`. It never takes over a version from a controller.
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
