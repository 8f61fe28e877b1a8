//! Views of the readiness for a cluster upgrade.

use super::Origin;

/// The steps that operators need for a cluster upgrade.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpgradeReadiness {
    /// The current release of the cluster, such as `OpenShift 4.20`.
    pub from: String,
    /// The target release of the cluster, such as `OpenShift 4.22`.
    pub to: String,
    /// The number of checked operators.
    pub operators: usize,
    /// The steps, in any order.
    pub steps: Vec<UpgradeStep>,
    /// Sentences about objects that could not be read.
    pub unread: Vec<String>,
    /// The facts that were not checked, as phrases for a sentence.
    pub not_checked: Vec<String>,
}

/// One step that an operator needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeStep {
    /// The time of the step, relative to the cluster upgrade.
    pub time: UpgradeTime,
    /// The system that installs the operator. None if the operator has no page.
    pub origin: Option<Origin>,
    /// The namespace of the operator's object. Empty for cluster-scoped objects.
    pub namespace: String,
    /// The name of the operator's object.
    pub name: String,
    /// The required change, with its reason.
    pub message: String,
    /// The person or program that must act. Empty for notes.
    pub who: String,
    /// The shell command that performs the step. Empty if there is no command.
    pub command: String,
}

/// The time of a step, relative to the cluster upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpgradeTime {
    /// Before the cluster upgrade.
    Before,
    /// Before the cluster upgrade, because the cluster blocks the upgrade until the step is done.
    Blocks,
    /// While the cluster runs an intermediate release.
    Between,
    /// After the cluster upgrade.
    After,
    /// At no time, because no action is required.
    Note,
    /// Unknown, because a fact could not be checked.
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
