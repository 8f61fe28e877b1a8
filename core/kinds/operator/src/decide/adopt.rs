//! Adopts an operator that OLM v0 has installed, without a restart of the operator.
//!
//! An adoption has these steps:
//!
//! 1. Portolan creates a suspended plan that describes the live objects.
//! 2. Portolan releases the plan. The plan controller applies it while OLM still manages the
//!    objects.
//! 3. When the plan is ready, Portolan puts its own finalizer on the ClusterServiceVersion. Then
//!    Portolan deletes the ClusterServiceVersion and the Subscription. The finalizer keeps the
//!    ClusterServiceVersion for now.
//! 4. Portolan removes OLM's labels, annotations and owner references from the objects. Then
//!    Portolan removes its finalizer, and the ClusterServiceVersion disappears.
//! 5. Portolan transfers the certificate Secrets to its certificate controller, and the plan
//!    becomes the owner of the objects.
//!
//! The same steps as a diagram:
//!
//! ```text
//! plan of the live objects, suspended -> applied beside OLM
//!    -> ClusterServiceVersion deleted, but kept by our finalizer -> Subscription deleted
//!    -> OLM's marks removed -> ClusterServiceVersion gone -> certificates; found objects become ours
//! ```
//!
//! The adoption can be undone until the ClusterServiceVersion is deleted. The deletion keeps the
//! objects of the ClusterServiceVersion for two reasons: it orphans these objects, and an earlier
//! write removes the finalizer with which OLM deletes objects. OLM ignores a ClusterServiceVersion
//! that is being deleted. The Subscription is not deleted first, because OLM would then restart the
//! Pods without the config of the Subscription.

mod begin;
mod extension;
mod holders;
mod leaving;

use portolan_api::operator::{AdoptionStatus, AdoptionStep, Reason, SubscriptionStatus};
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::Value;

use super::report::UndatedCondition;
use super::{Act, Ask, Decision, Halt, Observation, OperatorContext, Step};
use crate::adoption::{Adopts, LiveQuery};
use crate::answer::Answer;
use crate::fleet::Fleet;
use crate::fleet::Present;
use crate::hop::{HopState, OperatorHop};
use crate::member::FleetMember;
use begin::begin;
use extension::Handover;
use leaving::{go_on, is_of_olm, let_go};

const OLM: &str = "operators.coreos.com/v1alpha1";

/// Returns the status of the adoption that created the current plan. If no adoption created this
/// plan, returns the adoption status of the previous decision. Returns None if there is no current
/// plan.
pub(super) fn status(
    observed: &Observation,
    current: Option<&OperatorHop>,
) -> Option<AdoptionStatus> {
    let adopting = current.and_then(|hop| Some((hop, hop.facts.adopts.as_ref()?)));
    let Some((hop, adopts)) = adopting else {
        return observed
            .status
            .adoption
            .clone()
            .filter(|_| current.is_some());
    };
    if let Some(handover) = Handover::of(observed, hop) {
        return Some(handover.status());
    }
    let step = if hop.owns_found {
        AdoptionStep::Adopted
    } else if may_undo(&observed.fleet, adopts) {
        AdoptionStep::Beside
    } else {
        AdoptionStep::Leaving
    };
    Some(AdoptionStatus {
        namespace: adopts.csv.namespace.clone(),
        cluster_service_version: adopts.csv.name.clone(),
        subscription: adopts.subscription().map(|it| SubscriptionStatus {
            name: text(&it, "/metadata/name").to_owned(),
            spec: it["spec"].clone(),
        }),
        cluster_extension: None,
        step,
    })
}

/// Decides the next step of an adoption. This happens before all other steps of an Operator. `case`
/// is None if the Operator is being deleted. If the result is None, the decision continues with the
/// other steps.
///
/// If a user cancels the adoption after OLM has begun to release the objects, the adoption is
/// completed anyway. Otherwise, the objects are given back to OLM.
pub(super) fn adopt(
    (observed, member): (&Observation, &FleetMember),
    case: Option<OperatorContext<'_>>,
    decision: &mut Decision,
) -> Result<Option<UndatedCondition>, Halt> {
    let Some((hop, adopts)) = under_way(member.current()) else {
        return match case {
            Some(case) if member.current().is_none() => begin_or_cancel(case, decision),
            Some(_) | None => Ok(None),
        };
    };
    let is_wanted = case.is_some_and(|case| case.intent.adopts);
    if let Some(handover) = Handover::of(observed, hop) {
        return handover.proceed(is_wanted, case, decision);
    }
    if is_wanted || !may_undo(&observed.fleet, adopts) && !is_of_olm(observed, (hop, adopts))? {
        return go_on(observed, (hop, adopts), decision).map(Some);
    }
    match case {
        Some(_) => undo(observed, (hop, adopts), decision).map(Some),
        // The next phase deletes the plan together with the Operator.
        None => give_back(observed, (hop, adopts), decision).map(|()| None),
    }
}

fn begin_or_cancel(
    case: OperatorContext<'_>,
    decision: &mut Decision,
) -> Result<Option<UndatedCondition>, Halt> {
    let held = case.member.next().filter(|hop| hop.facts.adopts.is_some());
    let present = case.observed.fleet.present(case.intent.package.as_str());
    if let Some(present) = present.filter(|_| case.intent.adopts) {
        let Present { csv, extension, .. } = present;
        if let Some(csv) = csv {
            return begin(case, (present, csv), decision).map(Some);
        }
        if let Some(extension) = extension {
            return extension::begin(case, (present, extension), decision).map(Some);
        }
    }
    match held {
        // The adoption was canceled, or its objects no longer exist.
        Some(held) if !held.is_terminating => {
            decision.steps.push(Step::delete(held));
            let sentence = format!("the plan {} is deleted", held.plan);
            Ok(Some(UndatedCondition::no(Reason::Checking, sentence)))
        }
        Some(_) | None => Ok(None),
    }
}

/// Returns the plan of an adoption in progress: the plan has begun, but it does not own the objects
/// yet. Returns None if no adoption is in progress.
fn under_way(current: Option<&OperatorHop>) -> Option<(&OperatorHop, &Adopts)> {
    let hop = current.filter(|hop| !hop.owns_found)?;
    Some((hop, hop.facts.adopts.as_ref()?))
}

/// Returns true if the ClusterServiceVersion exists and is not being deleted. Then OLM still
/// manages the objects, and the adoption can be canceled.
fn may_undo(fleet: &Fleet, adopts: &Adopts) -> bool {
    let csv = fleet.csv(adopts);
    csv.is_some_and(|(_, csv)| !csv.is_terminating)
}

// --- cancellation ---

/// Cancels an adoption: gives the objects back to OLM, and deletes the plan.
fn undo(
    observed: &Observation,
    (hop, adopts): (&OperatorHop, &Adopts),
    decision: &mut Decision,
) -> Result<UndatedCondition, Halt> {
    give_back(observed, (hop, adopts), decision)?;
    if !hop.is_terminating {
        decision.steps.push(Step::delete(hop));
    }
    let sentence = format!(
        "the plan {} is deleted, and OLM keeps its objects",
        hop.plan
    );
    Err(Halt::no(Reason::InstalledByOlm, sentence))
}

/// Removes Portolan's finalizer from the ClusterServiceVersion, so that OLM manages the objects
/// again.
fn give_back(
    observed: &Observation,
    (hop, adopts): (&OperatorHop, &Adopts),
    decision: &mut Decision,
) -> Result<(), Halt> {
    for csv in live_of(observed, hop, [adopts.csv.object()])? {
        decision.steps.extend(patch(hop, csv, let_go(csv)));
    }
    Ok(())
}

// --- shared by all phases of an adoption ---

/// Returns the condition of an adoption whose plan is not applied yet. Returns None if the plan is
/// applied and its objects are ready.
///
/// # Errors
/// Returns the problem of a plan that cannot be applied.
fn unapplied(hop: &OperatorHop) -> Result<Option<UndatedCondition>, Halt> {
    let bundle = &hop.facts.installs.bundle;
    let HopState::Begun {
        ready_since: None,
        problem,
        message,
        ..
    } = &hop.state
    else {
        return Ok(None);
    };
    match problem {
        Some(problem) => Err(Halt::no(
            Reason::InstallFailed,
            format!(
                "{bundle} cannot be installed, so OLM still owns the existing objects: {problem}"
            ),
        )),
        None => Ok(Some(UndatedCondition::yes(
            Reason::Adopting,
            format!(
                "{bundle} is being installed while OLM still owns the existing objects: {message}"
            ),
        ))),
    }
}

fn refuse(sentences: Vec<String>) -> Result<(), Halt> {
    if sentences.is_empty() {
        return Ok(());
    }
    Err(Halt::no(Reason::AdoptionRefused, sentences.join("; ")))
}

fn live(observed: &Observation, query: LiveQuery) -> Result<&[Value], Halt> {
    match observed.live.get(&query) {
        None => Err(Halt::Ask([Ask::Live(Box::new(query))].into())),
        Some(Answer::Known(objects)) => Ok(objects),
        Some(Answer::Refused(sentence) | Answer::Unavailable(sentence)) => {
            let sentence = format!("the objects that OLM owns cannot be read: {sentence}");
            Err(Halt::no(Reason::AdoptionRefused, sentence).polled())
        }
    }
}

/// Returns these objects from the cluster. The controller reads them with the permissions of the
/// plan's ServiceAccount.
fn live_of<'o>(
    observed: &'o Observation,
    hop: &OperatorHop,
    objects: impl IntoIterator<Item = ObjectRef<Gvk>>,
) -> Result<&'o [Value], Halt> {
    let query = LiveQuery {
        account: hop.account(),
        objects: objects.into_iter().collect(),
        owner: None,
    };
    live(observed, query)
}

/// Returns the step that patches an object. The patch fails if the object has changed since it was
/// read. Returns None if there are no operations.
fn patch(hop: &OperatorHop, object: &Value, operations: Vec<Value>) -> Option<Step> {
    (!operations.is_empty()).then(|| {
        let act = Act::Patch {
            object: ObjectRef::versioned(object),
            uid: text(object, "/metadata/uid").to_owned(),
            version: text(object, "/metadata/resourceVersion").to_owned(),
            operations,
        };
        Step::As(hop.account(), act)
    })
}

/// Returns the step that deletes an object. The deletion fails if the object has changed since it
/// was read.
fn delete(hop: &OperatorHop, object: &Value) -> Step {
    let act = Act::Delete {
        object: ObjectRef::versioned(object),
        uid: text(object, "/metadata/uid").to_owned(),
        version: text(object, "/metadata/resourceVersion").to_owned(),
    };
    Step::As(hop.account(), act)
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default()
}
