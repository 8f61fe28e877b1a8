//! The second phase of an adoption, after the plan was applied: OLM releases the objects.

use std::collections::BTreeSet;

use portolan_api::operator::{ADOPTED, Reason};
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::{Value, json};

use super::super::report::UndatedCondition;
use super::super::{Act, Decision, Halt, Observation, Step};
use super::{delete, live_of, patch, refuse, text, undo};
use crate::adoption::{Adopts, disown, hand_over_certificate, without_conversions};
use crate::fleet::{Csv, Present};
use crate::hop::{HopState, OperatorHop};

/// The finalizer of OLM on a ClusterServiceVersion. With this finalizer, OLM deletes the objects
/// that have no owner reference.
const CLEANUP: &str = "operators.coreos.com/csv-cleanup";
/// The finalizer that Kubernetes sets on an object whose dependents must be kept. The garbage
/// collector first removes the owner references from the dependents, and then this finalizer.
const ORPHAN: &str = "orphan";

/// Continues an adoption after its plan was released.
pub(super) fn go_on(
    observed: &Observation,
    (hop, adopts): (&OperatorHop, &Adopts),
    decision: &mut Decision,
) -> Result<UndatedCondition, Halt> {
    let csv = observed.fleet.csv(adopts);
    if let Some((present, csv)) = csv.filter(|(_, csv)| !csv.is_terminating) {
        return beside(observed, (hop, adopts), (present, csv), decision);
    }
    if observed.fleet.has_gone_on(hop, adopts) {
        // OLM has installed another version in the meantime, so OLM still manages the operator.
        return undo(observed, (hop, adopts), decision);
    }
    if let Some(subscription) = subscription(observed, (hop, adopts))? {
        if !csv.is_some_and(|(_, csv)| is_held(csv)) {
            let sentence = format!(
                "{} is being deleted by another client; waiting for OLM, or until the Subscription \
                 is deleted",
                adopts.csv.name
            );
            return Ok(UndatedCondition::yes(Reason::Adopting, sentence));
        }
        decision.steps.push(delete(hop, subscription));
        let sentence = format!("the Subscription of {} is being deleted", adopts.csv.name);
        return Ok(UndatedCondition::yes(Reason::Adopting, sentence));
    }
    match csv {
        Some((_, csv)) => leave(observed, (hop, adopts), csv, decision),
        None => own(observed, (hop, adopts), decision),
    }
}

/// Returns true if the ClusterServiceVersion has Portolan's finalizer.
fn is_held(csv: &Csv) -> bool {
    csv.finalizers.iter().any(|it| it == ADOPTED)
}

/// Returns true if OLM still manages the operator. This is true in two cases: OLM has installed
/// another version, or the Subscription exists and the ClusterServiceVersion does not have
/// Portolan's finalizer. If the user then cancels the adoption, the objects are given back to OLM.
pub(super) fn is_of_olm(
    observed: &Observation,
    (hop, adopts): (&OperatorHop, &Adopts),
) -> Result<bool, Halt> {
    if observed.fleet.has_gone_on(hop, adopts) {
        return Ok(true);
    }
    let csv = observed.fleet.csv(adopts);
    let is_ours = csv.is_some_and(|(_, csv)| is_held(csv));
    Ok(!is_ours && subscription(observed, (hop, adopts))?.is_some())
}

fn beside(
    observed: &Observation,
    (hop, adopts): (&OperatorHop, &Adopts),
    (present, csv): (&Present, &Csv),
    decision: &mut Decision,
) -> Result<UndatedCondition, Halt> {
    let (fleet, bundle) = (&observed.fleet, &hop.facts.installs.bundle);
    if let HopState::Begun {
        ready_since: None,
        problem,
        message,
        ..
    } = &hop.state
    {
        return match problem {
            Some(problem) => Err(Halt::no(
                Reason::InstallFailed,
                format!(
                    "{bundle} cannot be installed, so OLM still owns the existing objects: \
                         {problem}"
                ),
            )),
            None => Ok(UndatedCondition::yes(
                Reason::Adopting,
                format!(
                    "{bundle} is being installed while OLM still owns the existing objects: \
                         {message}"
                ),
            )),
        };
    }
    refuse(fleet.refusals((present, csv), &BTreeSet::new()))?;
    let object = csv.id().object();
    let Some(seen) = live_of(observed, hop, [object.clone()])?.first() else {
        let sentence = format!("{object} has been deleted");
        return Ok(UndatedCondition::yes(Reason::Adopting, sentence));
    };
    let subscription = subscription(observed, (hop, adopts))?;
    let uid = csv.uid.clone();
    let version = text(seen, "/metadata/resourceVersion").to_owned();
    // If another client adds OLM's finalizer again after this patch, the version of the object
    // changes, and the deletion in the next step fails.
    let held = held(seen).map(|operation| Act::Patch {
        object: object.clone(),
        uid: uid.clone(),
        version: version.clone(),
        operations: vec![operation],
    });
    let deleted = Act::Orphan {
        object,
        uid,
        version,
    };
    let acts = held.into_iter().chain([deleted]);
    let steps = acts.map(|act| Step::As(hop.account(), act));
    decision.steps.extend(steps);
    decision
        .steps
        .extend(subscription.map(|it| delete(hop, it)));
    let sentence = format!(
        "{} is being deleted, and all objects that it owns are kept",
        csv.id().object()
    );
    Ok(UndatedCondition::yes(Reason::Adopting, sentence))
}

/// Returns the Subscription of the adopted operator. It is deleted together with its dependents,
/// the InstallPlans of OLM, because each of them could make OLM install the operator again.
fn subscription<'o>(
    observed: &'o Observation,
    (hop, adopts): (&OperatorHop, &Adopts),
) -> Result<Option<&'o Value>, Halt> {
    match observed.fleet.subscribed(adopts, hop) {
        Some(subscribed) => Ok(live_of(observed, hop, [subscribed.object()])?.first()),
        None => Ok(None),
    }
}

/// Returns the operation that replaces OLM's finalizer on a ClusterServiceVersion with Portolan's
/// finalizer. Returns None if the finalizer was already replaced.
fn held(csv: &Value) -> Option<Value> {
    let finalizers = csv["metadata"]["finalizers"].as_array();
    let finalizers = finalizers.map(Vec::as_slice).unwrap_or_default();
    let is_ours = finalizers.iter().any(|it| it == ADOPTED);
    if is_ours && !finalizers.iter().any(|it| it == CLEANUP) {
        return None;
    }
    let kept = finalizers
        .iter()
        .filter(|it| **it != CLEANUP && **it != ADOPTED);
    let wanted: Vec<_> = kept.cloned().chain([json!(ADOPTED)]).collect();
    Some(json!({"op": "add", "path": "/metadata/finalizers", "value": wanted}))
}

/// Removes OLM's labels, annotations and owner references from the objects. OLM would use them to
/// delete the objects. Portolan's finalizer keeps the ClusterServiceVersion until they are removed.
fn leave(
    observed: &Observation,
    (hop, adopts): (&OperatorHop, &Adopts),
    csv: &Csv,
    decision: &mut Decision,
) -> Result<UndatedCondition, Halt> {
    let id = csv.id().object();
    if csv.finalizers.iter().any(|it| it == ORPHAN) || !is_held(csv) {
        let sentence = format!(
            "{id} is being deleted; Kubernetes removes the reference to it from the \
             ownerReferences of its objects"
        );
        return Ok(UndatedCondition::yes(Reason::Adopting, sentence));
    }
    let objects = adopts.objects.iter().cloned().chain([id.clone()]);
    let live = live_of(observed, hop, objects)?;
    let Some(seen) = live.iter().find(|it| ObjectRef::versioned(it) == id) else {
        let sentence = format!("{id} has been deleted");
        return Ok(UndatedCondition::yes(Reason::Adopting, sentence));
    };
    let operations = without_conversions(seen);
    decision.steps.extend(patch(hop, seen, operations));
    for object in live {
        if !matches!(
            object["kind"].as_str(),
            Some("Secret" | "Operator" | "ClusterServiceVersion")
        ) {
            let operations = disown(object);
            decision.steps.extend(patch(hop, object, operations));
        }
    }
    decision.steps.extend(patch(hop, seen, let_go(seen)));
    let sentence = format!(
        "{id} is being deleted, and the labels and owner references of OLM are \
        removed from the kept objects"
    );
    Ok(UndatedCondition::yes(Reason::Adopting, sentence))
}

/// Completes the adoption after the ClusterServiceVersion is gone: the certificate controller takes
/// over the certificate Secrets, and the plan becomes the owner of the objects.
fn own(
    observed: &Observation,
    (hop, adopts): (&OperatorHop, &Adopts),
    decision: &mut Decision,
) -> Result<UndatedCondition, Halt> {
    let of_olm = |id: &&ObjectRef<Gvk>| matches!(id.kind.kind.as_str(), "Secret" | "Operator");
    let objects = adopts.objects.iter().filter(of_olm).cloned();
    for object in live_of(observed, hop, objects)? {
        if object["kind"] == "Operator" {
            // OLM's `Operator` object is deleted last, because OLM recreates it as long as any
            // object has its label.
            decision.steps.push(delete(hop, object));
        } else {
            let operations = hand_over_certificate(object);
            decision.steps.extend(patch(hop, object, operations));
        }
    }
    decision.steps.push(Step::OwnFound {
        namespace: hop.namespace.clone(),
        plan: hop.plan.clone(),
        uid: hop.uid.clone(),
        version: hop.version.clone(),
    });
    let sentence = format!("OLM no longer owns {}", hop.facts.installs.bundle);
    Ok(UndatedCondition::yes(Reason::Adopting, sentence))
}

/// Returns the operations that remove Portolan's finalizer from a ClusterServiceVersion. Returns no
/// operations if the ClusterServiceVersion does not have this finalizer.
pub(super) fn let_go(csv: &Value) -> Vec<Value> {
    let finalizers = csv["metadata"]["finalizers"].as_array();
    let finalizers = finalizers.map(Vec::as_slice).unwrap_or_default();
    let kept: Vec<_> = finalizers.iter().filter(|it| **it != ADOPTED).collect();
    if kept.len() == finalizers.len() {
        return Vec::new();
    }
    vec![json!({"op": "add", "path": "/metadata/finalizers", "value": kept})]
}
