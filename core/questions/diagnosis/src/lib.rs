//! Diagnoses the operators of a namespace: the problem, the object at fault, and the cure.
//!
//! The caller supplies a [`Situation`] with the input of the health, approval and forecast crates,
//! as plain values. [`diagnose`] calls these crates, combines their results, and returns one
//! [`Diagnosis`] for each operator:
//!
//! ```text
//! health::judge          facts about the objects  \
//! health::judge_catalog  state of the registries   \
//! olm_v0::forecast       decisions of OLM           +-> causes -> root first -> Diagnosis
//! graph                  paths of the channels      /
//! approval::review       approval of plans         /
//! ```
//!
//! The [`Remedy`] of a cause contains a safe fix, or alternatives with a cost. If it has neither,
//! another person is [`Responsible`], or the problem resolves with time. The worst cause is first.
//! Among equally bad causes, the cause that blocks the others is first, in the order of [`Code`].
//! The other causes are below it. If an operator is affected by another operator, its diagnosis
//! names the other operator, and never blames the affected operator.
//!
//! # Causes
//!
//! | matter | codes | from |
//! |---|---|---|
//! | OLM itself | `OlmNotRunning` | Deployments of OLM and their Pods |
//! | OperatorGroup | `OperatorGroupMissing`, `OperatorGroupsConflict`, `GroupServiceAccountMissing`, `InstallModeUnsupported` | facts of health; install modes of the bundle in the catalog |
//! | catalog | `CatalogMissing`, `CatalogNeverReached`, `CatalogUnreachable`, `CatalogNotAnswering`, `CatalogOutdated`, `CatalogBroken` | CatalogSource, probe and Pods; content against what is installed |
//! | another object | `BlockedByCatalog`, `BlockedByNeighbor`, `BlockedByOrphan` | forecast; without catalog content, the message of OLM |
//! | subscription | `PackageMissing`, `ChannelMissing`, `StartingCsvMissing`, with the near name | forecast and content, or the words of OLM |
//! | dependencies | `DependencyMissing`, `DependencyOutOfRange`, `ApiProvidedTwice`, `DuplicateSubscription` | forecast, or the words of OLM |
//! | resolution | `ResolutionStale`, `ResolutionFailed` | the condition of OLM against the forecast |
//! | unpacking | `UnpackFailing` | the condition of OLM; Jobs and their Pods |
//! | plan | `PlanFailed`, `PlanMissing`, `PlanAwaitsApproval`, `PlanForcedManual`, `PlanSuperseded`, `PlanObsolete`, `PlanNotStarted` | reviews of plans; facts of health |
//! | what it needs | `CrdOwnedByOther`, `ApiClaimedByGroup`, `CrdMissing`, `CrdNotUsable`, `ApiMissing`, `PermissionMissing`, `ClusterTooOld`, `RequirementUnmet`, `RequirementNotRechecked` | facts of health; operators elsewhere |
//! | its own word | `NotUpgradeable` | OperatorCondition |
//! | what runs | `ImagePullFailing`, `CrashLooping`, `ContainerNotCreated`, `VolumeNotAttached`, `Unschedulable`, `QuotaExceeded`, `PodRejected`, `PodFailed`, `ProbeFailing`, `ScaledToZero`, `RolloutPaused`, `DeploymentRejected`, `DeploymentMissing`, `DeploymentOwnedByOther`, `DeploymentContested`, `RolloutFailing` | facts of health |
//! | ClusterServiceVersion | `PredecessorPending`, `DeadlinePassed`, `CsvFailed`, `OnlyCopied`, `OperatorGone` | facts of health; images of the bundle |
//! | what comes next | `NextVersionNotAllowed`, `OutOfSkipRange`, `DeadEnd`, `AllowedVersionSkipped`, `NotForThisCluster` | graph, forecast, policies, versions of the cluster |
//! | InstallPlan of Portolan | `PlanInvalid`, `PermissionMissing`, `ObjectNotOwned`, `StageBlocked`, `JobFailed`, `MembersNotReady`, `DriftContested`, `DeletionBlocked`, `PlanSuspended` | its status, by [`diagnose_plan`] |
//! | Operator of Portolan | `OperatorInvalid`, `PackageTaken`, `AmbiguousCatalog`, `NoUpgradePath`, `BundleNotInstallable`, `CrdUpgradeUnsafe`, `ApprovalRequired`, `BlockedByPolicy`, `WindowsNeverOverlap`, `InstallFailed` | its status and that of its plan, by [`diagnose_operator`] and [`diagnose_own`] |
//! | Install of Portolan | `ContentInvalid`, `ApprovalRequired`, `InstallFailed` | its status and that of its plan, by [`diagnose_install`] |
//! | policy | `PolicyInvalid`, `ReferenceMissing`, `PolicyNonCompliant`, `DriftContested` | its status, by [`diagnose_operator_policy`], [`diagnose_policy`] and [`diagnose_binding`] |
//! | OLM v1 | `CatalogNotServed`, `ExtensionFailing`, and codes of other rows | its conditions, catalogs and workloads, by [`diagnose_extension`] and [`diagnose_catalog`] |
//! | Portolan | `ComponentUnavailable`, `ComponentOutdated`, `ControllerNotRunning` | its Deployments, CRDs, APIService, webhook and Lease, by [`diagnose_own`] |
//! | no trouble | `InProgress`, `NotObserved` | facts of health |
//!
//! ```
//! use std::sync::Arc;
//!
//! use portolan_core_diagnosis::{Cluster, Code, Situation, State, diagnose};
//! use portolan_core_health::{Item, Namespace, ObservedObjects};
//! use portolan_core_olm::Subscription;
//!
//! let mut ferry = Subscription::default();
//! ferry.metadata.namespace = Some("harbor".to_owned());
//! ferry.metadata.name = Some("ferry".to_owned());
//! ferry.spec.package = "ferry".to_owned();
//! ferry.spec.source_namespace = "olm".to_owned();
//! ferry.spec.source = "shop".to_owned();
//! let situation = Situation {
//!     namespace: Namespace {
//!         name: "harbor".to_owned(),
//!         subscriptions: vec![Item::from(Arc::new(ferry))].into(),
//!         ..Namespace::default()
//!     },
//!     resolved: Err("it was not asked".to_owned()),
//!     global_namespace: "olm".to_owned(),
//!     catalogs: Vec::new(),
//!     approval: Default::default(),
//!     elsewhere: ObservedObjects::default(),
//!     unpacks: ObservedObjects::default(),
//!     around: Default::default(),
//!     cluster: Cluster::default(),
//!     asked: Default::default(),
//! };
//! let [ferry] = diagnose(&situation).try_into().expect("there must be one");
//! let root = ferry.cause.expect("there must be a cause");
//! assert_eq!((ferry.state, root.code), (State::Stuck, Code::OperatorGroupMissing));
//! let first = &root.remedy.decide[0].title;
//! assert_eq!(first, "Create an OperatorGroup for its own namespace in namespace harbor.");
//! ```
//!
//! Unknown facts are reported as unknown, and have no effect on conclusions. If a catalog must be
//! queried for a bundle, this bundle is in [`bundle_to_query`](Diagnosis::untold). The caller
//! queries the catalog and diagnoses again with the response. The crate has no clock. It
//! distinguishes slow from stuck in the same way as the health crate. It uses no client, no files
//! and no wire format. The fixes that it returns are `kubectl` commands.

#![warn(clippy::wildcard_enum_match_arm)]

mod around;
mod case;
mod catalog;
mod code;
mod command;
mod confidence;
mod contested;
mod csv;
mod cure;
mod deletion;
mod diagnose;
mod diagnosis;
mod evidence;
mod group;
mod headline;
mod meanwhile;
mod memory;
mod missing;
mod newer;
mod object;
mod olm;
mod outlook;
mod own;
mod own_operator;
mod own_plan;
mod passing;
mod plan;
mod refused;
mod remedy;
mod removal;
mod required;
mod role;
mod rollout;
mod runnable;
mod running;
mod scaled;
mod situation;
mod steps;
mod steward;
mod subscription;
mod trouble;
mod unpack;
mod unwritten;
mod upgrades;
mod webhook;
mod words;

pub use around::{Around, OlmPart, Removal};
pub use code::Code;
pub use confidence::{Certainty, Confidence};
pub use diagnose::{diagnose, undiagnosed};
pub use diagnosis::{Cause, Diagnosis, Evidence, Saying, State, Subject};
pub use object::Object;
pub use own::{
    Components, ControllerLease, Listed, OwnKind, OwnObjects, OwnQuestion, ServedPackage,
    diagnose_binding, diagnose_catalog, diagnose_component_operator, diagnose_extension,
    diagnose_install, diagnose_operator_policy, diagnose_own, diagnose_policy,
};
pub use own_operator::diagnose_operator;
pub use own_plan::diagnose_plan;
pub use portolan_core_health::Quote;
pub use remedy::{Action, Procedure, Remedy, Responsible, Step};
pub use runnable::{KubectlRun, PortolanRun, Runnable};
pub use running::{PodsBelow, RunningWorkload, Workloads};
pub use situation::{
    Asked, Cluster, Content, Offer, Offered, Openshift, Situation, Unpack, UnqueriedBundle,
};

#[cfg(test)]
mod tests;
