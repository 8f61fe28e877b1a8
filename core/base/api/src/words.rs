//! The allowed words of text fields, and their meanings.

use crate::operator_policy::intent::{
    Approval, Effect, Presence, Remediation, Remove, Severity, UpgradeStrategy,
};

/// The allowed words of a field, each with its meaning.
pub(crate) type Words<T> = [(&'static str, T)];

pub(crate) const SEVERITIES: &Words<Severity> = &[
    ("low", Severity::Low),
    ("Low", Severity::Low),
    ("medium", Severity::Medium),
    ("Medium", Severity::Medium),
    ("high", Severity::High),
    ("High", Severity::High),
    ("critical", Severity::Critical),
    ("Critical", Severity::Critical),
];

pub(crate) const REMEDIATIONS: &Words<Remediation> = &[
    ("inform", Remediation::Inform),
    ("Inform", Remediation::Inform),
    ("enforce", Remediation::Enforce),
    ("Enforce", Remediation::Enforce),
];

pub(crate) const PRESENCES: &Words<Presence> = &[
    ("musthave", Presence::MustHave),
    ("mustnothave", Presence::MustNotHave),
];

/// The words of `upgradeApproval`. The meaning is true if upgrades are approved.
pub(crate) const UPGRADE_APPROVALS: &Words<bool> = &[("None", false), ("Automatic", true)];

pub(crate) const PLAN_APPROVALS: &Words<Approval> = &[
    ("Automatic", Approval::Automatic),
    ("Manual", Approval::Manual),
];

pub(crate) const STRATEGIES: &Words<UpgradeStrategy> = &[
    ("Default", UpgradeStrategy::Default),
    ("TechPreviewUnsafeFailForward", UpgradeStrategy::FailForward),
];

/// The words for the removal of OperatorGroups, in both forms.
pub(crate) const GROUP_REMOVALS: &Words<Remove> = &[
    ("Keep", Remove::Keep),
    ("Delete", Remove::Delete),
    ("DeleteIfUnused", Remove::DeleteIfUnused),
];

/// The word for the removal of OperatorGroups that only the design form has.
pub(crate) const DESIGN_GROUP_REMOVAL: &str = "Delete";

/// The words for the removal of objects of other kinds.
pub(crate) const REMOVALS: &Words<Remove> = &[("Keep", Remove::Keep), ("Delete", Remove::Delete)];

/// The words of `statusConfig`, each with its effect.
pub(crate) const STATUS_EFFECTS: &Words<Effect> = &[
    ("Condition", Effect::Condition),
    ("NonCompliant", Effect::NonCompliant),
];

/// The words of `complianceConfig`, each with its effect.
pub(crate) const COMPLIANCE_EFFECTS: &Words<Effect> = &[
    ("Compliant", Effect::Condition),
    ("NonCompliant", Effect::NonCompliant),
];

/// The operators in a label selector. The meaning is true if the operator requires values.
pub(crate) const SELECTOR_OPERATORS: &Words<bool> = &[
    ("In", true),
    ("NotIn", true),
    ("Exists", false),
    ("DoesNotExist", false),
];

/// Returns the allowed words without their meanings.
pub(crate) fn spellings<T>(words: &Words<T>) -> Vec<&'static str> {
    words.iter().map(|(word, _)| *word).collect()
}
