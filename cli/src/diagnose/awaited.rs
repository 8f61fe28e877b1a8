//! Diagnoses the Operators of Portolan that a named Operator waits for.

use portolan_api::qualified;
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1::{DiagnoseRequest, OperatorDiagnosis};

use super::row::blocked_by;
use crate::facts::DiagnosisConnection;

/// Returns the diagnoses of the Operators that the diagnosed Operators wait for, if the request
/// does not select these Operators. Omits Operators that cannot be read, because the diagnoses
/// already contain the cause.
pub(super) async fn ask(
    diagnosis: &mut DiagnosisConnection,
    request: &DiagnoseRequest,
    diagnoses: &[OperatorDiagnosis],
) -> Vec<OperatorDiagnosis> {
    let mut awaited = Vec::new();
    for operator in missing(diagnoses) {
        let request = DiagnoseRequest {
            name: operator.name.clone(),
            ..request.clone()
        };
        if let Ok((all, _)) = super::ask(diagnosis, request).await {
            let mut all = all.into_iter();
            awaited.extend(all.find(|it| it.subject.as_ref() == Some(operator)));
        }
    }
    awaited
}

/// Returns the Operators whose problems cause these diagnoses, and that have no diagnosis here.
fn missing(diagnoses: &[OperatorDiagnosis]) -> Vec<&ObjectRef> {
    let mut missing = Vec::new();
    for operator in diagnoses.iter().filter_map(blocked_by) {
        let mut subjects = diagnoses.iter().filter_map(|it| it.subject.as_ref());
        let is_operator = operator.kind == qualified::OPERATOR;
        if is_operator && !missing.contains(&operator) && subjects.all(|it| it != operator) {
            missing.push(operator);
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use portolan_proto::diagnosis::v1::Cause;

    use super::*;

    fn object(kind: &str, name: &str) -> ObjectRef {
        ObjectRef {
            kind: kind.to_owned(),
            name: name.to_owned(),
            ..ObjectRef::default()
        }
    }

    fn waiting(name: &str, blocked_by: Option<ObjectRef>) -> OperatorDiagnosis {
        OperatorDiagnosis {
            subject: Some(object(qualified::OPERATOR, name)),
            cause: Some(Cause {
                blocked_by,
                ..Cause::default()
            }),
            ..OperatorDiagnosis::default()
        }
    }

    #[test]
    fn operator_that_is_not_diagnosed_is_requested_once() {
        let anchor = object(qualified::OPERATOR, "anchor");
        let rope = waiting("rope", Some(anchor.clone()));
        let all = [rope.clone(), waiting("kelp", Some(anchor.clone()))];
        assert_eq!(missing(&all), [&anchor]);
        assert_eq!(missing(&[rope, waiting("anchor", None)]), [&anchor; 0]);
        let neighbor = waiting("tug", Some(object("Subscription", "ferry")));
        assert!(missing(&[neighbor]).is_empty());
    }
}
