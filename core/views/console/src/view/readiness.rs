//! The readiness of the operators for a cluster upgrade.

use super::Origin;

/// The required changes of all operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpgradeReadiness {
    /// The current release, such as `OpenShift 4.20`.
    pub from: String,
    /// The target release, such as `OpenShift 4.22`.
    pub to: String,
    /// The number of operators.
    pub operators: usize,
    /// The steps, in any order.
    pub steps: Vec<UpgradeStep>,
    /// The objects that could not be read, one sentence each.
    pub unread: Vec<String>,
    /// The facts that were not checked, as parts of a sentence.
    pub not_checked: Vec<String>,
}

/// One step for an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeStep {
    /// The time of the step.
    pub time: UpgradeTime,
    /// The installer of the operator. None if the operator has no page.
    pub origin: Option<Origin>,
    /// The namespace of its object. Empty for cluster-scoped objects.
    pub namespace: String,
    /// The name of its object.
    pub name: String,
    /// The required change, with its reason.
    pub message: String,
    /// The person or program that must act. Empty for remarks.
    pub who: String,
    /// One line for a shell. Empty if no command helps.
    pub command: String,
}

/// The time of a step, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpgradeTime {
    /// Before the upgrade.
    Before,
    /// The upgrade is blocked until the step is done.
    Blocks,
    /// While the cluster runs a release in between.
    Between,
    /// After the upgrade.
    After,
    /// No action is required.
    Note,
    /// A fact is unknown.
    NotChecked,
}

// === impl UpgradeTime ===

impl UpgradeTime {
    pub(crate) const ALL: [Self; 6] = [
        Self::Before,
        Self::Blocks,
        Self::Between,
        Self::After,
        Self::Note,
        Self::NotChecked,
    ];

    /// Returns the heading of the steps at this time.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Before => "Before the upgrade",
            Self::Blocks => "Blocks the upgrade",
            Self::Between => "In between",
            Self::After => "After the upgrade",
            Self::Note => "Notes",
            Self::NotChecked => "Not checked",
        }
    }
}
