//! The kinds of Portolan.

use portolan_api::qualified;

use crate::cure::Cure;

/// A kind whose objects are diagnosed by their own status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OwnKind {
    /// An Operator of `operators.operatorframework.io`.
    Operator,
    /// An InstallPlan of `plans.portolan.dev`.
    InstallPlan,
    /// An Install of `operators.coreos.com/v2alpha1`.
    Install,
    /// An OperatorPolicy of `policy.open-cluster-management.io`.
    OperatorPolicy,
    /// A Policy of `operators.operatorframework.io`.
    Policy,
    /// A PolicyBinding of `operators.operatorframework.io`.
    PolicyBinding,
}

// === impl OwnKind ===

impl OwnKind {
    /// The kinds, in the order of answers.
    pub const ALL: &'static [Self] = &[
        Self::Operator,
        Self::InstallPlan,
        Self::Install,
        Self::OperatorPolicy,
        Self::Policy,
        Self::PolicyBinding,
    ];

    /// Returns the kind as the subject of a diagnosis names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Operator => qualified::OPERATOR,
            Self::InstallPlan => qualified::INSTALL_PLAN,
            Self::Install => qualified::INSTALL,
            Self::OperatorPolicy => "OperatorPolicy",
            Self::Policy => qualified::POLICY,
            Self::PolicyBinding => qualified::POLICY_BINDING,
        }
    }

    /// Returns true if the objects are in namespaces.
    pub fn is_namespaced(self) -> bool {
        match self {
            Self::InstallPlan | Self::OperatorPolicy => true,
            Self::Operator | Self::Install | Self::Policy | Self::PolicyBinding => false,
        }
    }

    /// Returns the name of several objects.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Operator => "Operators of operators.operatorframework.io",
            Self::InstallPlan => "InstallPlans of plans.portolan.dev",
            Self::Install => "Installs",
            Self::OperatorPolicy => "OperatorPolicies",
            Self::Policy => "Policies of operators.operatorframework.io",
            Self::PolicyBinding => "PolicyBindings",
        }
    }

    /// Returns the resource, as kubectl names it.
    pub(super) fn resource(self) -> &'static str {
        match self {
            Self::Operator => crate::command::OWN_OPERATORS,
            Self::InstallPlan => crate::command::OWN_PLANS,
            Self::Install => "installs.operators.coreos.com",
            Self::OperatorPolicy => crate::command::POLICIES,
            Self::Policy => "upgradepolicies.operators.operatorframework.io",
            Self::PolicyBinding => "upgradepolicybindings.operators.operatorframework.io",
        }
    }

    /// Returns the cure if the status is missing.
    pub(super) fn unwritten_cure(self) -> Cure {
        let action = match self {
            Self::Operator => "Check that the controller runs, with --operators and --plans.",
            Self::InstallPlan => "Check that the controller runs, with --plans.",
            Self::Install => "Check that the controller runs, with --installs and --plans.",
            Self::OperatorPolicy => {
                "Check that the controller runs. Without it, policies have no effect."
            }
            Self::Policy | Self::PolicyBinding => {
                "Check that the controller runs, with --operators."
            }
        };
        Cure::external("the administrator of Portolan", action)
    }
}
