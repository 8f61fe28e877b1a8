//! Additional commands for users: inspect the problem, make OLM reconcile again, and check that the
//! problem is fixed.

use portolan_core_health::{CsvPhase, Item};
use portolan_core_olm::{COMPONENT, Container, Job, Pod, whole_component};
use serde_json::json;

use crate::case::Case;
use crate::command::{
    CSVS, DEPLOYMENTS, PODS, SUBSCRIPTIONS, Target, chain, delete_labeled, everywhere, when_seen,
};
use crate::{Cause, Code, Cure, Object, Purpose, Step, rollout, upgrades};

/// The place to inspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhereToLook {
    /// The log of the previous run of a container.
    LastLog,
    /// The log of a running container.
    Log,
    /// A Pod of the Deployment, with its Events; the Deployment itself without a Pod.
    Pod,
    /// The guilty object, with its Events.
    Events,
    /// The Job that unpacks a bundle, with its Events.
    Job,
    /// The guilty object.
    Object,
    /// The Deployment of OLM that executes InstallPlans.
    CatalogOperator,
    /// No object shows the problem.
    Nowhere,
}

/// The commands to run after someone else has acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// Kubernetes continues by itself. OLM does not, if it has failed the version.
    RolledOut,
    /// OLM does not notice.
    Unnoticed,
    /// OLM connects by itself.
    Connected,
    /// Users who accept the risk need not wait.
    Beyond,
    /// No commands: the operator itself shows the result.
    Nothing,
}

/// Returns the commands for a cause that someone else must cure, in the order of execution.
pub(crate) fn steps(case: Case<'_>, cause: &Cause) -> Vec<Step> {
    match cause.cure {
        Cure::External(_) => {}
        Cure::Fixable(_) | Cure::Time => return Vec::new(),
    }
    let (look, after) = ways(cause.code);
    let look = inspect_command(case, cause, look).map(|line| Step::new(Purpose::Look, LOOK, line));
    let after = match after {
        After::RolledOut => rolled_out(case, &cause.guilty),
        After::Unnoticed => unnoticed(case),
        After::Connected => connected(&cause.guilty),
        After::Beyond => beyond(case),
        After::Nothing => Vec::new(),
    };
    look.into_iter().chain(after).collect()
}

const LOOK: &str = "To look";
const AGAIN: &str = "After the fix, make OLM check again immediately instead of within 15 minutes";
const ANEW: &str = "Once this version is Failed, OLM does not replace it. When a corrected \
                    version is available, delete the installed version and let OLM install again. \
                    The operator is unavailable meanwhile";
const CHECK: &str = "To check";

/// Returns where to look, and what to run afterwards, for each code. This is the only such table.
fn ways(code: Code) -> (WhereToLook, After) {
    match code {
        Code::CrashLooping => (WhereToLook::LastLog, After::RolledOut),
        Code::ProbeFailing => (WhereToLook::Log, After::RolledOut),
        Code::ImagePullFailing
        | Code::ContainerNotCreated
        | Code::Unschedulable
        | Code::PodFailed
        | Code::RolloutFailing => (WhereToLook::Pod, After::RolledOut),
        Code::QuotaExceeded
        | Code::PodRejected
        | Code::ScaledToZero
        | Code::RolloutPaused
        | Code::DeploymentMissing
        | Code::DeploymentOwnedByOther => (WhereToLook::Events, After::RolledOut),
        Code::ApiMissing
        | Code::CrdMissing
        | Code::CrdNotUsable
        | Code::PermissionMissing
        | Code::RequirementUnmet => (WhereToLook::Object, After::Unnoticed),
        Code::CatalogNeverReached | Code::CatalogUnreachable => {
            (WhereToLook::Object, After::Connected)
        }
        // OLM reports a wrong state for a dead catalog, and no state for an outdated one.
        Code::CatalogNotAnswering | Code::CatalogOutdated | Code::BlockedByCatalog => {
            (WhereToLook::Object, After::Nothing)
        }
        Code::PlanNotStarted => (WhereToLook::CatalogOperator, After::Nothing),
        Code::UnpackFailing => (WhereToLook::Job, After::Nothing),
        // The content of a catalog is not in its object.
        Code::NextVersionNotAllowed | Code::OutOfSkipRange | Code::DeadEnd => {
            (WhereToLook::Nowhere, After::Beyond)
        }
        Code::CatalogMissing | Code::CatalogBroken | Code::NotForThisCluster => {
            (WhereToLook::Nowhere, After::Nothing)
        }
        Code::OperatorGroupMissing
        | Code::OperatorGroupsConflict
        | Code::GroupServiceAccountMissing
        | Code::InstallModeUnsupported
        | Code::BlockedByOrphan
        | Code::PackageMissing
        | Code::ChannelMissing
        | Code::StartingCsvMissing
        | Code::DependencyMissing
        | Code::DependencyOutOfRange
        | Code::ApiProvidedTwice
        | Code::DuplicateSubscription
        | Code::ResolutionStale
        | Code::ResolutionFailed
        | Code::BlockedByNeighbor
        | Code::PlanFailed
        | Code::PlanMissing
        | Code::PlanAwaitsApproval
        | Code::PlanForcedManual
        | Code::PlanSuperseded
        | Code::PlanObsolete
        | Code::PredecessorPending
        | Code::CrdOwnedByOther
        | Code::ClusterTooOld
        | Code::RequirementNotRechecked
        | Code::NotUpgradeable
        | Code::DeadlinePassed
        | Code::CsvFailed
        | Code::OnlyCopied
        | Code::OperatorGone
        | Code::AllowedVersionSkipped
        | Code::PlanInvalid
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
        | Code::InProgress
        | Code::NotObserved => (WhereToLook::Object, After::Nothing),
    }
}

fn inspect_command(case: Case<'_>, cause: &Cause, look: WhereToLook) -> Option<String> {
    let guilty = &cause.guilty;
    let object = || Target::named(guilty).filter(|_| !cause.is_guilty_missing());
    match look {
        WhereToLook::LastLog => {
            let (pod, container) = container(case, guilty, has_ended)?;
            Some(target(pod).last_logs(container))
        }
        WhereToLook::Log => {
            let (pod, container) = container(case, guilty, |one| one.is_running())?;
            Some(target(pod).logs(container))
        }
        WhereToLook::Pod => match pods(case, guilty).into_iter().find(|pod| is_bad(pod)) {
            Some(pod) => Some(target(pod).describe()),
            None => object().map(Target::describe),
        },
        WhereToLook::Events => object().map(Target::describe),
        // If the Job is unknown, the catalog is guilty.
        WhereToLook::Job => object()
            .filter(|_| guilty.kind == Job::KIND)
            .map(Target::describe),
        WhereToLook::Object => object().map(Target::get),
        WhereToLook::CatalogOperator => Some(everywhere(DEPLOYMENTS, "catalog-operator")),
        WhereToLook::Nowhere => None,
    }
}

/// Returns the Pods of a Deployment, in order.
fn pods<'a>(case: Case<'a>, guilty: &Object) -> Vec<&'a Item<Pod>> {
    let deployment = case
        .situation()
        .deployment(&guilty.name)
        .filter(|_| guilty.kind == "Deployment");
    let mut pods: Vec<_> =
        deployment.map_or_else(Vec::new, |it| rollout::pods(it).iter().collect());
    pods.sort();
    pods
}

/// Returns the first unready container that matches the filter, with its Pod.
fn container<'a>(
    case: Case<'a>,
    guilty: &Object,
    holds: impl Fn(&Container<'_>) -> bool,
) -> Option<(&'a Item<Pod>, &'a str)> {
    pods(case, guilty).into_iter().find_map(|pod| {
        let mut unready = pod.containers().filter(|one| !one.status.ready);
        let one = unready.find(|one| holds(one))?;
        Some((pod, one.status.name.as_str()))
    })
}

fn has_ended(container: &Container<'_>) -> bool {
    let states = [&container.status.state, &container.status.last_state];
    states.iter().any(|state| state.terminated.is_some())
}

fn is_bad(pod: &Item<Pod>) -> bool {
    let is_unready = pod.containers().any(|one| !one.status.ready);
    is_unready || pod.status.conditions.iter().any(|said| said.is_false())
}

fn target(pod: &Item<Pod>) -> Target<'_> {
    Target::of(PODS, &pod.observed)
}

fn rolled_out(case: Case<'_>, guilty: &Object) -> Vec<Step> {
    if guilty.kind != "Deployment" {
        return Vec::new();
    }
    let check = Target::new(DEPLOYMENTS, &guilty.namespace, &guilty.name).rolled_out();
    let phase = case.newest().map(|csv| &csv.status.phase);
    let is_failed = matches!(phase, Some(CsvPhase::Failed | CsvPhase::Installing));
    let anew = anew(case).filter(|_| is_failed);
    let anew = anew.map(|line| Step::new(Purpose::Anew, ANEW, line));
    let check = Step::new(Purpose::Check, CHECK, check);
    anew.into_iter().chain([check]).collect()
}

/// Skips a gap without an upgrade: OLM installs the newest version as if nothing had been
/// installed.
fn beyond(case: Case<'_>) -> Vec<Step> {
    let Some((head, line)) = upgrades::beyond(case).zip(anew(case)) else {
        return Vec::new();
    };
    let message = format!(
        "At your own risk, do not wait: delete the installed version and let OLM install {head}. \
         Its publisher does not state that {head} can upgrade {}. The operator is unavailable \
         meanwhile",
        case.operator.csv
    );
    vec![Step::new(Purpose::Anew, &message, line)]
}

/// Deletes all versions of an operator by the label that OLM sets, waits until OLM has seen that,
/// and recreates the Subscription. A Subscription with a startingCSV would start from that version
/// again.
fn anew(case: Case<'_>) -> Option<String> {
    let subscription = case.subscription?;
    let namespace = case.situation().name();
    let component = whole_component(&case.operator.package, namespace)?;
    // Other values would select more than this operator.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let is_label = !case.operator.package.is_empty() && component.chars().all(is_plain);
    let label = [COMPONENT.name(), &component].concat();
    is_label.then(|| {
        let subscription = Target::of(SUBSCRIPTIONS, &subscription.observed);
        let start = case
            .start()
            .map(|_| subscription.merge(&json!({"spec": {"startingCSV": null}})));
        let delete = delete_labeled(CSVS, namespace, &label);
        let lines: Vec<_> = start.into_iter().chain([delete]).collect();
        when_seen(chain(&lines), &[subscription.recreate()])
    })
}

fn unnoticed(case: Case<'_>) -> Vec<Step> {
    let Some(csv) = case.newest() else {
        return Vec::new();
    };
    let csv = Target::of(CSVS, &csv.observed);
    let check = csv.wait(".status.phase", CsvPhase::Succeeded.as_str());
    vec![
        Step::new(Purpose::Again, AGAIN, csv.touch()),
        Step::new(Purpose::Check, CHECK, check),
    ]
}

fn connected(catalog: &Object) -> Vec<Step> {
    let field = ".status.connectionState.lastObservedState";
    let check = Target::named(catalog).map(|catalog| catalog.wait(field, "READY"));
    let check = check.map(|line| Step::new(Purpose::Check, CHECK, line));
    check.into_iter().collect()
}

// === impl Step ===

impl Step {
    fn new(purpose: Purpose, message: &str, command: String) -> Self {
        Self {
            purpose,
            message: message.to_owned(),
            command,
        }
    }
}
