//! Contract types to core types and back; nothing else.

mod catalogs;
mod operators;
mod verdicts;

use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::watch_response::{Event, Gone};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

pub(crate) use self::catalogs::{
    decode_get_catalog, decode_list_catalogs, encode_get_catalog, encode_list_catalogs,
};
pub(crate) use self::operators::{
    decode_get_operator, decode_list_operators, encode_get_operator, encode_list_operators,
};
use crate::question::{Refusal, Watch};
use crate::snapshot::Change;

/// The longest name that Kubernetes has for an object.
const LONGEST: usize = 253;

/// The one place where a refusal gets its code and details.
pub(crate) fn encode_refusal(refusal: Refusal) -> Status {
    let message = refusal.to_string();
    let not_found = |kind: &str, name: String| {
        let details = ErrorDetails::with_resource_info(kind, name, "", message.clone());
        Status::with_error_details(Code::NotFound, message.clone(), details)
    };
    match refusal {
        Refusal::Field {
            field,
            message: violation,
        } => {
            let details = ErrorDetails::with_bad_request_violation(field, violation);
            Status::with_error_details(Code::InvalidArgument, message, details)
        }
        Refusal::UnknownOperator { name, .. } => not_found("Operator", name),
        Refusal::UnknownCatalog { name, .. } => not_found("CatalogSource", name),
        Refusal::NotYet | Refusal::Unseen(_) => Status::unavailable(message),
    }
}

pub(crate) fn decode_watch(request: &pb::WatchRequest) -> Result<Watch, Refusal> {
    let pb::WatchRequest { namespace } = request;
    Ok(Watch {
        namespace: decode_namespace(namespace)?,
    })
}

pub(crate) fn encode_change(change: &Change) -> Event {
    match change {
        Change::Operator(operator) => Event::Operator(operators::encode_operator(operator)),
        Change::Catalog(asked) => Event::Catalog(catalogs::encode_catalog(asked)),
        Change::Gone(subject) => Event::Gone(Gone {
            subject: Some(verdicts::encode_object(subject)),
        }),
    }
}

/// The empty text is no namespace in particular.
fn decode_namespace(namespace: &str) -> Result<Option<String>, Refusal> {
    match namespace {
        "" => Ok(None),
        namespace => decode_name("namespace", namespace).map(Some),
    }
}

/// Not all of what Kubernetes asks of a name, only what keeps sentences readable.
fn decode_name(field: &'static str, name: &str) -> Result<String, Refusal> {
    let refused = |message: String| Err(Refusal::Field { field, message });
    if name.is_empty() {
        return refused("it is empty; say a name".to_owned());
    }
    if name.len() > LONGEST {
        let length = name.len();
        return refused(format!(
            "it has {length} characters, and names have at most {LONGEST}"
        ));
    }
    match name
        .chars()
        .find(|each| !each.is_ascii_graphic() || *each == '/')
    {
        Some('/') => refused(format!(
            "{name:?} is no name; a namespace goes into `namespace`"
        )),
        Some(odd) => refused(format!("{name:?} is no name, as it has {odd:?}")),
        None => Ok(name.to_owned()),
    }
}
