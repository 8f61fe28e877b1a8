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
use crate::hop::OperatorHop;
use crate::member::FleetMember;
use begin::begin;
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
    let csv = present.and_then(|present| Some((present, present.csv.as_ref()?)));
    match (case.intent.adopts, csv, held) {
        (true, Some((present, csv)), _) => begin(case, (present, csv), decision).map(Some),
        // The user canceled the adoption, or OLM's installation no longer exists. In both cases,
        // the suspended plan is no longer needed.
        (_, _, Some(held)) if !held.is_terminating => {
            decision.steps.push(Step::delete(held));
            let sentence = format!("the plan {} is deleted", held.plan);
            Ok(Some(UndatedCondition::no(Reason::Checking, sentence)))
        }
        (_, _, _) => Ok(None),
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
