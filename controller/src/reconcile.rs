//! From one policy to what is written for it: observe, parse, ask, decide, write.
//!
//! ```text
//! Census -- Seen --> ask --> decide --> write --> Round
//!    ^                                              |
//!    |   Queue: whom, when; Echoes: what is         |
//!    \-- written and not seen yet <-----------------/
//! ```

mod drive;
mod echo;
mod ports;
mod queue;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use portolan_api::{Compliance, OperatorPolicy, OperatorPolicyStatus};
use portolan_core_operatorpolicy::{
    Action, Answers, Contest, Desired, Hands, Observed, Outcome, Report, Step, Told, Unkept,
    decide, definitions_to_go, tell,
};
use portolan_world::Key;

pub(crate) use self::drive::{Driver, ReadSchema, Work};
pub(crate) use self::ports::{Ask, Eyes, Look, Pen, Second, Write};
use crate::metrics::Metrics;
use crate::observe::{Elsewhere, Seen};
use crate::write::{Echo, EchoAfter, WriteFailure, Written};

/// What a policy is reconciled with.
#[derive(Debug)]
pub(crate) struct Reconciler<A, W> {
    pub(crate) services: A,
    pub(crate) pen: W,
    pub(crate) metrics: Arc<Metrics>,
    /// Whether nothing at all is written, not even that nothing is done.
    pub(crate) is_silent: bool,
    /// How many messages of the past a status has at most.
    pub(crate) history: usize,
    /// What time it is.
    pub(crate) now: fn() -> Timestamp,
}

/// What became of a policy.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Round {
    /// What was written, and is to be seen before the policy is looked at again.
    pub(crate) echoes: Vec<Echo>,
    /// Whether something was done that may call for more.
    pub(crate) has_acted: bool,
    /// Why it is to be tried again, if that is so.
    pub(crate) failure: Option<String>,
    /// Whether somebody else was faster, so that it is to be tried again though nothing failed.
    pub(crate) is_overtaken: bool,
    /// When to look again though nothing changes.
    pub(crate) again: Option<Timestamp>,
    /// The status that the policy would have, where nothing may be written.
    pub(crate) supposed: Option<OperatorPolicyStatus>,
    /// Whether the policy is compliant.
    pub(crate) compliance: Option<Compliance>,
}

/// What is to be done about a policy, with what it was decided from.
pub(crate) struct Decided {
    pub(crate) observed: Observed,
    pub(crate) answers: Answers,
    pub(crate) desired: Desired,
}

/// Looks at what nobody watches, asks, and decides.
pub(crate) async fn decided(
    (services, eyes): (&impl Ask, &impl Look),
    seen: Seen,
    now: fn() -> Timestamp,
) -> Decided {
    let Seen {
        shown: _,
        parsed,
        mut observed,
    } = seen;
    let intent = parsed.as_ref().as_ref().ok();
    let going = definitions_to_go(intent, &observed);
    if let Some(scene) = observed.scene.as_mut().filter(|_| !going.is_empty()) {
        scene.instances = eyes.instances(&going).await;
    }
    let answers = services.ask(intent, &observed).await;
    let desired = decide(&parsed, &observed, &answers, now());
    Decided {
        observed,
        answers,
        desired,
    }
}

impl<A: Ask, W: Write> Work for Reconciler<A, W> {
    async fn reconcile(&self, seen: Seen) -> Round {
        let shown = seen.shown.clone();
        let decided = decided((&self.services, &self.pen), seen, self.now).await;
        let Decided {
            observed,
            answers,
            desired,
        } = decided;
        self.metrics.heard(&answers, &observed);
        self.write(&shown, &observed, &desired).await
    }

    async fn news(&self) -> Vec<Elsewhere> {
        self.services.news().await
    }

    fn contests(&self, namespace: &str) -> (Vec<Contest>, Option<Instant>) {
        self.pen.contests(namespace)
    }

    fn unkept(&self, namespace: &str) -> Vec<Unkept> {
        self.pen.unkept(namespace)
    }

    fn forget(&self, policy: &Key) {
        self.pen.forget(policy);
    }
}

impl<A: Ask, W: Write> Reconciler<A, W> {
    async fn write(&self, shown: &OperatorPolicy, observed: &Observed, desired: &Desired) -> Round {
        let policy = &observed.policy;
        let before = policy.status.clone().unwrap_or_default();
        let early = self.tell(&desired.report, policy, &before);
        match &observed.hands {
            Hands::Tied(why) => {
                let failure = self.mention(shown, why, &early.status).await;
                Round {
                    failure,
                    ..Round::supposed(early.status, desired.again)
                }
            }
            Hands::Free => {
                let written = match desired.steps.is_empty() {
                    true => Vec::new(),
                    false => self.pen.carry_out(observed, desired).await,
                };
                if is_let_go(policy, &desired.steps, &written) {
                    return Round::of(written, Ok(None), policy);
                }
                let policy = Written::policy_after(&written, policy);
                let told = self.told(desired, early, &written, &policy);
                let version = self.pen.tell(&policy, &told).await;
                let status = told.into_iter().next_back().map(|told| told.status);
                Round {
                    compliance: status.and_then(|status| status.compliant),
                    again: desired.again,
                    ..Round::of(written, version, &policy)
                }
            }
        }
    }

    /// Tells a policy that nothing is done about it; why not, if that is to be tried again.
    async fn mention(
        &self,
        policy: &OperatorPolicy,
        why: &str,
        supposed: &OperatorPolicyStatus,
    ) -> Option<String> {
        if self.is_silent {
            return None;
        }
        let told = self.pen.mention(policy, why, supposed).await;
        told.err().map(|error| portolan_shell::with_causes(&error))
    }

    /// What is said of a policy, in the order in which it is said: how it was before the steps,
    /// where that is worth it, and how it is after them.
    fn told(
        &self,
        desired: &Desired,
        early: Told,
        written: &[Written],
        policy: &OperatorPolicy,
    ) -> Vec<Told> {
        if desired.steps.is_empty() {
            return vec![early];
        }
        let outcomes: Vec<Outcome> = written.iter().map(|each| each.outcome.clone()).collect();
        let after = desired.after(&outcomes);
        let before = policy.status.clone().unwrap_or_default();
        let late = self.tell(&after, policy, &before);
        // What fails again as it did before is told already.
        let is_worth_it = late.news.is_some() && desired.is_worth_telling_before();
        match is_worth_it {
            true => {
                let late = self.tell(&after, policy, &early.status);
                vec![early, late]
            }
            // What is not told leaves no line in the history either.
            false => vec![late],
        }
    }

    fn tell(
        &self,
        report: &Report,
        policy: &OperatorPolicy,
        before: &OperatorPolicyStatus,
    ) -> Told {
        let mut told = tell(report, policy, before, (self.now)());
        told.status.history.truncate(self.history);
        told
    }
}

// === impl Round ===

impl Round {
    /// What would be said where nothing may be written.
    fn supposed(status: OperatorPolicyStatus, again: Option<Timestamp>) -> Self {
        Self {
            compliance: status.compliant,
            supposed: Some(status),
            again,
            ..Self::default()
        }
    }

    /// What was written: the steps, and the status of the policy as it was after them.
    fn of(
        written: Vec<Written>,
        status: Result<Option<String>, WriteFailure>,
        policy: &OperatorPolicy,
    ) -> Self {
        let has_acted = written
            .iter()
            .filter_map(|each| each.echo.as_ref())
            .any(is_news);
        let failed = written.iter().find_map(|each| failure(&each.outcome));
        let is_late = |each: &Written| matches!(each.outcome, Outcome::Changed(_));
        let is_overtaken =
            written.iter().any(is_late) || matches!(status, Err(WriteFailure::Changed(_)));
        let mut echoes: Vec<_> = written.into_iter().filter_map(|each| each.echo).collect();
        let failure = match status {
            Ok(version) => {
                echoes.extend(version.map(|version| echo(policy, version)));
                failed
            }
            Err(WriteFailure::Changed(_)) => failed,
            Err(error) => failed.or_else(|| Some(portolan_shell::with_causes(&error))),
        };
        Self {
            echoes,
            has_acted,
            failure,
            is_overtaken,
            ..Self::default()
        }
    }
}

/// Whether nothing holds a policy any more that is being deleted: there is nobody to tell.
fn is_let_go(policy: &OperatorPolicy, steps: &[Step], written: &[Written]) -> bool {
    let is_leaving = policy.metadata.deletion_timestamp.is_some();
    let mut done = steps.iter().zip(written);
    is_leaving
        && done.any(|(step, written)| {
            let is_done = matches!(written.outcome, Outcome::Done { .. });
            step.action == Action::Release && is_done
        })
}

/// Whether an object is not as it was before it was written.
fn is_news(echo: &Echo) -> bool {
    match &echo.after {
        EchoAfter::Version(version) => echo.before.as_ref() != Some(version),
        EchoAfter::Gone(_) => true,
    }
}

fn failure(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Done { .. } | Outcome::Changed(_) => None,
        Outcome::Refused(why) | Outcome::Lost(why) => Some(why.clone()),
    }
}

fn echo(policy: &OperatorPolicy, version: String) -> Echo {
    let metadata = &policy.metadata;
    Echo {
        kind: "OperatorPolicy".to_owned(),
        namespace: metadata.namespace.clone(),
        name: metadata.name.clone().unwrap_or_default(),
        before: metadata.resource_version.clone(),
        after: EchoAfter::Version(version),
    }
}
