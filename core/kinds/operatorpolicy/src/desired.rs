//! The decision for a policy: the report and the steps.

use std::fmt;

use jiff::Timestamp;
use kube_core::Resource;
use portolan_api::{ConditionType, Reason, RelatedObject, RemovalRecord, Upgrades};
use portolan_core_olm::Condition as OlmCondition;
use serde_json::Value;

/// The reason in the Subscription's related object while only the namespace is known.
pub(crate) const NAMESPACE_FOUND: &str =
    "The namespace of the Subscription is known, and is checked next";

/// The decision for a policy: the report and the steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Desired {
    /// The report before the steps are executed.
    pub report: Report,
    /// The steps, in order. The controller executes them until one of them fails.
    pub steps: Vec<Step>,
    /// The time of the next reconciliation, if no watch triggers one earlier.
    pub requeue_at: Option<Timestamp>,
}

/// The content of a policy's status.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// True if the report contains only the label and the related objects of this generation. The
    /// rest of the status stays unchanged, and the controller emits no event. The controller writes
    /// such a report to publish the namespace of a policy before it observes the objects there.
    pub is_partial: bool,
    /// The new conditions. A condition that is neither in this list nor in `kept` is removed.
    pub conditions: Vec<Condition>,
    /// The conditions that keep their previous state because newer facts are missing. Each has a
    /// clause that explains why.
    pub kept: Vec<(ConditionType, String)>,
    /// The conditions that OLM sets on the Subscription. The status copies them.
    pub olm: Vec<OlmCondition>,
    /// The related objects of each condition. Each list replaces the previous list of the
    /// condition.
    pub related: Vec<(ConditionType, Vec<RelatedObject>)>,
    /// The upgrades. None keeps the previous upgrades.
    pub upgrades: Option<Upgrades>,
    /// The progress of a removal: the objects that are deleted or kept. None if there is no
    /// removal.
    pub removal: Option<RemovalRecord>,
    /// The value `package.namespace` of the label. None while the namespace is unknown.
    pub label: Option<String>,
    /// The enforced policies that request the same Subscription, as `name.namespace`. Includes this
    /// policy.
    pub overlapping: Vec<String>,
    /// The time at which the controller repairs a Subscription that lost its ClusterServiceVersion.
    /// None if the Subscription needs no repair.
    pub intervention: Option<Timestamp>,
    /// A message if the catalog, the package, the channel or the starting bundle in the policy does
    /// not exist. None otherwise.
    pub lacking: Option<String>,
}

/// One condition of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The type of the condition.
    pub type_: ConditionType,
    /// The status of the condition: `True`, `False` or `Unknown`.
    pub status: Status,
    /// The reason of the condition.
    pub reason: ConditionReason,
    /// The message, without a final period.
    pub message: String,
    /// True if this condition makes the policy NonCompliant.
    pub violates: bool,
    /// The transition time, if a source other than the previous status defines it. None otherwise.
    pub since: Option<Timestamp>,
}

/// The reason of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionReason {
    /// A reason that Portolan defines.
    Ours(Reason),
    /// A reason of OLM, exactly as OLM writes it. Empty if OLM gives no reason.
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

/// A step: one write, and the status to report after the write.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The write to the cluster.
    pub action: Action,
    /// The type of the condition that reports the result of the step.
    pub type_: ConditionType,
    /// The condition to report if the write succeeds.
    pub done: Condition,
    /// The related objects of the condition after the write.
    pub related: Vec<RelatedObject>,
}

/// A write to an object or to the policy itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Creates an object. Fails with a conflict if the object already exists.
    Create(Value),
    /// Applies exactly these fields of an object with server-side apply. The value contains the
    /// observed `metadata.uid` and `metadata.resourceVersion`. The apply therefore fails with a
    /// conflict if the object has changed.
    Apply(Value),
    /// Replaces one whole field. Fails with a conflict if the object has changed.
    Replace {
        /// The observed object to write.
        object: Target,
        /// The path of the field, such as `/spec/config`.
        field: String,
        /// The new value of the field. None removes the field.
        value: Option<Value>,
    },
    /// Approves an InstallPlan. Fails with a conflict if the InstallPlan has changed since its
    /// review.
    Approve(Target),
    /// Sets the missing `status.currentCSV` of a Subscription. Fails with a conflict if the
    /// Subscription has changed.
    AdoptCsv {
        /// The observed Subscription.
        subscription: Target,
        /// The name of the ClusterServiceVersion to write into `status.currentCSV`.
        csv: String,
    },
    /// Deletes an object. Fails with a conflict if the object has another uid.
    Delete {
        /// The observed object to delete.
        object: Target,
        /// True if the API server orphans the dependents of the object instead of deleting them.
        is_orphaning: bool,
    },
    /// Adds Portolan's finalizer to the policy, so that the operator is removed before the policy.
    AddFinalizer,
    /// Removes Portolan's finalizer from the policy.
    RemoveFinalizer,
    /// Writes the report to the status before the next steps.
    WriteStatus,
}

/// The identity of an observed object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The API group and version of the object.
    pub api_version: &'static str,
    /// The kind of the object.
    pub kind: &'static str,
    /// The namespace of the object. None if the object is cluster-scoped.
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: String,
    /// The uid of the object.
    pub uid: String,
    /// The resourceVersion with which the object was observed.
    pub resource_version: String,
}

/// The outcome of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOutcome {
    /// The write succeeded.
    Done {
        /// The uid of a created object. None if the uid was already known.
        uid: Option<String>,
    },
    /// A conflict: an object has changed since it was observed, so the policy must be reconciled
    /// again.
    Overtaken(String),
    /// The API server rejected the write. Contains its error message.
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
