//! The verdict of a service: whether something is so, and if not, why, in the codes of health and
//! of approval.

use portolan_core_names::codes;

/// The answer in one word, the better before the worse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// It is so: an operator is well, an InstallPlan may be approved.
    Yes,
    /// It is on its way, or not known.
    #[default]
    NotYet,
    /// It is not, and no waiting changes that.
    No,
}

/// Whether something is so, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict<R> {
    /// The worst that any reason says.
    pub state: State,
    /// Why it is not Yes, the worst first.
    pub reasons: Vec<R>,
}

/// Why something is not so, or what is worth knowing besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason<C, O> {
    /// The state that the Verdict would have for this reason alone.
    pub state: State,
    /// For programs.
    pub code: C,
    /// The object that the sentence is about.
    pub object: O,
    /// For a person.
    pub message: String,
}

codes! {
    /// The code of a fact of health, for programs. The order is that of reasons: one that may cause
    /// others comes before those that follow from it.
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
    /// A container crash-loops.
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

/// The topic of a [`HealthCode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthTopic {
    /// Whether it can be known how anything is.
    Observation,
    /// The OperatorGroup of the namespace.
    OperatorGroup,
    /// The catalog, and the registry that serves it.
    Catalog,
    /// The reasons why the Pods of a Deployment are not ready, and so the Deployment is not
    /// available.
    PodFailure,
    /// Pods that come or go, and those that nobody looks at.
    PodProgress,
    /// The Deployments.
    Deployment,
    /// The requirements of the operator: CRDs, APIs, permissions.
    Requirement,
    /// The work of OLM on the Subscription: bundles, resolution, InstallPlans.
    Subscription,
    /// The conditions that the operator reports of itself.
    OperatorCondition,
    /// The phase of the ClusterServiceVersion.
    Phase,
    /// Whether there is an operator at all, and whose it is.
    Presence,
    /// Nothing that wants attention.
    Fine,
}

// === impl HealthCode ===

impl HealthCode {
    /// Its topic. Code that treats several codes alike does so by their topic, so that a new code
    /// has to choose one.
    pub fn topic(self) -> HealthTopic {
        match self {
            Self::NotObserved => HealthTopic::Observation,
            Self::OperatorGroupMissing
            | Self::OperatorGroupsConflict
            | Self::InstallModeUnsupported
            | Self::GroupServiceAccountMissing => HealthTopic::OperatorGroup,
            Self::CatalogMissing
            | Self::RegistryNotProbed
            | Self::RegistryAddressUnknown
            | Self::RegistryUnreachable
            | Self::RegistryNotServing
            | Self::RegistrySilent
            | Self::RegistryFailing
            | Self::OlmNotConnected
            | Self::OlmMistaken
            | Self::CatalogTrouble
            | Self::CatalogEmpty => HealthTopic::Catalog,
            Self::ImagePullFailing
            | Self::CrashLooping
            | Self::ContainerNotCreated
            | Self::Unschedulable
            | Self::QuotaExceeded
            | Self::PodRefused
            | Self::PodFailed
            | Self::ContainerNotReady => HealthTopic::PodFailure,
            Self::PodStarting | Self::PodTerminating | Self::CauseNotLookedFor => {
                HealthTopic::PodProgress
            }
            Self::DeploymentMissing
            | Self::DeploymentTerminating
            | Self::DeploymentScaledToZero
            | Self::DeploymentDeadlineExceeded
            | Self::DeploymentReplicaFailure
            | Self::DeploymentUnavailable
            | Self::DeploymentPaused
            | Self::DeploymentNotObserved
            | Self::DeploymentProgressing
            | Self::DeploymentMinimumAvailable
            | Self::DeploymentOfAnother => HealthTopic::Deployment,
            Self::DefinitionMissing
            | Self::DefinitionTerminating
            | Self::DefinitionNamesConflict
            | Self::DefinitionNotEstablished
            | Self::DefinitionVersionNotServed
            | Self::StoredVersionGone
            | Self::StoredVersionsMixed
            | Self::ApiServiceMissing
            | Self::ApiServiceUnavailable
            | Self::PermissionMissing
            | Self::RequirementNotMet
            | Self::RequirementMetUnseen => HealthTopic::Requirement,
            Self::BundleUnpackFailed
            | Self::BundleUnpacking
            | Self::ResolutionFailed
            | Self::CatalogSourcesUnhealthy
            | Self::PlanFailed
            | Self::PlanMissing
            | Self::PlanRequiresApproval
            | Self::PlanInstalling
            | Self::SubscriptionUnseen
            | Self::SubscriptionDeleting
            | Self::SubscriptionCondition => HealthTopic::Subscription,
            Self::NotUpgradeable | Self::OperatorSays => HealthTopic::OperatorCondition,
            Self::CsvFailed
            | Self::CsvPending
            | Self::CsvInstalling
            | Self::CsvReplacing
            | Self::CsvDeleting
            | Self::CsvPhaseUnknown => HealthTopic::Phase,
            Self::OnlyCopied | Self::NotInstalled | Self::Orphaned => HealthTopic::Presence,
            Self::Fine => HealthTopic::Fine,
        }
    }
}

codes! {
    /// Why an InstallPlan may not be approved, for programs, in the order of reasons.
    pub enum ApprovalCode;

    /// Something that bears on it is not seen, or not as it is now.
    Unseen,
    /// OLM has not written yet what it brings.
    NotWritten,
    /// It is carried out, or given up: there is nothing to approve any more.
    Finished,
    /// A newer plan or a Subscription names another bundle of the same package.
    Superseded,
    /// Its Subscription does not name it yet.
    NotCurrent,
    /// A step belongs to none of the bundles.
    StrayStep,
    /// Nothing tells which package a bundle is of.
    UnknownPackage,
    /// No policy is about the package, and nothing that is allowed needs it.
    NoPolicy,
    /// No Subscription asks for a bundle of a plan that waits, and nothing needs it.
    NoSubscription,
    /// What needs it does not allow dependencies.
    DependencyNotAllowed,
    /// It is needed, but not in this version.
    DependencyOutOfRange,
    /// The policy allows other bundles.
    NotAllowed,
    /// The policy wants it from another catalog.
    OtherCatalog,
    /// The policy allows no updates.
    UpdatesNotAllowed,
    /// The policy only informs.
    PolicyInforms,
    /// The policy says that the operator must not be there.
    PolicyForbids,
    /// The policy is not valid.
    PolicyInvalid,
    /// Policies overlap.
    PolicyOverlaps,
    /// The policy is being deleted.
    PolicyLeaving,
    /// It is not known yet which namespace a policy works on.
    PolicyUnresolved,
    /// The Subscription of the policy is not there yet, and OLM would make a second one.
    SubscriptionAwaited,
    /// A window in which it may be approved is closed.
    TimeRestricted,
    /// A rule that is bound to the policy does not allow it.
    ConsentDenied,
    /// Nobody knows whether windows and rules that are bound to the policy allow it.
    ConsentUnavailable,
    /// A remark: Subscriptions that approve by themselves wait because of others.
    ForcedManual,
}

/// The effect of an [`ApprovalCode`] on an InstallPlan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalTopic {
    /// There is nothing to approve any more, however long it stands there.
    Settled,
    /// Nobody can say what becomes of it.
    Doubt,
    /// It waits for what OLM or a controller is about to write.
    Awaited,
    /// It waits for a time that is known.
    Timed,
    /// Policies let it through by no means of their own; a person may.
    ByHand,
    /// Policies do not allow it.
    Objection,
    /// A remark that is worth knowing besides.
    Remark,
}

// === impl ApprovalCode ===

impl ApprovalCode {
    /// Its effect on a plan. Code that treats several codes alike does so by their topic, so that a
    /// new code has to choose one.
    pub fn topic(self) -> ApprovalTopic {
        match self {
            Self::Finished | Self::Superseded => ApprovalTopic::Settled,
            Self::Unseen | Self::ConsentUnavailable => ApprovalTopic::Doubt,
            Self::NotWritten
            | Self::NotCurrent
            | Self::PolicyUnresolved
            | Self::SubscriptionAwaited => ApprovalTopic::Awaited,
            Self::TimeRestricted => ApprovalTopic::Timed,
            Self::UpdatesNotAllowed => ApprovalTopic::ByHand,
            Self::StrayStep
            | Self::UnknownPackage
            | Self::NoPolicy
            | Self::NoSubscription
            | Self::DependencyNotAllowed
            | Self::DependencyOutOfRange
            | Self::NotAllowed
            | Self::OtherCatalog
            | Self::PolicyInforms
            | Self::PolicyForbids
            | Self::PolicyInvalid
            | Self::PolicyOverlaps
            | Self::PolicyLeaving
            | Self::ConsentDenied => ApprovalTopic::Objection,
            Self::ForcedManual => ApprovalTopic::Remark,
        }
    }
}

// === impl Verdict ===

/// Nothing is known.
impl<R> Default for Verdict<R> {
    fn default() -> Self {
        Self {
            state: State::default(),
            reasons: Vec::new(),
        }
    }
}

impl<C: Ord, O: Ord> Verdict<Reason<C, O>> {
    /// The Verdict that these reasons make: the worst first, then in the order of codes and of
    /// objects, and else as they come.
    pub fn of(mut reasons: Vec<Reason<C, O>>) -> Self {
        reasons.sort_by(|a, b| {
            let worst_first = b.state.cmp(&a.state);
            worst_first.then_with(|| (&a.code, &a.object).cmp(&(&b.code, &b.object)))
        });
        let state = reasons.first().map_or(State::Yes, |worst| worst.state);
        Self { state, reasons }
    }
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
