//! What is to be done about a policy, and what is to be said of it.
//!
//! One function, [`decide`], takes what a policy means, what is seen of the cluster, what the
//! services say and what time it is, and gives a [`Desired`]: how it is, and what is to be done, step
//! by step. [`Desired::after`] says how it is once the steps were tried, and [`tell`] makes of that
//! the status, with its history and the compliance event.
//!
//! ```text
//! Intent x Observed x Answers x now -- decide --> Desired { report, steps }
//!                                 Outcomes of the steps -- after --> Report
//!                                          status before -- tell --> status, event
//! ```
//!
//! Each matter of a status has a module of its own, named for it, which judges a case and gives
//! its part. The crate reads its arguments and nothing else: no clock, no cluster, no service. It
//! judges no operator, computes no graph and reviews no InstallPlan; it hears what others say of
//! them, in its own small [`Answers`].

#![warn(clippy::wildcard_enum_match_arm)]

mod answers;
mod case;
mod catalog;
mod change;
mod csv;
mod decide;
mod defaults;
mod definition;
mod deployment;
mod deprecation;
mod desired;
mod existing;
mod group;
mod kinds;
mod managed;
mod minor;
mod observed;
mod part;
mod phrase;
mod plan;
mod removal;
mod subscription;
mod tell;
#[cfg(test)]
mod tests;
mod unknown;
mod upgrades;
mod valid;
mod words;

pub use answers::{
    Allowance, Answers, Bundle, Catalog, Channel, Fact, Heard, Judged, Modes, Obstacle, Offer,
    Operator, PlannedBundle, Review, Route, Silence, Verdict, Why,
};
pub use decide::decide;
pub use desired::{Action, Desired, Outcome, Report, Said, Status, Step, Target, Word};
pub use managed::{READS, creator};
pub use observed::{Blind, Contest, Hands, Instance, Instances, Observed, Scene, Unkept};
pub use plan::{Unheard, is_outdated, newest_allowed, unheard};
pub use portolan_core_olm::State;
pub use removal::{Foretold, Preview, definitions_to_go, preview};
pub use tell::{News, Told, tell};
