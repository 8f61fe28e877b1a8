//! Words of diagnoses that several forms of an answer have.

use portolan_api::plan::GROUP;
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1::cause::Cure;
use portolan_proto::diagnosis::v1::fix::Change;
use portolan_proto::diagnosis::v1::operator_diagnosis::State;
use portolan_proto::diagnosis::v1::{Cause, Evidence, Fix, OperatorDiagnosis, Saying};

use super::row::DiagnosisRow;
use crate::print::{Span, words};

/// Returns true if the exit code must report the state.
pub(super) fn is_wrong(state: State) -> bool {
    match state {
        State::Stuck | State::Broken => true,
        State::Unspecified | State::Well | State::Working | State::Waiting => false,
    }
}

/// The code for objects that could not be observed.
const NOT_OBSERVED: &str = "NotObserved";

/// Returns true if the operator could not be observed, so its health is unknown.
pub(super) fn is_unseen(each: &OperatorDiagnosis) -> bool {
    let mut root = each.cause.iter();
    root.any(|cause| cause.code == NOT_OBSERVED)
}

pub(super) fn word(state: State) -> &'static str {
    match state {
        State::Unspecified => "Unknown",
        State::Well => "Well",
        State::Working => "Working",
        State::Waiting => "Waiting",
        State::Stuck => "Stuck",
        State::Broken => "Broken",
    }
}

pub(super) fn colored(state: State) -> Span {
    match state {
        State::Broken | State::Stuck => Span::error(word(state)),
        State::Waiting | State::Unspecified => Span::warning(word(state)),
        State::Well => Span::good(word(state)),
        State::Working => Span::plain(word(state)),
    }
}

/// Returns the namespace of the operator, and its name on the command line: that of its
/// Subscription or, without one, of its ClusterServiceVersion.
pub(super) fn operator(diagnosis: &OperatorDiagnosis) -> (&str, &str) {
    let subject = diagnosis.subject.as_ref();
    subject.map_or(("", ""), |object| {
        (object.namespace.as_str(), object.name.as_str())
    })
}

/// Returns the name with its namespace, if it is in one.
pub(super) fn located(diagnosis: &OperatorDiagnosis) -> String {
    match operator(diagnosis) {
        ("", name) => name.to_owned(),
        (namespace, name) => format!("{namespace}/{name}"),
    }
}

/// Returns true if it is about an InstallPlan of plans.portolan.dev instead of an operator.
pub(super) fn is_plan(diagnosis: &OperatorDiagnosis) -> bool {
    let subject = diagnosis.subject.as_ref();
    subject.is_some_and(|subject| subject.kind.ends_with(GROUP))
}

/// Returns the heading of the subjects, above their names.
pub(super) fn heading(shown: &[DiagnosisRow<'_>]) -> &'static str {
    let are_plans = shown.iter().all(|each| is_plan(each.diagnosis));
    if are_plans { "PLAN" } else { "OPERATOR" }
}

/// Returns the name of the subject; below the heading of operators, plans are marked as such.
pub(super) fn name(diagnosis: &OperatorDiagnosis, heading: &str) -> String {
    let (_, name) = operator(diagnosis);
    match heading {
        "OPERATOR" if is_plan(diagnosis) => format!("plan/{name}"),
        _ => name.to_owned(),
    }
}

/// Returns the code of the cause and the object at fault, if known.
pub(super) fn guilt(diagnosis: &OperatorDiagnosis) -> (&str, String) {
    let Some(cause) = &diagnosis.cause else {
        return ("", String::new());
    };
    let missing = if cause.guilty_missing {
        " (missing)"
    } else {
        ""
    };
    let guilty = object(cause.guilty.as_ref());
    (&cause.code, guilty + missing)
}

/// Returns the status of OLM that is to be ignored, and the reason why, in one line.
pub(super) fn misleading(sayings: &[Saying]) -> Option<String> {
    let told = sayings.iter().filter_map(|saying| {
        let said = evidence(saying.said.as_ref()?);
        Some(format!("{said}. {}", saying.message))
    });
    let told: Vec<_> = told.collect();
    (!told.is_empty()).then(|| told.join(" "))
}

pub(super) fn object(object: Option<&ObjectRef>) -> String {
    match object {
        None => String::new(),
        Some(object) if object.name.is_empty() => object.kind.clone(),
        Some(object) => words::object(object),
    }
}

pub(super) fn fixes(cause: &Cause) -> &[Fix] {
    match &cause.cure {
        Some(Cure::Fixable(fixable)) => &fixable.fixes,
        Some(Cure::External(_) | Cure::Passing(_)) | None => &[],
    }
}

/// Returns the action of another party that is required; None if the cause has no such fix.
pub(super) fn external(cause: &Cause) -> Option<&str> {
    match &cause.cure {
        Some(Cure::External(external)) => Some(&external.message),
        Some(Cure::Fixable(_) | Cure::Passing(_)) | None => None,
    }
}

/// Returns the lines to copy.
pub(super) fn change(fix: &Fix) -> Vec<String> {
    match &fix.change {
        Some(Change::Command(command)) => vec![command.clone()],
        Some(Change::Manifest(manifest)) => {
            // YAML may stand further to the right as a whole; the end of a here-document may not.
            let manifest = manifest.replace('\'', r"'\''");
            let lines = manifest.trim_end().lines().map(str::to_owned);
            let all = std::iter::once(r"printf '%s\n' '".to_owned()).chain(lines);
            all.chain(["' | kubectl apply -f -".to_owned()]).collect()
        }
        None => Vec::new(),
    }
}

/// Returns the place where something was read, and its value.
pub(super) fn evidence(evidence: &Evidence) -> String {
    let object = object(evidence.object.as_ref());
    match (evidence.field.as_str(), evidence.value.as_str()) {
        ("", "") => object,
        ("", value) => format!("{object}: {value}"),
        (field, value) => format!("{object}: {field}: {value}"),
    }
}
