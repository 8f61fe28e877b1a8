//! The kinds that are reviewed.

use portolan_api::{installs, operator, plan};

/// The group of OperatorPolicy.
const POLICIES: &str = "policy.open-cluster-management.io";

/// A kind whose objects are reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    OperatorPolicy,
    Operator,
    Policy,
    PolicyBinding,
    /// An InstallPlan of `plans.portolan.dev`.
    InstallPlan,
    /// An Install of `operators.coreos.com/v2alpha1`.
    Install,
}

// === impl Kind ===

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::OperatorPolicy,
        Self::Operator,
        Self::Policy,
        Self::PolicyBinding,
        Self::InstallPlan,
        Self::Install,
    ];

    /// Returns the kind with this API group and name. Returns None if objects of this kind are not
    /// reviewed. The API group is necessary because OLM has other kinds with the names Operator and
    /// InstallPlan.
    pub fn of(group: &str, kind: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|it| it.group() == group && it.as_str() == kind)
    }

    pub fn group(self) -> &'static str {
        match self {
            Self::OperatorPolicy => POLICIES,
            Self::Operator | Self::Policy | Self::PolicyBinding => operator::GROUP,
            Self::InstallPlan => plan::GROUP,
            Self::Install => installs::GROUP,
        }
    }

    /// Returns the name of the kind in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OperatorPolicy => "OperatorPolicy",
            Self::Operator => "Operator",
            Self::Policy => "Policy",
            Self::PolicyBinding => "PolicyBinding",
            Self::InstallPlan => "InstallPlan",
            Self::Install => "Install",
        }
    }

    /// Returns the name of the kind in URLs.
    pub fn plural(self) -> &'static str {
        match self {
            Self::OperatorPolicy => "operatorpolicies",
            Self::Operator => "operators",
            Self::Policy => "upgradepolicies",
            Self::PolicyBinding => "upgradepolicybindings",
            Self::InstallPlan => "installplans",
            Self::Install => "installs",
        }
    }
}
