//! Diagnoses Pods of workloads that an InstallPlan of Portolan has applied, and Pods of Portolan
//! itself.

use portolan_core_health::{self as health, Item, Kind, ObjectVersion, judge_below};
use portolan_core_olm::{Event, Pod};

use super::{Absent, Outage, pod_cure, quota, room};
use crate::case::Case;
use crate::cure::Cure;
use crate::missing::named_reference;
use crate::role::{Role, role};
use crate::running::{PodsBelow, RunningWorkload};
use crate::{Cause, Evidence, Object, evidence, memory, steps, words};

/// The maximum number of warning Events in the evidence.
const MOST_WARNINGS: usize = 3;

/// The persons who can correct a workload, in the form for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parties {
    /// The administrator of the operator, plan or program.
    pub(crate) administrator: String,
    /// The publisher of the content that includes the workload.
    pub(crate) publisher: String,
    /// The name of the content that includes the workload, such as the bundle.
    pub(crate) content: String,
}

/// Returns the causes for Pods of a workload that do not run. Empty if the Pods were not read.
/// `severity` is the health state for problems that may end without an action.
pub(crate) fn of_workload(
    workload: &RunningWorkload,
    severity: health::State,
    parties: &Parties,
) -> Vec<Cause> {
    let Some(below) = &workload.below else {
        return Vec::new();
    };
    let facts = judge_below(
        &observed(workload),
        severity,
        &below.replica_sets,
        &below.pods,
        &below.events,
    );
    let lasting = facts.iter().filter(|fact| fact.state == health::State::No);
    lasting
        .filter_map(|fact| cause(workload, below, fact, parties))
        .collect()
}

/// Returns true if the evidence of the cause contains a Pod or a ReplicaSet. Returns false if it
/// contains only the status of other objects.
pub(crate) fn is_live(cause: &Cause) -> bool {
    let mut evidence = cause.evidence.iter();
    evidence.any(|it| ["Pod", "ReplicaSet"].contains(&&*it.object.kind))
}

fn cause(
    workload: &RunningWorkload,
    below: &PodsBelow,
    fact: &health::Fact,
    parties: &Parties,
) -> Option<Cause> {
    let outage = match role(fact.code) {
        Role::DeploymentCause(outage) => outage,
        Role::DeploymentSymptom => Outage::Unexplained,
        Role::Group(_)
        | Role::Need(_)
        | Role::Elsewhere
        | Role::Passing
        | Role::Unseen
        | Role::Silent => return None,
    };
    let ended = ended(workload, below, outage, fact);
    let mut pods = below.pods.objects.iter();
    let failing = pods.find(|pod| pod.observed == fact.observed);
    let message = ended.clone();
    let message = message.unwrap_or_else(|| super::detailed(outage, fact, failing));
    let message = words::sentence(&message);
    let absent = Absent::of(&workload.object.namespace, &fact.message);
    let absent = absent.filter(|_| [Outage::Unprepared, Outage::Refused].contains(&outage));
    if let Some(absent) = absent {
        let message = absent.message(&message);
        let cause = Cause::new(
            outage.code(),
            outage.state(),
            absent.object().clone(),
            &message,
        );
        let pods: Vec<_> = below.pods.objects.iter().collect();
        let cause = cause.quoting(fact.quote.clone());
        let cause = cause.cured(absent.cure()).shown([absent.evidence()]);
        let look = steps::of_pods(outage.code(), &pods);
        let cause = cause.looked(look).followed(workload.check());
        return Some(cause.shown(below.evidence(&pods)));
    }
    let cause = Cause::new(
        outage.code(),
        outage.state(),
        at_fault(workload, outage, fact),
        &message,
    );
    let cause = cause.quoting(fact.quote.clone());
    let limited = failing.filter(|_| outage == Outage::Crashing);
    let cause = cause.cured(match (ended, limited.and_then(memory::limited)) {
        (Some(_), _) => Cure::external(&parties.administrator, OF_RUN),
        (None, Some(limited)) => Cure::external(&parties.administrator, &limited.action()),
        (None, None) => pod_cure(outage, fact, parties),
    });
    let mut pods: Vec<_> = below.pods.objects.iter().collect();
    pods.sort_by_key(|pod| (pod.observed != fact.observed, &pod.observed));
    let look = steps::of_pods(outage.code(), &pods);
    let look = look.into_iter().chain(room::look(&fact.message));
    let cause = cause.looked(look).followed(workload.check());
    Some(named_reference(cause.shown(below.evidence(&pods))))
}

/// The action for a Pod of a Job that has terminated with an error.
const OF_RUN: &str = "Fix the error that the log of the container reports.";

/// Returns the reason why a Pod of a Job has terminated. Returns None for other problems. The cure
/// for other Pods deletes the Pod, but Kubernetes does not replace a deleted Pod of a Job.
fn ended(
    workload: &RunningWorkload,
    below: &PodsBelow,
    outage: Outage,
    fact: &health::Fact,
) -> Option<String> {
    if !workload.is_job() || outage != Outage::PodEnded {
        return None;
    }
    let mut pods = below.pods.objects.iter();
    let pod = pods.find(|pod| pod.observed == fact.observed);
    let cause = pod.and_then(|pod| pod.cause());
    Some(cause.map_or_else(|| fact.message.clone(), |cause| cause.message))
}

/// Returns the object at fault: the exceeded quota, or else the workload.
fn at_fault(workload: &RunningWorkload, outage: Outage, fact: &health::Fact) -> Object {
    let quota = || quota::exceeded(&fact.message);
    match (outage == Outage::OverQuota).then(quota).flatten() {
        Some(quota) => Object::new("ResourceQuota", &workload.object.namespace, &quota.name),
        None => workload.object.clone(),
    }
}

/// Converts the object of the workload to the type of the health crate.
fn observed(workload: &RunningWorkload) -> ObjectVersion {
    let Object {
        kind,
        namespace,
        name,
    } = &workload.object;
    let kind = match kind.split('.').next() {
        Some("Deployment") => Kind::Deployment,
        _ => Kind::Other,
    };
    ObjectVersion {
        uid: workload.uid.clone(),
        ..health::Object::new(kind, namespace, name).absent()
    }
}

// === impl Parties ===

impl Parties {
    /// Returns the responsible persons for an operator that OLM has installed.
    pub(super) fn for_operator(case: Case<'_>) -> Self {
        Self {
            administrator: format!("the administrator of {}", case.title()),
            publisher: format!("the publisher of package {}", case.operator.package),
            content: match case.deployed() {
                Some(csv) => csv.observed.object.name.clone(),
                None => case.operator.csv.clone(),
            },
        }
    }
}

// === impl PodsBelow ===

impl PodsBelow {
    /// Returns the conditions of the ReplicaSets, the states of the Pods, and the newest warning
    /// Events about these Pods.
    pub(crate) fn evidence(&self, pods: &[&Item<Pod>]) -> Vec<Evidence> {
        let sets = self.replica_sets.objects.iter().flat_map(|set| {
            let said = set.status.conditions.iter();
            said.map(|said| evidence::condition(&set.observed.object, said))
        });
        let of_pods = pods.iter().flat_map(|pod| evidence::pod(pod));
        let is_about = |event: &&Item<Event>| {
            let about = &event.involved_object;
            pods.iter().any(|pod| pod.name() == about.name)
        };
        let mut events: Vec<_> = self.events.objects.iter().filter(is_about).collect();
        events.sort_by(|a, b| (b.last_seen(), &b.observed).cmp(&(a.last_seen(), &a.observed)));
        let events = events.into_iter().take(MOST_WARNINGS).map(|event| {
            let about = &event.involved_object;
            let pod = Object::new("Pod", &about.namespace, &about.name);
            let message = match event.repetition() {
                Some(repetition) => format!("{} ({repetition})", event.message),
                None => event.message.clone(),
            };
            Evidence::at(pod, &format!("event {}", event.reason), &message)
        });
        sets.chain(of_pods).chain(events).collect()
    }
}
