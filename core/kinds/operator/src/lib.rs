//! Operators: what is to be done about one, and what is said of it.
//!
//! An Operator says which package is to be on a cluster, and in which versions. It is brought there by
//! InstallPlans, one a hop: each replaces the one before it. This crate is the deciding. It has no
//! cluster, no catalog, no clock, and keeps nothing.
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
//! # How a hop goes
//!
//! 1. The route of all operators says where this one goes next, and with whom. Nothing begins before
//!    every bundle on its own way is read and rendered.
//! 2. A plan is made that is suspended: it is judged, and writes nothing.
//! 3. Once the plans of all that move together are there, valid and permitted, and whoever must allow
//!    it has, Policies too, they are let go. From then on a hop is only finished.
//! 4. When it was ready for `settleSeconds`, the next hop is looked for.
//!
//! # Who is decided about
//!
//! All Operators have one way together, which is asked for once for a Fleet: a Survey. When the Fleet changes, or
//! its Survey says something else, a Ledger tells which Operators that touches: those of which a decision reads
//! what is another one now. All others would be decided as they were.
//!
//! # What is promised
//!
//! - What is installed is told by the plans, each of which says what it installs: a status that was
//!   lost is written again, and nothing moves.
//! - A plan that was begun is never changed because the same bundle would be rendered in another way.
//! - An operator that another one needs is not taken away, unless somebody says so.
//! - Once nothing changes any more, there is nothing to do and nothing new to say.

#![warn(clippy::wildcard_enum_match_arm)]

mod adoption;
mod answer;
mod decide;
mod fleet;
mod hop;
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

pub use adoption::{Adopts, CsvId, LiveQuery, ObjectId, adopting, disowned, is_of};
pub use answer::{
    Answer, Blocked, Consent, CustomResources, Deprecations, End, Move, PackageFacts,
    RenderedBundle, Route, WantedBundle,
};
pub use decide::{
    Act, Ask, BundleId, BundleRef, Decision, Home, Knowledge, Observation, PackageRef,
    RenderOptions, ResourceQuery, Step, decide,
};
pub use fleet::{Conditions, Csv, Fleet, Installer, Member, Policies, Present, Subscribed};
pub use hop::{Hop, HopFacts, HopState, Partner, Verdict};
pub use needs::Links;
pub use offer::{Choice, Offer, Offers};
pub use question::{Api, Asked, ConsentQuestion, Goal, Installation, Question, Requirements};
pub use settings::{Setting, Settings};
pub use survey::{Basis, Ledger, Superseded, Survey};
pub use unsafe_changes::{
    Acceptance, CrdAsk, CrdComparison, CrdFacts, OnCluster, UnsafeUpdate, UpgradePath,
    compare_crds, definitions,
};
