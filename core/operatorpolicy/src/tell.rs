//! What is said of a policy: its status, its history, its compliance event.

mod compliance;
mod foreign;
mod kept;
mod news;
mod objects;
#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp, Unit};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, MicroTime, Time};
use portolan_api::{HistoryEvent, OperatorPolicy, OperatorPolicyStatus, Reason};

use self::compliance::Verdict;
use self::news::is_news;
pub(crate) use self::objects::belongs;
use crate::desired::{Action, Desired, Outcome, Report, Said, Status, Step, Word};
use crate::phrase::{cut, uncapitalized};
use crate::{removal, words};

/// The longest message of a condition, in characters.
const LONGEST: usize = 32_768;
/// How many messages the history holds.
const HISTORY: usize = 10;
/// Stands before what was tried and came too late.
const OVERTAKEN: &str = " (looked at again, as ";

/// What is said of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Its status, whole.
    pub status: OperatorPolicyStatus,
    /// What is new about it, for the compliance event; None if nothing is.
    pub news: Option<News>,
}

/// What is new about a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// Whether the policy is Compliant.
    pub is_compliant: bool,
    /// The message, which begins with `Compliant; ` or `NonCompliant; `.
    pub message: String,
    /// The instant under which the history has it, in whole microseconds.
    pub at: Timestamp,
}

/// Makes the status of a policy out of a report, from the status that was told before.
///
/// A condition keeps its time unless its status, reason or message changes. What is kept says so, and
/// since when. There is news if a condition changes, if the policy does, or if somebody emptied
/// `status.compliant` to hear it once more. Of a policy that was let go there is nothing to tell: what
/// its status says of the removal stays, however long somebody else holds it.
pub fn tell(
    report: &Report,
    policy: &OperatorPolicy,
    before: &OperatorPolicyStatus,
    now: Timestamp,
) -> Told {
    if removal::is_let_go(policy) {
        let status = before.clone();
        return Told { status, news: None };
    }
    if report.is_partial {
        let status = objects::with_namespace(report, policy, before);
        return Told { status, news: None };
    }
    let said = said(report, policy, (before, now));
    let verdict = compliance::judge(&said, report, policy, before);
    let mut status = OperatorPolicyStatus {
        compliant: Some(verdict.compliant(policy)),
        conditions: conditions(said, &verdict, report, (before, now)),
        history: before.history.clone(),
        observed_generation: policy.metadata.generation,
        overlapping_policies: report.overlapping.clone(),
        related_objects: objects::related(report, before),
        removal: report.removal.clone(),
        resolved_subscription_label: objects::label(report, policy, before),
        subscription_intervention_time: report.intervention.map(Time),
        upgrades: objects::upgrades(report, before),
    };
    if report.conditions.is_empty() && !report.kept.is_empty() {
        objects::keep(&mut status, before);
    }
    let news = is_news(&status, before).then(|| {
        let at = instant(&before.history, now);
        remember(&mut status.history, &verdict.message, at);
        News {
            is_compliant: verdict.is_compliant,
            message: verdict.message,
            at,
        }
    });
    Told { status, news }
}

/// What is said of each matter, with what is kept from before.
fn said(
    report: &Report,
    policy: &OperatorPolicy,
    (before, now): (&OperatorPolicyStatus, Timestamp),
) -> Vec<(Said, Condition)> {
    let fresh = report.conditions.iter().cloned();
    let kept = report.kept.iter();
    let kept = kept.map(|(of, why)| kept::said(*of, why, policy, before));
    let said = fresh.chain(kept).map(|said| {
        let condition = condition(&said, before, now);
        (said, condition)
    });
    let mut said: Vec<_> = said.collect();
    said.sort_by_key(|(said, _)| said.of);
    said.dedup_by_key(|(said, _)| said.of);
    said
}

fn condition(said: &Said, before: &OperatorPolicyStatus, now: Timestamp) -> Condition {
    let reason = match &said.reason {
        Word::Ours(reason) => reason.as_str(),
        Word::Olm(word) => words::reason(word),
    };
    let condition = Condition {
        type_: said.of.as_str().to_owned(),
        status: said.status.as_str().to_owned(),
        reason: reason.to_owned(),
        message: cut(uncapitalized(&said.message), LONGEST),
        last_transition_time: Time(said.since.unwrap_or(now)),
        observed_generation: None,
    };
    timed(condition, before)
}

/// With the time of the same condition before, if it says the same.
fn timed(mut condition: Condition, before: &OperatorPolicyStatus) -> Condition {
    let same = before.conditions.iter().find(|old| {
        old.type_ == condition.type_
            && old.status == condition.status
            && old.reason == condition.reason
            && old.message == condition.message
    });
    if let Some(same) = same {
        condition.last_transition_time = same.last_transition_time.clone();
    }
    condition
}

/// All conditions, by type: those of ours, the whole, and OLM's own.
fn conditions(
    said: Vec<(Said, Condition)>,
    verdict: &Verdict,
    report: &Report,
    (before, now): (&OperatorPolicyStatus, Timestamp),
) -> Vec<Condition> {
    let whole = timed(verdict.condition(now), before);
    let mut all: Vec<_> = said.into_iter().map(|(_, condition)| condition).collect();
    all.push(whole);
    let foreign = foreign::conditions(&report.olm, now).into_iter();
    all.extend(foreign.map(|each| timed(each, before)));
    all.sort_by(|a, b| a.type_.cmp(&b.type_));
    all.dedup_by(|a, b| a.type_ == b.type_);
    all
}

/// Now, but later than what the history has: an event is known by its instant.
fn instant(history: &[HistoryEvent], now: Timestamp) -> Timestamp {
    let now = now.round(Unit::Microsecond).unwrap_or(now);
    let last = history
        .first()
        .and_then(|event| event.last_timestamp.as_ref());
    let next = last.map(|last| last.0.saturating_add(SignedDuration::from_micros(1)));
    match next {
        Some(Ok(next)) => now.max(next),
        Some(Err(_)) | None => now,
    }
}

/// Equal messages in a row are one, with the last of their times.
fn remember(history: &mut Vec<HistoryEvent>, message: &str, at: Timestamp) {
    let is_same = |event: &HistoryEvent| event.message.as_deref() == Some(message);
    if history.first().is_some_and(is_same) {
        history.remove(0);
    }
    let event = HistoryEvent {
        last_timestamp: Some(MicroTime(at)),
        message: Some(message.to_owned()),
    };
    history.insert(0, event);
    history.truncate(HISTORY);
}

// === impl Desired ===

impl Desired {
    /// Whether it is worth an event of its own how it is before the steps are taken: where
    /// something is made, changed or deleted, and nothing is on its way out already.
    pub fn is_worth_telling_before(&self) -> bool {
        let changes = self.steps.iter().any(|step| match step.action {
            Action::Create(_) | Action::Apply(_) | Action::Replace { .. } => true,
            Action::Delete { .. } => true,
            Action::Approve(_) | Action::Mend { .. } => false,
            Action::Hold | Action::Release | Action::Record => false,
        });
        let is_leaving = |said: &Said| match said.reason {
            Word::Ours(reason) => LEAVING.contains(&reason),
            Word::Olm(_) => false,
        };
        changes && !self.report.conditions.iter().any(is_leaving)
    }

    /// How it is after the steps: done, or refused.
    pub fn after(&self, outcomes: &[Outcome]) -> Report {
        let mut report = self.report.clone();
        for (step, outcome) in self.steps.iter().zip(outcomes) {
            match outcome {
                Outcome::Done { uid } => done(&mut report, step, uid.as_deref()),
                Outcome::Changed(why) => overtaken(&mut report, step, why),
                Outcome::Refused(why) => {
                    failed(
                        &mut report,
                        step,
                        &format!("but the API server refuses: {why}"),
                    );
                }
                Outcome::Lost(why) => {
                    failed(
                        &mut report,
                        step,
                        &format!("and it is not known whether: {why}"),
                    );
                }
            }
        }
        report
    }
}

/// What says that something is on its way out.
const LEAVING: [Reason; 4] = [
    Reason::OperatorGroupDeleting,
    Reason::SubscriptionDeleting,
    Reason::ClusterServiceVersionDeleting,
    Reason::CustomResourceDefinitionDeleting,
];

fn done(report: &mut Report, step: &Step, uid: Option<&str>) {
    match step.action {
        // They are about the policy, of which no condition speaks.
        Action::Hold | Action::Release | Action::Record => return,
        Action::Create(_) | Action::Apply(_) | Action::Replace { .. } => {}
        Action::Approve(_) | Action::Mend { .. } | Action::Delete { .. } => {}
    }
    put(report, step.done.clone());
    if !step.related.is_empty() {
        let related = step.related.iter().cloned();
        let related = related.map(|each| objects::with_uid(each, uid)).collect();
        report.related.retain(|(of, _)| *of != step.done.of);
        report.related.push((step.done.of, related));
    }
}

/// Somebody was faster, which is no failure: the matter is as it was seen until it is seen anew.
fn overtaken(report: &mut Report, step: &Step, why: &str) {
    let mut said = report.conditions.iter_mut();
    if let Some(said) = said.find(|said| said.of == step.of) {
        let tried = format!("{OVERTAKEN}{} was tried: {why})", step.action);
        said.message.push_str(&tried);
    }
}

/// The matter stays as it was, and is to blame.
fn failed(report: &mut Report, step: &Step, why: &str) {
    let tried = format!("{} was tried, {why}", step.action);
    let before = report.conditions.iter().find(|said| said.of == step.of);
    let message = match before {
        Some(said) if !said.message.is_empty() => format!("{}; {tried}", said.message),
        Some(_) | None => tried,
    };
    let reason = match before {
        Some(said) if !is_content(said) => said.reason.clone(),
        Some(_) | None => Word::Ours(Reason::Withheld),
    };
    let said = Said {
        reason,
        ..Said::bad(step.of, Reason::Withheld, message)
    };
    put(report, said);
}

/// Whether a matter was told to be as it should be, in a word that cannot stand beside a failure. A
/// plan that waits does so whether that counts or not.
fn is_content(said: &Said) -> bool {
    let waits = Word::Ours(Reason::InstallPlanRequiresApproval);
    said.status == Status::good(said.of) && said.reason != waits
}

fn put(report: &mut Report, said: Said) {
    report.kept.retain(|(of, _)| *of != said.of);
    report.conditions.retain(|each| each.of != said.of);
    report.conditions.push(said);
}

// === impl Status ===

impl Status {
    /// As it stands in a status.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "True" => Self::True,
            "False" => Self::False,
            _ => Self::Unknown,
        }
    }
}
