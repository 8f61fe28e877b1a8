//! The states of operators, and what is wrong with them.

use portolan_core_console::view::{Cause, CheckedObject, Remedy, State};
use portolan_proto::diagnosis::v1::{self as pb, cause, fix, operator_diagnosis};
use portolan_proto::health::v1 as health;

use super::called;

/// Converts a fact, with the facts that it is based on.
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

/// Returns the state of a diagnosis. If the object could not be observed, its state is unknown.
pub(super) fn diagnosed_state(diagnosis: &pb::OperatorDiagnosis) -> State {
    let mut root = diagnosis.cause.iter();
    match diagnosis.state() {
        operator_diagnosis::State::Working if root.any(|it| it.code == NOT_OBSERVED) => {
            State::Unknown
        }
        state => diagnosed(state),
    }
}

/// The code for objects that could not be observed.
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

/// Converts a cause, with its remedy and its effects.
pub(super) fn cause(cause: &pb::Cause) -> Cause {
    let steps = cause.steps.iter().map(|step| Remedy {
        message: step.message.clone(),
        command: step.command.clone(),
        risk: String::new(),
    });
    let cures = match &cause.cure {
        Some(cause::Cure::Fixable(pb::Fixable { fixes })) => fixes.iter().map(fixed).collect(),
        Some(cause::Cure::External(pb::External { message })) => vec![Remedy {
            message: message.clone(),
            command: String::new(),
            risk: String::new(),
        }],
        Some(cause::Cure::Passing(pb::Passing {})) | None => Vec::new(),
    };
    Cause {
        state: diagnosed(cause.state()),
        code: cause.code.clone(),
        message: cause.message.clone(),
        guilty: called(cause.guilty.as_ref()),
        remedies: cures.into_iter().chain(steps).collect(),
        below: cause.below.iter().map(self::cause).collect(),
    }
}

fn fixed(fix: &pb::Fix) -> Remedy {
    let command = match &fix.change {
        Some(fix::Change::Command(text) | fix::Change::Manifest(text)) => text.clone(),
        None => String::new(),
    };
    Remedy {
        message: fix.message.clone(),
        command,
        risk: fix.risk.clone(),
    }
}
