//! The event by which others hear whether a policy is kept.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use portolan_api::OperatorPolicy;
use portolan_core_operatorpolicy::ComplianceEvent;

#[cfg(test)]
mod tests;

const COMPONENT: &str = "operator-policy-controller";
const ACTION: &str = "ComplianceStateUpdate";
/// How long the name of an object may be.
const NAME: usize = 253;

/// What is new about a policy, about whoever owns it. The same news makes the same name.
pub(super) fn event(policy: &OperatorPolicy, news: &ComplianceEvent, identity: &str) -> Event {
    let metadata = &policy.metadata;
    let namespace = metadata.namespace.clone().unwrap_or_default();
    let name = metadata.name.clone().unwrap_or_default();
    let about = about(policy);
    let time = Some(Time(news.at));
    let kind = match news.is_compliant {
        true => "Normal",
        false => "Warning",
    };
    Event {
        metadata: ObjectMeta {
            name: Some(event_name(
                about.name.as_deref().unwrap_or_default(),
                (news.at, metadata.uid.as_deref().unwrap_or_default()),
            )),
            namespace: Some(namespace.clone()),
            ..ObjectMeta::default()
        },
        involved_object: about,
        related: Some(itself(policy)),
        reason: Some(format!("policy: {namespace}/{name}")),
        message: Some(news.message.clone()),
        source: Some(EventSource {
            component: Some(COMPONENT.to_owned()),
            host: Some(identity.to_owned()),
        }),
        reporting_component: Some(COMPONENT.to_owned()),
        reporting_instance: Some(identity.to_owned()),
        action: Some(ACTION.to_owned()),
        type_: Some(kind.to_owned()),
        count: Some(1),
        first_timestamp: time.clone(),
        last_timestamp: time,
        ..Event::default()
    }
}

/// The policy that it came from, or itself.
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

fn itself(policy: &OperatorPolicy) -> ObjectReference {
    let metadata = &policy.metadata;
    ObjectReference {
        api_version: Some("policy.open-cluster-management.io/v1beta1".to_owned()),
        kind: Some("OperatorPolicy".to_owned()),
        namespace: metadata.namespace.clone(),
        name: metadata.name.clone(),
        uid: metadata.uid.clone(),
        ..ObjectReference::default()
    }
}

/// Made of the instant as the history has it, which is in microseconds. Others read nanoseconds in
/// it; those below a microsecond are of the policy, so that two policies of one owner that tell
/// something at one instant have an event each.
fn event_name(owner: &str, (at, uid): (Timestamp, &str)) -> String {
    let nanos = i128::from(at.as_microsecond()) * 1000 + i128::from(mark(uid));
    let end = format!(".{nanos:x}");
    let room = NAME - end.len();
    let cut = owner.char_indices().take_while(|(place, _)| *place < room);
    let cut: String = cut.map(|(_, char)| char).collect();
    // A name goes on with a letter or a digit before a dot.
    format!("{}{end}", cut.trim_end_matches(['.', '-']))
}

/// A number below a thousand, the same for the same policy at any time: FNV-1a of its uid.
fn mark(uid: &str) -> u64 {
    let hash = uid.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash % 1000
}
