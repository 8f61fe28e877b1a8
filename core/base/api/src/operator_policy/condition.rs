//! The types and reasons of conditions in an `OperatorPolicy`.

use portolan_core_names::codes;

use crate::status::condition_types;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// True if the cluster matches the policy.
    Compliant,
    /// True if the policy is valid.
    ValidPolicySpec,
    /// The state of the OperatorGroup of the namespace.
    OperatorGroupCompliant,
    /// The state of the Subscription.
    SubscriptionCompliant,
    /// The relevant InstallPlan.
    InstallPlanCompliant,
    /// The installed operator.
    ClusterServiceVersionCompliant,
    /// The CustomResourceDefinitions of the operator.
    CustomResourceDefinitionCompliant,
    /// The Deployments of the operator, as the established form reports them.
    DeploymentCompliant,
    /// True if the catalog is unhealthy.
    CatalogSourcesUnhealthy,
    /// True if the package, channel and bundle are not deprecated.
    NoDeprecations,
    /// False if a channel of a later minor version exists and that counts.
    MinorChannelUpgradeAvailable,
    /// True if all Deployments of the operator are available. In the design form only.
    DeploymentsAvailable,
}

impl ConditionType {
    /// Returns true if the status False means that there is no problem.
    pub fn is_of_trouble(self) -> bool {
        match self {
            Self::CatalogSourcesUnhealthy => true,
            Self::Compliant
            | Self::ValidPolicySpec
            | Self::OperatorGroupCompliant
            | Self::SubscriptionCompliant
            | Self::InstallPlanCompliant
            | Self::ClusterServiceVersionCompliant
            | Self::CustomResourceDefinitionCompliant
            | Self::DeploymentCompliant
            | Self::DeploymentsAvailable
            | Self::NoDeprecations
            | Self::MinorChannelUpgradeAvailable => false,
        }
    }

    /// Returns true if Portolan needs this condition to determine the compliance or the progress of
    /// a removal.
    pub fn is_required(self) -> bool {
        match self {
            Self::ValidPolicySpec
            | Self::OperatorGroupCompliant
            | Self::SubscriptionCompliant
            | Self::InstallPlanCompliant
            | Self::ClusterServiceVersionCompliant
            | Self::CustomResourceDefinitionCompliant
            | Self::DeploymentCompliant
            | Self::CatalogSourcesUnhealthy => true,
            Self::Compliant
            | Self::NoDeprecations
            | Self::MinorChannelUpgradeAvailable
            | Self::DeploymentsAvailable => false,
        }
    }
}

codes! {
    /// The reason of a condition.
    pub enum Reason;

    /// All conditions are met.
    Compliant,
    /// A condition is violated.
    NonCompliant,
    /// The policy is valid.
    PolicyValidated,
    /// The policy is invalid. The message says what to write instead.
    InvalidPolicySpec,
    /// The OperatorGroup is missing.
    OperatorGroupMissing,
    /// The OperatorGroup was created.
    OperatorGroupCreated,
    /// The OperatorGroup matches the policy.
    OperatorGroupMatches,
    /// An OperatorGroup exists, and the policy names none.
    PreexistingOperatorGroupFound,
    /// The OperatorGroup does not match the policy.
    OperatorGroupMismatch,
    /// The OperatorGroup was updated.
    OperatorGroupUpdated,
    /// The namespace has several OperatorGroups. OLM installs nothing until all but one are deleted.
    TooManyOperatorGroups,
    /// The operator does not support the namespaces that its OperatorGroup selects.
    InstallModeUnsupported,
    /// No OperatorGroup of this policy exists.
    OperatorGroupNotPresent,
    /// An OperatorGroup exists that should not exist.
    OperatorGroupPresent,
    /// The OperatorGroup is kept.
    OperatorGroupKept,
    /// The OperatorGroup was deleted.
    OperatorGroupDeleted,
    /// The OperatorGroup is being deleted.
    OperatorGroupDeleting,
    /// The operator is installed in another namespace and serves this one.
    ExistingInstallation,
    /// The Subscription is missing.
    SubscriptionMissing,
    /// The Subscription was created.
    SubscriptionCreated,
    /// The Subscription matches the policy.
    SubscriptionMatches,
    /// The Subscription does not match the policy.
    SubscriptionMismatch,
    /// The Subscription was updated.
    SubscriptionUpdated,
    /// No Subscription exists, as required.
    SubscriptionNotPresent,
    /// A Subscription exists that should not exist.
    SubscriptionPresent,
    /// The Subscription is kept.
    SubscriptionKept,
    /// The Subscription was deleted.
    SubscriptionDeleted,
    /// The Subscription is being deleted.
    SubscriptionDeleting,
    /// Another client keeps reverting a field.
    Contested,
    /// OLM finds no set of operators that satisfies the Subscriptions of the namespace.
    ConstraintsNotSatisfiable,
    /// No InstallPlan is for the operator.
    NoInstallPlansFound,
    /// No InstallPlan waits for approval.
    NoInstallPlansRequiringApproval,
    /// An InstallPlan is installing the operator.
    InstallPlansInstalling,
    /// The InstallPlan failed.
    InstallPlanFailed,
    /// An InstallPlan waits for approval.
    InstallPlanRequiresApproval,
    /// The InstallPlan is approved.
    InstallPlanApproved,
    /// OLM has not started an approved InstallPlan for 5 minutes.
    InstallPlanNotStarted,
    /// An approved InstallPlan installs a bundle that no policy allows.
    InstallPlanNotAllowed,
    /// OLM skips the allowed versions.
    AllowedVersionSkippedByOLM,
    /// InstallPlans are not checked when an operator is removed.
    InstallPlanNotApplicable,
    /// No ClusterServiceVersion of the operator exists.
    RelevantCSVNotFound,
    /// The operator is not installed.
    ClusterServiceVersionMissing,
    /// The installed version is not allowed.
    UnapprovedVersion,
    /// No operator is installed, as required.
    ClusterServiceVersionNotPresent,
    /// The operator is installed and should not be installed.
    ClusterServiceVersionPresent,
    /// The operator is kept.
    ClusterServiceVersionKept,
    /// The operator was deleted.
    ClusterServiceVersionDeleted,
    /// The operator is being deleted.
    ClusterServiceVersionDeleting,
    /// No CustomResourceDefinitions of the operator exist.
    RelevantCRDNotFound,
    /// CustomResourceDefinitions of the operator exist.
    RelevantCRDFound,
    /// CustomResourceDefinitions exist that should not exist.
    CustomResourceDefinitionPresent,
    /// The CustomResourceDefinitions are kept.
    CustomResourceDefinitionKept,
    /// The CustomResourceDefinitions were deleted.
    CustomResourceDefinitionDeleted,
    /// The CustomResourceDefinitions are being deleted.
    CustomResourceDefinitionDeleting,
    /// The operator is not installed, so there are no Deployments to check.
    NoRelevantDeployments,
    /// No Deployment of the operator exists.
    NoExistingDeployments,
    /// Every Deployment of the operator is available.
    DeploymentsAvailable,
    /// Deployments of the operator are unavailable.
    DeploymentsUnavailable,
    /// Deployments are not checked when an operator is removed.
    DeploymentNotApplicable,
    /// The catalog is healthy.
    CatalogSourcesFound,
    /// The catalog is unhealthy.
    CatalogSourcesFoundUnhealthy,
    /// The CatalogSource does not exist.
    CatalogSourcesNotFound,
    /// CatalogSources are not checked when an operator is removed.
    CatalogSourceNotApplicable,
    /// No deprecation is found, or no later minor channel exists.
    Recommended,
    /// The package is deprecated.
    PackageDeprecated,
    /// The channel is deprecated.
    ChannelDeprecated,
    /// The bundle is deprecated.
    BundleDeprecated,
    /// The check is off.
    Skipped,
    /// A newer version or channel exists.
    UpgradeAvailable,
    /// The state is unknown: no service has answered yet.
    NotChecked,
    /// The change is withheld. The message says why.
    Withheld,
}

condition_types!(ConditionType, Reason);
