//! Removals by an OperatorPolicy that wait for custom resources with finalizers.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::status::ConditionTypes;
use portolan_api::{ConditionType, Reason};

use crate::cure::Cure;
use crate::own::OwnKind;
use crate::{Cause, Code, Object, State, words};

/// Returns true if the condition says that a CRD is being deleted. The summary does not count.
pub(super) fn is_held(said: &Condition) -> bool {
    let is_summary = ConditionType::of(said) == Some(ConditionType::Compliant);
    !is_summary && Reason::parse(&said.reason) == Some(Reason::CustomResourceDefinitionDeleting)
}

/// Puts the CRD that is being deleted before everything that is removed after it. The other causes
/// stay below.
pub(super) fn first(causes: Vec<Cause>, object: &Object, waits: Option<&Condition>) -> Vec<Cause> {
    let is_stuck = causes.iter().any(|cause| cause.state >= State::Stuck);
    let Some(said) = waits.filter(|_| is_stuck) else {
        return causes;
    };
    let others = causes
        .into_iter()
        .filter(|cause| cause.code != Code::InProgress);
    let message = format!("The removal waits. {}", words::sentence(&said.message));
    let kind = OwnKind::OperatorPolicy;
    let (code, state) = (Code::PolicyNonCompliant, State::Stuck);
    let root = super::told(kind, object, said, code, state, &message);
    let cure = Cure::external(
        "the administrator of the operator that is removed",
        "Let the operator run until it has processed the finalizers that the message names: `portolan diagnose` \
         without a name shows if it is scaled to 0 or fails. This finishes the deletion of the custom resources \
         and cannot be undone: save their data first. Do not remove finalizers while the operator can run.",
    );
    let root = others.fold(root.cured(cure), |root, other| Cause {
        message: format!("{} {}", root.message, other.message),
        ..root.shown(other.evidence)
    });
    vec![root]
}
