//! What is to be done, and what is to be said.

use std::fmt;

use jiff::Timestamp;
use kube_core::Resource;
use portolan_api::{ConditionType, Reason, RelatedObject, RemovalRecord, Upgrades};
use portolan_core_olm::Condition as OlmCondition;
use serde_json::Value;

/// The reason of the Subscription in the list of objects while its namespace alone is known.
pub(crate) const NAMESPACE_FOUND: &str =
    "The namespace of the Subscription is known, and is looked at next";

/// What is to be done about a policy, and what is to be said of it before and after.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Desired {
    /// How it is before anything is done.
    pub report: Report,
    /// What is to be done, in this order, up to the first that fails.
    pub steps: Vec<Step>,
    /// When to look again though nothing changes.
    pub requeue_at: Option<Timestamp>,
}

/// How it is with a policy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Whether this is the label and the related objects of this generation alone: everything else
    /// stays as it was, and nothing of it is news. So the namespace of a policy is told before it is
    /// looked at.
    pub is_partial: bool,
    /// What is said of each matter; what is not said is not there.
    pub conditions: Vec<Condition>,
    /// The matters that stay as they were, as nobody could be asked: why, as half a sentence.
    pub kept: Vec<(ConditionType, String)>,
    /// What OLM says itself of the Subscription.
    pub olm: Vec<OlmCondition>,
    /// The objects, by matter. A matter that says something replaces what it said before.
    pub related: Vec<(ConditionType, Vec<RelatedObject>)>,
    /// Which upgrades there are; None stays as it was.
    pub upgrades: Option<Upgrades>,
    /// How far a removal is.
    pub removal: Option<RemovalRecord>,
    /// `package.namespace`, once the namespace is known.
    pub label: Option<String>,
    /// Enforced policies that mean the same, itself included, as `name.namespace`.
    pub overlapping: Vec<String>,
    /// When a Subscription that lost its ClusterServiceVersion is mended.
    pub intervention: Option<Timestamp>,
}

/// What is said of one matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The matter.
    pub type_: ConditionType,
    /// `True`, `False` or `Unknown`.
    pub status: Status,
    /// In a word.
    pub reason: ConditionReason,
    /// For people, without a full stop.
    pub message: String,
    /// Whether the policy is NonCompliant because of it.
    pub violates: bool,
    /// Since when, where somebody else knows better than the status before.
    pub since: Option<Timestamp>,
}

/// Why a condition is as it is, in a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionReason {
    /// One of ours.
    Ours(Reason),
    /// One of OLM's, as OLM writes it; empty if it says nothing.
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

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What.
    pub action: Action,
    /// The matter that it is about.
    pub type_: ConditionType,
    /// What is said once it is done.
    pub done: Condition,
    /// The objects of the matter once it is done.
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
        /// Where, such as `/spec/config`.
        field: String,
        /// What; None removes it.
        value: Option<Value>,
    },
    /// Approves an InstallPlan, only if it is as it was reviewed.
    Approve(Target),
    /// Tells a Subscription which ClusterServiceVersion is its own, only if it is as it was seen.
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
    /// Holds the policy back from being deleted before its operator is removed.
    AddFinalizer,
    /// Lets the policy go.
    RemoveFinalizer,
    /// Writes the report as it is so far, before anything else is done.
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

/// How a step went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is done.
    Done {
        /// The uid of the object, where it was not known before.
        uid: Option<String>,
    },
    /// The object is not as it was seen; look again.
    Conflict(String),
    /// The API server refuses, in its own sentence.
    Refused(String),
    /// Nobody knows whether it is done.
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
        match type_.is_of_trouble() {
            true => Self::False,
            false => Self::True,
        }
    }

    pub(crate) fn bad(type_: ConditionType) -> Self {
        match type_.is_of_trouble() {
            true => Self::True,
            false => Self::False,
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
