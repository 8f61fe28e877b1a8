//! Converts between protobuf types and core types.

pub(crate) mod readiness;
#[cfg(test)]
mod tests;

use portolan_core_diagnosis::{
    Action, Cause, Certainty, Confidence, Diagnosis, Evidence, Object, OwnKind, Procedure, Quote,
    Remedy, Responsible, Saying, State, Step, Subject,
};
use portolan_proto::basis::v1 as basis;
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::confidence::Certainty as PbCertainty;
use portolan_proto::diagnosis::v1::diagnose_request::Kind as PbKind;
use portolan_proto::diagnosis::v1::operator_diagnosis::State as PbState;
use portolan_shell::refusal;
use tonic::Status;

use crate::question::{AskedKind, Question, RequestError};

/// This conversion is the only code that assigns a gRPC code and details to an error.
impl From<RequestError> for Status {
    fn from(refusal: RequestError) -> Self {
        let message = refusal.to_string();
        match refusal {
            RequestError::Field {
                field,
                message: violation,
            } => refusal::invalid(field, &violation, message),
            RequestError::Unknown { kind, name, .. } => {
                let kind = if kind == "operator" { "Operator" } else { kind };
                refusal::not_found(kind, &name, message)
            }
            RequestError::Precondition(_) => Self::failed_precondition(message),
            RequestError::NoReadiness => Self::unimplemented(message),
            RequestError::Busy(_) => Self::resource_exhausted(message),
            RequestError::Failed(_) => Self::internal(message),
            RequestError::NotYet | RequestError::Unseen(_) => Self::unavailable(message),
        }
    }
}

/// Decodes a request. An empty name selects all names.
pub(crate) fn decode(request: &pb::DiagnoseRequest) -> Result<Question, RequestError> {
    let question = Question {
        namespace: decode_name("namespace", &request.namespace)?,
        name: decode_name("name", &request.name)?,
        kind: decode_kind(request.kind)?,
    };
    match (&question.namespace, question.kind) {
        (Some(_), Some(AskedKind::Own(kind))) if !kind.is_namespaced() => {
            Err(RequestError::Field {
                field: "namespace",
                message: format!(
                    "{} is cluster-scoped; leave the namespace empty",
                    kind.as_str()
                ),
            })
        }
        _ => Ok(question),
    }
}

fn decode_kind(kind: i32) -> Result<Option<AskedKind>, RequestError> {
    let kind = PbKind::try_from(kind).map_err(|_| RequestError::Field {
        field: "kind",
        message: format!("this version does not support kind {kind}"),
    })?;
    Ok(Some(match kind {
        PbKind::Unspecified => return Ok(None),
        PbKind::Subscription => AskedKind::Subscription,
        PbKind::ClusterServiceVersion => AskedKind::Csv,
        PbKind::Package => AskedKind::Package,
        PbKind::Operator => AskedKind::Own(OwnKind::Operator),
        PbKind::InstallPlan => AskedKind::Own(OwnKind::InstallPlan),
        PbKind::Install => AskedKind::Own(OwnKind::Install),
        PbKind::OperatorPolicy => AskedKind::Own(OwnKind::OperatorPolicy),
        PbKind::Policy => AskedKind::Own(OwnKind::Policy),
        PbKind::PolicyBinding => AskedKind::Own(OwnKind::PolicyBinding),
        PbKind::ComponentOperator => AskedKind::Own(OwnKind::ComponentOperator),
        PbKind::ClusterExtension => AskedKind::Own(OwnKind::ClusterExtension),
        PbKind::ClusterCatalog => AskedKind::Own(OwnKind::ClusterCatalog),
        PbKind::Component => AskedKind::Own(OwnKind::Component),
    }))
}

fn decode_name(field: &'static str, name: &str) -> Result<Option<String>, RequestError> {
    if name.is_empty() {
        return Ok(None);
    }
    let name = refusal::object_name(name).map(|name| Some(name.to_owned()));
    name.map_err(|message| RequestError::Field { field, message })
}

pub(crate) fn encode(diagnosis: &Diagnosis) -> pb::DiagnoseResponse {
    pb::DiagnoseResponse {
        diagnosis: Some(encode_diagnosis(diagnosis)),
    }
}

fn encode_diagnosis(diagnosis: &Diagnosis) -> pb::OperatorDiagnosis {
    let Diagnosis {
        subject,
        state,
        headline,
        cause,
        victims,
        meanwhile,
        unknowns,
        untold: _,
    } = diagnosis;
    let Subject {
        object,
        package,
        csv,
    } = subject;
    pb::OperatorDiagnosis {
        subject: Some(encode_object(object)),
        package: package.clone(),
        csv: csv.clone(),
        state: encode_state(*state).into(),
        headline: headline.clone(),
        cause: cause.as_ref().map(encode_cause),
        victims: victims.iter().map(encode_object).collect(),
        meanwhile: meanwhile.iter().map(encode_saying).collect(),
        unknowns: unknowns.clone(),
    }
}

fn encode_state(state: State) -> PbState {
    match state {
        State::Well => PbState::Well,
        State::Working => PbState::Working,
        State::Waiting => PbState::Waiting,
        State::Stuck => PbState::Stuck,
        State::Broken => PbState::Broken,
    }
}

fn encode_cause(cause: &Cause) -> pb::Cause {
    let Cause {
        code,
        state,
        message,
        quotes,
        at_fault,
        also_at_fault,
        responsible,
        confidence,
        remedy,
        blocked_by,
        evidence,
        below,
    } = cause;
    pb::Cause {
        code: code.as_str().to_owned(),
        state: encode_state(*state).into(),
        message: message.clone(),
        at_fault: Some(encode_object(at_fault)),
        at_fault_missing: cause.is_at_fault_missing(),
        responsible: encode_responsible(responsible),
        confidence: Some(encode_confidence(confidence)),
        remedy: Some(encode_remedy(remedy)),
        evidence: evidence.iter().map(encode_evidence).collect(),
        below: below.iter().map(encode_cause).collect(),
        blocked_by: blocked_by.as_ref().map(encode_object),
        also_at_fault: also_at_fault.iter().map(encode_object).collect(),
        quotes: quotes.iter().map(encode_quote).collect(),
    }
}

fn encode_quote(quote: &Quote) -> pb::Quote {
    let Quote { source, text } = quote;
    pb::Quote {
        source: source.clone(),
        text: text.clone(),
    }
}

fn encode_responsible(responsible: &Responsible) -> Option<pb::Responsible> {
    let Responsible { who, action } = responsible;
    (!who.is_empty()).then(|| pb::Responsible {
        who: who.clone(),
        action: action.clone(),
    })
}

fn encode_confidence(confidence: &Confidence) -> pb::Confidence {
    let Confidence { certainty, reason } = confidence;
    let certainty = match certainty {
        Certainty::Unknown => PbCertainty::Unknown,
        Certainty::Likely => PbCertainty::Likely,
        Certainty::Proved => PbCertainty::Proved,
    };
    pb::Confidence {
        certainty: certainty.into(),
        reason: reason.clone(),
    }
}

fn encode_remedy(remedy: &Remedy) -> pb::Remedy {
    let Remedy {
        look,
        fix,
        decide,
        later,
    } = remedy;
    pb::Remedy {
        look: look.iter().map(encode_step).collect(),
        fix: fix.as_ref().map(encode_procedure),
        decide: decide.iter().map(encode_procedure).collect(),
        later: later.iter().map(encode_procedure).collect(),
    }
}

fn encode_procedure(procedure: &Procedure) -> pb::Procedure {
    let Procedure {
        title,
        steps,
        deletes,
        keeps,
        risk,
    } = procedure;
    pb::Procedure {
        title: title.clone(),
        steps: steps.iter().map(encode_step).collect(),
        deletes: deletes.clone(),
        keeps: keeps.clone(),
        risk: risk.clone(),
    }
}

fn encode_step(step: &Step) -> pb::Step {
    let Step { comment, action } = step;
    pb::Step {
        comment: comment.clone(),
        action: Some(match action {
            Action::Command(command) => pb::step::Action::Command(command.clone()),
            Action::Manifest(manifest) => pb::step::Action::Manifest(manifest.clone()),
        }),
    }
}

fn encode_saying(saying: &Saying) -> pb::Saying {
    let Saying { said, message } = saying;
    pb::Saying {
        said: Some(encode_evidence(said)),
        message: message.clone(),
    }
}

fn encode_evidence(evidence: &Evidence) -> pb::Evidence {
    let Evidence {
        object,
        field,
        value,
    } = evidence;
    pb::Evidence {
        object: Some(encode_object(object)),
        field: field.clone(),
        value: value.clone(),
    }
}

fn encode_object(object: &Object) -> basis::ObjectRef {
    let Object {
        kind,
        namespace,
        name,
    } = object;
    basis::ObjectRef {
        kind: kind.to_string(),
        namespace: namespace.clone(),
        name: name.clone(),
    }
}
