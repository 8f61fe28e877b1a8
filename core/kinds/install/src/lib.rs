//! Decides which steps the controller carries out for an InstallPlan, and which status it reports.
//!
//! An InstallPlan is an immutable set of manifests in stages. The controller observes the cluster,
//! decides and writes. This crate makes the decisions. It accesses no cluster and no clock, and
//! stores no data.
//!
//! ```text
//!  Intent, Contents -- Members::read --> Members, or all Faults        form, sizes, digests
//!                                           |
//!           Discovery, Roles --> Needs -----+--> reviews to request, missing rules
//!                                           |
//!  Observation: status, objects, answers ---+-- decide --> Decision { asks, steps, status, until }
//!        ^                                  |                  |         |        |
//!        |      readiness: is it ready? ----+                  |         |        +-> written last
//!        +---- looked up <-------------------------------------+         +-> Create, Apply, Delete
//! ```
//!
//! # Usage
//!
//! A reconciler fills an [`Observation`] with the known facts and calls [`decide`]. If the
//! [`Decision`] contains [asks](Decision::asks), the reconciler looks up these facts and decides
//! again. It sends requests only for facts that its watches do not provide. Then it executes the
//! [steps](Decision::steps), with the permissions of the plan's ServiceAccount and with [`manager`]
//! as field manager. A [`Step::Create`] is an apply that creates an object and fails if the object
//! exists. A [`Step::Apply`] includes the uid of the object, and a [`Step::Delete`] has the uid as
//! a precondition. The controller writes the finalizer of the plan with its own permissions.
//! Finally it writes the status, if [`Decision::after`] differs from the current one. With
//! `InOrder`, the reconciler stops at the first step that does not succeed. If the outcome of the
//! steps [is news](Decision::is_news), the reconciler decides again at once. Otherwise, if a step
//! failed, it waits with backoff.
//!
//! # Guarantees
//!
//! - The status reports all faults of a plan together, before the controller writes anything: form
//!   and references, kinds, permissions, order, dry runs, collisions.
//! - Missing content that may appear later has the state `NotYet` and does not make the plan
//!   invalid. Examples are an unserved kind and a missing ResourceManifest. Content that the plan
//!   itself creates is not required in advance.
//! - Before its first write, a plan finds and records the objects that already exist. It overwrites
//!   such an object only as `collisions` allows. It takes fields of other owners by force in three
//!   cases: the owner is a lineage of the plan or of deleted plans, the plan adopts objects, or no
//!   value would change.
//! - A controller may stop after any write. The next controller reaches the same result, because
//!   all state is in the cluster. A completed plan causes no writes.
//! - When `Applied` is true, it stays true. `Ready` reports the current state. If a stage exceeds
//!   its deadline, the status reports this, and the stage continues.
//! - If a plan contains a CRD and the workload behind its conversion webhook, the CRD stores
//!   objects in a new version only after the rollout of this workload. The controller writes the
//!   [`staged`] members.
//! - If the deletion of a plan deletes objects, the plan has a finalizer before its first write.
//!   When the plan is deleted, it deletes the objects that it created: objects with its name, label
//!   and field owner that did not exist before the plan. They are deleted in reverse order, custom
//!   resources before their CRD, and objects before their Namespace. A CRD or Namespace is not
//!   deleted if objects that the plan did not create would be lost with it.
//! - A blocked deletion reports its cause and the remaining objects. The plan gives up the deletion
//!   after `abandonAfterSeconds`, or when a user annotates the plan to keep everything.
//!
//! # Plans that replace others
//!
//! A lineage is a chain of plans that replace each other. The controller creates a [`Peer`] for
//! each plan in a namespace. [`Succession::of`] finds the relations of one plan to the others. The
//! [lineage](Succession::lineage) becomes [`Plan::lineage`]. When a plan changes, the controller
//! reconciles the related plans again. No two plans of a lineage write at the same time. An object
//! that both plans contain always exists. If its manifest is the same, the controller does not
//! write it. Objects that only the old plan contains are deleted when the new plan is ready.
//!
//! A plan that replaces plans of several lineages [merges](Succession::merged) them. Each object
//! keeps its lineage and is written under this lineage. A missing object is created under the
//! lineage of the plan that had it.
//!
//! ```
//! use portolan_api::plan::{InstallPlan, Intent};
//! use portolan_core_install::{Contents, ObjectRef, GroupKind, Members};
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
//! let plan = ObjectRef {
//!     kind: GroupKind::new("plans.portolan.dev", "InstallPlan"),
//!     namespace: Some("harbor".to_owned()),
//!     name: "ferry".to_owned(),
//! };
//! let faults = Members::read(&intent, &plan, &Contents::default()).unwrap_err();
//! assert_eq!(faults[0].to_string(), "spec.stages[0].resources[1] has metadata.generateName, which \
//!     creates another object each time; set metadata.name");
//! # Ok::<_, portolan_api::Refusals>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod decide;
mod diff;
mod discovery;
mod fate;
mod fields;
mod lineages;
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
    Account, Ask, Attempt, Decision, Drift, DriftTally, Drifting, Event, Forced, Live, LiveChange,
    ObjectRead, Observation, OlmDefinitions, Outcome, Plan, PodsSeen, Previews, Reviews,
    SelectableObject, Selected, Step, Trial, VerifiedMembers, crds_of_role, decide, is_claimed,
    live, lookup_failed, only_repairs, staged, time_to_ready,
};
pub use diff::{Changed, Deletion, Difference, FieldChange, deletion, difference, tried};
pub use discovery::{Discovery, ServedKind, defined};
pub use fate::{Fate, KeepReason};
pub use fields::{Fields, Foreign, LostField, Operation, OwnedField, Owner};
pub use lineages::{Lineages, manager};
pub use make::{Flaw, Made, PLAN_NAME, Predecessors, Recipe, description, make};
pub use manifest::{
    Contents, Job, JobOwner, ManifestFault, Member, Members, Part, ResourcePlace, SECRET_KEY,
    SecretContent, canonical, digest, opened, pack,
};
pub use others::{Others, Resident};
pub use permissions::{
    Access, AccountName, Answers, BundleObjects, ClusterRoles, Grant, MissingRights, Needs, Roles,
    Rule, may_read,
};
pub use portolan_core_names::{GroupKind, Key, ObjectRef};
pub use prune::{Outdated, PastPlan, Prunable, outdated, prunable, referenced};
pub use readiness::{Expectation, Readiness, readiness, readiness_by};
pub use succession::{Peer, Succession};
pub use version::PlanVersion;
pub use why::{Relation, ReportedState, Share, Why};
