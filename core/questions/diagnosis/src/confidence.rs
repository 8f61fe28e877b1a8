//! The certainty that causes are correct.

use portolan_core_health::Probe;
use portolan_core_olm::Job;

use crate::case::Case;
use crate::catalog::catalog_of;
use crate::catalog::pod::stopped;
use crate::words::sentence;
use crate::{Cause, Code};

/// The certainty that a cause is correct, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confidence {
    /// The degree of certainty.
    pub certainty: Certainty,
    /// The proof of the cause, or the reason why the cause is doubtful, as one sentence.
    pub reason: String,
}

/// The certainty of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// The cause is unknown.
    Unknown,
    /// The facts indicate the cause, but nothing confirms it.
    Likely,
    /// Objects, a forecast, a probe or an error of the API server confirm the cause.
    Proved,
}

// === impl Certainty ===

impl Certainty {
    /// Returns the certainty as one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "Unknown",
            Self::Likely => "Likely",
            Self::Proved => "Proved",
        }
    }
}

// === impl Confidence ===

impl Confidence {
    pub(crate) fn proved(reason: &str) -> Self {
        Self {
            certainty: Certainty::Proved,
            reason: reason.to_owned(),
        }
    }

    pub(crate) fn likely(reason: &str) -> Self {
        Self {
            certainty: Certainty::Likely,
            reason: reason.to_owned(),
        }
    }

    /// Returns the certainty of a cause that the API server reports in an error message.
    pub(crate) fn refused() -> Self {
        Self::proved(REFUSAL)
    }

    /// Returns the certainty of a cause that a controller of Portolan reports.
    pub(crate) fn reported() -> Self {
        Self::proved(STATUS)
    }

    /// Returns the usual certainty of causes with this code, regardless of details of the case.
    pub(crate) fn of(code: Code) -> Self {
        match proof(code) {
            Proof::Objects => Self::proved(OBJECTS),
            Proof::Forecast => Self::proved(FORECAST),
            Proof::Graph => Self::proved(GRAPH),
            Proof::Registry => Self::likely(UNPROBED),
            Proof::Pods => Self::proved("The status of the Pod shows this cause."),
            Proof::Refusal => Self::refused(),
            Proof::Status => Self::reported(),
            Proof::Olm => Self::likely(UNCONFIRMED),
            Proof::Guess(reason) => Self::likely(reason),
            Proof::Nothing => Self {
                certainty: Certainty::Unknown,
                reason: "An object that is needed for a proof has not been read.".to_owned(),
            },
        }
    }
}

/// The kind of evidence that usually proves causes with a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Objects in the cluster.
    Objects,
    /// A forecast of OLM's resolution.
    Forecast,
    /// The upgrade graph of a catalog.
    Graph,
    /// A probe of a registry.
    Registry,
    /// The status of Pods.
    Pods,
    /// An error of the API server.
    Refusal,
    /// A status of an object. A controller of Portolan has written it after it checked the facts.
    Status,
    /// A message of OLM.
    Olm,
    /// An assumption, with its reason.
    Guess(&'static str),
    /// There is no evidence.
    Nothing,
}

const OBJECTS: &str = "The objects of the cluster show this cause.";
const FORECAST: &str = "A simulation of the rules of OLM gives the same result.";
const GRAPH: &str = "The content of the catalog shows this cause.";
const REFUSAL: &str = "The API server has refused the request with this reason.";
const STATUS: &str = "The controller reports this cause in the status of the object.";
const UNPROBED: &str = "OLM reports this cause. The registry has not been probed.";
const UNCONFIRMED: &str = "OLM reports this cause, but no other observation confirms it.";
const STALE: &str = "The content of the catalog is outdated or has errors.";
const BEHIND: &str = "The status of the object is older than the last change of the object.";

fn proof(code: Code) -> Proof {
    match code {
        Code::WindowsNeverOverlap
        | Code::OlmNotRunning
        | Code::OperatorGroupMissing
        | Code::OperatorGroupsConflict
        | Code::GroupServiceAccountMissing
        | Code::InstallModeUnsupported
        | Code::CatalogMissing
        | Code::PlanFailed
        | Code::PlanMissing
        | Code::PlanAwaitsApproval
        | Code::PlanForcedManual
        | Code::PlanSuperseded
        | Code::PlanObsolete
        | Code::PredecessorPending
        | Code::CrdOwnedByOther
        | Code::ApiClaimedByGroup
        | Code::CrdMissing
        | Code::CrdNotUsable
        | Code::ApiMissing
        | Code::RequirementNotRechecked
        | Code::NotUpgradeable
        | Code::ScaledToZero
        | Code::RolloutPaused
        | Code::DeploymentOwnedByOther
        | Code::DeadlinePassed
        | Code::OnlyCopied
        | Code::OperatorGone
        | Code::ComponentUnavailable
        | Code::ComponentOutdated
        | Code::ControllerNotRunning
        | Code::InProgress => Proof::Objects,
        Code::BlockedByOrphan
        | Code::PackageMissing
        | Code::ChannelMissing
        | Code::StartingCsvMissing
        | Code::DependencyMissing
        | Code::DependencyOutOfRange
        | Code::ApiProvidedTwice
        | Code::DuplicateSubscription
        | Code::ResolutionStale
        | Code::BlockedByNeighbor => Proof::Forecast,
        Code::NextVersionNotAllowed
        | Code::OutOfSkipRange
        | Code::DeadEnd
        | Code::AllowedVersionSkipped
        | Code::NotForThisCluster => Proof::Graph,
        Code::CatalogNeverReached
        | Code::CatalogUnreachable
        | Code::CatalogNotAnswering
        | Code::BlockedByCatalog => Proof::Registry,
        Code::ImagePullFailing
        | Code::CrashLooping
        | Code::ContainerNotCreated
        | Code::Unschedulable
        | Code::PodFailed
        | Code::ProbeFailing => Proof::Pods,
        Code::QuotaExceeded | Code::PodRejected | Code::DeploymentRejected => Proof::Refusal,
        Code::DeploymentMissing => {
            Proof::Guess("The Deployment does not exist, but no object shows why.")
        }
        Code::CatalogOutdated => Proof::Guess(
            "The catalog has only older versions. The publisher of the catalog may have removed \
             newer versions.",
        ),
        Code::VolumeNotAttached => Proof::Guess(
            "An event reports that the volume is in use. Other objects show which Pod or node \
             probably uses the volume.",
        ),
        Code::DeploymentContested => Proof::Guess(
            "OLM has installed the operator several times within an hour, because the Deployment \
             had changed each time.",
        ),
        Code::PlanNotStarted => Proof::Guess("OLM may still start the InstallPlan."),
        Code::RolloutFailing => Proof::Guess("The status of no Pod shows the reason."),
        Code::CatalogBroken
        | Code::ResolutionFailed
        | Code::UnpackFailing
        | Code::PermissionMissing
        | Code::ClusterTooOld
        | Code::RequirementUnmet
        | Code::CsvFailed => Proof::Olm,
        Code::PlanInvalid
        | Code::ObjectNotOwned
        | Code::StageBlocked
        | Code::JobFailed
        | Code::MembersNotReady
        | Code::DriftContested
        | Code::DeletionBlocked
        | Code::PlanSuspended
        | Code::OperatorInvalid
        | Code::PackageTaken
        | Code::AmbiguousCatalog
        | Code::NoUpgradePath
        | Code::BundleNotInstallable
        | Code::CrdUpgradeUnsafe
        | Code::ApprovalRequired
        | Code::BlockedByPolicy
        | Code::InstallFailed
        | Code::ContentInvalid
        | Code::PolicyInvalid
        | Code::ReferenceMissing
        | Code::PolicyNonCompliant
        | Code::CatalogNotServed
        | Code::ExtensionFailing => Proof::Status,
        Code::NotObserved => Proof::Nothing,
    }
}

/// Returns the cause of an operator of OLM v0, with the certainty that it has in this case.
pub(crate) fn judged(case: Case<'_>, cause: Cause) -> Cause {
    let judged = match proof(cause.code) {
        Proof::Forecast => forecast(case),
        Proof::Registry => registry(case, &cause),
        Proof::Graph => graph(case),
        Proof::Olm
            if cause.code == Code::UnpackFailing && cause.at_fault.kind == "ResourceQuota" =>
        {
            Some(Confidence::proved(
                "An event of the Job shows that the API server refuses its Pods.",
            ))
        }
        Proof::Olm if cause.at_fault.kind == Job::KIND => {
            Some(Confidence::proved("The Job and its Pods show this cause."))
        }
        Proof::Objects
        | Proof::Pods
        | Proof::Refusal
        | Proof::Status
        | Proof::Olm
        | Proof::Guess(_)
        | Proof::Nothing => None,
    };
    let confidence = judged.unwrap_or(cause.confidence);
    Cause {
        confidence,
        ..cause
    }
}

/// Returns a lower certainty if Portolan cannot forecast OLM's actions. Returns None otherwise.
fn forecast(case: Case<'_>) -> Option<Confidence> {
    let why = case.findings.outlook.unknown.as_deref()?;
    let reason = format!(
        "OLM reports this cause. Portolan cannot predict the next action of OLM: {}",
        sentence(why)
    );
    Some(Confidence::likely(&reason))
}

/// Returns the proof if a probe of the registry fails, or if the registry Pod shows the cause.
/// Returns None otherwise.
fn registry(case: Case<'_>, cause: &Cause) -> Option<Confidence> {
    let offer = catalog_of(case, cause)?;
    if stopped(offer).is_some() {
        return Some(Confidence::proved(
            "The status of the registry Pod shows this cause.",
        ));
    }
    match offer.registry.probe {
        Probe::Unreachable(_) | Probe::NotServing | Probe::Silent(_) | Probe::Failing(_) => {
            Some(Confidence::proved("A probe of the registry fails."))
        }
        Probe::NotProbed | Probe::Pending | Probe::NameUnknown(_) | Probe::Answered { .. } => None,
    }
}

/// Returns a lower certainty if the content of the catalog is outdated or may be incomplete.
/// Returns None otherwise.
fn graph(case: Case<'_>) -> Option<Confidence> {
    let subscription = case.subscription?;
    let offer = case.situation().offer_of(subscription)?;
    let offered = offer.content.offered();
    let is_hidden =
        offered.is_some_and(|offered| offered.hidden_by(&subscription.spec.package).is_some());
    let is_doubtful = offer.stale().is_some() || is_hidden;
    is_doubtful.then(|| Confidence::likely(STALE))
}

/// Returns the cause of an object of Portolan, with the certainty that its controller has checked
/// the reported facts. Keeps a certainty that is already special.
pub(crate) fn told(cause: Cause) -> Cause {
    if cause.confidence != Confidence::of(cause.code) {
        return cause;
    }
    match proof(cause.code) {
        Proof::Objects | Proof::Forecast | Proof::Graph | Proof::Registry | Proof::Olm => Cause {
            confidence: Confidence::reported(),
            ..cause
        },
        Proof::Pods | Proof::Refusal | Proof::Status | Proof::Guess(_) | Proof::Nothing => cause,
    }
}

/// Returns the cause with a lower certainty, because the status of the object is older than the
/// last change of the object.
pub(crate) fn behind(cause: Cause) -> Cause {
    let confidence = match cause.confidence.certainty {
        Certainty::Unknown => cause.confidence,
        Certainty::Likely | Certainty::Proved => Confidence::likely(BEHIND),
    };
    Cause {
        confidence,
        ..cause
    }
}
