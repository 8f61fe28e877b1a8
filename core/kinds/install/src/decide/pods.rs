//! Finds the reasons why the Pods of workloads that a plan waits for are not running.
//!
//! ```text
//! a workload is not ready for 20 s -- Ask::Pods, every 20 s --> its member status names the Pod
//! ```

pub(super) mod judged;
mod owner;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use portolan_api::plan::{
    ConditionType, FailingPod, JobState, JobStatus, MemberStatus, StageStatus,
};
use portolan_core_names::text::cite;
use portolan_core_names::{GroupKind, ObjectRef};
use portolan_core_olm::State;

use super::Halt;
use super::case::{ObjectView, PlanContext};
use super::decision::Ask;
use judged::PodsSeen;

/// The delay before the controller lists the Pods of a workload for the first time, and the delay
/// between two lists.
const PATIENCE: SignedDuration = SignedDuration::from_secs(20);
/// The maximum number of workloads whose Pods the controller lists at the same time.
const MOST: usize = 5;

/// The reasons why workloads are not ready.
#[derive(Default)]
pub(super) struct Causes {
    by_object: BTreeMap<String, (Option<FailingPod>, String)>,
    /// The time at which the controller lists Pods again.
    pub(super) until: Option<Timestamp>,
}

impl Causes {
    /// Finds the reasons why workloads are not ready.
    ///
    /// # Errors
    ///
    /// Returns `Halt::Ask` with the Pods to list first.
    pub(super) fn find(
        case: &PlanContext<'_>,
        views: &[ObjectView],
        jobs: &[JobStatus],
        stage: Option<&StageStatus>,
    ) -> Result<Self, Halt> {
        let (now, since) = (case.observed.now, since(case, stage));
        let waiting = waiting(case, views, jobs, stage);
        let Some(since) = since.filter(|_| !waiting.is_empty()) else {
            return Ok(Self::default());
        };
        let mut found = Self {
            until: next(since, now),
            ..Self::default()
        };
        if now.duration_since(since) < PATIENCE {
            return Ok(found);
        }
        let mut asks = BTreeSet::new();
        for workload in waiting {
            match case.observed.pods.get(&workload) {
                None => drop(asks.insert(Ask::Pods(workload))),
                Some(seen) => found.add(&workload, seen),
            }
        }
        if asks.is_empty() {
            Ok(found)
        } else {
            Err(Halt::Ask(asks))
        }
    }

    fn add(&mut self, workload: &ObjectRef, seen: &PodsSeen) {
        let told = match seen {
            PodsSeen::Judged(None) => return,
            PodsSeen::Judged(Some((pod, sentence))) => (Some(pod.clone()), sentence.clone()),
            PodsSeen::Unlisted(why) => {
                let why = cite(why);
                (
                    None,
                    format!("its Pods cannot be listed to find the cause: {why}"),
                )
            }
        };
        self.by_object.insert(workload.to_string(), told);
    }

    /// Adds the reasons to the status of the members that are not ready.
    pub(super) fn explain(&self, members: &mut [MemberStatus]) {
        for member in members {
            if let Some((pod, sentence)) = self.by_object.get(&member.object) {
                member.message = joined(&member.message, sentence);
                member.pod.clone_from(pod);
            }
        }
    }
}

/// Returns the reason why a workload failed, taken from its Pods. If the Pods no longer exist,
/// returns the reason that the status already contains.
///
/// # Errors
///
/// Returns `Halt::Ask` with the Pods to list first.
pub(super) fn of_failed(
    case: &PlanContext<'_>,
    workload: &ObjectRef,
) -> Result<Option<String>, Halt> {
    let seen = case.observed.pods.get(workload);
    let seen = seen.ok_or_else(|| Ask::Pods(workload.clone()))?;
    if let PodsSeen::Judged(Some((_, sentence))) = seen {
        return Ok(Some(sentence.clone()));
    }
    let object = workload.to_string();
    let mut members = case.observed.status.members.iter();
    let told = members.find(|member| member.object == object);
    Ok(told.and_then(|member| member.pod.as_ref()).map(last_seen))
}

/// Joins a sentence and its cause. If the sentence comes from another program, it may already end
/// with a period.
pub(super) fn joined(sentence: &str, cause: &str) -> String {
    format!("{}; {cause}", sentence.trim_end_matches('.'))
}

fn last_seen(pod: &FailingPod) -> String {
    let FailingPod {
        name,
        cause,
        container,
        message,
        ..
    } = pod;
    let of = match container.as_str() {
        "" => format!("Pod {name}"),
        container => format!("container {container} of Pod {name}"),
    };
    let words = match message.as_str() {
        "" => String::new(),
        message => format!(": {message}"),
    };
    format!("{of} had {cause} before{words}")
}

/// Returns the time since which the plan has waited for workloads. Returns None while the plan is
/// suspended.
fn since(case: &PlanContext<'_>, stage: Option<&StageStatus>) -> Option<Timestamp> {
    if let Some(stage) = stage {
        return stage.since.as_ref().map(|since| since.0);
    }
    let ready = case.observed.status.condition(ConditionType::Ready);
    let unready = ready.filter(|ready| ready.status == "False");
    Some(unready.map_or(case.observed.now, |it| it.last_transition_time.0))
}

/// Returns the next time at which Pods are listed. All times are multiples of the delay after
/// `since`.
fn next(since: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let times = now.duration_since(since).as_secs().max(0) / PATIENCE.as_secs() + 1;
    let times = i32::try_from(times).ok()?;
    since.checked_add(PATIENCE.checked_mul(times)?).ok()
}

/// Returns the first workloads that the plan waits for, at most [`MOST`].
fn waiting(
    case: &PlanContext<'_>,
    views: &[ObjectView],
    jobs: &[JobStatus],
    stage: Option<&StageStatus>,
) -> Vec<ObjectRef> {
    let members = views.iter().enumerate().filter_map(|(place, view)| {
        let identity = &case.members[place].identity;
        let is_waited_for = match view {
            ObjectView::Settled(readiness) => readiness.state != State::Yes,
            ObjectView::Absent
            | ObjectView::Stale { .. }
            | ObjectView::Immutable(_)
            | ObjectView::Adoptable
            | ObjectView::Blocked(_) => false,
        };
        (is_waited_for && has_pods(&identity.kind)).then(|| identity.clone())
    });
    let running = jobs.iter().filter(|job| {
        let is_here = stage.is_some_and(|stage| stage.name == job.stage);
        is_here && job.uid.is_some() && job.state == JobState::Running
    });
    let running = running.map(|job| case.observed.plan.job(&job.job));
    members.chain(running).take(MOST).collect()
}

/// Returns true for Pods, Jobs, and kinds of workloads with a Pod selector.
fn has_pods(kind: &GroupKind) -> bool {
    let of_apps = ["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"];
    let is_of_apps = kind.group == "apps" && of_apps.contains(&kind.kind.as_str());
    is_of_apps || *kind == GroupKind::job() || kind.is("", "Pod")
}
