//! Adds commands for users: commands that inspect the problem, make OLM reconcile again, and check
//! the result.

use portolan_core_health::{CsvPhase, Item, Workload};
use portolan_core_olm::{COMPONENT, Container, Job, Pod, whole_component};
use serde_json::json;

use crate::case::Case;
use crate::command::{CSVS, DEPLOYMENTS, PODS, SUBSCRIPTIONS, Target, everywhere};
use crate::{Cause, Code, Object, Procedure, Step, catalog, deletion, removal, rollout, upgrades};

/// The object or log that shows the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhereToLook {
    /// The log of the previous run of a container.
    LastLog,
    /// The log of a running container.
    Log,
    /// A failing Pod of the Deployment, with its Events.
    Pod,
    /// The failing Pod of the catalog's registry. If no Pod fails, the CatalogSource.
    Registry,
    /// The object at fault, with its Events.
    Events,
    /// The Job that unpacks a bundle, with its Events.
    Job,
    /// The object at fault, without its Events.
    Object,
    /// The newest ClusterServiceVersion, with its Events.
    Version,
    /// The Deployment `catalog-operator` of OLM, which executes InstallPlans.
    CatalogOperator,
    /// No object shows the problem.
    Nowhere,
}

/// The commands to run after the responsible person has acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// Kubernetes starts the Pods without an action, so the command waits for them. OLM may not
    /// replace a version that has failed.
    RolledOut,
    /// OLM does not notice the repair at once, so the command makes OLM check again.
    Unnoticed,
    /// OLM connects to the catalog without an action, so the command waits for the connection.
    Connected,
    /// OLM retries without an action, so the command waits for the installation.
    Installed,
    /// Users do not have to wait for the repair. Alternatively, they can reinstall the operator if
    /// they accept the risk.
    Beyond,
    /// No commands are needed, because the status of the operator shows the result.
    Nothing,
}

/// Adds the commands that inspect the problem, and the commands to run after the responsible person
/// has acted.
pub(crate) fn guided(case: Case<'_>, cause: Cause) -> Cause {
    if cause.responsible.who.is_empty() {
        return cause;
    }
    let (look, after) = ways(cause.code);
    // The cause above shows the stopped controller.
    let is_follower = cause.code == Code::PlanFailed && cause.at_fault.kind == DEPLOYMENT;
    let look = inspect_command(case, &cause, look).into_iter();
    let look = look.filter(|_| !is_follower);
    let is_external = cause.is_external() || cause.is_at_fault_missing();
    // An uncordoned node repairs the Pods, and not a change of the Deployment.
    let is_elsewhere = cause.at_fault.kind != DEPLOYMENT || cause.code == Code::Unschedulable;
    let is_of_workload = is_elsewhere && workload(case, &cause).is_some();
    let later = match after {
        // The Pods of the installed version do not become ready.
        After::RolledOut if cause.at_fault.kind == "InstallPlan" => Vec::new(),
        After::RolledOut if is_of_workload => rolled_out(case, &cause),
        After::Installed => installed(case).into_iter().collect(),
        _ if !is_external => Vec::new(),
        After::RolledOut => rolled_out(case, &cause),
        After::Unnoticed if removal::is_leaving(case, &cause) => gone(&cause.at_fault),
        After::Unnoticed => unnoticed(case).into_iter().collect(),
        After::Connected => connected(case, &cause).into_iter().collect(),
        After::Beyond | After::Nothing => Vec::new(),
    };
    let beyond = match after {
        After::Beyond if is_external => beyond(case),
        After::RolledOut
        | After::Unnoticed
        | After::Connected
        | After::Installed
        | After::Beyond
        | After::Nothing => None,
    };
    let mut cause = cause.looked(look);
    // The check of the repair comes first.
    cause.remedy.later.splice(0..0, later);
    cause.remedy.decide.extend(beyond);
    cause
}

const AFTER: &str = "After the repair, check that the Pods become ready.";
const AGAIN: &str = "After the repair, make OLM check the operator at once. Otherwise, OLM checks \
                     the operator within 15 minutes.";
/// Returns, for each code, the object to inspect and the commands to run after the repair. Other
/// modules contain no such table.
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
        | Code::DeploymentOwnedByOther => (WhereToLook::Events, After::RolledOut),
        // The Deployment does not exist, so only the ClusterServiceVersion can be inspected.
        Code::DeploymentMissing => (WhereToLook::Version, After::Nothing),
        Code::DeploymentRejected => (WhereToLook::Version, After::Installed),
        Code::ApiMissing
        | Code::CrdMissing
        | Code::CrdNotUsable
        | Code::PermissionMissing
        | Code::RequirementUnmet => (WhereToLook::Object, After::Unnoticed),
        Code::CatalogNeverReached | Code::CatalogUnreachable => {
            (WhereToLook::Registry, After::Connected)
        }
        Code::VolumeNotAttached | Code::OlmNotRunning => (WhereToLook::Events, After::Nothing),
        // OLM reports a wrong connection state for such a catalog, so a command cannot wait for the
        // connection.
        Code::CatalogNotAnswering | Code::BlockedByCatalog => {
            (WhereToLook::Registry, After::Nothing)
        }
        Code::CatalogOutdated => (WhereToLook::Object, After::Nothing),
        Code::PlanNotStarted => (WhereToLook::CatalogOperator, After::Nothing),
        Code::UnpackFailing => (WhereToLook::Job, After::Nothing),
        // The CatalogSource does not show the content of the catalog, so there is no object to
        // inspect.
        Code::NextVersionNotAllowed | Code::OutOfSkipRange | Code::DeadEnd => {
            (WhereToLook::Nowhere, After::Beyond)
        }
        // The function that creates this cause also adds the command.
        Code::DeploymentContested => (WhereToLook::Nowhere, After::Nothing),
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
        | Code::ApiClaimedByGroup
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
        | Code::WindowsNeverOverlap
        | Code::InstallFailed
        | Code::ContentInvalid
        | Code::PolicyInvalid
        | Code::ReferenceMissing
        | Code::PolicyNonCompliant
        | Code::CatalogNotServed
        | Code::ExtensionFailing
        | Code::ComponentUnavailable
        | Code::ComponentOutdated
        | Code::ControllerNotRunning
        | Code::InProgress
        | Code::NotObserved => (WhereToLook::Object, After::Nothing),
    }
}

fn inspect_command(case: Case<'_>, cause: &Cause, look: WhereToLook) -> Option<Step> {
    let at_fault = &cause.at_fault;
    let object = || Target::named(at_fault).filter(|_| !cause.is_at_fault_missing());
    let show = |target: Target<'_>| Step::new(&format!("Show {}", target.called()), target.get());
    match look {
        WhereToLook::LastLog | WhereToLook::Log => inspect_pods(look, &pods(case, cause)),
        WhereToLook::Pod => {
            let pod = inspect_pods(look, &pods(case, cause));
            pod.or_else(|| object().map(describe))
        }
        WhereToLook::Registry => {
            let offer = catalog::catalog_of(case, cause);
            let stopped = offer.and_then(catalog::pod::stopped);
            let pod = stopped.and_then(|it| of_pods(it.outage().code(), &[it.pod]));
            pod.or_else(|| object().map(show))
        }
        WhereToLook::Events => object().map(describe),
        // If the object at fault is the catalog, the Job is unknown.
        WhereToLook::Job => object()
            .filter(|_| [Job::KIND, "ResourceQuota"].contains(&&*at_fault.kind))
            .map(describe),
        WhereToLook::Object => object().map(show),
        WhereToLook::Version => {
            let csv = case.newest().map(|csv| Target::of(CSVS, &csv.observed));
            csv.map(describe)
        }
        WhereToLook::CatalogOperator => Some(Step::new(
            "Find the Deployment catalog-operator of OLM",
            everywhere(DEPLOYMENTS, "catalog-operator"),
        )),
        WhereToLook::Nowhere => None,
    }
}

/// Returns the command that inspects the Pods of a workload for a cause with this code. Returns
/// None if no Pod shows this cause.
pub(crate) fn of_pods(code: Code, pods: &[&Item<Pod>]) -> Option<Step> {
    let (look, _) = ways(code);
    inspect_pods(look, pods)
}

fn inspect_pods(look: WhereToLook, pods: &[&Item<Pod>]) -> Option<Step> {
    match look {
        WhereToLook::LastLog => {
            let (pod, container) = container(pods, has_ended)?;
            let comment = format!("Show the last log of container {container}");
            Some(Step::new(&comment, target(pod).last_logs(container)))
        }
        WhereToLook::Log => {
            let (pod, container) = container(pods, |one| one.is_running())?;
            let comment = format!("Show the log of container {container}");
            Some(Step::new(&comment, target(pod).logs(container)))
        }
        WhereToLook::Pod => {
            let pod = pods.iter().find(|pod| is_bad(pod))?;
            Some(describe(target(pod)))
        }
        WhereToLook::Registry
        | WhereToLook::Events
        | WhereToLook::Job
        | WhereToLook::Object
        | WhereToLook::Version
        | WhereToLook::CatalogOperator
        | WhereToLook::Nowhere => None,
    }
}

/// Returns the command that shows an object with its Events.
pub(crate) fn describe(target: Target<'_>) -> Step {
    let comment = format!("Show {} with its events", target.called());
    Step::new(&comment, target.describe())
}

/// The kind of Deployments in the objects of causes.
const DEPLOYMENT: &str = "Deployment";

/// Returns the Deployment whose Pods show the cause. This is the object at fault, or a Deployment
/// in the evidence.
fn workload<'a>(case: Case<'a>, cause: &Cause) -> Option<&'a Workload> {
    let evidence = cause.evidence.iter().map(|read| &read.object);
    let objects = std::iter::once(&cause.at_fault).chain(evidence);
    let mut deployments = objects.filter(|object| object.kind == DEPLOYMENT);
    case.situation().deployment(&deployments.next()?.name)
}

/// Returns the Pods of the Deployment that shows the cause, sorted.
fn pods<'a>(case: Case<'a>, cause: &Cause) -> Vec<&'a Item<Pod>> {
    let deployment = workload(case, cause);
    let mut pods: Vec<_> =
        deployment.map_or_else(Vec::new, |it| rollout::pods(it).iter().collect());
    pods.sort();
    pods
}

/// Returns the first unready container for which `holds` returns true, with its Pod.
fn container<'a>(
    pods: &[&'a Item<Pod>],
    holds: impl Fn(&Container<'_>) -> bool,
) -> Option<(&'a Item<Pod>, &'a str)> {
    pods.iter().copied().find_map(|pod| {
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

/// Returns the command that waits until the Pods are ready. If OLM cannot replace the installed
/// version, also returns the steps that install a corrected version.
fn rolled_out(case: Case<'_>, cause: &Cause) -> Vec<Procedure> {
    let Some(deployment) = workload(case, cause) else {
        return Vec::new();
    };
    let check = check(Target::of(DEPLOYMENTS, &deployment.observed));
    [check].into_iter().chain(corrected(case, cause)).collect()
}

/// Returns the check that the Pods of a Deployment are ready after a repair.
pub(crate) fn check(deployment: Target<'_>) -> Procedure {
    let comment = format!("Wait until the Pods of {} are ready", deployment.called());
    Procedure::of(
        AFTER,
        vec![Step::new(&comment, deployment.rolled_out())],
        "",
    )
}

/// Returns the fix that deletes the installed version, so that OLM installs a corrected version.
/// Returns None if another change can repair the installed version, if the catalog has no newer
/// version, if an InstallPlan already installs it, or while any version works.
fn corrected(case: Case<'_>, cause: &Cause) -> Option<Procedure> {
    let by_publisher = [
        Code::CrashLooping,
        Code::ImagePullFailing,
        Code::ProbeFailing,
    ];
    let is_of_version = by_publisher.contains(&cause.code) && cause.at_fault.kind == DEPLOYMENT;
    let is_failed = case
        .newest()
        .is_some_and(|csv| csv.status.phase == CsvPhase::Failed);
    let waits = case.findings.reviews.iter().any(|review| review.waits);
    if !is_of_version || !is_failed || waits || case.works() {
        return None;
    }
    let head = upgrades::beyond(case)?;
    let title = format!(
        "When a corrected version is available, delete the installed version, so that OLM installs the corrected \
         version. The catalog has {head}. OLM does not replace a version that is Failed."
    );
    anew(case, &title, STOPS)
}

/// The risk of a reinstallation.
const STOPS: &str = "The operator is unavailable until OLM has installed it again.";

/// Returns the steps for a catalog that lacks an upgrade to the newest version. OLM installs the
/// newest version as if no version were installed.
fn beyond(case: Case<'_>) -> Option<Procedure> {
    let head = upgrades::beyond(case)?;
    let title = format!("Do not wait: delete the installed version and let OLM install {head}.");
    let risk = format!(
        "{STOPS} The catalog does not state that {head} can replace {}.",
        case.operator.csv
    );
    anew(case, &title, &risk)
}

/// Returns the steps that delete all versions of an operator and recreate the Subscription. The
/// steps first remove a startingCSV, because OLM would otherwise start again from that version.
/// Before the Subscription is recreated, OLM must notice the deletion.
fn anew(case: Case<'_>, title: &str, risk: &str) -> Option<Procedure> {
    let subscription = case.subscription?;
    let namespace = case.situation().name();
    let package = &case.operator.package;
    let component = whole_component(package, namespace)?;
    // With other characters in the label, the command could also select objects of other operators.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    if package.is_empty() || !component.chars().all(is_plain) {
        return None;
    }
    let label = [COMPONENT.name(), &component].concat();
    let subscription = Target::of(SUBSCRIPTIONS, &subscription.observed);
    let start = case.start().map(|_| {
        let patch = json!({"spec": {"startingCSV": null}});
        Step::new(
            "Let OLM start from the newest version",
            subscription.merge(&patch),
        )
    });
    let delete = deletion::delete_labeled(CSVS, namespace, &label, package);
    let steps = start.into_iter().chain(delete).chain([deletion::noticed()]);
    let steps = steps.chain(deletion::recreate(subscription)).collect();
    let deletes = format!(
        "All versions of package {package} in namespace {namespace} with their Deployments, \
         Services and permissions. The last step creates {} again.",
        subscription.called()
    );
    let keeps = "The CRDs and custom resources of the operator.";
    Some(Procedure::of(title, steps, risk).deleting(&deletes, keeps))
}

fn unnoticed(case: Case<'_>) -> Option<Procedure> {
    let csv = Target::of(CSVS, &case.newest()?.observed);
    let succeeded = csv.wait(".status.phase", CsvPhase::Succeeded.as_str());
    let wait = Step::new(
        &format!("Wait until {} is installed", csv.called()),
        succeeded,
    );
    let risk = "None: the command only sets an annotation that OLM ignores.";
    Some(Procedure::of(AGAIN, vec![csv.retried(), wait], risk))
}

/// Returns the command that waits until the deletion of an object is complete.
pub(crate) fn gone(object: &Object) -> Vec<Procedure> {
    let Some(target) = Target::named(object) else {
        return Vec::new();
    };
    let comment = format!("Wait until {} is gone", target.called());
    let wait = Step::new(&comment, target.wait_deleted());
    vec![Procedure::of(
        "After the repair, check that the deletion ends.",
        vec![wait],
        "",
    )]
}

/// Returns the command that waits until OLM has installed the newest version.
fn installed(case: Case<'_>) -> Option<Procedure> {
    let csv = Target::of(CSVS, &case.newest()?.observed);
    let comment = format!("Wait until {} works", csv.called());
    let wait = Step::new(&comment, csv.wait(".status.phase", "Succeeded"));
    let title = "After the repair, check that OLM installs the version.";
    Some(Procedure::of(title, vec![wait], ""))
}

fn connected(case: Case<'_>, cause: &Cause) -> Option<Procedure> {
    let field = ".status.connectionState.lastObservedState";
    let catalog = catalog::catalog_of(case, cause)?.object();
    let catalog = Target::named(&catalog)?;
    let comment = format!("Wait until OLM is connected to {}", catalog.called());
    let wait = Step::new(&comment, catalog.wait(field, "READY"));
    let title = "After the repair, check that OLM connects to the catalog.";
    Some(Procedure::of(title, vec![wait], ""))
}
