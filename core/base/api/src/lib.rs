//! The kinds that people write, their one parse, and what policies say beside each other.
//!
//! An [`OperatorPolicy`] says which operator shall be on a cluster and what of it may be installed.
//! It comes in two forms, told apart by `spec.allowedCSVs`: with it in the *design* form, without
//! it in the *established* one. Both mean an [`Intent`], and there is one way to it:
//!
//! ```text
//! OperatorPolicy -- Intent::parse --> Intent, or Refusals: all that is wrong, a sentence each
//!        \--------- Claim::of -----> Claim --\
//!                   the other Claims ---------+-- standings --> what each says among the others
//! ```
//!
//! The spec is kept as it was written, as JSON. So a value of a wrong type and a field that nobody
//! knows are refused by the same parse, with a sentence that says what to write instead; nothing is
//! dropped unseen on the way in.
//!
//! The kinds of [`plan`], which say what is applied in stages, and of [`policy`], which say when operators
//! may move, are parsed alike. [`components`] has a version of a kind of OLM.
//!
//! The crate reads its arguments and nothing else. It knows no cluster, no catalog and no
//! InstallPlan, and resolves no templates: it is told what they became. Whether an operator is well, which plan is approved and
//! what is written is for its neighbors: `controller` and `services/approval`.
//!
//! ```
//! use portolan_api::{Intent, OperatorPolicy};
//!
//! let policy: OperatorPolicy = serde_json::from_str(
//!     r#"{
//!         "metadata": {"name": "etcd", "namespace": "local-cluster"},
//!         "spec": {
//!             "remediationAction": "enforce",
//!             "subscription": {"name": "etcd", "namespace": "databases", "channels": "stable"},
//!             "allowedCSVs": ["etcdoperator.v0.9.4"]
//!         }
//!     }"#,
//! )?;
//! let refusals = Intent::parse(&policy).unwrap_err();
//! assert_eq!(
//!     refusals.to_string(),
//!     r#"spec.subscription.channels is not a known field; did you mean "channel"?"#
//! );
//! # Ok::<(), serde_json::Error>(())
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

pub mod components;
mod field;
pub mod installs;
mod manifest;
mod metadata;
pub mod operator;
mod operator_policy;
mod place;
pub mod plan;
pub mod policy;
mod refusal;
mod schema;
mod selector;
pub mod status;
mod words;
mod written;

pub use field::{Contest, PrunedField};
pub use manifest::{
    CrdFile, manifests, with_component_conditions, with_conditions, with_install_conditions,
    with_operator_conditions, with_policy_conditions,
};
pub use metadata::SERVER_METADATA;
pub use operator_policy::claim::{Claim, Cluster, PolicyId, Valid};
pub use operator_policy::condition::{ConditionType, Reason};
pub use operator_policy::intent::{
    Approval, Effect, Effects, Form, Intent, OperatorGroup, Presence, Remediation, Removal, Remove,
    Removing, Severity, Subscription, Targets, UpgradeStrategy,
};
pub use operator_policy::standing::{Allows, Overlap, Says, Standing, Withheld, standings};
pub use operator_policy::{
    Blocked, BlockingObject, Bundle, CLUSTER_NAME, CLUSTER_NAMESPACE, CREATED_BY, Compliance,
    DISABLE_TEMPLATES, ESTABLISHED, FINALIZER, HistoryEvent, Installed, MANAGED, MANAGER, Metadata,
    Next, Object, OperatorPolicy, OperatorPolicySpec, OperatorPolicyStatus, Properties, READS,
    RelatedObject, RemainingObject, RemovalRecord, RemovedObject, RemovedState, Rendered, Upgrades,
    owns,
};
pub use refusal::{Flaw, Refusal, Refusals};
