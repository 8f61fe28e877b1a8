//! Maps each reason of an OperatorPolicy condition to a code and a state.

use portolan_api::Reason;

use crate::{Code, State};

/// Returns the code and the state of a violated condition with this reason.
pub(super) fn trouble(reason: Reason) -> (Code, State) {
    match reason {
        Reason::InvalidPolicySpec => (Code::PolicyInvalid, State::Stuck),
        Reason::NotChecked => (Code::NotObserved, State::Working),
        Reason::InstallPlanRequiresApproval | Reason::Withheld => {
            (Code::PolicyNonCompliant, State::Waiting)
        }
        Reason::InstallPlansInstalling
        | Reason::InstallPlanApproved
        | Reason::OperatorGroupDeleting
        | Reason::SubscriptionDeleting
        | Reason::ClusterServiceVersionDeleting
        | Reason::CustomResourceDefinitionDeleting => (Code::InProgress, State::Working),
        Reason::NoExistingDeployments | Reason::DeploymentsUnavailable => {
            (Code::PolicyNonCompliant, State::Broken)
        }
        Reason::Contested => (Code::DriftContested, State::Stuck),
        Reason::NonCompliant
        | Reason::OperatorGroupMissing
        | Reason::OperatorGroupMismatch
        | Reason::TooManyOperatorGroups
        | Reason::InstallModeUnsupported
        | Reason::OperatorGroupPresent
        | Reason::ExistingInstallation
        | Reason::SubscriptionMissing
        | Reason::SubscriptionMismatch
        | Reason::SubscriptionPresent
        | Reason::ConstraintsNotSatisfiable
        | Reason::NoInstallPlansFound
        | Reason::InstallPlanFailed
        | Reason::InstallPlanNotStarted
        | Reason::InstallPlanNotAllowed
        | Reason::AllowedVersionSkippedByOLM
        | Reason::RelevantCSVNotFound
        | Reason::ClusterServiceVersionMissing
        | Reason::UnapprovedVersion
        | Reason::ClusterServiceVersionPresent
        | Reason::RelevantCRDNotFound
        | Reason::CustomResourceDefinitionPresent
        | Reason::NoRelevantDeployments
        | Reason::CatalogSourcesFoundUnhealthy
        | Reason::CatalogSourcesNotFound
        | Reason::PackageDeprecated
        | Reason::ChannelDeprecated
        | Reason::BundleDeprecated
        | Reason::UpgradeAvailable => (Code::PolicyNonCompliant, State::Stuck),
        // The current controller does not use these reasons for violated conditions.
        Reason::Compliant
        | Reason::PolicyValidated
        | Reason::OperatorGroupCreated
        | Reason::OperatorGroupMatches
        | Reason::PreexistingOperatorGroupFound
        | Reason::OperatorGroupUpdated
        | Reason::OperatorGroupNotPresent
        | Reason::OperatorGroupKept
        | Reason::OperatorGroupDeleted
        | Reason::SubscriptionCreated
        | Reason::SubscriptionMatches
        | Reason::SubscriptionUpdated
        | Reason::SubscriptionNotPresent
        | Reason::SubscriptionKept
        | Reason::SubscriptionDeleted
        | Reason::NoInstallPlansRequiringApproval
        | Reason::InstallPlanNotApplicable
        | Reason::ClusterServiceVersionNotPresent
        | Reason::ClusterServiceVersionKept
        | Reason::ClusterServiceVersionDeleted
        | Reason::RelevantCRDFound
        | Reason::CustomResourceDefinitionKept
        | Reason::CustomResourceDefinitionDeleted
        | Reason::DeploymentsAvailable
        | Reason::DeploymentNotApplicable
        | Reason::CatalogSourcesFound
        | Reason::CatalogSourceNotApplicable
        | Reason::Recommended
        | Reason::Skipped => (Code::PolicyNonCompliant, State::Stuck),
    }
}
