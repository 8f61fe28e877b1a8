//! Operators: the decisions about them, and their status.
//!
//! An Operator requests a package on a cluster, in a range of versions. InstallPlans install it,
//! one for each hop: each plan replaces the previous one. This crate makes the decisions. It
//! accesses no cluster, no catalog and no clock, and keeps no state.
//!
//! ```text
//!  Operators, InstallPlans of them, what others installed --> Fleet
//!                                                              |
//!     offers: which catalog has which package ---- question <--+
//!                                                      |
//!                                              answer: the steps of all of them
//!                                                      |
//!  bundles, rendered ----------------- decide ---------+
//!                                        |
//!                       Decision { asks, steps, status, until }
//! ```
//!
//! # Steps of a hop
//!
//! 1. The common route of all operators determines the next move of this Operator, and the partners
//!    that move at the same time. No move begins before all bundles on the Operator's own route are
//!    rendered.
//! 2. A plan is created in the suspended state. It is validated and writes nothing.
//! 3. The plans of all partners are released when they all exist, are valid, permitted and
//!    approved, including by Policies. From then on, a hop can only be completed.
//! 4. After the plan has been ready for `settleSeconds`, the next hop is planned.
//!
//! # Selecting Operators
//!
//! All Operators share one route. It is requested once for each Fleet and kept in a Survey. When
//! the Fleet or its Survey changes, a Ledger returns the Operators whose decisions depend on the
//! change. All other decisions stay the same.
//!
//! # Guarantees
//!
//! - The plans record what is installed. If a status is lost, it is written again, and no operator
//!   moves.
//! - A plan that has begun is never changed, even if the same bundle would now be rendered
//!   differently.
//! - An operator that another operator needs is not deleted, unless a user requests it.
//! - The decision is stable: without changes it repeats no steps and reports no new status.

#![warn(clippy::wildcard_enum_match_arm)]

mod adopting;
mod adoption;
mod answer;
mod decide;
mod fleet;
mod hop;
mod member;
mod needs;
mod offer;
mod plan_fields;
mod question;
mod settings;
mod survey;
mod touched;
mod unsafe_changes;
mod users;
mod waits;

pub use adopting::adopting;
pub use adoption::{Adopts, CsvId, LiveQuery, disowned, is_of};
pub use answer::{
    Answer, Blocked, CommonRoute, CustomResources, Deprecations, End, Move, PackageFacts,
    PolicyDecision, RenderedBundle, WantedBundle,
};
pub use decide::{
    Act, Ask, BundleId, BundleRef, Decision, Home, Knowledge, Observation, ResourceQuery, Step,
    decide,
};
pub use fleet::{Conditions, Csv, Fleet, Installer, Policies, Present, Subscribed};
pub use hop::{HopFacts, HopState, OperatorHop, Partner, PlanValidity};
pub use member::FleetMember;
pub use needs::Links;
pub use offer::{Choice, Offer, Offers};
pub use question::{
    Asked, ConsentQuestion, Goal, Installation, PackageRef, Question, RenderOptions, Requirements,
};
pub use settings::{Setting, Settings};
pub use survey::{Basis, Ledger, Superseded, Survey};
pub use unsafe_changes::{
    Acceptance, CrdAsk, CrdComparison, CrdFacts, OnCluster, UnsafeUpdate, UpgradePath,
    compare_crds, definitions,
};
