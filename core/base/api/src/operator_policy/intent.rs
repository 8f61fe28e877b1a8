//! The parsed policy, in either form.

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

/// The parsed policy. It contains no templates, and no part of the policy is missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    pub form: Form,
    /// The action on differences.
    pub remediation: Remediation,
    /// The severity, used as a label of a metric.
    pub severity: Option<Severity>,
    pub presence: Presence,
    pub subscription: Subscription,
    /// The required OperatorGroup. None if any OperatorGroup is accepted.
    pub operator_group: Option<OperatorGroup>,
    /// The bundles that may be installed. There is at least one. In the established form, a
    /// starting bundle that `versions` does not list is the last item.
    pub consents: Vec<Consent>,
    /// True if allowed bundles can also be installed as upgrades.
    pub approves_updates: bool,
    /// True if dependencies without a policy of their own can be installed.
    pub allows_dependencies: bool,
    pub removal: Removal,
    pub effects: Effects,
}

/// The action on differences between policy and cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remediation {
    /// Differences are only reported.
    Inform,
    /// The cluster is changed.
    Enforce,
}

/// The severity of a difference between cluster and policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

/// The required presence of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The operator must be installed.
    MustHave,
    /// The operator must not be installed, in any version.
    MustNotHave,
}

/// The approver of InstallPlans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// OLM itself.
    Automatic,
    Manual,
}

/// The permission to replace a failed operator version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpgradeStrategy {
    /// A failed version cannot be replaced.
    Default,
    /// A failed version can be replaced, which is unsafe.
    FailForward,
}

// === impl Intent ===

impl Intent {
    /// Parses a policy. This is the only parser.
    ///
    /// # Errors
    /// Returns all flaws at once.
    pub fn parse(policy: &OperatorPolicy) -> Result<Self, Refusals> {
        let spec = ManifestPlace::new("spec", policy.spec.as_json());
        let mut refused = Vec::new();
        let mut draft = draft(&spec, policy.has_templates(), &mut refused);
        let unresolved = policy.spec.unresolved();
        if !unresolved.is_empty() {
            // The reason why a template cannot be resolved is more helpful than the refusal of a
            // template.
            refused.retain(|refusal| refusal.flaw != Flaw::Template);
            refused.extend_from_slice(unresolved);
        }
        if let (Some(draft), Some(rendered)) = (&mut draft, policy.spec.rendered()) {
            draft.subscription.secret_variables = rendered.secret_variables(policy.spec.as_json());
        }
        Refusals::unless(refused, draft)
    }

    /// Returns true if at least one bundle of the package is not allowed.
    pub fn restricts(&self) -> bool {
        !self.consents.contains(&Consent::Any)
    }

    /// Returns true if the policy changes the cluster.
    pub fn is_enforced(&self) -> bool {
        match self.remediation {
            Remediation::Enforce => true,
            Remediation::Inform => false,
        }
    }
}

/// Parses the spec. The result is valid only if nothing was rejected. Returns None only if a field
/// was rejected.
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
        // The established form requires these fields, which is checked above. These are the
        // defaults of the design form.
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
