//! Pods: replicas, and why they are not ready.

use crate::condition::about;
use crate::container::Trouble;
use crate::event::Events;
use crate::words::{because, with_word};
use crate::{Code, Condition, Container, Observed, State};

/// One replica.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pod {
    /// Which object.
    pub observed: Observed,
    /// The uid of the ReplicaSet that made it.
    pub owner_uid: String,
    /// How far it has come: `Pending`, `Running`, `Succeeded`, `Failed`, `Unknown`.
    pub phase: String,
    /// Why the Pod as a whole is as it is, in a word, such as `Evicted`.
    pub reason: String,
    /// Why the Pod as a whole is as it is, for people.
    pub message: String,
    /// What Kubernetes says of it.
    pub conditions: Vec<Condition>,
    /// Its containers, those that only prepare first.
    pub containers: Vec<Container>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}

// === impl Pod ===

impl Pod {
    /// What is wrong with it, if anything is. `mood` is the state of its Deployment, for what may
    /// be a matter of time.
    pub(crate) fn troubles(&self, mood: State, events: Events<'_>) -> Vec<Trouble> {
        let pod = &self.observed.object;
        if self.is_deleting {
            let message = format!("{pod} is being deleted.");
            return vec![whole(State::NotYet, Code::PodTerminating, message)];
        }
        if let "Failed" | "Succeeded" = self.phase.as_str() {
            let claim = with_word(format!("{pod} has ended for good"), &self.reason);
            return vec![whole(mood, Code::PodFailed, because(claim, &self.message))];
        }
        if let Some(said) = self.says("PodScheduled").filter(|said| said.is_false()) {
            let message = because(format!("No node takes {pod}"), said.words());
            return vec![whole(mood, Code::Unschedulable, message)];
        }
        let warned = events.about(&self.observed);
        let containers = self.containers.iter();
        let troubles: Vec<Trouble> = containers
            .filter_map(|container| container.trouble(pod, mood, &warned))
            .collect();
        self.without_followers(troubles)
    }

    /// Why it does not run, if it is more than a matter of time, and no Deployment stands behind it.
    pub fn failure(&self) -> Option<(Code, String)> {
        let troubles = self.troubles(State::NotYet, Events(&[])).into_iter();
        let mut bad = troubles.filter(|trouble| {
            let is_lasting = [Code::Unschedulable, Code::PodFailed].contains(&trouble.code);
            trouble.state == State::No || is_lasting
        });
        bad.next().map(|trouble| (trouble.code, trouble.message))
    }

    /// The troubles without containers that only wait for others.
    fn without_followers(&self, mut troubles: Vec<Trouble>) -> Vec<Trouble> {
        let pod = &self.observed.object;
        let is_starting = |trouble: &Trouble| trouble.code == Code::PodStarting;
        let is_ready = self.says("Ready").is_some_and(Condition::is_true);
        if !troubles.iter().all(is_starting) {
            troubles.retain(|trouble| !is_starting(trouble));
            return troubles;
        }
        match troubles.is_empty() && is_ready {
            true => Vec::new(),
            false => vec![whole(
                State::NotYet,
                Code::PodStarting,
                format!("{pod} is on its way."),
            )],
        }
    }

    fn says(&self, kind: &str) -> Option<&Condition> {
        about(&self.conditions, kind)
    }
}

fn whole(state: State, code: Code, message: String) -> Trouble {
    Trouble {
        state,
        code,
        container: String::new(),
        message,
        detail: String::new(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
