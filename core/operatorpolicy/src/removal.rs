//! Removes an operator: in the design form when its policy is deleted, in the established one when
//! the policy says that it must not be there.
//!
//! ```text
//! write down all that is to go and to stay
//!   -> Subscription         so that OLM brings nothing back
//!   -> definitions          if they are to go: while the operator runs, until its resources are gone
//!   -> ClusterServiceVersions
//!   -> OperatorGroup        unless another operator uses it
//!   -> InstallPlans         if they are to go
//!   -> let the policy go
//! ```
//!
//! One stage waits for the one before. Which one is at hand follows from the record and from what is
//! there, so that a removal that was broken off goes on where it was. Only an object with a recorded
//! uid is deleted; what has merely its name is somebody else's.

mod case;
mod crds;
mod disposition;
mod groups;
mod inventory;
mod operator;
mod record;
mod related;
mod report;
mod stage;
mod steps;
mod summary;
mod unseen;
mod withheld;

#[cfg(test)]
mod tests;

use std::iter;
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::{
    ConditionType, FINALIZER, Form, Intent, OperatorPolicy, OperatorPolicyStatus, Presence, Reason,
    RemainingObject, Remediation, RemovalRecord, RemovedObject,
};
use portolan_core_olm::CustomResourceDefinition;

use crate::case::Case;
use crate::desired::{Action, Condition, Desired, Report, Status, Step};
use crate::{NamespaceState, Observed, WriteMode, valid};

use self::case::RemovalCase;
use self::inventory::{Inventory, Item};
use self::stage::Stage;

/// What is done and said while a policy is being deleted. Nothing once it is not held back.
pub(crate) fn leave(intent: Option<&Intent>, observed: &Observed, now: Timestamp) -> Desired {
    if !is_held(observed) {
        return Desired::default();
    }
    if let WriteMode::ReadOnly(why) = &observed.write_mode {
        return withheld(observed, why, Vec::new());
    }
    if let Some(why) = withheld::until_named(intent, observed) {
        return withheld(observed, &why, Vec::new());
    }
    if let Some((why, until)) = withheld::for_now(intent, observed, now) {
        return Desired {
            requeue_at: Some(until),
            ..withheld(observed, &why, Vec::new())
        };
    }
    let why = match (intent, withheld::on_leaving(intent, observed)) {
        (Some(intent), None) => match &observed.namespace {
            Some(namespace) => return remove(&on_leaving(intent, observed, namespace, now)),
            None if unseen::may_be_found(observed) => return unseen::desired(observed),
            None => format!(
                "no namespace is known for the package {}",
                intent.subscription.package
            ),
        },
        (_, Some(why)) => why,
        (None, None) => "the policy is not valid".to_owned(),
    };
    withheld(observed, &why, release(observed))
}

/// What is done and said where an operator must not be.
pub(crate) fn must_not_have(case: &Case<'_>) -> Desired {
    if !case.observed.stale.is_empty() {
        return unseen::desired(case.observed);
    }
    let removal = on_must_not_have(case);
    let inventory = Inventory::of(&removal);
    let before = removal.record().cloned();
    let (steps, record) = match (case.acts() && removal.obstacle.is_none(), inventory.stage()) {
        (true, Some(_)) => {
            let record = record::record(&removal, &inventory);
            (steps::steps(&removal, &inventory), Some(record))
        }
        (true, None) => (Vec::new(), None),
        (false, _) => (Vec::new(), before.filter(|_| case.intent.is_enforced())),
    };
    let report = Report {
        removal: record,
        ..report::report(&removal, &inventory, Some(case))
    };
    let requeue_at = poll_at(&removal, &inventory).filter(|_| case.acts());
    Desired {
        report,
        steps,
        requeue_at,
    }
}

/// Holds a policy back before anything is written for it, and no longer once nothing would be
/// removed with it.
pub(crate) fn hold(case: &Case<'_>) -> Vec<Step> {
    let Intent {
        form, remediation, ..
    } = case.intent;
    let is_free = case.observed.write_mode == WriteMode::ReadWrite;
    let action = match (form, remediation, is_held(case.observed)) {
        (Form::Design, Remediation::Enforce, false) => Action::AddFinalizer,
        (Form::Design, Remediation::Inform, true) | (Form::Established, _, true) => {
            Action::RemoveFinalizer
        }
        (Form::Design, Remediation::Enforce, true)
        | (Form::Design, Remediation::Inform, false)
        | (Form::Established, _, false) => return Vec::new(),
    };
    let type_ = ConditionType::ValidPolicySpec;
    let done = Condition::good(type_, Reason::PolicyValidated, valid::valid(case));
    let step = Step {
        action,
        type_,
        done,
        related: Vec::new(),
    };
    Some(step).filter(|_| is_free).into_iter().collect()
}

/// What would go and what would stay if the policy were deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// Each object as it would be written down.
    pub objects: Vec<PreviewedObject>,
    /// How far it would be.
    pub phase: Option<String>,
    /// What would hold it up.
    pub remaining: Vec<RemainingObject>,
}

/// What would become of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewedObject {
    /// The object.
    pub object: RemovedObject,
    /// Why it stays, if it does and that is for us to say.
    pub stays: Option<String>,
}

/// What would go and what would stay if the policy were deleted.
pub fn preview(intent: &Intent, observed: &Observed) -> Preview {
    let nowhere = NamespaceState::default();
    let namespace = observed.namespace.as_ref().unwrap_or(&nowhere);
    let obstacle = withheld::until_named(Some(intent), observed);
    let removal = RemovalCase {
        obstacle: obstacle.or_else(|| withheld::on_leaving(Some(intent), observed)),
        ..on_leaving(intent, observed, namespace, Timestamp::UNIX_EPOCH)
    };
    let inventory = Inventory::of(&removal);
    let RemovalRecord {
        objects,
        phase,
        remaining,
        started: _,
    } = record::plan(&removal, &inventory);
    let stays = inventory.items.iter().map(Item::keep_reason);
    // What OLM alone removes stands behind them.
    let stays = stays.chain(iter::repeat(None));
    let objects = objects.into_iter().zip(stays);
    Preview {
        objects: objects
            .map(|(object, stays)| PreviewedObject { object, stays })
            .collect(),
        phase,
        remaining,
    }
}

/// The definitions that go next, or are going: those whose custom resources must be known.
pub fn crds_to_delete(
    intent: Option<&Intent>,
    observed: &Observed,
) -> Vec<Arc<CustomResourceDefinition>> {
    let (Some(intent), Some(namespace)) = (intent, &observed.namespace) else {
        return Vec::new();
    };
    let Some(removal) = under_way(intent, observed, namespace) else {
        return Vec::new();
    };
    let inventory = Inventory::of(&removal);
    let is_next = inventory.stage() == Some(Stage::Crds);
    let awaited: Vec<_> = inventory
        .at(Stage::Crds)
        .filter(|item| is_next && item.is_awaited())
        .collect();
    let all = namespace.crds.iter().filter(|crd| {
        let uid = crd.metadata.uid.as_deref();
        awaited
            .iter()
            .any(|item| Some(item.target.uid.as_str()) == uid)
    });
    all.cloned().collect()
}

/// The removal that is to be carried out, if one is.
fn under_way<'a>(
    intent: &'a Intent,
    observed: &'a Observed,
    namespace: &'a NamespaceState,
) -> Option<RemovalCase<'a>> {
    let is_leaving = observed.policy.metadata.deletion_timestamp.is_some();
    let obstacle = match (is_leaving, intent.presence) {
        (true, _) if !is_held(observed) => return None,
        (true, _) => withheld::on_leaving(Some(intent), observed),
        (false, Presence::MustNotHave) => withheld::others(intent, observed),
        (false, Presence::MustHave) => return None,
    };
    let is_idle = !intent.is_enforced() || observed.write_mode != WriteMode::ReadWrite;
    let removal = on_leaving(intent, observed, namespace, Timestamp::UNIX_EPOCH);
    Some(removal).filter(|_| obstacle.is_none() && !is_idle)
}

/// Whether a policy is being deleted and we do not hold it back, or no longer.
pub(crate) fn is_let_go(policy: &OperatorPolicy) -> bool {
    policy.metadata.deletion_timestamp.is_some() && !has_finalizer(policy)
}

fn is_held(observed: &Observed) -> bool {
    has_finalizer(&observed.policy)
}

fn has_finalizer(policy: &OperatorPolicy) -> bool {
    let finalizers = policy.metadata.finalizers.iter().flatten();
    finalizers.into_iter().any(|each| each == FINALIZER)
}

fn on_leaving<'a>(
    intent: &'a Intent,
    observed: &'a Observed,
    namespace: &'a NamespaceState,
    now: Timestamp,
) -> RemovalCase<'a> {
    RemovalCase {
        intent,
        observed,
        namespace,
        now,
        obstacle: None,
        idle: None,
    }
}

fn on_must_not_have<'a>(case: &Case<'a>) -> RemovalCase<'a> {
    let idle = match (case.intent.remediation, &case.observed.write_mode) {
        (Remediation::Inform, _) => Some("the policy only informs".to_owned()),
        (Remediation::Enforce, WriteMode::ReadOnly(why)) => Some(why.clone()),
        (Remediation::Enforce, WriteMode::ReadWrite) => None,
    };
    RemovalCase {
        intent: case.intent,
        observed: case.observed,
        namespace: case.namespace,
        now: case.now,
        obstacle: withheld::others(case.intent, case.observed),
        idle,
    }
}

/// The removal of a policy that is being deleted, from the record or from the start.
fn remove(removal: &RemovalCase<'_>) -> Desired {
    if !removal.observed.stale.is_empty() {
        return unseen::desired(removal.observed);
    }
    let inventory = Inventory::of(removal);
    let report = Report {
        removal: Some(record::record(removal, &inventory)),
        label: label(removal.observed),
        ..report::report(removal, &inventory, None)
    };
    let steps = match inventory.stage() {
        Some(_) => steps::steps(removal, &inventory),
        // What is said at last is lost unless it is written before the policy goes.
        None => [Action::WriteStatus, Action::RemoveFinalizer]
            .map(|action| steps::unchanged(removal, &inventory, action))
            .to_vec(),
    };
    Desired {
        report,
        steps,
        requeue_at: poll_at(removal, &inventory),
    }
}

/// Nobody watches custom resources.
fn poll_at(removal: &RemovalCase<'_>, inventory: &Inventory) -> Option<Timestamp> {
    let is_waiting = inventory.stage() == Some(Stage::Crds);
    is_waiting.then(|| removal.now + steps::POLL)
}

/// Says why nothing is removed.
fn withheld(observed: &Observed, why: &str, actions: Vec<Action>) -> Desired {
    let type_ = ConditionType::SubscriptionCompliant;
    let message = format!("the operator is not removed with its policy, as {why}");
    let condition = Condition::new(type_, Status::False, Reason::Withheld, message);
    let step = |action| Step {
        action,
        type_,
        done: condition.clone(),
        related: Vec::new(),
    };
    let steps = actions.into_iter().map(step).collect();
    let report = Report {
        conditions: vec![condition.clone()],
        removal: status(observed).and_then(|status| status.removal.clone()),
        label: label(observed),
        ..Report::default()
    };
    Desired {
        report,
        steps,
        requeue_at: None,
    }
}

/// Says it and lets the policy go. Where its kind is going, nothing is said any more.
fn release(observed: &Observed) -> Vec<Action> {
    match observed.is_crd_terminating {
        true => vec![Action::RemoveFinalizer],
        false => vec![Action::WriteStatus, Action::RemoveFinalizer],
    }
}

fn status(observed: &Observed) -> Option<&OperatorPolicyStatus> {
    observed.policy.status.as_ref()
}

fn label(observed: &Observed) -> Option<String> {
    status(observed)?.resolved_subscription_label.clone()
}
