//! Sorts the rows of diagnoses, and finds the rows that another row already explains.

use std::collections::BTreeMap;

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1::{Cause, OperatorDiagnosis};

/// A diagnosis that is shown as one row.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiagnosisRow<'a> {
    pub(super) diagnosis: &'a OperatorDiagnosis,
    /// The diagnosis whose cause also causes this diagnosis. Set only if that diagnosis is shown,
    /// and this operator has no other problem.
    pub(super) root: Option<&'a OperatorDiagnosis>,
    /// An earlier row with an equal cause, which shows all details of the cause.
    pub(super) same: Option<&'a OperatorDiagnosis>,
}

// === impl DiagnosisRow ===

impl<'a> DiagnosisRow<'a> {
    /// Returns a row that refers to no other row.
    pub(super) fn of(diagnosis: &'a OperatorDiagnosis) -> Self {
        Self {
            diagnosis,
            root: None,
            same: None,
        }
    }
}

/// Sorts diagnoses. In each namespace, a cause precedes the operators that it affects.
///
/// A ClusterServiceVersion without a Subscription shares a row with the Subscription that waits for
/// its removal.
pub(super) fn in_order<'a>(all: &[&'a OperatorDiagnosis]) -> Vec<DiagnosisRow<'a>> {
    let mut shown: Vec<_> = all
        .iter()
        .filter(|one| stand_in(one, all).is_none())
        .map(|one| DiagnosisRow {
            diagnosis: one,
            root: root_of(one, all),
            same: None,
        })
        .collect();
    shown.sort_by_key(|one| {
        let subject = one.diagnosis.subject.as_ref();
        let namespace = subject.map(|subject| &subject.namespace);
        (namespace, one.root.is_some())
    });
    refer_to_first(&mut shown);
    shown
}

/// Sets `same` in each row whose cause and remedy equal those of an earlier row. The evidence may
/// differ.
fn refer_to_first(shown: &mut [DiagnosisRow<'_>]) {
    // Groups causes by code and message first, so that only few causes are compared as a whole.
    let mut first: BTreeMap<_, Vec<(&Cause, &OperatorDiagnosis)>> = BTreeMap::new();
    for row in shown {
        let Some(cause) = only_cause(row) else {
            continue;
        };
        let seen = first.entry((&cause.code, &cause.message)).or_default();
        match seen.iter().find(|(above, _)| is_same(above, cause)) {
            Some((_, above)) => row.same = Some(*above),
            None => seen.push((cause, row.diagnosis)),
        }
    }
}

/// Returns the cause of a row that shows all details of this cause, and has no other causes.
fn only_cause<'a>(row: &DiagnosisRow<'a>) -> Option<&'a Cause> {
    let cause = row.diagnosis.cause.as_ref()?;
    let is_alone = cause.below.is_empty() && cause.remedy.is_some();
    (row.root.is_none() && is_alone).then_some(cause)
}

fn is_same(above: &Cause, cause: &Cause) -> bool {
    let without_evidence = |cause: &Cause| Cause {
        evidence: Vec::new(),
        ..cause.clone()
    };
    without_evidence(above) == without_evidence(cause)
}

fn root_of<'a>(
    victim: &OperatorDiagnosis,
    all: &[&'a OperatorDiagnosis],
) -> Option<&'a OperatorDiagnosis> {
    let cause = victim.cause.as_ref()?;
    if !cause.below.is_empty() {
        return None;
    }
    let subject = blocked_by(victim)?;
    let mut roots = all.iter().copied();
    let root = roots.find(|root| root.subject.as_ref() == Some(subject))?;
    let shown = stand_in(root, all).unwrap_or(root);
    (shown.subject != victim.subject).then_some(shown)
}

/// Returns the Subscription that waits for the removal of `orphan`. `orphan` is an operator of the
/// same package without a Subscription.
fn stand_in<'a>(
    orphan: &OperatorDiagnosis,
    all: &[&'a OperatorDiagnosis],
) -> Option<&'a OperatorDiagnosis> {
    let object = orphan.subject.as_ref();
    let object = object.filter(|object| object.kind == "ClusterServiceVersion")?;
    all.iter()
        .copied()
        .find(|other| other.package == orphan.package && blocked_by(other) == Some(object))
}

/// Returns the object whose problem causes this diagnosis.
pub(super) fn blocked_by(diagnosis: &OperatorDiagnosis) -> Option<&ObjectRef> {
    diagnosis.cause.as_ref()?.blocked_by.as_ref()
}

#[cfg(test)]
mod tests {
    use portolan_proto::diagnosis::v1::Remedy;
    use rstest::rstest;

    use super::*;

    fn object(kind: &str, name: &str) -> ObjectRef {
        ObjectRef {
            kind: kind.to_owned(),
            namespace: "harbor".to_owned(),
            name: name.to_owned(),
        }
    }

    fn pilot() -> ObjectRef {
        object("Subscription", "pilot")
    }

    fn orphan() -> ObjectRef {
        object("ClusterServiceVersion", "tug.v1.0.0")
    }

    fn diagnosis(
        package: &str,
        subject: ObjectRef,
        blocked_by: Option<ObjectRef>,
    ) -> OperatorDiagnosis {
        OperatorDiagnosis {
            package: package.to_owned(),
            subject: Some(subject),
            cause: Some(Cause {
                blocked_by,
                ..Cause::default()
            }),
            ..OperatorDiagnosis::default()
        }
    }

    fn waiting_for(blocked_by: Option<ObjectRef>) -> OperatorDiagnosis {
        diagnosis("aft", object("Subscription", "aft"), blocked_by)
    }

    fn name(diagnosis: &OperatorDiagnosis) -> &str {
        let subject = diagnosis.subject.as_ref();
        subject.map_or("", |subject| &subject.name)
    }

    /// Returns the names of the rows in order. A row below a root also contains the name of the
    /// root.
    fn names(all: &[&OperatorDiagnosis]) -> Vec<String> {
        let shown = in_order(all).into_iter();
        let names = shown.map(|one| match one.root {
            Some(root) => format!("{} below {}", name(one.diagnosis), name(root)),
            None => name(one.diagnosis).to_owned(),
        });
        names.collect()
    }

    #[rstest]
    #[case::visible_root(Some(pilot()), &["pilot", "aft below pilot"])]
    #[case::no_root(None, &["aft", "pilot"])]
    #[case::hidden_root(Some(object("Subscription", "stern")), &["aft", "pilot"])]
    fn blocked_operator_points_to_visible_root(
        #[case] root: Option<ObjectRef>,
        #[case] expected: &[&str],
    ) {
        let all = [&waiting_for(root), &diagnosis("pilot", pilot(), None)];
        assert_eq!(names(&all), expected);
    }

    #[test]
    fn prints_own_row_for_operator_with_two_causes() {
        let mut both = waiting_for(Some(pilot()));
        let root = both.cause.as_mut().expect("a cause");
        root.below.push(Cause::default());
        let all = [&both, &diagnosis("pilot", pilot(), None)];
        assert_eq!(names(&all), ["aft", "pilot"]);
    }

    #[test]
    fn merges_csv_without_subscription_with_subscription_that_it_blocks() {
        let left = diagnosis("tug", orphan(), None);
        let tug = object("Subscription", "tug");
        let waits = diagnosis("tug", tug, Some(orphan()));
        // The cause of `neighbor` refers to the orphan, which shares the row of `tug`.
        let neighbor = waiting_for(Some(orphan()));
        let all = [&neighbor, &left, &waits];
        assert_eq!(names(&all), ["tug", "aft below tug"]);
        let alone = [&neighbor, &left];
        assert_eq!(names(&alone), ["tug.v1.0.0", "aft below tug.v1.0.0"]);
    }

    /// Two Subscriptions of the same package belong to two separate operators.
    #[test]
    fn subscriptions_of_same_package_are_separate() {
        let first = diagnosis("pilot", object("Subscription", "first"), Some(pilot()));
        let all = [&first, &diagnosis("pilot", pilot(), None)];
        assert_eq!(names(&all), ["pilot", "first below pilot"]);
    }

    /// Returns a diagnosis with its own cause, which no other diagnosis explains.
    fn stopped(name: &str, message: &str) -> OperatorDiagnosis {
        let mut one = diagnosis(name, object("Subscription", name), None);
        let cause = one.cause.as_mut().expect("a cause");
        message.clone_into(&mut cause.message);
        cause.remedy = Some(Remedy::default());
        one
    }

    #[test]
    fn equal_causes_refer_to_the_first_row() {
        let [first, second] = ["aft", "bow"].map(|name| stopped(name, "OLM does not run."));
        let other = stopped("pilot", "Another cause.");
        let mut more = stopped("stern", "OLM does not run.");
        let cause = more.cause.as_mut().expect("a cause");
        cause.below.push(Cause::default());
        let all = [&first, &second, &other, &more];
        let same = in_order(&all);
        let same: Vec<_> = same.iter().map(|row| row.same.map(name)).collect();
        assert_eq!(same, [None, Some("aft"), None, None]);
    }
}
