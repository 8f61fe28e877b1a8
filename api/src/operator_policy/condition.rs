//! The words that conditions of an `OperatorPolicy` are made of.

use portolan_core_names::codes;

codes! {
    /// The type of a condition.
    pub enum ConditionType;

    /// Whether the cluster is as the policy wants it.
    Compliant,
    /// Whether the policy can be understood, and means something that can be done.
    ValidPolicySpec,
    /// The OperatorGroup of the namespace.
    OperatorGroupCompliant,
    /// The Subscription.
    SubscriptionCompliant,
    /// The InstallPlan that is of interest now.
    InstallPlanCompliant,
    /// The operator that is installed.
    ClusterServiceVersionCompliant,
    /// The definitions that the operator brought.
    CustomResourceDefinitionCompliant,
    /// The Deployments of the operator, in the words of the established form.
    DeploymentCompliant,
    /// Whether the catalog is not well: False is good.
    CatalogSourcesUnhealthy,
    /// Whether nothing of what is wanted is given up by its author.
    NoDeprecations,
    /// Whether there is a channel of a later minor version: False is what wants attention.
    MinorChannelUpgradeAvailable,
    /// The Deployments of the operator, in the words of the design form.
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
    /// Why a condition is as it is.
    pub enum Reason;

    /// Nothing is as it should not be.
    Compliant,
    /// Something is not as it should be.
    NonCompliant,
    /// The policy is understood.
    PolicyValidated,
    /// The policy says something that cannot be, and the message says what to write instead.
    InvalidPolicySpec,
    /// There is no OperatorGroup.
    OperatorGroupMissing,
    /// The OperatorGroup was created.
    OperatorGroupCreated,
    /// The OperatorGroup is as the policy wants it.
    OperatorGroupMatches,
    /// There is an OperatorGroup, and the policy names none.
    PreexistingOperatorGroupFound,
    /// The OperatorGroup is not as the policy wants it.
    OperatorGroupMismatch,
    /// The OperatorGroup was changed.
    OperatorGroupUpdated,
    /// There are several OperatorGroups, with which OLM installs nothing.
    TooManyOperatorGroups,
    /// The operator cannot watch the namespaces that its OperatorGroup gives it.
    InstallModeUnsupported,
    /// There is no OperatorGroup of this policy.
    OperatorGroupNotPresent,
    /// There is an OperatorGroup that should not be.
    OperatorGroupPresent,
    /// The OperatorGroup stays.
    OperatorGroupKept,
    /// The OperatorGroup was deleted.
    OperatorGroupDeleted,
    /// The OperatorGroup is being deleted.
    OperatorGroupDeleting,
    /// The operator serves this namespace from another one.
    ExistingInstallation,
    /// There is no Subscription.
    SubscriptionMissing,
    /// The Subscription was created.
    SubscriptionCreated,
    /// The Subscription is as the policy wants it.
    SubscriptionMatches,
    /// The Subscription is not as the policy wants it.
    SubscriptionMismatch,
    /// The Subscription was changed.
    SubscriptionUpdated,
    /// There is no Subscription, as it should be.
    SubscriptionNotPresent,
    /// There is a Subscription that should not be.
    SubscriptionPresent,
    /// The Subscription stays.
    SubscriptionKept,
    /// The Subscription was deleted.
    SubscriptionDeleted,
    /// The Subscription is being deleted.
    SubscriptionDeleting,
    /// Somebody changes back what is written, again and again.
    Contested,
    /// OLM finds no set of operators for the namespace.
    ConstraintsNotSatisfiable,
    /// There is no InstallPlan of interest.
    NoInstallPlansFound,
    /// No InstallPlan waits for approval.
    NoInstallPlansRequiringApproval,
    /// An InstallPlan is being carried out.
    InstallPlansInstalling,
    /// The InstallPlan failed.
    InstallPlanFailed,
    /// An InstallPlan waits for approval.
    InstallPlanRequiresApproval,
    /// The InstallPlan is approved.
    InstallPlanApproved,
    /// What was approved before brings what nobody allowed.
    InstallPlanNotAllowed,
    /// OLM goes past the versions that are allowed.
    AllowedVersionSkippedByOLM,
    /// InstallPlans do not matter where an operator must not be.
    InstallPlanNotApplicable,
    /// There is no operator to speak of.
    RelevantCSVNotFound,
    /// No operator is installed.
    ClusterServiceVersionMissing,
    /// A version is installed that is not allowed.
    UnapprovedVersion,
    /// The operator is not installed, as it should be.
    ClusterServiceVersionNotPresent,
    /// The operator is installed and should not be.
    ClusterServiceVersionPresent,
    /// The operator stays.
    ClusterServiceVersionKept,
    /// The operator was deleted.
    ClusterServiceVersionDeleted,
    /// The operator is being deleted.
    ClusterServiceVersionDeleting,
    /// There are no definitions to speak of.
    RelevantCRDNotFound,
    /// There are definitions of the operator.
    RelevantCRDFound,
    /// There are definitions that should not be.
    CustomResourceDefinitionPresent,
    /// The definitions stay.
    CustomResourceDefinitionKept,
    /// The definitions were deleted.
    CustomResourceDefinitionDeleted,
    /// The definitions are being deleted.
    CustomResourceDefinitionDeleting,
    /// Nothing is installed, so no Deployments matter.
    NoRelevantDeployments,
    /// No Deployment of the operator is there.
    NoExistingDeployments,
    /// All Deployments of the operator are available.
    DeploymentsAvailable,
    /// Deployments of the operator are not available.
    DeploymentsUnavailable,
    /// Deployments do not matter where an operator must not be.
    DeploymentNotApplicable,
    /// The catalog is there and well.
    CatalogSourcesFound,
    /// The catalog is there and not well.
    CatalogSourcesFoundUnhealthy,
    /// There is no such catalog.
    CatalogSourcesNotFound,
    /// Catalogs do not matter where an operator must not be.
    CatalogSourceNotApplicable,
    /// Nothing is given up, or nothing newer is there.
    Recommended,
    /// The package is given up by its author.
    PackageDeprecated,
    /// The channel is given up by its author.
    ChannelDeprecated,
    /// The bundle is advised against by its author.
    BundleDeprecated,
    /// It is not looked at.
    Skipped,
    /// There is something newer.
    UpgradeAvailable,
    /// Nobody could be asked so far.
    NotAsked,
    /// It is withheld, and the message says by what.
    Withheld,
}
