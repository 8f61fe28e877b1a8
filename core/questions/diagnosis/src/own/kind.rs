//! The kinds of objects that are diagnosed by their own status.

use portolan_api::qualified;

use crate::cure::Cure;

/// A kind whose objects are diagnosed from the status of the object itself, without the objects of
/// OLM v0.
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
    /// An Operator of `operators.coreos.com/v2alpha1`.
    ComponentOperator,
    /// A ClusterExtension of OLM v1.
    ClusterExtension,
    /// A ClusterCatalog of OLM v1.
    ClusterCatalog,
    /// A component of Portolan itself.
    Component,
}

// === impl OwnKind ===

impl OwnKind {
    /// The kinds, in the order of the diagnoses in an answer.
    pub const ALL: &'static [Self] = &[
        Self::Operator,
        Self::InstallPlan,
        Self::Install,
        Self::OperatorPolicy,
        Self::Policy,
        Self::PolicyBinding,
        Self::ComponentOperator,
        Self::ClusterExtension,
        Self::ClusterCatalog,
        Self::Component,
    ];

    /// Returns the name of the kind, as in the subject of a diagnosis.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Operator => qualified::OPERATOR,
            Self::InstallPlan => qualified::INSTALL_PLAN,
            Self::Install => qualified::INSTALL,
            Self::OperatorPolicy => "OperatorPolicy",
            Self::Policy => qualified::POLICY,
            Self::PolicyBinding => qualified::POLICY_BINDING,
            Self::ComponentOperator => "Operator.operators.coreos.com",
            Self::ClusterExtension => "ClusterExtension",
            Self::ClusterCatalog => "ClusterCatalog",
            Self::Component => "Component",
        }
    }

    /// Returns true if the kind is namespaced.
    pub fn is_namespaced(self) -> bool {
        match self {
            Self::InstallPlan | Self::OperatorPolicy => true,
            Self::Operator
            | Self::Install
            | Self::Policy
            | Self::PolicyBinding
            | Self::ComponentOperator
            | Self::ClusterExtension
            | Self::ClusterCatalog
            // Some components of Portolan are cluster-scoped.
            | Self::Component => false,
        }
    }

    /// Returns true if the controller of Portolan reconciles the objects of this kind.
    pub(super) fn is_reconciled_by_portolan(self) -> bool {
        match self {
            Self::ClusterExtension | Self::ClusterCatalog | Self::Component => false,
            Self::Operator
            | Self::InstallPlan
            | Self::Install
            | Self::OperatorPolicy
            | Self::Policy
            | Self::PolicyBinding
            | Self::ComponentOperator => true,
        }
    }

    /// Returns true if the objects of this kind that have no status share one diagnosis.
    pub(super) fn is_summarized(self) -> bool {
        match self {
            Self::OperatorPolicy | Self::Policy | Self::PolicyBinding | Self::ComponentOperator => {
                true
            }
            Self::Operator
            | Self::InstallPlan
            | Self::Install
            | Self::ClusterExtension
            | Self::ClusterCatalog
            | Self::Component => false,
        }
    }

    /// Returns true if an answer about all kinds omits the healthy objects of this kind.
    pub(super) fn is_shown_only_in_trouble(self) -> bool {
        match self {
            Self::ComponentOperator | Self::ClusterCatalog | Self::Component => true,
            Self::Operator
            | Self::InstallPlan
            | Self::Install
            | Self::OperatorPolicy
            | Self::Policy
            | Self::PolicyBinding
            | Self::ClusterExtension => false,
        }
    }

    /// Returns the plural name of the kind.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Operator => "Operators of operators.operatorframework.io",
            Self::InstallPlan => "InstallPlans of plans.portolan.dev",
            Self::Install => "Installs",
            Self::OperatorPolicy => "OperatorPolicies",
            Self::Policy => "Policies of operators.operatorframework.io",
            Self::PolicyBinding => "PolicyBindings",
            Self::ComponentOperator => "Operators of operators.coreos.com/v2alpha1",
            Self::ClusterExtension => "ClusterExtensions",
            Self::ClusterCatalog => "ClusterCatalogs",
            Self::Component => "Components of Portolan",
        }
    }

    /// Returns the name of the resource in kubectl.
    pub(super) fn resource(self) -> &'static str {
        match self {
            Self::Operator => crate::command::OWN_OPERATORS,
            Self::InstallPlan => crate::command::OWN_PLANS,
            Self::Install => "installs.operators.coreos.com",
            Self::OperatorPolicy => crate::command::POLICIES,
            Self::Policy => crate::command::OWN_POLICIES,
            Self::PolicyBinding => crate::command::OWN_BINDINGS,
            Self::ComponentOperator => "operators.v2alpha1.operators.coreos.com",
            Self::ClusterExtension => crate::command::EXTENSIONS,
            Self::ClusterCatalog => crate::command::CLUSTER_CATALOGS,
            Self::Component => {
                "deployments, apiservices, validatingwebhookconfigurations and leases"
            }
        }
    }

    /// Returns the cure for an object of this kind that has no status.
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
            Self::ComponentOperator => "Check that the controller runs, with --components.",
            Self::ClusterExtension => "Check that operator-controller runs.",
            Self::ClusterCatalog => "Check that catalogd runs.",
            Self::Component => "",
        };
        let who = match self {
            Self::ClusterExtension | Self::ClusterCatalog => "the administrator of OLM v1",
            Self::Operator
            | Self::InstallPlan
            | Self::Install
            | Self::OperatorPolicy
            | Self::Policy
            | Self::PolicyBinding
            | Self::ComponentOperator
            | Self::Component => "the administrator of Portolan",
        };
        Cure::external(who, action)
    }
}
