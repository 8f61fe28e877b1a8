//! Converts between protobuf types and core types.

mod catalogs;
mod operators;
mod verdicts;

use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::watch_response::{Event, Gone, Heartbeat, Synced};
use portolan_scaffold::Message;
use portolan_shell::refusal;
use tonic::Status;

pub(crate) use self::catalogs::{
    decode_get_catalog, decode_list_catalogs, encode_get_catalog, encode_list_catalogs,
};
pub(crate) use self::operators::{
    decode_get_operator, decode_list_operators, encode_get_operator, encode_list_operators,
};
use crate::question::{RequestError, Watch};
use crate::snapshot::Change;

/// This conversion is the only code that assigns a gRPC code and details to an error.
impl From<RequestError> for Status {
    fn from(refusal: RequestError) -> Self {
        let message = refusal.to_string();
        match refusal {
            RequestError::Field {
                field,
                message: violation,
            } => refusal::invalid(field, &violation, message),
            RequestError::UnknownOperator { name, .. } => {
                refusal::not_found("Operator", &name, message)
            }
            RequestError::UnknownCatalog { name, .. } => {
                refusal::not_found("CatalogSource", &name, message)
            }
            RequestError::NotYet(_) | RequestError::Unseen(_) => Self::unavailable(message),
        }
    }
}

pub(crate) fn decode_watch(request: &pb::WatchRequest) -> Result<Watch, RequestError> {
    let pb::WatchRequest { namespace } = request;
    Ok(Watch {
        namespace: decode_namespace(namespace)?,
    })
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
        Change::Operator(operator) => Event::Operator(operators::encode_operator(operator)),
        Change::Catalog(asked) => Event::Catalog(catalogs::encode_catalog(asked)),
        Change::Gone(subject) => Event::Gone(Gone {
            subject: Some(verdicts::encode_object(subject)),
        }),
    }
}

/// Decodes a namespace. Returns None for an empty text, which means all namespaces.
fn decode_namespace(namespace: &str) -> Result<Option<String>, RequestError> {
    match namespace {
        "" => Ok(None),
        namespace => decode_name("namespace", namespace).map(Some),
    }
}

fn decode_name(field: &'static str, name: &str) -> Result<String, RequestError> {
    let name = refusal::object_name(name).map(str::to_owned);
    name.map_err(|message| RequestError::Field { field, message })
}
