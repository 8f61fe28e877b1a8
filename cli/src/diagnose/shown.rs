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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn object(kind: &str, name: &str) -> ObjectRef {
        ObjectRef {
            kind: kind.to_owned(),
            namespace: "harbor".to_owned(),
            name: name.to_owned(),
        }
    }

    /// What suffers from the cause are Subscriptions.
    fn diagnosis(
        subject: ObjectRef,
        (code, guilty): (&str, ObjectRef),
        victims: &[&str],
    ) -> OperatorDiagnosis {
        let victims = victims.iter();
        OperatorDiagnosis {
            package: "tug".to_owned(),
            subject: Some(subject),
            cause: Some(Cause {
                code: code.to_owned(),
                guilty: Some(guilty),
                ..Cause::default()
            }),
            victims: victims.map(|name| object("Subscription", name)).collect(),
            ..OperatorDiagnosis::default()
        }
    }

    fn names(shown: &[&OperatorDiagnosis]) -> Vec<String> {
        let subjects = shown.iter().filter_map(|one| one.subject.clone());
        subjects.map(|subject| subject.name).collect()
    }

    #[rstest]
    #[case::their_root(&["aft"], Some("pilot"))]
    #[case::nobody_else(&[], None)]
    fn who_only_suffers_points_to(#[case] victims: &[&str], #[case] expected: Option<&str>) {
        let pilot = object("Subscription", "pilot");
        let blocked = ("BlockedByNeighbor", pilot.clone());
        let victim = diagnosis(object("Subscription", "aft"), blocked, &[]);
        let root = diagnosis(pilot.clone(), ("ChannelMissing", pilot), victims);
        let shown = in_order(vec![&victim, &root]);
        let found = root_of(&victim, &shown).map(|root| names(&[root]).concat());
        assert_eq!(found.as_deref(), expected);
        // The root stands above.
        let first = expected.unwrap_or("aft");
        assert_eq!(names(&shown).first().map(String::as_str), Some(first));
    }

    #[test]
    fn what_was_left_behind_and_who_waits_for_it_are_one() {
        let csv = object("ClusterServiceVersion", "tug.v1.0.0");
        let orphan = ("OrphanInTheWay", csv.clone());
        let left = diagnosis(csv, orphan.clone(), &[]);
        let waits = diagnosis(object("Subscription", "tug"), orphan, &[]);
        assert_eq!(names(&in_order(vec![&left, &waits])), ["tug"]);
        // Alone it is shown.
        assert_eq!(names(&in_order(vec![&left])), ["tug.v1.0.0"]);
    }
}
