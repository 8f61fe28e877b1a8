//! Decides the next steps of Operators, and computes their statuses.
//!
//! An Operator requests that a package is installed on the cluster, in a range of versions. A hop
//! is the step from one installed version to the next. Each hop has one InstallPlan, which replaces
//! the plan of the previous hop. This crate decides when each hop begins. The crate accesses no
//! cluster, no catalog and no clock, and stores no data.
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
//!    that move at the same time. No move begins before all bundles on the route of the Operator
//!    can be rendered.
//! 2. The controller creates a suspended plan. The plan controller validates this plan and writes
//!    no objects.
//! 3. The controller releases the plan when this plan and the plans of all partners are valid, have
//!    the required permissions, and are approved by users and Policies. After the release, the hop
//!    can no longer be canceled.
//! 4. When the plan has been ready for `settleSeconds`, the controller plans the next hop.
//!
//! # Selecting Operators
//!
//! A Fleet contains all Operators of a cluster. The controller requests their common routes once
//! for each Fleet, and stores the routes in a Survey. When the Fleet or the Survey changes, a
//! Ledger returns the Operators whose decisions depend on the change. The decisions about all other
//! Operators stay the same.
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
