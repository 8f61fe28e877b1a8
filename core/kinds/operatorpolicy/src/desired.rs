//! The decision: a report and steps.

use std::fmt;

use jiff::Timestamp;
use kube_core::Resource;
use portolan_api::{ConditionType, Reason, RelatedObject, RemovalRecord, Upgrades};
use portolan_core_olm::Condition as OlmCondition;
use serde_json::Value;

/// The reason of the Subscription in the list of objects while its namespace alone is known.
pub(crate) const NAMESPACE_FOUND: &str =
    "The namespace of the Subscription is known, and is looked at next";

/// The decision about a policy: the report, and the steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Desired {
    /// The report before anything is done.
    pub report: Report,
    /// The steps, carried out in this order, up to the first that fails.
    pub steps: Vec<Step>,
    /// When to reconcile again though nothing changes.
    pub requeue_at: Option<Timestamp>,
}

/// All that the status of a policy is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Whether this is the label and the related objects of this generation alone: everything else
    /// stays as it was, and nothing of it is news. So the namespace of a policy is told before it is
    /// looked at.
    pub is_partial: bool,
    /// The conditions. One that is neither here nor kept is not there.
    pub conditions: Vec<Condition>,
    /// The conditions that stay as they were, as nothing newer is known: why, as half a sentence.
    pub kept: Vec<(ConditionType, String)>,
    /// OLM's own conditions of the Subscription.
    pub olm: Vec<OlmCondition>,
    /// The objects that are listed, by condition. A list replaces the one before.
    pub related: Vec<(ConditionType, Vec<RelatedObject>)>,
    /// The upgrades; None if they stay as they were.
    pub upgrades: Option<Upgrades>,
    /// The record of the progress of a removal.
    pub removal: Option<RemovalRecord>,
    /// `package.namespace`, once the namespace is known.
    pub label: Option<String>,
    /// Enforced policies that mean the same, itself included, as `name.namespace`.
    pub overlapping: Vec<String>,
    /// When a Subscription that lost its ClusterServiceVersion is told it.
    pub intervention: Option<Timestamp>,
    /// The catalog, the package or the channel that the policy asks for and that is not there.
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
    /// The message, without a full stop.
    pub message: String,
    /// Whether the policy is NonCompliant because of it.
    pub violates: bool,
    /// Since when, where somebody else knows better than the status before.
    pub since: Option<Timestamp>,
}

/// The reason of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionReason {
    /// One of ours.
    Ours(Reason),
    /// One of OLM's, as OLM writes it; empty if OLM gives none.
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

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The write.
    pub action: Action,
    /// The type of the condition that it is about.
    pub type_: ConditionType,
    /// The condition once it is done.
    pub done: Condition,
    /// The objects listed for it once it is done.
    pub related: Vec<RelatedObject>,
}

/// One write.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Makes an object. One that is there already is a conflict.
    Create(Value),
    /// Owns these fields of an object, and no others: server-side apply. It has `metadata.uid` and
    /// `metadata.resourceVersion` of the object as it was seen, and fits only that.
    Apply(Value),
    /// Writes one field whole, only if the object is as it was seen.
    Replace {
        /// The object as it was seen.
        object: Target,
        /// The path of the field, such as `/spec/config`.
        field: String,
        /// The value of the field; None removes it.
        value: Option<Value>,
    },
    /// Approves an InstallPlan, only if it is as it was reviewed.
    Approve(Target),
    /// Sets `status.currentCSV` of a Subscription that lost it, only if it is as it was seen.
    AdoptCsv {
        /// The Subscription as it was seen.
        subscription: Target,
        /// The ClusterServiceVersion.
        csv: String,
    },
    /// Deletes an object, only if it is that one.
    Delete {
        /// The object as it was seen.
        object: Target,
        /// Whether what it owns stays.
        is_orphaning: bool,
    },
    /// Adds our finalizer to the policy: it is not deleted before its operator is removed.
    AddFinalizer,
    /// Removes our finalizer from the policy.
    RemoveFinalizer,
    /// Writes the status from the report as it is so far, before anything else is done.
    WriteStatus,
}

/// An object as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its group and version.
    pub api_version: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// Its namespace; None where it is in none.
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
    /// It is done.
    Done {
        /// The uid of the object, where it was not known before.
        uid: Option<String>,
    },
    /// Something that it goes by is not as it was seen; look again.
    Overtaken(String),
    /// The API server refuses, in its own sentence.
    Refused(String),
    /// It is not known whether it is done.
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

    /// The policy is content with it.
    pub(crate) fn good(type_: ConditionType, reason: Reason, message: impl Into<String>) -> Self {
        Self::new(type_, Status::good(type_), reason, message)
    }

    /// The policy is NonCompliant because of it.
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
    /// An object as it was seen.
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
            Self::AdoptCsv { subscription, .. } => write!(f, "mending {subscription}"),
            Self::Delete { object, .. } => write!(f, "deleting {object}"),
            Self::AddFinalizer => f.write_str("holding the policy"),
            Self::RemoveFinalizer => f.write_str("letting the policy go"),
            Self::WriteStatus => f.write_str("recording what goes"),
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
