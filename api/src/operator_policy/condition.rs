//! The words that conditions of an `OperatorPolicy` are made of.

use portolan_core_names::codes;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// True if the cluster matches the policy.
    Compliant,
    /// True if the policy is valid and can be carried out.
    ValidPolicySpec,
    /// The state of the OperatorGroup of the namespace.
    OperatorGroupCompliant,
    /// The state of the Subscription.
    SubscriptionCompliant,
    /// The state of the relevant InstallPlan.
    InstallPlanCompliant,
    /// The state of the installed operator.
    ClusterServiceVersionCompliant,
    /// The state of the CRDs of the operator.
    CustomResourceDefinitionCompliant,
    /// The state of the Deployments of the operator, in the established form.
    DeploymentCompliant,
    /// True if the catalog is unhealthy. False is the good state.
    CatalogSourcesUnhealthy,
    /// True if the desired package, channel and bundle are not deprecated.
    NoDeprecations,
    /// False if an available channel of a later minor version makes the policy NonCompliant.
    MinorChannelUpgradeAvailable,
    /// The state of the Deployments of the operator, in the design form.
    DeploymentsAvailable,
}

impl ConditionType {
    /// Whether it is False that is good, and not True.
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

    /// Whether nobody can say without it that a policy is Compliant, or how far its removal is.
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

    /// The cluster matches the policy.
    Compliant,
    /// The cluster violates the policy.
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
    /// Several OperatorGroups exist, so OLM installs nothing.
    TooManyOperatorGroups,
    /// The operator does not support the namespaces of its OperatorGroup.
    InstallModeUnsupported,
    /// No OperatorGroup of this policy exists.
    OperatorGroupNotPresent,
    /// An OperatorGroup exists that must not exist.
    OperatorGroupPresent,
    /// The OperatorGroup is kept.
    OperatorGroupKept,
    /// The OperatorGroup was deleted.
    OperatorGroupDeleted,
    /// The OperatorGroup is being deleted.
    OperatorGroupDeleting,
    /// An operator in another namespace already serves this namespace.
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
    /// A Subscription exists that must not exist.
    SubscriptionPresent,
    /// The Subscription is kept.
    SubscriptionKept,
    /// The Subscription was deleted.
    SubscriptionDeleted,
    /// The Subscription is being deleted.
    SubscriptionDeleting,
    /// Another client repeatedly reverts what the controller writes.
    Contested,
    /// OLM finds no valid set of operators for the namespace.
    ConstraintsNotSatisfiable,
    /// No relevant InstallPlan exists.
    NoInstallPlansFound,
    /// No InstallPlan waits for approval.
    NoInstallPlansRequiringApproval,
    /// An InstallPlan is being installed.
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
    /// InstallPlans are not checked, because the operator must not be installed.
    InstallPlanNotApplicable,
    /// No relevant ClusterServiceVersion exists.
    RelevantCSVNotFound,
    /// The operator is not installed.
    ClusterServiceVersionMissing,
    /// The installed version is not allowed.
    UnapprovedVersion,
    /// The operator is not installed, as required.
    ClusterServiceVersionNotPresent,
    /// The operator is installed and must not be.
    ClusterServiceVersionPresent,
    /// The operator is kept.
    ClusterServiceVersionKept,
    /// The operator was deleted.
    ClusterServiceVersionDeleted,
    /// The operator is being deleted.
    ClusterServiceVersionDeleting,
    /// No CRD of the operator exists.
    RelevantCRDNotFound,
    /// CRDs of the operator exist.
    RelevantCRDFound,
    /// CRDs exist that must not exist.
    CustomResourceDefinitionPresent,
    /// The CRDs are kept.
    CustomResourceDefinitionKept,
    /// The CRDs were deleted.
    CustomResourceDefinitionDeleted,
    /// The CRDs are being deleted.
    CustomResourceDefinitionDeleting,
    /// The operator is not installed, so no Deployments are checked.
    NoRelevantDeployments,
    /// No Deployment of the operator exists.
    NoExistingDeployments,
    /// Every Deployment of the operator is available.
    DeploymentsAvailable,
    /// Deployments of the operator are unavailable.
    DeploymentsUnavailable,
    /// Deployments are not checked, because the operator must not be installed.
    DeploymentNotApplicable,
    /// The catalog exists and is healthy.
    CatalogSourcesFound,
    /// The catalog exists and is unhealthy.
    CatalogSourcesFoundUnhealthy,
    /// The catalog is missing.
    CatalogSourcesNotFound,
    /// Catalogs are not checked, because the operator must not be installed.
    CatalogSourceNotApplicable,
    /// No deprecation was found, or no channel of a later minor version.
    Recommended,
    /// The package is deprecated.
    PackageDeprecated,
    /// The channel is deprecated.
    ChannelDeprecated,
    /// The bundle is deprecated.
    BundleDeprecated,
    /// The check is skipped.
    Skipped,
    /// A later version is available.
    UpgradeAvailable,
    /// The required service has not answered yet.
    NotAsked,
    /// The action is withheld. The message says why.
    Withheld,
}
