//! The kinds of Portolan that users write, their parsers, and the combined effect of several
//! policies.
//!
//! An [`OperatorPolicy`] names an operator that a cluster must have, and its allowed versions. A
//! policy has one of two forms. The *design* form has the field `spec.allowedCSVs`. The
//! *established* form does not have this field. Both forms are parsed into an [`Intent`]:
//!
//! ```text
//! OperatorPolicy -- Intent::parse --> Intent, or Refusals: one sentence for each flaw
//!        \--------- Claim::of -----> Claim --\
//!                   the other Claims ---------+-- standings --> the combined effect of each
//! ```
//!
//! The spec is stored as the JSON that its author wrote. So the parser can also reject unknown
//! fields and values of a wrong type. Each error contains the remedy. No field is dropped silently.
//!
//! The kinds in [`plan`] apply manifests in stages. The kinds in [`policy`] restrict when operators
//! are upgraded. They are parsed in the same way. [`components`] adds a version to one of OLM's
//! kinds. [`inventory`] lists what all installers have installed.
//!
//! The crate reads only its arguments. It does not access clusters, catalogs or InstallPlans. It
//! does not resolve templates: callers pass a spec with resolved templates. `controller` and
//! `services/approval` check the health of operators, approve plans and write objects.
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
pub mod inventory;
mod manifest;
mod metadata;
pub mod operator;
mod operator_policy;
mod place;
pub mod plan;
pub mod policy;
pub mod qualified;
mod refusal;
mod schema;
mod selector;
pub mod status;
mod words;
mod written;

pub use field::{Contest, PrunedField};
pub use manifest::{
    CrdFile, crds, manifests, own_field, with_component_conditions, with_conditions,
    with_install_conditions, with_operator_conditions, with_policy_conditions,
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
    DISABLE_TEMPLATES, ESTABLISHED, FINALIZER, HistoryEvent, Installed, MANAGED, MANAGER, MARK,
    Metadata, Next, Object, OperatorPolicy, OperatorPolicySpec, OperatorPolicyStatus, Properties,
    READS, RelatedObject, RemainingObject, RemovalRecord, RemovedObject, RemovedState, Rendered,
    Upgrades, owns,
};
pub use refusal::{Flaw, Refusal, Refusals};
