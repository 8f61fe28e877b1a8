//! Facts in, Verdicts out: whether an operator is well, whether a catalog is, and if not, why.
//!
//! The caller brings the objects that bear on one namespace, and gets its operators, each with the
//! tree of facts that its Verdict is based on:
//!
//! ```text
//! Subscription                    what shall be there, and how far OLM has come
//! +- OperatorGroup, InstallPlan   what is in the way of it
//! +- CatalogSource                whether there will be more
//! ClusterServiceVersion           what is there, the newest first
//! +- requirements                 permissions, and what OLM misses besides
//! +- CustomResourceDefinition     what it brings and needs, APIServices as well
//! +- Deployment                   what runs
//! |  +- ReplicaSet, Pod, Event    why it does not
//! +- OperatorCondition            what the operator says itself
//! ```
//!
//! A Verdict is the worst of its facts, so that one more that fails never makes it better. Nothing
//! here reads a clock: what takes its time is told from what is stuck by what is written in the
//! objects. What was not looked at is a fact that says so, and never one that all is well; nothing
//! is concluded from the absence of what is not seen.
//!
//! Trouble with what comes next, such as a resolution that fails, does not make an operator unwell
//! that is installed: OLM says most of it of all Subscriptions of a namespace, whichever is at
//! fault. It is a remark: a fact that is worth reading and says Yes.
//!
//! A shell asks [`Mentioned`] what to bring besides the objects of a namespace, and [`failing`] below
//! which Deployments to look, then [`judge`] and [`judge_catalog`].
//!
//! It knows what OLM v0 and Kubernetes write (OLM v0.46, Kubernetes 1.36). It knows no client, no
//! files and no wire.

#![warn(clippy::wildcard_enum_match_arm)]

mod case;
mod catalog;
mod chain;
mod condition;
mod container;
mod csv;
mod definition;
mod deployment;
mod event;
mod fact;
mod group;
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
pub use deployment::{Below, Workload};
pub use fact::Fact;
pub use mentioned::{Mentioned, failing};
pub use namespace::{Namespace, ObservedObjects, Sight};
pub use object::{Item, Judged, Kind, Object, Observed};
pub use operator::{Operator, judge};
pub use pod::PodCause;
pub use portolan_core_olm::{CsvPhase, HealthCode, InstallPlanPhase, State};
pub use verdict::{Reason, Verdict, verdict};

#[cfg(test)]
mod tests;
