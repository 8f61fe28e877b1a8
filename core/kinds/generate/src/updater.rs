//! Automatic changes of `spec.version`, and the reasons why other Operators keep their version.
//!
//! ```text
//!  a ConfigMap ------- Configuration --\
//!  Operators ----- SeenOperator --------+-- decide --> Decision::Asks: what to ask the resolver
//!  catalogs, answers ------------------/           \-> Decision::Done: moves and reports
//! ```
//!
//! The module accesses no catalog and no cluster. It does not resolve versions itself: a
//! [`Question`] is a request to [`generate`](fn@crate::generate). The caller of [`decide`] answers
//! the questions, stores the answers in the [`Observation`], and calls it again until it is done.
//!
//! # Guarantees
//!
//! - Only Operators in the [`Configuration`] are updated, and only `spec.version` changes.
//! - While the configuration or a catalog is broken, nothing changes.
//! - A version of another field manager is kept. If the [`Configuration`] permits it for an
//!   Operator, the updater takes over a version that a person wrote with kubectl or `portolan`. It
//!   never takes over a version of a controller.
//! - An Operator is updated only if it is ready in its current version, or if that version has
//!   failed and a newer one is available.

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
