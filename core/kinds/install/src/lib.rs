//! InstallPlans: what is to be done about one, and what is said of it.
//!
//! An InstallPlan is a set of manifests that never changes, in stages. The controller that carries
//! one out looks, decides, and writes; this crate decides. It has no cluster, no clock, and keeps
//! nothing.
//!
//! ```text
//!  Intent, Contents -- Members::read --> Members, or all Faults        form, sizes, digests
//!                                           |
//!           Discovery, Roles --> Needs -----+--> reviews to ask, rules that are missing
//!                                           |
//!  Observation: status, objects, answers ---+-- decide --> Decision { asks, steps, status, until }
//!        ^                                  |                  |         |        |
//!        |      readiness: is it ready? ----+                  |         |        +-> written last
//!        +---- looked at <-------------------------------------+         +-> Create, Apply, Delete
//! ```
//!
//! # How it is called
//!
//! A reconciler fills an [`Observation`] with what it has at hand and calls [`decide`]. As long as
//! the [`Decision`] has [asks](Decision::asks), it looks at these and decides again; only what is in
//! no watch costs a request. Then it carries out the [steps](Decision::steps), as the ServiceAccount
//! of the plan and under the name of [`manager`]: a [`Step::Create`] is an apply that makes objects and
//! changes none, a [`Step::Apply`] one with the uid of the object, a [`Step::Delete`] has it as precondition. The
//! finalizer of the plan is the controller's own business. Last it writes the status, if
//! [`Decision::after`] differs from what is there. Where the order is in order, a step that is not
//! done ends them. It decides anew at once where what became of the steps [is
//! news](Decision::is_news), and otherwise backs off where one failed.
//!
//! # What is promised
//!
//! - All that is wrong with a plan is told at once, before anything is written: form and references,
//!   kinds, permissions, order, a dry run, collisions.
//! - What may come is `NotYet`, and not invalid: a kind that nobody serves, a ResourceManifest that
//!   is not there. What comes with the plan itself is not asked for beforehand.
//! - An object that is there before the plan is found before the first write, and recorded; it is
//!   never overwritten but as `collisions` says. Fields of others are taken by force only where they
//!   are ours by another hand, where the plan adopts, or where nothing else would change.
//! - A process that ends after any write is followed by one that comes to the same end: what counts
//!   is in the cluster. A plan that has ended costs no write.
//! - `Applied` stays true once it was; `Ready` is as it is now. A stage that takes too long is told,
//!   and goes on.
//! - A plan of which something goes when it is deleted has a finalizer before its first write. What
//!   goes is what the plan made: by its name, its label, who owns its fields, and not recorded as found.
//!   It goes in reverse order, a custom resource before its definition, what lies in a namespace before
//!   that; and no definition and no Namespace goes with anything that the plan did not make.
//! - A deletion that cannot go on says what holds it up, and what is still there. It is given up after
//!   `abandonAfterSeconds`, or where somebody says that the plan is to keep all.
//!
//! # Plans that replace others
//!
//! The shell makes a [`Peer`] of each plan of a namespace, and with [`Succession::of`] says what they
//! are to one of them; its [lineage](Succession::lineage) goes into [`Plan::lineage`]. When
//! a plan changes, those that it is related to are decided anew. No two plans of a lineage
//! write at the same time, an object that both have is never absent, and one whose manifest is the same
//! costs no write. What only the old one has goes once the new one is ready.
//!
//! A plan that replaces plans of several lineages [merges](Succession::merged) them: each object keeps its lineage and is
//! written under it, and a missing one is made under the lineage of the plan that had it.
//!
//! ```
//! use portolan_api::plan::{InstallPlan, Intent};
//! use portolan_core_install::{Contents, Identity, Kind, Members};
//! use serde_json::json;
//!
//! let spec = json!({
//!     "serviceAccountName": "installer",
//!     "stages": [{"name": "all", "resources": [
//!         {"manifest": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}},
//!         {"manifest": {"apiVersion": "v1", "kind": "Secret", "metadata": {"generateName": "b-"}}},
//!     ]}],
//! });
//! let intent = Intent::parse(&InstallPlan::new("ferry", spec.into()))?;
//! let plan = Identity {
//!     kind: Kind::new("plans.portolan.dev", "InstallPlan"),
//!     namespace: Some("harbor".to_owned()),
//!     name: "ferry".to_owned(),
//! };
//! let faults = Members::read(&intent, &plan, &Contents::default()).unwrap_err();
//! assert_eq!(faults[0].to_string(), "spec.stages[0].resources[1] has metadata.generateName, by which \
//!     it would be another object each time; write metadata.name");
//! # Ok::<_, portolan_api::Refusals>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod decide;
mod diff;
mod discovery;
mod fate;
mod fields;
mod make;
mod manifest;
mod object;
mod others;
mod permissions;
mod prune;
mod readiness;
mod succession;
mod version;
mod why;

pub use decide::{
    Account, Ask, Attempt, Calm, Candidate, Decision, Drift, DriftTally, Drifting, Event, Forced,
    Lineages, Live, LiveChange, Observation, OlmDefinitions, Outcome, Plan, PodsSeen, Previews,
    Reviews, Selected, Sight, Step, Trial, decide, is_claimed, live, manager, only_repairs,
    time_to_ready, unlooked,
};
pub use diff::{Changed, Deletion, Difference, FieldChange, deletion, difference, tried};
pub use discovery::{Discovery, ServedKind, defined};
pub use fate::{Fate, KeepReason};
pub use fields::{Conflict, Fields, Foreign, LostField, Operation, Owner};
pub use make::{Flaw, Made, PLAN_NAME, Predecessors, Recipe, description, make};
pub use manifest::{
    Contents, Fault, Job, JobOwner, Member, Members, Part, Place, SECRET_KEY, SecretContent,
    canonical, digest, opened, pack,
};
pub use object::{Identity, Kind};
pub use others::{Others, Resident};
pub use permissions::{Access, Answers, Grant, Needs, Roles, Rule, may_read};
pub use prune::{Outdated, PastPlan, Prunable, outdated, prunable, referenced};
pub use readiness::{Expectation, Readiness, readiness, readiness_by};
pub use succession::{Peer, Succession};
pub use version::PlanVersion;
pub use why::{Relation, Share, Standing, Why};
