//! Decides which steps the controller executes for an OperatorPolicy, and which status it reports.
//!
//! The function [`decide`] gets the intent of a policy, the observed cluster state, the responses
//! of the services and the current time. It returns a [`Desired`]: a report and steps.
//! [`Desired::after`] returns the report after the steps were executed, and [`render_status`] turns
//! a report into the status, with its history and the compliance event.
//!
//! ```text
//! Intent x Observed x Answers x now -- decide --> Desired { report, steps }
//!                                 Outcomes of the steps -- after --> Report
//!                                 status before -- render_status --> status, event
//! ```
//!
//! Each condition type has its own module, named after the object that the condition is about. The
//! module judges a case (a policy with all its facts) and returns a contribution: conditions,
//! related objects and steps. The results depend only on the arguments. The crate accesses no
//! clock, cluster or service. The services judge operators, compute graphs and review InstallPlans.
//! The crate receives their [`Answers`].

#![warn(clippy::wildcard_enum_match_arm)]

mod answers;
mod case;
mod catalog;
mod change;
mod contribution;
mod crd;
mod csv;
mod decide;
mod defaults;
mod deployment;
mod deprecation;
mod desired;
mod existing;
mod gate;
mod group;
mod kinds;
mod managed;
mod minor;
mod not_judged;
mod observed;
mod offered;
mod phrase;
mod plan;
mod removal;
mod status;
mod subscription;
#[cfg(test)]
mod tests;
mod upgrades;
mod valid;
mod variables;
mod words;

pub use answers::{
    Allowance, Answer, Answers, Bundle, Catalog, CatalogSight, Channel, HealthFact, Modes,
    Obstacle, Offer, Operator, PlanReview, PlannedBundle, ReachableBundles, ReviewedPolicy,
    Unavailable, Verdict, Why,
};
pub use decide::decide;
pub use desired::{
    Action, Condition, ConditionReason, Desired, Report, Status, Step, StepOutcome, Target,
};
pub use managed::{READS, creator};
pub use observed::{Instance, Instances, NamespaceState, Observed, StaleKind, WriteMode};
pub use plan::{UnseenPolicy, is_outdated, newest_allowed, unseen_policy};
pub use portolan_api::{Contest, PrunedField};
pub use portolan_core_olm::State;
pub use removal::{Preview, PreviewedObject, crds_to_delete, preview};
pub use status::{ComplianceEvent, StatusUpdate, render_status};
pub use variables::hidden;
