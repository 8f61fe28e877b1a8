//! In which order operators are shown, and whose trouble is told elsewhere.

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1::{Cause, OperatorDiagnosis};

/// Causes of which another operator is the root.
const BLOCKED: &[&str] = &["BlockedByCatalog", "BlockedByNeighbor", "OrphanInTheWay"];

/// Of each namespace who is the root of trouble before who suffers from it. An operator that was left
/// behind and the Subscription that waits for it to go are one, and the Subscription is shown.
pub(super) fn in_order(shown: Vec<&OperatorDiagnosis>) -> Vec<&OperatorDiagnosis> {
    let waits = |orphan: &OperatorDiagnosis| {
        shown.iter().any(|other| {
            let is_same = other.subject != orphan.subject && other.package == orphan.package;
            let code = |each: &OperatorDiagnosis| each.cause.as_ref().map(|one| one.code.clone());
            let is_orphan = code(orphan).as_deref() == Some("OrphanInTheWay");
            let is_of_it = guilty(other) == orphan.subject.as_ref();
            is_same && is_orphan && is_of_it && code(other) == code(orphan)
        })
    };
    let mut all: Vec<_> = shown.iter().copied().filter(|one| !waits(one)).collect();
    all.sort_by_key(|one| {
        let namespace = one.subject.as_ref().map(|subject| &subject.namespace);
        (namespace.cloned(), root_of(one, &shown).is_some())
    });
    all
}

/// The operator among those that are shown whose trouble this one only suffers from. Nothing else is
/// wrong with it.
pub(super) fn root_of<'a>(
    victim: &OperatorDiagnosis,
    shown: &[&'a OperatorDiagnosis],
) -> Option<&'a OperatorDiagnosis> {
    let cause = victim.cause.as_ref().filter(|cause| is_victim(cause))?;
    let subject = victim.subject.as_ref()?;
    shown.iter().copied().find(|root| {
        let is_root = root.cause.as_ref().is_some_and(|root| !is_blocked(root));
        let has = root.victims.contains(subject);
        is_root && has && guilty(root) == cause.guilty.as_ref()
    })
}

fn guilty(diagnosis: &OperatorDiagnosis) -> Option<&ObjectRef> {
    diagnosis.cause.as_ref()?.guilty.as_ref()
}

fn is_victim(cause: &Cause) -> bool {
    is_blocked(cause) && cause.below.is_empty()
}

fn is_blocked(cause: &Cause) -> bool {
    BLOCKED.contains(&cause.code.as_str())
}
