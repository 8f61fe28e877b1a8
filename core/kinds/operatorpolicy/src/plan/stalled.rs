//! Detects work that OLM does not start within five minutes, for example because OLM is not
//! running.

use jiff::{SignedDuration, Timestamp};
use portolan_api::Reason;
use portolan_api::status::find;
use portolan_core_olm::Subscription;

use super::{Relevant, TYPE};
use crate::case::Case;
use crate::contribution::Contribution;
use crate::desired::Condition;

/// The time within which OLM must start.
const PATIENCE: SignedDuration = SignedDuration::from_mins(5);

/// The time that OLM still has to start its work.
pub(crate) enum Patience {
    /// OLM may start until this time.
    Until(Timestamp),
    /// The time limit has passed.
    Over,
}

impl Patience {
    /// Returns the time limit of five minutes after `since`. If `since` is in the future, it comes
    /// from another clock. In this case, the time limit counts from now.
    pub(crate) fn since(since: Timestamp, now: Timestamp) -> Self {
        match since.min(now).saturating_add(PATIENCE) {
            Ok(end) if end > now => Self::Until(end),
            Ok(_) | Err(_) => Self::Over,
        }
    }
}

/// Returns the time since which the InstallPlan has been approved. This is the time when the status
/// first reported the approval, on the clock of this process. Returns None if the status already
/// reports that OLM did not start the InstallPlan within the time limit. This report stays until
/// OLM starts the InstallPlan or the approval is withdrawn.
pub(super) fn approved_since(relevant: &Relevant<'_>) -> Option<Timestamp> {
    let case = relevant.case;
    let is_same = is_listed(case, relevant.plan.metadata.uid.as_deref());
    if is_same && since(case, Reason::InstallPlanNotStarted).is_some() {
        return None;
    }
    let since = since(case, Reason::InstallPlanApproved).filter(|_| is_same);
    Some(since.map_or(case.now, |since| since.min(case.now)))
}

/// Returns the condition of an approved InstallPlan that OLM did not start within the time limit.
pub(super) fn never_started(relevant: &Relevant<'_>) -> Condition {
    let namespace = &relevant.case.namespace.name;
    let (name, brings) = (relevant.name(), relevant.brings());
    let message = format!(
        "InstallPlan {namespace}/{name} for {brings} was approved more than 5 minutes ago, but OLM \
         has not started it yet; check that OLM runs (Deployment catalog-operator)"
    );
    Condition::bad(TYPE, Reason::InstallPlanNotStarted, message)
}

/// Returns the contribution for a Subscription for which OLM has not chosen a bundle. If OLM
/// reports nothing within the time limit, the message names this problem.
pub(super) fn unresolved(case: &Case<'_>, new: &Subscription, none: Condition) -> Contribution {
    let says = |rest: &str| format!("{}; {rest}", none.message);
    let waiting = Condition {
        message: says("OLM has not chosen a bundle for the Subscription yet"),
        ..none.clone()
    };
    if !new.status.conditions.is_empty() {
        return Contribution::of(waiting);
    }
    let is_same = is_listed(case, new.metadata.uid.as_deref());
    let since = since(case, Reason::NoInstallPlansFound).filter(|_| is_same);
    match Patience::since(since.unwrap_or(case.now), case.now) {
        Patience::Until(later) => Contribution::of(waiting).requeue_at(later),
        Patience::Over => Contribution::of(Condition {
            message: says(
                "OLM has reported nothing about the Subscription for more than 5 minutes; check \
                 that OLM runs (Deployment catalog-operator)",
            ),
            since,
            ..none
        }),
    }
}

/// Returns the transition time of the previous condition. Returns None if that condition had
/// another reason.
fn since(case: &Case<'_>, reason: Reason) -> Option<Timestamp> {
    let before = find(&case.before.conditions, TYPE)?;
    (before.reason == reason.as_str()).then_some(before.last_transition_time.0)
}

/// Returns true if the previous status lists an object with this uid.
fn is_listed(case: &Case<'_>, uid: Option<&str>) -> bool {
    let before = case.before.related_objects.iter();
    let mut uids = before.filter_map(|each| each.properties.as_ref()?.uid.as_deref());
    uid.is_some() && uids.any(|listed| Some(listed) == uid)
}
