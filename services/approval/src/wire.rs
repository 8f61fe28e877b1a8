//! Converts between protobuf types and core types.

mod policies;
mod reviews;
mod upgrades;

use portolan_core_approval::Reason;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::watch_response::{Event, Gone, Heartbeat, Synced};
use portolan_proto::basis::v1 as basis;
use portolan_scaffold::Message;
use portolan_shell::refusal;
use tonic::Status;

use self::policies::encode_policies;
use self::reviews::encode_review;
pub(crate) use self::upgrades::{
    decode_review_upgrade, decode_watch_upgrades, encode_review_upgrade, encode_upgrade_message,
};
use crate::question::{RequestError, ReviewNamespace, ReviewPlan, Watch, Whole};
use crate::snapshot::{Change, Located, Subject};

/// This conversion is the only code that assigns a gRPC code and details to an error.
impl From<RequestError> for Status {
    fn from(refusal: RequestError) -> Self {
        let message = refusal.to_string();
        match refusal {
            RequestError::Field {
                field,
                message: violation,
            } => refusal::invalid(field, &violation, message),
            RequestError::UnknownPlan { name, .. } => {
                refusal::not_found(portolan_core_olm::InstallPlan::KIND, &name, message)
            }
            RequestError::NotYet(_) | RequestError::Unseen(_) | RequestError::NoUpgrades => {
                Self::unavailable(message)
            }
        }
    }
}

pub(crate) fn decode_review_plan(
    request: &pb::ReviewPlanRequest,
) -> Result<ReviewPlan, RequestError> {
    let pb::ReviewPlanRequest { namespace, name } = request;
    Ok(ReviewPlan {
        namespace: decode_name("namespace", namespace)?,
        name: decode_name("name", name)?,
    })
}

pub(crate) fn encode_review_plan(answer: &Located) -> pb::ReviewPlanResponse {
    pb::ReviewPlanResponse {
        review: Some(encode_review(answer)),
    }
}

pub(crate) fn decode_review_namespace(
    request: &pb::ReviewNamespaceRequest,
) -> Result<ReviewNamespace, RequestError> {
    let pb::ReviewNamespaceRequest { namespace } = request;
    Ok(ReviewNamespace {
        namespace: decode_name("namespace", namespace)?,
    })
}

pub(crate) fn encode_review_namespace(answer: &Whole) -> pb::ReviewNamespaceResponse {
    let Whole {
        reviews,
        policies,
        remarks,
    } = answer;
    pb::ReviewNamespaceResponse {
        reviews: reviews.iter().map(encode_review).collect(),
        policies: encode_policies(policies),
        remarks: encode_reasons(remarks),
    }
}

/// Decodes a watch request. An empty namespace means all namespaces.
pub(crate) fn decode_watch(request: &pb::WatchRequest) -> Result<Watch, RequestError> {
    let pb::WatchRequest { namespace } = request;
    let namespace = match namespace.as_str() {
        "" => None,
        namespace => Some(decode_name("namespace", namespace)?),
    };
    Ok(Watch { namespace })
}

pub(crate) fn encode_message(message: Message<Change>) -> pb::WatchResponse {
    let Message {
        epoch,
        revision,
        event,
    } = message;
    pb::WatchResponse {
        epoch,
        revision,
        event: Some(match event {
            portolan_scaffold::Event::Change(change) => encode_change(&change),
            portolan_scaffold::Event::Synced => Event::Synced(Synced {}),
            portolan_scaffold::Event::Heartbeat => Event::Heartbeat(Heartbeat {}),
        }),
    }
}

fn encode_change(change: &Change) -> Event {
    match change {
        Change::Review(located) => Event::Review(encode_review(located)),
        Change::Gone(Subject { namespace, name }) => Event::Gone(Gone {
            plan: Some(encode_object(
                portolan_core_olm::InstallPlan::KIND,
                namespace,
                name,
            )),
        }),
    }
}

/// Encodes reasons without their states. Clients derive the states from the order of the reasons,
/// which the API defines.
fn encode_reasons(reasons: &[Reason]) -> Vec<basis::Reason> {
    reasons.iter().map(encode_reason).collect()
}

fn encode_reason(reason: &Reason) -> basis::Reason {
    let Reason {
        state: _,
        code,
        object: (kind, namespace, name),
        message,
    } = reason;
    basis::Reason {
        code: code.as_str().to_owned(),
        message: message.clone(),
        object: Some(encode_object(kind, namespace, name)),
    }
}

fn encode_object(kind: &str, namespace: &str, name: &str) -> basis::ObjectRef {
    basis::ObjectRef {
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

fn decode_name(field: &'static str, name: &str) -> Result<String, RequestError> {
    let name = refusal::object_name(name).map(str::to_owned);
    name.map_err(|message| RequestError::Field { field, message })
}

#[cfg(test)]
mod tests;
