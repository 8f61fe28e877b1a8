//! The `spec.version` that Operators get by themselves, and the obstacles that keep the others
//! where they are.
//!
//! ```text
//!  a ConfigMap ------- Configuration --\
//!  Operators ----- SeenOperator --------+-- decide --> Decision::Asks: what to ask the resolver
//!  catalogs, answers ------------------/           \-> Decision::Done: moves, and what is said
//! ```
//!
//! It knows no catalog and no cluster. Which version an Operator can have is not decided here: that is
//! what [`generate`](fn@crate::generate) answers, and a [`Question`] is a request to it. The caller of [`decide`]
//! answers the questions, adds the answers to the [`Observation`], and calls it again, until it is done.
//!
//! # What is promised
//!
//! - Nobody is updated whom the [`Configuration`] does not name, and nothing but `spec.version` changes.
//! - While the configuration or a catalog is broken nothing changes.
//! - A version of another field manager stays. If the [`Configuration`] allows it for an Operator, the updater takes over
//!   a version that a person wrote with kubectl or `portolan`. It never takes over a version of a controller.
//! - An Operator moves on only when it is ready in the version that it has, or when that version has failed
//!   and a newer one is there.

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

/// The field manager of what the updater writes: `spec.version` and its one condition.
pub const MANAGER: &str = "portolan-updater";
