//! The decision about a policy: a report and steps.

use std::fmt;

use jiff::Timestamp;
use kube_core::Resource;
use portolan_api::{ConditionType, Reason, RelatedObject, RemovalRecord, Upgrades};
use portolan_core_olm::Condition as OlmCondition;
use serde_json::Value;

/// The reason of the Subscription's entry while only its namespace is known.
pub(crate) const NAMESPACE_FOUND: &str =
    "The namespace of the Subscription is known, and is checked next";

/// The decision about a policy: the report, and the steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Desired {
    /// The report before anything is done.
    pub report: Report,
    /// The steps, executed in this order until one fails.
    pub steps: Vec<Step>,
    /// The time of the next reconcile if nothing changes before.
    pub requeue_at: Option<Timestamp>,
}

/// The content of a policy's status.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// True if the report holds only the label and the related objects of this generation.
    /// Everything else in the status stays unchanged, and no event is sent. This publishes the
    /// namespace of a policy before its objects are observed.
    pub is_partial: bool,
    /// The conditions. A condition that is neither here nor in `kept` is removed.
    pub conditions: Vec<Condition>,
    /// The conditions that keep their previous state because no newer facts are known. Each has a
    /// reason, as a clause.
    pub kept: Vec<(ConditionType, String)>,
    /// OLM's own conditions of the Subscription.
    pub olm: Vec<OlmCondition>,
    /// The related objects, by condition. A list replaces the previous one.
    pub related: Vec<(ConditionType, Vec<RelatedObject>)>,
    /// The upgrades; None to keep the previous ones.
    pub upgrades: Option<Upgrades>,
    /// The record of the progress of a removal.
    pub removal: Option<RemovalRecord>,
    /// `package.namespace`, once the namespace is known.
    pub label: Option<String>,
    /// The enforced policies that request the same Subscription, including this one, as
    /// `name.namespace`.
    pub overlapping: Vec<String>,
    /// The time at which a Subscription that lost its ClusterServiceVersion is repaired.
    pub intervention: Option<Timestamp>,
    /// The catalog, package, channel or starting bundle that the policy requests and that does not
    /// exist, as a message.
    pub lacking: Option<String>,
}

/// One condition of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The type.
    pub type_: ConditionType,
    /// `True`, `False` or `Unknown`.
    pub status: Status,
    /// The reason.
    pub reason: ConditionReason,
    /// The message, without a final period.
    pub message: String,
    /// True if this condition makes the policy NonCompliant.
    pub violates: bool,
    /// The transition time, if it is known from another source than the previous status.
    pub since: Option<Timestamp>,
}

/// The reason of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionReason {
    /// A reason of Portolan.
    Ours(Reason),
    /// A reason of OLM, exactly as OLM writes it; empty if OLM gives none.
    Olm(String),
}

/// The status of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// `True`
    True,
    /// `False`
    False,
    /// `Unknown`
    Unknown,
}

/// A step: one write, and what is reported once it is done.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The write.
    pub action: Action,
    /// The condition type that the step belongs to.
    pub type_: ConditionType,
    /// The condition after the write.
    pub done: Condition,
    /// The related objects of the condition after the write.
    pub related: Vec<RelatedObject>,
}

/// One write.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Creates an object. Fails with a conflict if it already exists.
    Create(Value),
    /// Applies these fields of an object, and no others, with server-side apply. The value includes
    /// the observed `metadata.uid` and `metadata.resourceVersion`, so a changed object is a
    /// conflict.
    Apply(Value),
    /// Replaces one whole field, only if the object is unchanged.
    Replace {
        /// The object as observed.
        object: Target,
        /// The path of the field, such as `/spec/config`.
        field: String,
        /// The value of the field; None removes it.
        value: Option<Value>,
    },
    /// Approves an InstallPlan, only if it is unchanged since its review.
    Approve(Target),
    /// Sets `status.currentCSV` of a Subscription that lost it, only if the Subscription is
    /// unchanged.
    AdoptCsv {
        /// The Subscription as observed.
        subscription: Target,
        /// The ClusterServiceVersion.
        csv: String,
    },
    /// Deletes an object, only if its uid matches.
    Delete {
        /// The object as observed.
        object: Target,
        /// True if its dependents are orphaned.
        is_orphaning: bool,
    },
    /// Adds our finalizer to the policy, so that the operator is removed before the policy.
    AddFinalizer,
    /// Removes our finalizer from the policy.
    RemoveFinalizer,
    /// Writes the status from the report before the next steps.
    WriteStatus,
}

/// The identity of an observed object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its group and version.
    pub api_version: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// Its namespace; None if it is cluster-scoped.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// Its resourceVersion.
    pub resource_version: String,
}

/// The outcome of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOutcome {
    /// The write succeeded.
    Done {
        /// The uid of the object, if it was unknown before.
        uid: Option<String>,
    },
    /// A conflict: an object has changed since it was observed. The policy must be reconciled
    /// again.
    Overtaken(String),
    /// The API server rejects the write. Holds its message.
    Refused(String),
    /// The result of the write is unknown.
    Lost(String),
}

// === impl Condition ===

impl Condition {
    pub(crate) fn new(
        type_: ConditionType,
        status: Status,
        reason: Reason,
        message: impl Into<String>,
    ) -> Self {
        Self {
            type_,
            status,
            reason: ConditionReason::Ours(reason),
            message: message.into(),
            violates: status != Status::good(type_),
            since: None,
        }
    }

    /// Returns a condition that does not violate the policy.
    pub(crate) fn good(type_: ConditionType, reason: Reason, message: impl Into<String>) -> Self {
        Self::new(type_, Status::good(type_), reason, message)
    }

    /// Returns a condition that makes the policy NonCompliant.
    pub(crate) fn bad(type_: ConditionType, reason: Reason, message: impl Into<String>) -> Self {
        Self::new(type_, Status::bad(type_), reason, message)
    }
}

// === impl Status ===

impl Status {
    pub(crate) fn good(type_: ConditionType) -> Self {
        if type_.is_of_trouble() {
            Self::False
        } else {
            Self::True
        }
    }

    pub(crate) fn bad(type_: ConditionType) -> Self {
        if type_.is_of_trouble() {
            Self::True
        } else {
            Self::False
        }
    }
}

// === impl Target ===

impl Target {
    /// Returns the identity of an object.
    pub(crate) fn of<K: Resource<DynamicType = ()>>(
        api_version: &'static str,
        kind: &'static str,
        object: &K,
    ) -> Self {
        let metadata = object.meta().clone();
        Self {
            api_version,
            kind,
            namespace: metadata.namespace,
            name: metadata.name.unwrap_or_default(),
            uid: metadata.uid.unwrap_or_default(),
            resource_version: metadata.resource_version.unwrap_or_default(),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |object: &Value, field: &str| {
            let text = object.pointer(field).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let named = |object: &Value| {
            let (kind, name) = (text(object, "/kind"), text(object, "/metadata/name"));
            format!("{kind} {name}")
        };
        match self {
            Self::Create(object) => write!(f, "creating {}", named(object)),
            Self::Apply(object) => write!(f, "changing {}", named(object)),
            Self::Replace { object, field, .. } => write!(f, "changing {field} of {object}"),
            Self::Approve(plan) => write!(f, "approving {plan}"),
            Self::AdoptCsv { subscription, .. } => write!(f, "repairing {subscription}"),
            Self::Delete { object, .. } => write!(f, "deleting {object}"),
            Self::AddFinalizer => f.write_str("adding the finalizer of the policy"),
            Self::RemoveFinalizer => f.write_str("removing the finalizer of the policy"),
            Self::WriteStatus => f.write_str("recording the objects to delete"),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, .. } = self;
        write!(f, "{kind} {name}")
    }
}

impl From<Reason> for ConditionReason {
    fn from(reason: Reason) -> Self {
        Self::Ours(reason)
    }
}
