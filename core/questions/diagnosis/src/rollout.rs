//! Finds the reasons why workloads of an operator do not run.

mod below;
mod blame;
mod cordoned;
mod missing;
mod placement;
mod prepared;
pub(crate) mod quota;
mod rejected;
mod room;
mod scaled;

use std::collections::BTreeSet;

use portolan_core_health::{self as health, Below, Item, Kind, Workload};
use portolan_core_olm::Pod;
use portolan_core_olm::messages::unset_by_quota;

use crate::case::{Case, FactPath};
use crate::command::{CSVS, DEPLOYMENTS, PODS, Target};
use crate::cure::Cure;
use crate::role::{Role, role};
use crate::words::sentence;
use crate::{
    Cause, Code, Confidence, Object, Procedure, State, deletion, evidence, refused, required,
};

use self::cordoned::Cordoned;

pub(crate) use self::below::{Parties, is_live, of_workload};
pub(crate) use self::blame::{Blame, Failing};
pub(crate) use self::missing::{Absent, TYPED, credentials, show_secret};

/// The reason why a workload does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outage {
    /// An image cannot be pulled.
    Unpullable,
    /// A container crash-loops.
    Crashing,
    /// A container cannot be created.
    Unprepared,
    /// No node can run the Pod.
    Unschedulable,
    /// A quota is exceeded.
    OverQuota,
    /// A webhook or a policy rejects the Pod.
    Refused,
    /// The Pod has ended, and Kubernetes does not start it again.
    PodEnded,
    /// A container runs but is not ready.
    Unready,
    /// The Deployment was scaled to zero.
    ScaledToZero,
    /// The rollout of the Deployment is paused.
    Paused,
    /// The Deployment is missing.
    Missing,
    /// The Deployment belongs to a different operator.
    Taken,
    /// The Deployment fails, and the reason is unknown.
    Unexplained,
}

/// Returns the causes for workloads of the operator that do not run.
pub(crate) fn causes(case: Case<'_>) -> Vec<Cause> {
    let told = case.facts();
    let mut causes: Vec<Cause> = told.iter().filter_map(|told| cause(case, told)).collect();
    causes.sort_by(|a, b| (a.code, &a.at_fault).cmp(&(b.code, &b.at_fault)));
    causes.dedup_by(|a, b| a.code == b.code && a.at_fault == b.at_fault);
    causes
}

fn cause(case: Case<'_>, told: &FactPath<'_>) -> Option<Cause> {
    let fact = told.fact;
    let is_no = fact.state == health::State::No;
    let outage = match role(fact.code) {
        Role::DeploymentCause(outage) if is_no || is_lasting(case, outage, told) => outage,
        Role::DeploymentSymptom if is_no && !is_explained(fact) => Outage::Unexplained,
        Role::DeploymentCause(_) | Role::DeploymentSymptom => return None,
        Role::Group(_)
        | Role::Need(_)
        | Role::Elsewhere
        | Role::Passing
        | Role::Unseen
        | Role::Silent => return None,
    };
    // The current bundle does not contain the failing image, so the image belongs to an older
    // version and is no problem.
    if outage == Outage::Unpullable && is_outdated(case, told) {
        return None;
    }
    let deployment = deployment(case, told);
    let unattached = deployment.filter(|_| outage == Outage::Unprepared);
    if let Some(cause) = unattached.and_then(|it| prepared::unattached(it, fact)) {
        let csv = case.newest().into_iter().flat_map(evidence::csv);
        return Some(cause.shown(csv));
    }
    if let Some(cause) = rejected::cause(case, outage, fact) {
        return Some(cause);
    }
    let pod = deployment.and_then(|it| pods(it).iter().find(|pod| pod.observed == fact.observed));
    let csv = case.newest().into_iter().flat_map(evidence::csv);
    let shown = deployment.into_iter().flat_map(evidence::deployment);
    let shown: Vec<_> = shown.chain(csv).collect();
    let state = state(case, outage);
    let failing = deployment.map(|deployment| Failing::of(case, outage, fact, deployment));
    let doubt = doubt(outage, failing);
    if let Some(blame) = failing.and_then(blame::of) {
        let cause = blame.cause(outage, state).quoting(fact.quote.clone());
        return Some(cause.shown(shown));
    }
    let off = deployment.filter(|_| outage == Outage::ScaledToZero);
    let message = off.map_or_else(
        || detailed(outage, fact, pod),
        |it| scaled::message(case, it),
    );
    let at_fault = at_fault(outage, fact, told);
    let full = failing.filter(|_| outage == Outage::Unschedulable);
    let cordoned = full.map_or(Cordoned::No, Cordoned::of);
    let (message, cure) = match cordoned.sentence().as_str() {
        "" => (message, cure(case, outage, told)),
        named => (
            format!(
                "{} {named} It is unknown if the Pod would fit there.",
                sentence(&message)
            ),
            Cure::advised("the administrator of the nodes", ROOM, cordoned.uncordon()),
        ),
    };
    let cause = Cause::new(outage.code(), state, at_fault, &message);
    let cause = cause.quoting(fact.quote.clone());
    let cause = cause.quoting(off.and_then(scaled::schedule)).cured(cure);
    let cause = cause.doubted(doubt);
    let cause = cause.looked(room::look(&fact.message));
    Some(cause.shown(shown))
}

/// Returns the state of the cause. If only Pods fail, and the operator still works, the state is
/// `Stuck`.
fn state(case: Case<'_>, outage: Outage) -> State {
    let is_of_pods = match outage {
        Outage::Unpullable
        | Outage::Crashing
        | Outage::Unprepared
        | Outage::Unschedulable
        | Outage::OverQuota
        | Outage::Refused
        | Outage::PodEnded
        | Outage::Unready
        | Outage::Unexplained => true,
        Outage::ScaledToZero | Outage::Paused | Outage::Missing | Outage::Taken => false,
    };
    if is_of_pods && case.works() {
        State::Stuck
    } else {
        outage.state()
    }
}

/// Returns "likely" as the certainty for a container that fails and reports no reason. Returns None
/// for other causes.
fn doubt(outage: Outage, failing: Option<Failing<'_>>) -> Option<Confidence> {
    let is_silent = !failing.is_some_and(Failing::reports_reason);
    let of_container = [Outage::Crashing, Outage::Unready].contains(&outage);
    (of_container && is_silent).then(|| {
        Confidence::likely("The status of the Pod shows that the container fails, but not why.")
    })
}

/// Returns the message of a fact with its details. For an exceeded quota, describes how much the
/// Pod needs and how much is free.
fn detailed(outage: Outage, fact: &health::Fact, pod: Option<&Item<Pod>>) -> String {
    let object = &fact.observed.object;
    let exceeded = quota::exceeded(&fact.message).filter(|_| outage == Outage::OverQuota);
    if let Some(exceeded) = exceeded {
        return format!(
            "{object} cannot create its Pods, because {}",
            exceeded.refuses(&object.namespace, "a Pod")
        );
    }
    match fact.detail.as_str() {
        "" if outage == Outage::Unschedulable => {
            room::with_requests(&fact.message, pod.map(|pod| &**pod))
        }
        "" => fact.message.clone(),
        detail => format!("{} ({detail}).", fact.message.trim_end_matches('.')),
    }
}

/// Returns true if the outage does not end without an action, although nothing has failed yet.
fn is_lasting(case: Case<'_>, outage: Outage, told: &FactPath<'_>) -> bool {
    match outage {
        Outage::Paused => true,
        Outage::Taken => is_kept(case, told),
        Outage::Unpullable
        | Outage::Crashing
        | Outage::Unprepared
        | Outage::Unschedulable
        | Outage::OverQuota
        | Outage::Refused
        | Outage::PodEnded
        | Outage::Unready
        | Outage::ScaledToZero
        | Outage::Missing
        | Outage::Unexplained => false,
    }
}

/// Returns true if the operator that owns the Deployment exists and is not being deleted. The
/// installation of this operator may be incomplete.
fn is_kept(case: Case<'_>, told: &FactPath<'_>) -> bool {
    let owner = deployment(case, told).and_then(|one| one.owner());
    let owner = owner.and_then(|owner| case.situation().csv(owner));
    owner.is_some_and(|owner| !owner.is_deleting())
}

/// Returns true if a fact about a Pod or ReplicaSet explains this fact.
fn is_explained(fact: &health::Fact) -> bool {
    let mut below = fact.below.iter();
    below.any(|below| {
        let is_cause = matches!(role(below.code), Role::DeploymentCause(_));
        is_cause && below.state == health::State::No
    })
}

/// Returns the Deployment of the fact.
fn deployment<'a>(case: Case<'a>, told: &FactPath<'a>) -> Option<&'a Workload> {
    let own = [told.fact];
    let mut all = own.iter().chain(told.above.iter().rev());
    let fact = all.find(|fact| fact.observed.object.kind == Kind::Deployment)?;
    case.situation().deployment(&fact.observed.object.name)
}

/// Returns the object at fault. For a failing Pod, this is the Deployment, because the names of
/// Pods change. If a quota blocks the Pod, this is the ResourceQuota.
fn at_fault(outage: Outage, fact: &health::Fact, told: &FactPath<'_>) -> Object {
    let mut above = told.above.iter().rev();
    let deployment = above.find(|fact| fact.observed.object.kind == Kind::Deployment);
    let deployment = deployment.map_or(&fact.observed.object, |fact| &fact.observed.object);
    let quota = match outage {
        Outage::OverQuota => quota::exceeded(&fact.message).map(|quota| quota.name),
        Outage::Refused => unset_by_quota(&fact.message).map(|(name, _)| name.to_owned()),
        Outage::Unpullable
        | Outage::Crashing
        | Outage::Unprepared
        | Outage::Unschedulable
        | Outage::PodEnded
        | Outage::Unready
        | Outage::ScaledToZero
        | Outage::Paused
        | Outage::Missing
        | Outage::Taken
        | Outage::Unexplained => None,
    };
    match quota {
        Some(quota) => Object::new("ResourceQuota", &deployment.namespace, quota),
        None => Object::from(deployment),
    }
}

/// Returns true if containers of the Deployment wait, and all of these containers use images that
/// are not in the current bundle.
pub(crate) fn is_outdated(case: Case<'_>, told: &FactPath<'_>) -> bool {
    let csv = case.newest().into_iter();
    let wanted = csv.flat_map(|csv| csv.deployments());
    let named = wanted.flat_map(|wanted| wanted.spec.template.images());
    let named: BTreeSet<_> = named.collect();
    let Some(deployment) = deployment(case, told).filter(|_| !named.is_empty()) else {
        return false;
    };
    let containers = pods(deployment).iter().flat_map(|pod| pod.containers());
    let statuses = containers.map(|container| container.status);
    let mut failing = statuses
        .filter(|one| !one.ready && one.state.waiting.is_some())
        .peekable();
    failing.peek().is_some() && failing.all(|one| !named.contains(one.image.as_str()))
}

/// Returns the Pods of a Deployment. Empty if the Pods were not read.
pub(crate) fn pods(deployment: &Workload) -> &[Item<Pod>] {
    match &deployment.below {
        Below::Looked { pods, .. } => &pods.objects,
        Below::NotLooked | Below::TooMany(_) => &[],
    }
}

/// Returns the cure: commands, or the responsible person with the required action.
fn cure(case: Case<'_>, outage: Outage, told: &FactPath<'_>) -> Cure {
    let fact = told.fact;
    if outage == Outage::ScaledToZero {
        return Cure::Choice(vec![scaled::scale_up(case, &fact.observed.object)]);
    }
    if outage == Outage::Unprepared {
        let parties = Parties::for_operator(case);
        return prepared::cure(&parties.administrator, deployment(case, told), fact);
    }
    if let Some(csv) = case.newest().filter(|_| outage == Outage::Missing) {
        return Cure::Safe(required::retry(CSVS, &csv.observed));
    }
    pod_cure(outage, fact, &Parties::for_operator(case))
}

/// Returns the cure for failing Pods of a workload. `parties` are the persons who can act.
fn pod_cure(outage: Outage, fact: &health::Fact, parties: &Parties) -> Cure {
    let Parties {
        administrator,
        publisher,
        content,
    } = parties;
    match outage {
        Outage::Paused => Cure::Choice(vec![resume(fact)]),
        Outage::OverQuota => quota::cure(&fact.observed.object.namespace, &fact.message),
        Outage::PodEnded => Cure::Safe(delete_pod(fact)),
        Outage::Unpullable => Cure::external(
            publisher,
            &format!(
                "Correct the image in {content}, or make the image pullable from the nodes. \
                 Kubernetes then retries by itself."
            ),
        ),
        Outage::Unready => Cure::external(
            administrator,
            &format!(
                "Find out from the log of the container why its readiness probe fails. If the \
                 configuration of the operator is correct, the publisher must correct {content}."
            ),
        ),
        Outage::Crashing => Cure::external(
            administrator,
            &format!(
                "Find out from the last log of the container why the container ends. If the \
                 configuration of the operator is correct, the publisher must correct {content}."
            ),
        ),
        Outage::Unprepared => Cure::external(
            administrator,
            "Create the objects that the container references.",
        ),
        Outage::Unschedulable => Cure::external("the administrator of the nodes", ROOM),
        Outage::Refused => refused::cure(&fact.observed.object.namespace, &fact.message),
        Outage::Taken => Cure::external(
            publisher,
            "Rename the Deployment. Or remove the other operator.",
        ),
        Outage::ScaledToZero | Outage::Missing | Outage::Unexplained => {
            Cure::external(administrator, INSPECT)
        }
    }
}

const ROOM: &str = "Free resources on a node for the Pod, or add a node. If the maintenance of a \
                    cordoned node is over, uncordon the node: `kubectl get nodes` shows cordoned \
                    nodes as SchedulingDisabled.";
const INSPECT: &str = "Find out why the Pods of the Deployment cannot be created or do not become \
                       available.";

fn resume(fact: &health::Fact) -> Procedure {
    Procedure::command(
        &format!("Resume the rollout of {}.", fact.observed.object),
        Target::of(DEPLOYMENTS, &fact.observed).resume(),
        "Kubernetes rolls out all changes that were made during the pause.",
    )
}

fn delete_pod(fact: &health::Fact) -> Procedure {
    deletion::delete(
        &format!(
            "Delete {}. Kubernetes then creates another Pod.",
            fact.observed.object
        ),
        &[Target::of(PODS, &fact.observed)],
        Vec::new(),
        "The data of the Pod, such as its logs, is lost.",
    )
}

// === impl Outage ===

impl Outage {
    pub(crate) fn code(self) -> Code {
        match self {
            Self::Unpullable => Code::ImagePullFailing,
            Self::Crashing => Code::CrashLooping,
            Self::Unprepared => Code::ContainerNotCreated,
            Self::Unschedulable => Code::Unschedulable,
            Self::OverQuota => Code::QuotaExceeded,
            Self::Refused => Code::PodRejected,
            Self::PodEnded => Code::PodFailed,
            Self::Unready => Code::ProbeFailing,
            Self::ScaledToZero => Code::ScaledToZero,
            Self::Paused => Code::RolloutPaused,
            Self::Missing => Code::DeploymentMissing,
            Self::Taken => Code::DeploymentOwnedByOther,
            Self::Unexplained => Code::RolloutFailing,
        }
    }

    fn state(self) -> State {
        match self {
            Self::Paused => State::Waiting,
            Self::Unpullable
            | Self::Crashing
            | Self::Unprepared
            | Self::Unschedulable
            | Self::OverQuota
            | Self::Refused
            | Self::PodEnded
            | Self::Unready
            | Self::ScaledToZero
            | Self::Missing
            | Self::Taken
            | Self::Unexplained => State::Broken,
        }
    }
}
