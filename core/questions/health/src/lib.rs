//! Judges the health of operators and catalogs. The crate derives facts from objects, and Verdicts
//! from facts.
//!
//! The caller passes the objects that affect one namespace. The result contains the operators of
//! the namespace. Each operator has a Verdict and the tree of facts from which the Verdict was
//! computed:
//!
//! ```text
//! Subscription                    the requested package, and the progress of OLM
//! +- OperatorGroup, InstallPlan   what can block the installation
//! +- CatalogSource                the source of the next version
//! ClusterServiceVersion           the installed versions, newest first
//! +- requirements                 permissions, and other objects that OLM requires
//! +- CustomResourceDefinition     owned and required kinds; APIServices as well
//! +- Deployment                   the workloads
//! |  +- ReplicaSet, Pod, Event    why a workload does not run
//! +- OperatorCondition            the operator's own report
//! ```
//!
//! A Verdict has the worst state of its facts, so an additional failing fact never improves the
//! Verdict. The crate reads no clock. It recognizes by the content of the objects if an operation
//! is slow or stuck. An object that could not be read results in a separate fact, and never counts
//! as healthy. If a kind could not be listed, its objects do not count as missing.
//!
//! A problem with the next version, such as a failing resolution, does not make an installed
//! operator unhealthy. OLM reports most of these problems on all Subscriptions of a namespace, even
//! if only one Subscription is the cause. Such a problem is a remark: a fact that users should
//! read, with the state Yes.
//!
//! [`judge_installed`] judges operators that OLM v0 does not manage, by the conditions of the
//! objects that install them.
//!
//! A caller uses [`Mentioned`] to find the objects to read outside of the namespace, and
//! [`failing`] to find the Deployments to inspect. Then the caller uses [`judge`],
//! [`judge_installed`] and [`judge_catalog`].
//!
//! The crate supports the formats of OLM v0.46 and Kubernetes 1.36. It uses no client, no files and
//! no wire format.

#![warn(clippy::wildcard_enum_match_arm)]

mod case;
mod catalog;
mod chain;
mod condition;
mod container;
mod crd;
mod csv;
mod deployment;
mod event;
mod fact;
mod group;
mod installed;
mod mentioned;
mod namespace;
mod object;
mod objects;
mod operator;
mod plan;
mod pod;
mod replica_set;
mod requirement;
mod rule;
mod served;
mod subscription;
mod unseen;
mod verdict;
mod words;

pub use catalog::{Catalog, Probe, Registry, judge_catalog};
pub use container::is_about_image;
pub use csv::Csv;
pub use deployment::{Below, Workload, judge_below};
pub use fact::Fact;
pub use installed::{Installer, Said, judge_installed};
pub use mentioned::{Mentioned, failing};
pub use namespace::{Namespace, ObservedObjects, Sight};
pub use object::{Item, Judged, Kind, Object, ObjectVersion};
pub use operator::{Operator, judge};
pub use pod::PodCause;
pub use portolan_api::inventory::Manager;
pub use portolan_core_olm::{CsvPhase, HealthCode, InstallPlanPhase, State};
pub use verdict::{Reason, Verdict, verdict};
pub use words::Quote;

#[cfg(test)]
mod tests;
