//! Finds the object that a user must edit so that the Pods of an operator can run.

use portolan_core_health::{self as health, Below, Item, Workload};
use portolan_core_olm::{Condition, Event, Pod, Subscription};

use super::{Outage, missing, placement, pods};
use crate::case::Case;
use crate::command::{DEPLOYMENTS, SUBSCRIPTIONS, Target};
use crate::cure::Cure;
use crate::{Cause, Confidence, Evidence, Object, State, Step, memory};

/// The reason of the condition `Progressing` if the rollout has exceeded its deadline.
const DEADLINE_EXCEEDED: &str = "ProgressDeadlineExceeded";

/// A Deployment of an operator, with its failing Pod.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failing<'a> {
    pub(crate) case: Case<'a>,
    pub(crate) outage: Outage,
    pub(crate) fact: &'a health::Fact,
    pub(crate) deployment: &'a Workload,
    /// The failing Pod. None if no Pod was created.
    pub(crate) pod: Option<&'a Item<Pod>>,
}

/// An object that a user must edit or create, with the reason and the cure.
#[derive(Debug)]
pub(crate) struct Blame {
    pub(crate) at_fault: Object,
    pub(crate) also_at_fault: Vec<Object>,
    pub(crate) message: String,
    pub(crate) cure: Cure,
    pub(crate) look: Option<Step>,
    pub(crate) shown: Vec<Evidence>,
    pub(crate) confidence: Option<Confidence>,
}

/// Returns the object that a user must edit or create. Returns None if the Deployment itself or a
/// quota is at fault.
pub(super) fn of(failing: Failing<'_>) -> Option<Blame> {
    match failing.outage {
        Outage::Crashing => memory::blame(failing),
        Outage::Unschedulable => missing::object(failing).or_else(|| placement::blame(failing)),
        Outage::Unpullable => missing::pull_secret(failing),
        Outage::Unprepared | Outage::Refused => missing::object(failing),
        Outage::OverQuota
        | Outage::PodEnded
        | Outage::Unready
        | Outage::ScaledToZero
        | Outage::Paused
        | Outage::Missing
        | Outage::Taken
        | Outage::Unexplained => None,
    }
}

// === impl Failing ===

impl<'a> Failing<'a> {
    pub(super) fn of(
        case: Case<'a>,
        outage: Outage,
        fact: &'a health::Fact,
        deployment: &'a Workload,
    ) -> Self {
        let mut own = pods(deployment).iter();
        Self {
            case,
            outage,
            fact,
            deployment,
            pod: own.find(|pod| pod.observed == fact.observed),
        }
    }

    /// Returns the Subscription of the installed version. OLM copies the settings of this
    /// Subscription to the Deployment. Returns None if the Subscription has not installed this
    /// version.
    pub(crate) fn subscription(self) -> Option<&'a Item<Subscription>> {
        let Self { case, .. } = self;
        let installed = case.newest().map(|csv| csv.observed.object.name.as_str());
        let subscription = case.subscription?;
        (installed == Some(subscription.status.installed_csv.as_str())).then_some(subscription)
    }

    /// Returns the name of the version to which the failing Pod belongs. Returns None if no other
    /// version still works.
    pub(crate) fn version(self) -> Option<&'a str> {
        self.case.standing()?;
        self.case
            .newest()
            .map(|csv| csv.observed.object.name.as_str())
    }

    /// Returns the Subscription as the argument of a kubectl command.
    pub(crate) fn target(self) -> Option<Target<'a>> {
        let subscription = self.subscription()?;
        Some(Target::of(SUBSCRIPTIONS, &subscription.observed))
    }

    /// Returns the message of the fact with its details.
    pub(crate) fn message(self) -> String {
        super::detailed(self.outage, self.fact, None)
    }

    /// Returns the warning Events about the failing Pod.
    pub(crate) fn warnings(self) -> impl Iterator<Item = &'a Item<Event>> {
        let events = match &self.deployment.below {
            Below::Looked { events, .. } => events.objects.as_slice(),
            Below::NotLooked | Below::TooMany(_) => &[],
        };
        let name = self.pod.map(|pod| pod.name());
        let is_about = move |event: &&Item<Event>| {
            let about = &event.involved_object;
            about.kind == Pod::KIND && Some(about.name.as_str()) == name
        };
        events.iter().filter(is_about)
    }

    /// Returns true if the container has printed a reason before it terminated, or if an Event
    /// reports a failing probe.
    pub(crate) fn reports_reason(self) -> bool {
        let cause = self.pod.and_then(|pod| pod.cause());
        let has_words = cause.is_some_and(|cause| !cause.last_words.is_empty());
        has_words || self.warnings().any(|event| event.is_of_probe())
    }

    /// Returns the step that starts another rollout of the Deployment, so that OLM applies the new
    /// settings. The step is only necessary if the rollout has exceeded its deadline. Without such
    /// a failure, OLM applies the settings by itself.
    pub(crate) fn restart(self) -> Option<Step> {
        let said = Condition::about(&self.deployment.status.conditions, "Progressing");
        said.filter(|said| said.reason == DEADLINE_EXCEEDED)?;
        let target = Target::of(DEPLOYMENTS, &self.deployment.observed);
        let comment = format!(
            "Restart {}. Its rollout has exceeded the deadline, and OLM waits for a restart before it applies the new \
             settings",
            target.called()
        );
        Some(Step::new(&comment, target.restart()))
    }
}

// === impl Blame ===

impl Blame {
    pub(crate) fn new(at_fault: Object, message: &str, cure: Cure) -> Self {
        Self {
            at_fault,
            also_at_fault: Vec::new(),
            message: message.to_owned(),
            cure,
            look: None,
            shown: Vec::new(),
            confidence: None,
        }
    }

    pub(super) fn cause(self, outage: Outage, state: State) -> Cause {
        let cause = Cause::new(outage.code(), state, self.at_fault, &self.message);
        let cause = Cause {
            also_at_fault: self.also_at_fault,
            ..cause
        };
        let cause = cause.cured(self.cure).looked(self.look);
        cause.doubted(self.confidence).shown(self.shown)
    }
}
