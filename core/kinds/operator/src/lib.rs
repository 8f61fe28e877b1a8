//! Operators: the decisions about them, and their status.
//!
//! An Operator requests a package on a cluster, in a range of versions. InstallPlans install the
//! package. Each hop has one plan, and each plan replaces the previous one. This crate makes the
//! decisions. The crate accesses no cluster, no catalog and no clock, and stores no data.
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
//! 1. The common route of all operators determines the next move of this Operator, and the
//!    partners that move at the same time. No move begins before all bundles on the route of the
//!    Operator can be rendered.
//! 2. A plan is created in the suspended state. The plan controller validates the plan and writes
//!    no objects.
//! 3. The plans of all partners are released when they all exist, are valid, permitted and
//!    approved, including by Policies. From then on, the hop can no longer be canceled.
//! 4. After the plan has been ready for `settleSeconds`, the next hop is planned.
//!
//! # Selecting Operators
//!
//! All Operators share one route. The route is requested once for each Fleet and stored in a
//! Survey. When the Fleet or its Survey changes, a Ledger returns the Operators whose decisions
//! depend on the change. All other decisions stay the same.
//!
//! # Guarantees
//!
//! - The plans record the installed version. If a status is lost, the controller writes it again,
//!   and no operator moves.
//! - The controller never changes a plan that has begun, even if the same bundle would now be
//!   rendered differently.
//! - An operator that another operator needs is deleted only if a user forces the deletion.
//! - The decision is stable: without a change, it returns no further steps and the same status.

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
