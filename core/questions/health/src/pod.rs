//! Judges Pods, and finds the reasons why they are not ready.

use portolan_core_olm::{Condition, ContainerStatus, Event, Pod};

use crate::container::{Judge, NOT_PREPARED, Trouble, in_words, last_words};
use crate::event::Events;
use crate::words::{Quote, because, with_word};
use crate::{HealthCode, Item, State};

impl Item<Pod> {
    /// Returns the problems of the Pod. Empty if the Pod has no problem. `severity` is the state of
    /// the workload. Problems that may resolve with time get this state.
    pub(crate) fn troubles(&self, severity: State, events: Events<'_>) -> Vec<Trouble> {
        let pod = &self.observed.object;
        if self.is_deleting() {
            let message = format!("{pod} is being deleted.");
            return vec![whole(State::NotYet, HealthCode::PodTerminating, message)];
        }
        if let Some(trouble) = self.standstill(severity) {
            return vec![trouble];
        }
        let warned = events.about(&self.observed);
        let judge = |container| Judge {
            container,
            pod,
            severity,
            warned: &warned,
        };
        let troubles = self.containers().filter_map(|one| judge(one).trouble());
        self.without_followers(troubles.collect())
    }

    /// Returns the reason why the Pod cannot run without a change. Returns None if the problem may
    /// resolve with time. Used for a Pod that does not belong to a Deployment.
    pub fn failure(&self) -> Option<(HealthCode, String, Option<Quote>)> {
        let lasting = Some(self).filter(|pod| !pod.is_deleting());
        let lasting = lasting.and_then(|pod| pod.standstill(State::NotYet));
        let trouble = lasting.or_else(|| {
            let mut troubles = self.troubles(State::NotYet, Events(&[])).into_iter();
            troubles.find(|trouble| trouble.state == State::No)
        })?;
        Some((trouble.code, trouble.message, trouble.quote))
    }

    /// Returns the reason why a workload waits for the Pod. Returns None if the Pod is running, is
    /// starting, has succeeded, or is being deleted.
    pub fn cause(&self) -> Option<PodCause> {
        self.cause_with(&[])
    }

    /// Returns true if only the kubelet's Events can show why the Pod does not run. This happens if
    /// the Pod waits for an object that its containers need, or if the kubelet restarts a
    /// container.
    pub fn has_reason_in_events(&self) -> bool {
        let is_in_events = |status: &ContainerStatus| {
            let waiting = status.state.waiting.as_ref();
            let is_preparing = waiting.is_some_and(|waiting| is_preparing(&waiting.reason));
            is_preparing || (status.restart_count > 0 && !status.ready)
        };
        !self.is_deleting() && self.containers().any(|one| is_in_events(one.status))
    }

    /// Returns the reason why a workload waits for the Pod, as in `cause`. Also uses
    /// the warning Events about the Pod.
    pub fn cause_with(&self, events: &[Item<Event>]) -> Option<PodCause> {
        if self.is_deleting() || self.status.phase == "Succeeded" {
            return None;
        }
        if let Some(cause) = self.failed_container() {
            return Some(cause);
        }
        let troubles = self.troubles(State::No, Events(events)).into_iter();
        let lasting = troubles.filter(|trouble| trouble.state == State::No);
        let trouble = lasting.min_by_key(|trouble| trouble.code)?;
        let mut containers = self.containers();
        let container = containers.find(|one| one.status.name == trouble.container);
        Some(match container {
            Some(container) => {
                let cause = PodCause::of_container(trouble, container.status);
                self.prepared(cause, events)
            }
            None => PodCause {
                reason: self.word().to_owned(),
                ..PodCause::of_pod(trouble)
            },
        })
    }

    /// Replaces the reason of a container that only waits until its Pod is prepared. The new reason
    /// comes from a warning Event.
    fn prepared(&self, mut cause: PodCause, events: &[Item<Event>]) -> PodCause {
        let warned = Events(events).about(&self.observed).newest(NOT_PREPARED);
        if let Some(event) = warned.filter(|_| is_preparing(&cause.reason)) {
            cause.reason.clone_from(&event.reason);
        }
        cause
    }

    /// Returns the failed container of a Pod that has failed permanently. Returns None if the Pod
    /// has no such container.
    fn failed_container(&self) -> Option<PodCause> {
        let is_failed = self.status.phase == "Failed" && self.status.reason.is_empty();
        let mut containers = self.containers().filter(|_| is_failed);
        let (status, end) = containers.find_map(|container| {
            let end = container.status.state.terminated.as_ref()?;
            (end.exit_code != 0).then_some((container.status, end))
        })?;
        let pod = &self.observed.object;
        let claim = format!(
            "Container {} of {pod} has ended{}",
            status.name,
            in_words(end)
        );
        let words = last_words(end);
        let source = format!("container {}", status.name);
        let trouble = Trouble {
            container: status.name.clone(),
            quote: Quote::of(&source, &words),
            ..whole(State::No, HealthCode::PodFailed, because(claim, &words))
        };
        Some(PodCause::of_container(trouble, status))
    }

    /// Returns the reason that Kubernetes reports for the whole Pod. Empty if Kubernetes reports no
    /// reason.
    fn word(&self) -> &str {
        let scheduled = self
            .condition("PodScheduled")
            .filter(|said| said.is_false());
        match (self.status.reason.as_str(), scheduled) {
            ("", Some(scheduled)) => &scheduled.reason,
            (word, _) => word,
        }
    }

    /// Returns the problem that prevents the whole Pod from running: the Pod has ended permanently,
    /// or no node can run it. Returns None otherwise.
    fn standstill(&self, severity: State) -> Option<Trouble> {
        let pod = &self.observed.object;
        let ended = match self.status.phase.as_str() {
            "Failed" => Some(format!("{pod} has failed permanently")),
            "Succeeded" => Some(format!(
                "{pod} has ended without an error, and Kubernetes does not start it again"
            )),
            _ => None,
        };
        if let Some(ended) = ended {
            let claim = with_word(ended, &self.status.reason);
            let message = because(claim, &self.status.message);
            return Some(Trouble {
                quote: Quote::of("Kubernetes", &self.status.message),
                ..whole(severity, HealthCode::PodFailed, message)
            });
        }
        let scheduled = self
            .condition("PodScheduled")
            .filter(|said| said.is_false())?;
        let message = because(format!("No node can run {pod}"), scheduled.words());
        Some(Trouble {
            quote: Quote::of("the scheduler", scheduled.words()),
            ..whole(severity, HealthCode::Unschedulable, message)
        })
    }

    /// Removes the problems of containers that are still starting, if another container has a
    /// problem. If no container has another problem and the Pod is not ready, returns only that the
    /// Pod is starting.
    fn without_followers(&self, mut troubles: Vec<Trouble>) -> Vec<Trouble> {
        let pod = &self.observed.object;
        let is_starting = |trouble: &Trouble| trouble.code == HealthCode::PodStarting;
        let is_ready = self.condition("Ready").is_some_and(Condition::is_true);
        if !troubles.iter().all(is_starting) {
            troubles.retain(|trouble| !is_starting(trouble));
            return troubles;
        }
        if troubles.is_empty() && is_ready {
            return Vec::new();
        }
        let message = format!("{pod} is starting.");
        vec![whole(State::NotYet, HealthCode::PodStarting, message)]
    }

    fn condition(&self, of_type: &str) -> Option<&Condition> {
        Condition::about(&self.status.conditions, of_type)
    }
}

/// The reason why a Pod does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodCause {
    pub code: HealthCode,
    /// The name of the container. Empty if the reason concerns the whole Pod.
    pub container: String,
    /// The reason that Kubernetes reports, such as `CrashLoopBackOff`. Empty if Kubernetes reports
    /// no reason.
    pub reason: String,
    /// The exit code of the container's last termination. None if the container has not ended.
    pub exit_code: Option<i32>,
    /// The most informative line of the container's termination message.
    pub last_words: String,
    /// The reason as a sentence.
    pub message: String,
    /// The message of another program at the end of `message`.
    pub quote: Option<Quote>,
}

// === impl PodCause ===

impl PodCause {
    fn of_pod(trouble: Trouble) -> Self {
        Self {
            code: trouble.code,
            container: trouble.container,
            reason: String::new(),
            exit_code: None,
            last_words: String::new(),
            message: trouble.message,
            quote: trouble.quote,
        }
    }

    fn of_container(trouble: Trouble, status: &ContainerStatus) -> Self {
        let waiting = status.state.waiting.as_ref();
        let end = status.state.terminated.as_ref();
        let end = end.or(status.last_state.terminated.as_ref());
        let end = end.filter(|_| trouble.code != HealthCode::ImagePullFailing);
        let words = waiting.map(|waiting| &waiting.reason);
        let words = words.or(end.map(|end| &end.reason));
        Self {
            reason: words.cloned().unwrap_or_default(),
            exit_code: end.map(|end| end.exit_code),
            last_words: end.map_or_else(String::new, last_words),
            ..Self::of_pod(trouble)
        }
    }
}

/// Returns true if a container with this waiting reason waits until its Pod is prepared.
fn is_preparing(reason: &str) -> bool {
    ["ContainerCreating", "PodInitializing"].contains(&reason)
}

fn whole(state: State, code: HealthCode, message: String) -> Trouble {
    Trouble {
        state,
        code,
        container: String::new(),
        message,
        detail: String::new(),
        quote: None,
    }
}

#[cfg(test)]
pub(crate) mod tests;
