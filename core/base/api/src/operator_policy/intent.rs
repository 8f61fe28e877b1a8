//! Parses the spec of an OperatorPolicy, in either form.

mod consents;
mod effects;
mod form;
mod group;
mod removal;
mod subscription;

use portolan_core_names::Consent;

use crate::OperatorPolicy;
use crate::place::ManifestPlace;
use crate::refusal::{Flaw, Refusal, Refusals};
use crate::words::{PRESENCES, REMEDIATIONS, SEVERITIES, UPGRADE_APPROVALS};

pub(crate) use consents::field as consents_field;
pub use effects::{Effect, Effects};
pub use form::Form;
pub(crate) use form::{DESIGN_ONLY, ESTABLISHED_ONLY, ESTABLISHED_REQUIRED};
pub use group::{OperatorGroup, Targets};
pub(crate) use removal::{DELETE_GROUPS, DESIGN_KINDS};
pub use removal::{Removal, Remove, Removing};
pub use subscription::Subscription;

const SPEC_FIELDS: &[&str] = &[
    "allowedCSVs",
    "complianceConfig",
    "complianceType",
    "operatorGroup",
    "remediationAction",
    "removalBehavior",
    "severity",
    "statusConfig",
    "subscription",
    "upgradeApproval",
    "versions",
];

/// The parsed spec of an OperatorPolicy. It is complete and contains no templates.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    pub form: Form,
    /// Determines whether differences are only reported, or also repaired.
    pub remediation: Remediation,
    /// The severity, which is used as a label of a metric.
    pub severity: Option<Severity>,
    pub presence: Presence,
    pub subscription: Subscription,
    /// The required OperatorGroup. None if any OperatorGroup is accepted.
    pub operator_group: Option<OperatorGroup>,
    /// The bundles that may be installed. There is at least one entry. In the established form, the
    /// starting bundle is the last entry if `versions` does not contain it.
    pub consents: Vec<Consent>,
    /// True if installed operators may be upgraded to allowed bundles.
    pub approves_updates: bool,
    /// True if dependencies may be installed without a policy of their own.
    pub allows_dependencies: bool,
    pub removal: Removal,
    pub effects: Effects,
}

/// Determines whether differences between policy and cluster are only reported, or also repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remediation {
    /// Portolan only reports differences.
    Inform,
    /// Portolan changes the cluster so that it matches the policy.
    Enforce,
}

/// The severity of differences between the cluster and the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

/// Determines whether an operator must be installed or must not be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The operator must be installed.
    MustHave,
    /// The operator must not be installed, in any version.
    MustNotHave,
}

/// The approval mode of InstallPlans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// OLM approves InstallPlans.
    Automatic,
    Manual,
}

/// Determines whether a newer version can replace an operator that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpgradeStrategy {
    /// A newer version cannot replace a failed operator.
    Default,
    /// A newer version can replace a failed operator, although this is unsafe.
    FailForward,
}

// === impl Intent ===

impl Intent {
    /// Parses a policy. No other code parses its spec.
    ///
    /// # Errors
    /// Returns all errors at once.
    pub fn parse(policy: &OperatorPolicy) -> Result<Self, Refusals> {
        let spec = ManifestPlace::new("spec", policy.spec.as_json());
        let mut refused = Vec::new();
        let mut draft = draft(&spec, policy.has_templates(), &mut refused);
        let unresolved = policy.spec.unresolved();
        if !unresolved.is_empty() {
            // The message about an unresolved template is more helpful than the message about the
            // template itself.
            refused.retain(|refusal| refusal.flaw != Flaw::Template);
            refused.extend_from_slice(unresolved);
        }
        if let (Some(draft), Some(rendered)) = (&mut draft, policy.spec.rendered()) {
            draft.subscription.secret_variables = rendered.secret_variables(policy.spec.as_json());
        }
        Refusals::unless(refused, draft)
    }

    /// Returns true if the policy does not allow every bundle of the package.
    pub fn restricts(&self) -> bool {
        !self.consents.contains(&Consent::Any)
    }

    /// Returns true if the policy changes the cluster, and does not only report differences.
    pub fn is_enforced(&self) -> bool {
        match self.remediation {
            Remediation::Enforce => true,
            Remediation::Inform => false,
        }
    }
}

/// Parses the spec. The result is valid only if `refused` is empty. Returns None only if a field is
/// invalid.
fn draft(
    spec: &ManifestPlace<'_>,
    has_templates: bool,
    refused: &mut Vec<Refusal>,
) -> Option<Intent> {
    spec.require("list the operators that the policy applies to", refused);
    spec.only(SPEC_FIELDS, refused)?;
    let form = Form::of(spec);
    form.refuse_fields_of_the_other(spec, refused);
    form.require_fields(spec, refused);
    let remediation = spec.field("remediationAction").word(REMEDIATIONS, refused);
    let severity = spec.field("severity").word(SEVERITIES, refused);
    let presence = spec.field("complianceType").word(PRESENCES, refused);
    let approves = spec
        .field("upgradeApproval")
        .word(UPGRADE_APPROVALS, refused);
    let templated = |name| spec.field(name).with_templates(has_templates);
    let subscription = subscription::parse(&templated("subscription"), form, refused);
    let namespace = subscription
        .as_ref()
        .and_then(|subscription| subscription.namespace.as_deref());
    let operator_group = group::parse(&templated("operatorGroup"), form, namespace, refused);
    let listed = templated(consents::field_name(form));
    let consents = consents::parse(&listed, form, subscription.as_ref(), refused);
    let removal = removal::parse(&spec.field("removalBehavior"), form, refused);
    let effects = effects::parse(spec, form, refused);
    Some(Intent {
        form,
        remediation: remediation.unwrap_or(Remediation::Inform),
        severity,
        // The established form requires these fields, as checked above. The defaults are for the
        // design form.
        presence: presence.unwrap_or(Presence::MustHave),
        approves_updates: approves.unwrap_or(true),
        allows_dependencies: form.allows_dependencies(),
        subscription: subscription?,
        operator_group,
        consents,
        removal,
        effects,
    })
}
