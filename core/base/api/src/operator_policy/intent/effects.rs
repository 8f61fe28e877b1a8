//! Parses which problems make a policy NonCompliant.

use super::Form;
use crate::place::ManifestPlace;
use crate::refusal::Refusal;
use crate::words::{COMPLIANCE_EFFECTS, STATUS_EFFECTS};

/// The fields of `complianceConfig`.
pub(super) const COMPLIANCE_CONFIG: &[&str] = &[
    "catalogSourceUnhealthy",
    "deploymentsUnavailable",
    "deprecationsPresent",
    "minorChannelUpgradeAvailable",
    "upgradesAvailable",
];

/// The fields of `statusConfig`.
pub(super) const STATUS_CONFIG: &[&str] = &[
    "catalogSourceUnhealthy",
    "deploymentsUnavailable",
    "upgradesAvailable",
    "upgradesProgressing",
];

/// The effect of a problem on a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// A condition reports the problem.
    Condition,
    /// A condition reports the problem, and the policy is NonCompliant.
    NonCompliant,
}

/// The effect of each problem on a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effects {
    /// The CatalogSource is missing or unhealthy.
    pub catalog_source_unhealthy: Effect,
    /// Deployments of the operator are unavailable.
    pub deployments_unavailable: Effect,
    /// An upgrade waits for approval.
    pub upgrades_available: Effect,
    /// An upgrade is in progress. The established form does not have this field.
    pub upgrades_progressing: Effect,
    /// The package, channel or bundle is deprecated. The design form does not have this field.
    pub deprecations_present: Effect,
    /// A channel with a later minor version exists. The design form does not have this field.
    pub minor_channel_upgrade_available: Effect,
}

/// Parses `spec.statusConfig` of the design form, or `spec.complianceConfig` of the established
/// form.
pub(super) fn parse(spec: &ManifestPlace<'_>, form: Form, refused: &mut Vec<Refusal>) -> Effects {
    let (name, known, words) = match form {
        Form::Design => ("statusConfig", STATUS_CONFIG, STATUS_EFFECTS),
        Form::Established => ("complianceConfig", COMPLIANCE_CONFIG, COMPLIANCE_EFFECTS),
    };
    let config = spec.field(name);
    config.only(known, refused);
    let mut effect = |name: &str, default| {
        let known = known.contains(&name);
        let written = known.then(|| config.field(name).word(words, refused));
        written.flatten().unwrap_or(default)
    };
    Effects {
        catalog_source_unhealthy: effect("catalogSourceUnhealthy", Effect::Condition),
        deployments_unavailable: effect("deploymentsUnavailable", Effect::NonCompliant),
        upgrades_available: effect("upgradesAvailable", Effect::Condition),
        upgrades_progressing: effect("upgradesProgressing", Effect::NonCompliant),
        deprecations_present: effect("deprecationsPresent", Effect::Condition),
        minor_channel_upgrade_available: effect("minorChannelUpgradeAvailable", Effect::Condition),
    }
}
