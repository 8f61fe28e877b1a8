//! Creates events about the compliance of policies.

use k8s_openapi::api::core::v1::ObjectReference;
use portolan_api::OperatorPolicy;
use portolan_core_operatorpolicy::ComplianceEvent;
use portolan_runtime::{Recorder, reference};

use super::status::{API_VERSION, KIND};

#[cfg(test)]
mod tests;

const COMPONENT: &str = "operator-policy-controller";
const ACTION: &str = "ComplianceStateUpdate";

/// Creates the recorder of events for a process.
pub(super) fn recorder(identity: &str) -> Recorder {
    Recorder::new(COMPONENT, identity)
}

/// Converts a compliance event of a policy to an Event. The Event is about the owner of the policy
/// or, without an owner, about the policy itself. If two policies of one owner have events at the
/// same time, the Events differ.
pub(super) fn event_of(policy: &OperatorPolicy, news: &ComplianceEvent) -> portolan_runtime::News {
    let metadata = &policy.metadata;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    portolan_runtime::News {
        about: about(policy),
        related: Some(itself(policy)),
        is_warning: !news.is_compliant,
        reason: format!(
            "policy: {}/{}",
            text(&metadata.namespace),
            text(&metadata.name)
        ),
        action: ACTION.to_owned(),
        message: news.message.clone(),
        at: news.at,
        mark: text(&metadata.uid),
    }
}

/// Returns the owner of the policy. Without an owner, returns the policy itself.
fn about(policy: &OperatorPolicy) -> ObjectReference {
    let owners = policy.metadata.owner_references.as_deref();
    let Some(owner) = owners.and_then(<[_]>::first) else {
        return itself(policy);
    };
    ObjectReference {
        api_version: Some(owner.api_version.clone()),
        kind: Some(owner.kind.clone()),
        namespace: policy.metadata.namespace.clone(),
        name: Some(owner.name.clone()),
        uid: Some(owner.uid.clone()),
        ..ObjectReference::default()
    }
}

/// Returns a reference to a policy for events.
pub(super) fn itself(policy: &OperatorPolicy) -> ObjectReference {
    reference(API_VERSION, KIND, &policy.metadata)
}
