//! Reconciles one policy: queries the services, decides and writes.
//!
//! ```text
//! PolicyCache -- PolicySnapshot --> ask --> decide --> write --> Outcome
//!    ^                                                             |
//!    \-- Driver: whom and when, what is not seen yet <-------------/
//! ```

mod cache;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::{OperatorPolicy, OperatorPolicyStatus};
use portolan_core_operatorpolicy::{
    Action, Answers, Desired, Observed, Report, StatusUpdate, Step, StepOutcome, Target, WriteMode,
    crds_to_delete, decide, render_status,
};
use portolan_runtime::{Expected, PendingWrite, instant};
use portolan_world::Key;

pub(crate) use self::cache::{Fetch, PolicyCache, PolicyReport};
use crate::ask::{Services, Topic};
use crate::instances::LiveReader;
use crate::metrics::Metrics;
use crate::observe::{PolicySnapshot, ServiceChange};
use crate::write::{Reviewer, WriteFailure, Writer, WrittenStep};

/// The result of the reconciliation of a policy.
type ReconcileOutcome = portolan_runtime::Outcome<PolicyReport>;

/// Reconciles policies.
#[derive(Debug)]
pub(crate) struct Reconciler {
    pub(crate) services: Arc<Services>,
    /// The writer of objects. None if there is no cluster.
    pub(crate) writer: Option<Writer<ApprovalCheck>>,
    pub(crate) metrics: Arc<Metrics>,
    /// True if the controller must not even write the message that it is read-only.
    pub(crate) is_silent: bool,
    pub(crate) renderer: StatusRenderer,
}

/// Renders the statuses of policies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StatusRenderer {
    /// The maximum number of earlier messages in a status.
    pub(crate) history: usize,
    /// The function that returns the current time. Tests use another function.
    pub(crate) now: fn() -> Timestamp,
}

/// Queries the approval service again immediately before an InstallPlan is approved.
#[derive(Debug)]
pub(crate) struct ApprovalCheck(pub(crate) Arc<Services>);

/// The decision about a policy, with the facts on which it is based.
pub(crate) struct Decided {
    pub(crate) observed: Observed,
    pub(crate) answers: Answers,
    pub(crate) desired: Desired,
}

/// Reads objects that are not watched, queries the services, and decides about a policy.
pub(crate) async fn decided(
    services: &Services,
    live: &LiveReader,
    seen: PolicySnapshot,
    now: fn() -> Timestamp,
) -> Decided {
    let PolicySnapshot {
        shown: _,
        loses_fields: _,
        parsed,
        mut observed,
    } = seen;
    let intent = parsed.as_ref().as_ref().ok();
    let going = crds_to_delete(intent, &observed);
    if let Some(state) = observed.namespace.as_mut().filter(|_| !going.is_empty()) {
        state.instances = live.instances(&going).await;
    }
    let answers = services.ask(intent, &observed).await;
    let desired = decide(&parsed, &observed, &answers, now());
    Decided {
        observed,
        answers,
        desired,
    }
}

/// Returns a function that waits for changes in the responses of the services.
pub(crate) fn service_changes(services: &Arc<Services>) -> Fetch<Vec<ServiceChange>> {
    let services = services.clone();
    Box::new(move || {
        let services = services.clone();
        Box::pin(async move {
            let topics = services.changed().await;
            topics.into_iter().map(ServiceChange::from).collect()
        })
    })
}

impl Reviewer for ApprovalCheck {
    async fn still_allowed(&self, plan: &Target, observed: &Observed) -> Result<(), StepOutcome> {
        self.0.still_allowed(plan, observed).await
    }
}

impl From<Topic> for ServiceChange {
    fn from(topic: Topic) -> Self {
        match topic {
            Topic::Namespace(name) => Self::Namespace(name),
            Topic::Catalog(name) => match name.split_once('/') {
                Some((namespace, name)) => Self::Catalog(Key::new(namespace, name)),
                // A catalog name that cannot be parsed may affect all policies.
                None => Self::Everything,
            },
            Topic::Everything => Self::Everything,
        }
    }
}

impl portolan_runtime::Reconciler for Reconciler {
    type Cache = PolicyCache;

    async fn reconcile(&self, _key: &Key, mut seen: PolicySnapshot) -> ReconcileOutcome {
        let namespace = seen
            .observed
            .namespace
            .as_ref()
            .map(|state| state.name.clone());
        if let (Some(writer), Some(namespace)) = (&self.writer, &namespace) {
            seen.observed.contested = writer.contests(namespace);
            seen.observed.pruned = writer.pruned(namespace);
        }
        let (shown, loses_fields) = (seen.shown.clone(), seen.loses_fields);
        let live = LiveReader(self.writer.as_ref().map(Writer::client));
        let Decided {
            observed,
            answers,
            desired,
        } = decided(&self.services, &live, seen, self.renderer.now).await;
        self.metrics.count_answers(&answers, &observed);
        let mut outcome = self
            .write((&shown, loses_fields), &observed, &desired)
            .await;
        let writer = self.writer.as_ref().zip(namespace);
        let contested = writer.and_then(|(writer, name)| writer.contested_until(&name));
        outcome.requeue_at = outcome.requeue_at.into_iter().chain(contested).min();
        outcome
    }

    fn forget(&self, policy: &Key) {
        self.metrics.forget(policy);
        if let Some(writer) = &self.writer {
            writer.forget(policy);
        }
    }
}

impl Reconciler {
    async fn write(
        &self,
        shown: (&OperatorPolicy, bool),
        observed: &Observed,
        desired: &Desired,
    ) -> ReconcileOutcome {
        let policy = &observed.policy;
        let before = policy.status.clone().unwrap_or_default();
        let early = self.renderer.render(&desired.report, policy, &before);
        let (writer, why) = match (&self.writer, &observed.write_mode) {
            (Some(writer), WriteMode::ReadWrite) => (writer, None),
            (Some(writer), WriteMode::ReadOnly(why)) => (writer, Some(why)),
            (None, WriteMode::ReadWrite | WriteMode::ReadOnly(_)) => {
                return supposed(early.status, desired.requeue_at);
            }
        };
        if let Some(why) = why {
            let noted = self.note_read_only(writer, shown, why, &early.status).await;
            let supposed = supposed(early.status, desired.requeue_at);
            return ReconcileOutcome {
                report: supposed.report,
                requeue_at: supposed.requeue_at,
                ..outcome(Vec::new(), noted.map(|()| None), policy)
            };
        }
        let written = if desired.steps.is_empty() {
            Vec::new()
        } else {
            writer.carry_out(observed, desired).await
        };
        if is_let_go(policy, &desired.steps, &written) {
            return outcome(written, Ok(None), policy);
        }
        let policy = WrittenStep::policy_after(&written, policy);
        let updates = self.renderer.updates(desired, early, &written, &policy);
        let version = writer.publish(&policy, &updates).await;
        let status = updates.into_iter().next_back().map(|update| update.status);
        ReconcileOutcome {
            report: PolicyReport {
                supposed: None,
                compliance: status.and_then(|status| status.compliant),
            },
            requeue_at: desired.requeue_at.map(instant),
            ..outcome(written, version, &policy)
        }
    }

    /// Reports in the status of a policy that the policy is not enforced. If writing the status
    /// would remove fields from the policy, reports this in an Event instead.
    async fn note_read_only(
        &self,
        writer: &Writer<ApprovalCheck>,
        (policy, loses_fields): (&OperatorPolicy, bool),
        why: &str,
        supposed: &OperatorPolicyStatus,
    ) -> Result<(), WriteFailure> {
        if self.is_silent {
            return Ok(());
        }
        if loses_fields {
            return writer.report_read_only(policy, why).await;
        }
        writer.note_read_only(policy, why, supposed).await
    }
}

// === impl StatusRenderer ===

impl StatusRenderer {
    /// Returns the status updates of a policy in the order of their writes. The status before the
    /// steps is included only if its event must be sent. The status after the steps follows.
    fn updates(
        &self,
        desired: &Desired,
        early: StatusUpdate,
        written: &[WrittenStep],
        policy: &OperatorPolicy,
    ) -> Vec<StatusUpdate> {
        if desired.steps.is_empty() {
            return vec![early];
        }
        let outcomes: Vec<StepOutcome> = written.iter().map(|each| each.outcome.clone()).collect();
        let after = desired.after(&outcomes);
        let before = policy.status.clone().unwrap_or_default();
        let late = self.render(&after, policy, &before);
        // If the steps fail again for the same reason, this was already reported.
        let is_worth_it = late.event.is_some() && desired.is_worth_early_event();
        if !is_worth_it {
            // A status without an event must not be in the history either.
            return vec![late];
        }
        let late = self.render(&after, policy, &early.status);
        vec![early, late]
    }

    fn render(
        &self,
        report: &Report,
        policy: &OperatorPolicy,
        before: &OperatorPolicyStatus,
    ) -> StatusUpdate {
        let mut update = render_status(report, policy, before, (self.now)());
        update.status.history.truncate(self.history);
        update
    }
}

/// Returns the outcome for a policy that must not be written. It contains the status that the
/// policy would have.
pub(crate) fn supposed(
    status: OperatorPolicyStatus,
    requeue_at: Option<Timestamp>,
) -> ReconcileOutcome {
    ReconcileOutcome {
        requeue_at: requeue_at.map(instant),
        report: PolicyReport {
            compliance: status.compliant,
            supposed: Some(status),
        },
        ..ReconcileOutcome::default()
    }
}

/// Returns the outcome of the reconciliation, from the results of the steps and of the status
/// update.
fn outcome(
    written: Vec<WrittenStep>,
    status: Result<Option<String>, WriteFailure>,
    policy: &OperatorPolicy,
) -> ReconcileOutcome {
    let mut pending = written.iter().filter_map(|each| each.pending.as_ref());
    let has_acted = pending.any(PendingWrite::is_change);
    let failed = written.iter().find_map(|each| failure(&each.outcome));
    let is_late = |each: &WrittenStep| matches!(each.outcome, StepOutcome::Overtaken(_));
    let has_conflict =
        written.iter().any(is_late) || matches!(status, Err(WriteFailure::Conflict(_)));
    let mut pending: Vec<_> = written
        .into_iter()
        .filter_map(|each| each.pending)
        .collect();
    let failure = match status {
        Ok(version) => {
            pending.extend(version.map(|version| pending_status(policy, version)));
            failed
        }
        Err(WriteFailure::Conflict(_)) => failed,
        Err(error) => failed.or_else(|| Some(portolan_shell::with_causes(&error))),
    };
    ReconcileOutcome {
        pending,
        has_acted,
        failure,
        has_conflict,
        ..ReconcileOutcome::default()
    }
}

/// Returns true if the last step has removed Portolan's finalizer from a policy that is being
/// deleted. Then the policy no longer exists, and its status cannot be written.
fn is_let_go(policy: &OperatorPolicy, steps: &[Step], written: &[WrittenStep]) -> bool {
    let is_leaving = policy.metadata.deletion_timestamp.is_some();
    let mut done = steps.iter().zip(written);
    is_leaving
        && done.any(|(step, written)| {
            let is_done = matches!(written.outcome, StepOutcome::Done { .. });
            step.action == Action::RemoveFinalizer && is_done
        })
}

fn failure(outcome: &StepOutcome) -> Option<String> {
    match outcome {
        StepOutcome::Done { .. } | StepOutcome::Overtaken(_) => None,
        StepOutcome::Refused(why) | StepOutcome::Lost(why) => Some(why.clone()),
    }
}

fn pending_status(policy: &OperatorPolicy, version: String) -> PendingWrite {
    let metadata = &policy.metadata;
    PendingWrite {
        kind: "OperatorPolicy".to_owned(),
        namespace: metadata.namespace.clone(),
        name: metadata.name.clone().unwrap_or_default(),
        before: metadata.resource_version.clone(),
        after: Expected::Version(version),
    }
}
