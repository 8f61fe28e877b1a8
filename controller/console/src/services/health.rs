//! The states of operators and their problems.

use portolan_core_console::view::{Cause, CheckedObject, Quote, Remedy, State};
use portolan_proto::diagnosis::v1::confidence::Certainty;
use portolan_proto::diagnosis::v1::{self as pb, operator_diagnosis};
use portolan_proto::health::v1 as health;

use super::called;

/// Converts a fact of the health service, with the facts on which it depends.
pub(super) fn fact(fact: &health::Fact) -> CheckedObject {
    let observed = fact.observed.as_ref();
    CheckedObject {
        object: called(observed.and_then(|observed| observed.object.as_ref())),
        state: judged(fact.state()),
        code: fact.code.clone(),
        message: match fact.detail.as_str() {
            "" => fact.message.clone(),
            detail => format!("{} {detail}", fact.message),
        },
        below: fact.facts.iter().map(self::fact).collect(),
    }
}

pub(super) fn judged(state: health::verdict::State) -> State {
    match state {
        health::verdict::State::Unspecified => State::Unknown,
        health::verdict::State::Yes => State::Well,
        health::verdict::State::No => State::Broken,
        health::verdict::State::NotYet => State::Working,
    }
}

/// Returns the state of a diagnosed object. If the diagnosis could not read the object, the state
/// is unknown.
pub(super) fn diagnosed_state(diagnosis: &pb::OperatorDiagnosis) -> State {
    let mut root = diagnosis.cause.iter();
    match diagnosis.state() {
        operator_diagnosis::State::Working if root.any(|it| it.code == NOT_OBSERVED) => {
            State::Unknown
        }
        state => diagnosed(state),
    }
}

/// The cause code for an object that could not be read.
const NOT_OBSERVED: &str = "NotObserved";

fn diagnosed(state: operator_diagnosis::State) -> State {
    match state {
        operator_diagnosis::State::Unspecified => State::Unknown,
        operator_diagnosis::State::Well => State::Well,
        operator_diagnosis::State::Working => State::Working,
        operator_diagnosis::State::Waiting => State::Waiting,
        operator_diagnosis::State::Stuck => State::Stuck,
        operator_diagnosis::State::Broken => State::Broken,
    }
}

/// Converts the root cause of a diagnosis, and adds the headline.
pub(super) fn root(diagnosis: &pb::OperatorDiagnosis) -> Option<Cause> {
    let cause = self::cause(diagnosis.cause.as_ref()?);
    Some(Cause {
        headline: diagnosis.headline.clone(),
        ..cause
    })
}

/// Converts a cause, with its remedies and the causes that follow from it.
fn cause(cause: &pb::Cause) -> Cause {
    let remedy = cause.remedy.clone().unwrap_or_default();
    let responsible = cause.responsible.clone().unwrap_or_default();
    let missing = if cause.at_fault_missing {
        " (missing)"
    } else {
        ""
    };
    let at_fault = called(cause.at_fault.as_ref()) + missing;
    let others = cause.also_at_fault.iter().map(|it| called(Some(it)));
    let looks = remedy.look.iter().map(|step| Remedy {
        message: format!("{}.", step.comment),
        scripts: vec![step.script().join("\n")],
        notes: Vec::new(),
    });
    Cause {
        headline: String::new(),
        state: diagnosed(cause.state()),
        code: cause.code.clone(),
        message: cause.message.clone(),
        quotes: cause.quotes.iter().map(quote).collect(),
        at_fault: std::iter::once(at_fault)
            .chain(others)
            .collect::<Vec<_>>()
            .join(" or "),
        who: responsible.who,
        action: responsible.action,
        confidence: confidence(cause.confidence.as_ref()),
        look: looks.collect(),
        fix: remedy.fix.as_ref().map(procedure),
        decide: remedy.decide.iter().map(procedure).collect(),
        later: remedy.later.iter().map(procedure).collect(),
        below: cause.below.iter().map(self::cause).collect(),
    }
}

fn quote(quote: &pb::Quote) -> Quote {
    Quote {
        source: quote.source.clone(),
        text: quote.text.clone(),
    }
}

fn confidence(confidence: Option<&pb::Confidence>) -> String {
    let Some(confidence) = confidence else {
        return String::new();
    };
    let word = match confidence.certainty() {
        Certainty::Unspecified => return String::new(),
        Certainty::Unknown => "unknown",
        Certainty::Likely => "likely",
        Certainty::Proved => "proved",
    };
    format!("{word}. {}", confidence.reason)
}

fn procedure(procedure: &pb::Procedure) -> Remedy {
    let notes = [
        ("Deletes", &procedure.deletes),
        ("Keeps", &procedure.keeps),
        ("Risk", &procedure.risk),
    ];
    let notes = notes.into_iter().filter(|(_, text)| !text.is_empty());
    Remedy {
        message: procedure.title.clone(),
        scripts: procedure
            .scripts()
            .iter()
            .map(|lines| lines.join("\n"))
            .collect(),
        notes: notes
            .map(|(label, text)| format!("{label}: {text}"))
            .collect(),
    }
}
