//! The codes of what health says.

use portolan_core_names::codes;

codes! {
    /// What a fact of health says, for programs. The order is that of reasons: what may cause others
    /// comes before what follows from it.
    pub enum HealthCode;

    /// Objects of a kind could not be looked at, or not lately.
    NotObserved,

    /// The namespace has no OperatorGroup.
    OperatorGroupMissing,
    /// The namespace has more than one.
    OperatorGroupsConflict,
    /// The operator does not work in the way in which the OperatorGroup selects namespaces.
    InstallModeUnsupported,
    /// The ServiceAccount that the OperatorGroup names is not there.
    GroupServiceAccountMissing,

    /// The CatalogSource is not there.
    CatalogMissing,
    /// The registry was not asked.
    RegistryNotProbed,
    /// Nobody knows where the registry is.
    RegistryAddressUnknown,
    /// The registry cannot be reached.
    RegistryUnreachable,
    /// The registry says that it does not serve.
    RegistryNotServing,
    /// The registry takes questions and answers none in time.
    RegistrySilent,
    /// The registry answers with an error, or with what is no answer.
    RegistryFailing,
    /// OLM has no connection to the registry, though it answers.
    OlmNotConnected,
    /// OLM takes the registry for well, though it does not answer.
    OlmMistaken,
    /// OLM reports trouble with the CatalogSource.
    CatalogTrouble,
    /// The registry has no packages.
    CatalogEmpty,

    /// The image of a container cannot be pulled.
    ImagePullFailing,
    /// A container ends again and again.
    CrashLooping,
    /// A container cannot be made, as something that it names is not there or not right.
    ContainerNotCreated,
    /// No node takes the Pod.
    Unschedulable,
    /// The Pod cannot be made: a quota is used up.
    QuotaExceeded,
    /// The Pod cannot be made: a webhook or a policy refuses it.
    PodRefused,
    /// The Pod was thrown out, or has failed for good.
    PodFailed,
    /// A container runs and is not ready.
    ContainerNotReady,
    /// The Pod is on its way.
    PodStarting,
    /// The Pod is being deleted.
    PodTerminating,
    /// More Deployments fail than are looked into.
    CauseNotLookedFor,

    /// The Deployment is not there.
    DeploymentMissing,
    /// The Deployment is being deleted.
    DeploymentTerminating,
    /// Somebody has set its replicas to zero.
    DeploymentScaledToZero,
    /// Its rollout has taken longer than its deadline.
    DeploymentDeadlineExceeded,
    /// Its Pods cannot be made.
    DeploymentReplicaFailure,
    /// Too few replicas are available.
    DeploymentUnavailable,
    /// Its rollout is held.
    DeploymentPaused,
    /// Its controller has not seen the newest wish.
    DeploymentNotObserved,
    /// It is rolled out.
    DeploymentProgressing,
    /// As many replicas are available as must be while it is rolled out.
    DeploymentMinimumAvailable,
    /// It belongs to another operator.
    DeploymentOfAnother,

    /// The definition of a kind is not there.
    DefinitionMissing,
    /// The definition is being deleted, with every object of its kind.
    DefinitionTerminating,
    /// Its names are taken.
    DefinitionNamesConflict,
    /// It is not established.
    DefinitionNotEstablished,
    /// It does not serve the version.
    DefinitionVersionNotServed,
    /// Objects are stored in a version that it does not have.
    StoredVersionGone,
    /// Objects are stored in more than one version.
    StoredVersionsMixed,
    /// The API is not registered.
    ApiServiceMissing,
    /// The API is registered and does not answer.
    ApiServiceUnavailable,
    /// A permission is missing.
    PermissionMissing,
    /// Something that the operator needs is not there.
    RequirementNotMet,
    /// What was missing is there, and OLM has not looked again.
    RequirementMetUnseen,

    /// OLM cannot unpack the bundle.
    BundleUnpackFailed,
    /// OLM unpacks the bundle.
    BundleUnpacking,
    /// OLM finds no set of bundles that fits.
    ResolutionFailed,
    /// OLM finds something wrong with a catalog.
    CatalogSourcesUnhealthy,
    /// The InstallPlan failed.
    PlanFailed,
    /// The InstallPlan is not there.
    PlanMissing,
    /// The InstallPlan waits for somebody to approve it.
    PlanRequiresApproval,
    /// The InstallPlan is carried out.
    PlanInstalling,
    /// OLM has not said anything of the Subscription.
    SubscriptionUnseen,
    /// The Subscription is being deleted.
    SubscriptionDeleting,
    /// A condition of the Subscription that is not known here.
    SubscriptionCondition,

    /// The operator says that it cannot be upgraded.
    NotUpgradeable,
    /// What the operator says of itself.
    OperatorSays,

    /// OLM says that the operator failed.
    CsvFailed,
    /// OLM waits before it installs the operator.
    CsvPending,
    /// OLM installs the operator.
    CsvInstalling,
    /// Another one takes its place.
    CsvReplacing,
    /// It is being deleted.
    CsvDeleting,
    /// OLM says nothing of it, or a word that is not known here.
    CsvPhaseUnknown,
    /// Only another namespace has it.
    OnlyCopied,
    /// There is no operator at all.
    NotInstalled,
    /// No Subscription asks for it.
    Orphaned,

    /// It is as it should be.
    Fine,
}

#[cfg(test)]
mod tests {
    use portolan_core_names::WireCode;

    use super::HealthCode;

    #[test]
    fn a_code_of_a_later_version_stays_what_it_was() {
        let sent = ["Fine", "fine", "OfALaterVersion", ""];
        let codes = sent.map(WireCode::<HealthCode>::from);
        let known = codes.each_ref().map(WireCode::known);
        assert_eq!(known, [Some(HealthCode::Fine), None, None, None]);
        assert_eq!(codes.map(|code| code.to_string()), sent);
    }
}
