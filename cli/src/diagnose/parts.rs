//! Texts about diagnoses that several output formats share.

use portolan_api::qualified;
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1::operator_diagnosis::State;
use portolan_proto::diagnosis::v1::{Cause, Evidence, OperatorDiagnosis, Saying};

use portolan_core_names::text::listed;

use super::row::DiagnosisRow;
use crate::print::{Span, words};

/// Returns true if the operator is stuck or broken, or waits for a user.
pub(super) fn is_wrong(each: &OperatorDiagnosis) -> bool {
    match each.state() {
        State::Stuck | State::Broken => true,
        // A state that could not be observed is also Waiting. It is reported as unknown, not as a
        // problem.
        State::Waiting => !is_unseen(each),
        State::Unspecified | State::Well | State::Working => false,
    }
}

/// The code of a cause if objects could not be observed.
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

/// Returns the namespace of the operator, and the name for the command line. The name is that of
/// the Subscription, or of the ClusterServiceVersion if there is no Subscription.
pub(super) fn operator(diagnosis: &OperatorDiagnosis) -> (&str, &str) {
    let subject = diagnosis.subject.as_ref();
    subject.map_or(("", ""), |object| {
        (object.namespace.as_str(), object.name.as_str())
    })
}

/// Returns the name of the operator with its namespace. The name of a cluster-scoped object has no
/// namespace.
pub(super) fn located(diagnosis: &OperatorDiagnosis) -> String {
    match operator(diagnosis) {
        ("", "") => name(diagnosis, ""),
        ("", name) => name.to_owned(),
        (namespace, name) => format!("{namespace}/{name}"),
    }
}

/// The qualified kind of Operators in `operators.coreos.com/v2alpha1`.
pub(super) const COMPONENT_OPERATOR: &str = "Operator.operators.coreos.com";

/// The kinds of the components of Portolan, and the common name for all components.
pub(super) const COMPONENTS: [&str; 7] = [
    "Deployment.apps",
    "StatefulSet.apps",
    "DaemonSet.apps",
    "APIService",
    "ValidatingWebhookConfiguration",
    "Lease",
    "Component",
];

/// The words for a component: singular, plural, and heading of a table.
const COMPONENT: [&str; 3] = ["component", "components", "COMPONENT"];

/// The kinds of other diagnosed objects. Each kind has its words: singular, plural, and heading of
/// a table.
const OTHER_KINDS: [(&str, [&str; 3]); 8] = [
    (qualified::INSTALL_PLAN, ["plan", "plans", "PLAN"]),
    (qualified::INSTALL, ["install", "installs", "INSTALL"]),
    (
        "OperatorPolicy",
        ["operatorpolicy", "operatorpolicies", "OPERATORPOLICY"],
    ),
    (
        qualified::POLICY,
        ["upgradepolicy", "upgradepolicies", "UPGRADEPOLICY"],
    ),
    (
        qualified::POLICY_BINDING,
        ["policybinding", "policybindings", "POLICYBINDING"],
    ),
    (
        COMPONENT_OPERATOR,
        ["operatorv2alpha1", "operatorsv2alpha1", "OPERATORV2ALPHA1"],
    ),
    ("ClusterExtension", ["extension", "extensions", "EXTENSION"]),
    (
        "ClusterCatalog",
        ["clustercatalog", "clustercatalogs", "CLUSTERCATALOG"],
    ),
];

/// The words for an operator: singular, plural, and heading of a table.
const OPERATORS: [&str; 3] = ["operator", "operators", "OPERATOR"];

/// Returns the words for the kind of the diagnosed object: singular, plural, and heading of a
/// table.
fn kind_words(diagnosis: &OperatorDiagnosis) -> [&'static str; 3] {
    let kind = diagnosis.subject.as_ref().map(|subject| &*subject.kind);
    let mut others = OTHER_KINDS.iter();
    let found = others.find(|(other, _)| Some(*other) == kind);
    if kind.is_some_and(|kind| COMPONENTS.contains(&kind)) {
        return COMPONENT;
    }
    found.map_or(OPERATORS, |(_, words)| *words)
}

/// Returns the number of objects of each kind, such as `2 operators and 1 plan`.
pub(super) fn counted<'d>(all: impl Iterator<Item = &'d OperatorDiagnosis>, which: &str) -> String {
    let mut counts: Vec<([&str; 3], usize)> = Vec::new();
    for words in all.map(kind_words) {
        match counts.iter_mut().find(|(of, _)| *of == words) {
            Some((_, count)) => *count += 1,
            None => counts.push((words, 1)),
        }
    }
    let counts = counts.into_iter().map(|([one, several, _], count)| {
        let noun = if count == 1 { one } else { several };
        format!("{count} {which}{noun}")
    });
    match counts.collect::<Vec<_>>() {
        counts if counts.is_empty() => format!("0 {which}operators"),
        counts => listed(counts),
    }
}

/// Returns the heading of the column with the names of the diagnosed objects.
pub(super) fn heading(shown: &[DiagnosisRow<'_>]) -> &'static str {
    let mut headings = shown.iter().map(|each| kind_words(each.diagnosis)[2]);
    let first = headings.next().unwrap_or(OPERATORS[2]);
    if headings.all(|heading| heading == first) {
        first
    } else {
        OPERATORS[2]
    }
}

/// Returns the name of the diagnosed object. The kind precedes the name if the heading does not
/// contain the kind. If the diagnosis is about all objects of a kind, the name is `*`.
pub(super) fn name(diagnosis: &OperatorDiagnosis, heading: &str) -> String {
    let [kind, _, own_heading] = kind_words(diagnosis);
    match operator(diagnosis) {
        (_, "") => format!("{kind}/*"),
        (_, name) if own_heading == heading => name.to_owned(),
        (_, name) => format!("{kind}/{name}"),
    }
}

/// Returns the code of the cause, and the object at fault. Both are empty if the diagnosis has no
/// cause.
pub(super) fn fault(diagnosis: &OperatorDiagnosis) -> (&str, String) {
    match &diagnosis.cause {
        Some(cause) => (&cause.code, at_fault(cause)),
        None => ("", String::new()),
    }
}

/// Returns a sentence that refers to a diagnosis above with the same cause.
pub(super) fn same(above: &OperatorDiagnosis) -> String {
    format!("The cause is the same: see {} above.", located(above))
}

/// Returns the objects that a cause mentions: the objects at fault, and the objects in the
/// evidence.
pub(super) fn blamed(cause: &Cause) -> Vec<&ObjectRef> {
    let evidence = cause
        .evidence
        .iter()
        .filter_map(|read| read.object.as_ref());
    let at_fault = cause.at_fault.iter().chain(&cause.also_at_fault);
    at_fault.chain(evidence).collect()
}

/// Returns the objects at fault as text. Marks missing objects. Omits the kind if the previous
/// object has the same kind.
pub(super) fn at_fault(cause: &Cause) -> String {
    let missing = if cause.at_fault_missing {
        " (missing)"
    } else {
        ""
    };
    let unnamed = cause
        .at_fault
        .as_ref()
        .is_some_and(|it| it.kind == "Node" && it.name.is_empty());
    let unnamed = if unnamed { " (name unknown)" } else { "" };
    let first = object(cause.at_fault.as_ref()) + missing + unnamed;
    let kind = cause.at_fault.as_ref().map(|it| &it.kind);
    let others = cause.also_at_fault.iter().map(|other| {
        let other = object(Some(other));
        let same = kind.and_then(|kind| other.strip_prefix(kind.as_str()));
        same.map_or(other.clone(), |name| name.trim_start().to_owned())
    });
    let all: Vec<_> = std::iter::once(first).chain(others).collect();
    all.join(" or ")
}

/// Returns the unknown facts of all diagnoses. Each sentence occurs once, and lists the operators
/// that it applies to.
pub(super) fn unknowns(shown: &[DiagnosisRow<'_>]) -> Vec<String> {
    let mut unknowns: Vec<(&str, Vec<String>)> = Vec::new();
    for row in shown {
        for unknown in &row.diagnosis.unknowns {
            match unknowns.iter_mut().find(|(known, _)| known == unknown) {
                Some((_, names)) => names.push(located(row.diagnosis)),
                None => unknowns.push((unknown, vec![located(row.diagnosis)])),
            }
        }
    }
    let unknowns = unknowns.into_iter();
    unknowns
        .map(|(unknown, names)| format!("{}: {unknown}", listed(names)))
        .collect()
}

/// Returns one line for each misleading status of OLM: the status, and the reason to ignore it.
pub(super) fn misleading(sayings: &[Saying]) -> impl Iterator<Item = String> {
    sayings.iter().filter_map(|saying| {
        let said = evidence(saying.said.as_ref()?);
        Some(format!("{said}. {}", saying.message))
    })
}

pub(super) fn object(object: Option<&ObjectRef>) -> String {
    match object {
        None => String::new(),
        Some(object) if object.name.is_empty() => object.kind.clone(),
        Some(object) => words::object(object),
    }
}

/// Returns a piece of evidence as text: the source of the value, and the value.
pub(super) fn evidence(evidence: &Evidence) -> String {
    let object = object(evidence.object.as_ref());
    match (evidence.field.as_str(), evidence.value.as_str()) {
        ("", "") => object,
        ("", value) => format!("{object}: {value}"),
        (field, value) => format!("{object}: {field}: {value}"),
    }
}
