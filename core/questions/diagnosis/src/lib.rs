//! Diagnoses the operators of a namespace: finds the problem, the object at fault, and the cure.
//!
//! The caller supplies a [`Situation`], which contains the input of the health, approval and
//! forecast crates. [`diagnose`] calls these crates, combines their results, and returns one
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
//! The [`Remedy`] of a cause contains a safe fix, or alternatives with a risk. Without a fix or an
//! alternative, another person is [`Responsible`], or the problem ends without an action.
//!
//! The cause with the worst state is the root cause, and the other causes are below the root cause.
//! If several causes have this state, the root is the cause that blocks the other causes. The order
//! of [`Code`] defines which cause blocks which. If another operator blocks an operator, the
//! diagnosis of the blocked operator names the other operator as the problem.
//!
//! # Causes
//!
//! Each entry lists the codes of causes about one topic, and the source of their facts.
//!
//! - OLM: `OlmNotRunning`. Source: the Deployments of OLM and their Pods.
//! - OperatorGroups: `OperatorGroupMissing`, `OperatorGroupsConflict`,
//!   `GroupServiceAccountMissing`, `InstallModeUnsupported`. Source: facts of the health crate, and
//!   the install modes of the bundle in the catalog.
//! - Catalogs: `CatalogMissing`, `CatalogNeverReached`, `CatalogUnreachable`,
//!   `CatalogNotAnswering`, `CatalogOutdated`, `CatalogBroken`. Source: the CatalogSource, the
//!   probe of its registry, and its Pods. For `CatalogOutdated`, also the content of the catalog
//!   and the installed version.
//! - Other objects that block the operator: `BlockedByCatalog`, `BlockedByNeighbor`,
//!   `BlockedByOrphan`. Source: the forecast, or the message of OLM if the content of the catalog
//!   is unknown.
//! - Subscriptions: `PackageMissing`, `ChannelMissing`, `StartingCsvMissing`. Source: the forecast
//!   and the content of the catalog, or the message of OLM. The message of the cause contains a
//!   similar name that exists.
//! - Dependencies: `DependencyMissing`, `DependencyOutOfRange`, `ApiProvidedTwice`,
//!   `DuplicateSubscription`. Source: the forecast, or the message of OLM.
//! - Resolution: `ResolutionStale`, `ResolutionFailed`. Source: the condition of OLM, compared with
//!   the forecast.
//! - Unpacking of bundles: `UnpackFailing`. Source: the condition of OLM, and the Jobs with their
//!   Pods.
//! - InstallPlans of OLM: `PlanFailed`, `PlanMissing`, `PlanAwaitsApproval`, `PlanForcedManual`,
//!   `PlanSuperseded`, `PlanObsolete`, `PlanNotStarted`. Source: reviews of the plans by the
//!   approval crate, and facts of the health crate.
//! - Requirements of the operator: `CrdOwnedByOther`, `ApiClaimedByGroup`, `CrdMissing`,
//!   `CrdNotUsable`, `ApiMissing`, `PermissionMissing`, `ClusterTooOld`, `RequirementUnmet`,
//!   `RequirementNotRechecked`. Source: facts of the health crate, and operators in other
//!   namespaces.
//! - Upgrades that the operator blocks: `NotUpgradeable`. Source: the OperatorCondition.
//! - Workloads: `ImagePullFailing`, `CrashLooping`, `ContainerNotCreated`, `VolumeNotAttached`,
//!   `Unschedulable`, `QuotaExceeded`, `PodRejected`, `PodFailed`, `ProbeFailing`, `ScaledToZero`,
//!   `RolloutPaused`, `DeploymentRejected`, `DeploymentMissing`, `DeploymentOwnedByOther`,
//!   `DeploymentContested`, `RolloutFailing`. Source: facts of the health crate.
//! - ClusterServiceVersions: `PredecessorPending`, `DeadlinePassed`, `CsvFailed`, `OnlyCopied`,
//!   `OperatorGone`. Source: facts of the health crate, and the images of the bundle.
//! - The next version: `NextVersionNotAllowed`, `OutOfSkipRange`, `DeadEnd`,
//!   `AllowedVersionSkipped`, `NotForThisCluster`. Source: the upgrade graph, the forecast, the
//!   policies, and the versions of the cluster.
//! - InstallPlans of Portolan: `PlanInvalid`, `PermissionMissing`, `ObjectNotOwned`,
//!   `StageBlocked`, `JobFailed`, `MembersNotReady`, `DriftContested`, `DeletionBlocked`,
//!   `PlanSuspended`. Source: the status of the InstallPlan, by [`diagnose_plan`].
//! - Operators of Portolan: `OperatorInvalid`, `PackageTaken`, `AmbiguousCatalog`, `NoUpgradePath`,
//!   `BundleNotInstallable`, `CrdUpgradeUnsafe`, `ApprovalRequired`, `BlockedByPolicy`,
//!   `WindowsNeverOverlap`, `InstallFailed`. Source: the status of the Operator and of its
//!   InstallPlan, by [`diagnose_operator`] and [`diagnose_own`].
//! - Installs of Portolan: `ContentInvalid`, `ApprovalRequired`, `InstallFailed`. Source: the
//!   status of the Install and of its InstallPlan, by [`diagnose_install`].
//! - Policies: `PolicyInvalid`, `ReferenceMissing`, `PolicyNonCompliant`, `DriftContested`. Source:
//!   the status of the policy, by [`diagnose_operator_policy`], [`diagnose_policy`] and
//!   [`diagnose_binding`].
//! - OLM v1: `CatalogNotServed`, `ExtensionFailing`, and codes of other entries. Source: the
//!   conditions, catalogs and workloads of the ClusterExtension, by [`diagnose_extension`] and
//!   [`diagnose_catalog`].
//! - Components of Portolan: `ComponentUnavailable`, `ComponentOutdated`, `ControllerNotRunning`.
//!   Source: their Deployments, CRDs, APIService, webhook and Lease, by [`diagnose_own`].
//! - No problem: `InProgress`, `NotObserved`. Source: facts of the health crate.
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
//! Facts that could not be read are in [`unknowns`](Diagnosis::unknowns), and have no effect on the
//! causes. If a catalog must be queried for the details of a bundle,
//! [`untold`](Diagnosis::untold) contains the bundle. The caller then queries the catalog and
//! diagnoses again with the response.
//!
//! The crate has no clock, so it decides like the health crate whether work in progress is stuck.
//! The crate uses no Kubernetes client, reads no files and parses no wire format. The fixes in its
//! answers are `kubectl` commands.

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
