//! Pods: replicas, and why they are not ready.

use portolan_core_olm::{Condition, Pod};

use crate::container::{Judge, Trouble};
use crate::event::Events;
use crate::words::{because, with_word};
use crate::{HealthCode, Item, State};

impl Item<Pod> {
    /// Returns the trouble with the Pod, if there is any. `severity` is the state of its
    /// Deployment, for trouble that may be a matter of time.
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

    /// Why it does not run, if it is more than a matter of time, and no Deployment stands behind it.
    pub fn failure(&self) -> Option<(HealthCode, String)> {
        let lasting = Some(self).filter(|pod| !pod.is_deleting());
        let lasting = lasting.and_then(|pod| pod.standstill(State::NotYet));
        let trouble = lasting.or_else(|| {
            let mut troubles = self.troubles(State::NotYet, Events(&[])).into_iter();
            troubles.find(|trouble| trouble.state == State::No)
        })?;
        Some((trouble.code, trouble.message))
    }

    /// Returns the trouble that keeps the whole Pod from running, and that does not pass by itself.
    fn standstill(&self, severity: State) -> Option<Trouble> {
        let pod = &self.observed.object;
        if let "Failed" | "Succeeded" = self.status.phase.as_str() {
            let claim = with_word(format!("{pod} has ended for good"), &self.status.reason);
            let message = because(claim, &self.status.message);
            return Some(whole(severity, HealthCode::PodFailed, message));
        }
        let scheduled = self.says("PodScheduled").filter(|said| said.is_false())?;
        let message = because(format!("No node takes {pod}"), scheduled.words());
        Some(whole(severity, HealthCode::Unschedulable, message))
    }

    /// The troubles without containers that only wait for others.
    fn without_followers(&self, mut troubles: Vec<Trouble>) -> Vec<Trouble> {
        let pod = &self.observed.object;
        let is_starting = |trouble: &Trouble| trouble.code == HealthCode::PodStarting;
        let is_ready = self.says("Ready").is_some_and(Condition::is_true);
        if !troubles.iter().all(is_starting) {
            troubles.retain(|trouble| !is_starting(trouble));
            return troubles;
        }
        if troubles.is_empty() && is_ready {
            return Vec::new();
        }
        let message = format!("{pod} is on its way.");
        vec![whole(State::NotYet, HealthCode::PodStarting, message)]
    }

    fn says(&self, of_type: &str) -> Option<&Condition> {
        Condition::about(&self.status.conditions, of_type)
    }
}

fn whole(state: State, code: HealthCode, message: String) -> Trouble {
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
