//! Converts between protobuf types and core types.

mod bundles;
mod catalogs;
mod faults;
mod generate;
mod offered;
mod path;
mod predict;
mod predicted;
mod resolve;
mod resolved;
mod route;
mod upgrades;

use std::fmt::Display;
use std::str::FromStr;

use portolan_core_graph::{Edges, Head, Installed};
use portolan_core_names::{ChannelName, PackageName, Version};
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::watch_catalogs_response::{Event, Gone, Heartbeat, Synced};
use portolan_scaffold::Message;
use portolan_shell::refusal;
use tonic::{Code, Status};

pub(crate) use self::bundles::{
    decode_bundle, decode_diff_bundles, decode_options, decode_render_bundle, encode_changes,
    encode_diff_bundles, encode_not_rendered, encode_outcome, encode_render_bundle,
};
use self::catalogs::encode_catalog;
pub(crate) use self::catalogs::{
    decode_check_catalogs, decode_list_catalogs, encode_check_catalogs, encode_list_catalogs,
};
pub(crate) use self::generate::{decode_generate, decode_preview, encode_generate, encode_preview};
pub(crate) use self::offered::{
    decode_get_bundle, decode_get_package, decode_list_packages, encode_get_bundle,
    encode_get_package, encode_list_packages,
};
pub(crate) use self::path::{
    decode_find_path, decode_get_graph, encode_find_path, encode_get_graph,
    encode_graph_without_updates, encode_updates,
};
pub(crate) use self::predict::decode_predict_olm;
pub(crate) use self::predicted::encode_predict_olm;
pub(crate) use self::resolve::decode_resolve;
pub(crate) use self::resolved::encode_resolve;
pub(crate) use self::route::{decode_plan_route, encode_plan_route};
pub(crate) use self::upgrades::{decode_list_upgrades, encode_list_upgrades};
use crate::question::{Answering, Page, PageRequest, RequestError};
use crate::snapshot::{CatalogChange, SourceFailure};
use crate::source::ReadOrigin;

/// This conversion is the only code that assigns a gRPC code and details to an error.
impl From<RequestError> for Status {
    fn from(refusal: RequestError) -> Self {
        let message = refusal.to_string();
        let code = code(&refusal);
        match refusal {
            RequestError::Field {
                field,
                message: violation,
            } => refusal::invalid(&field, &violation, message),
            RequestError::UnknownCatalog { name, .. } => not_found("Catalog", &name, message),
            RequestError::UnknownPackage { name, .. } => not_found("Package", &name, message),
            RequestError::UnknownChannel(unknown) => {
                not_found("Channel", &unknown.channel, message)
            }
            RequestError::NoChannels { channel, .. } => not_found("Channel", &channel, message),
            RequestError::UnknownBundle { name, .. } => not_found("Bundle", &name, message),
            RequestError::NoContent(_)
            | RequestError::PageGone
            | RequestError::TooManyUpdates { .. }
            | RequestError::Abandoned
            | RequestError::Unsound(_) => Self::new(code, message),
        }
    }
}

fn not_found(kind: &str, name: &impl Display, message: String) -> Status {
    refusal::not_found(kind, &name.to_string(), message)
}

pub(crate) fn encode_message(message: Message<CatalogChange>) -> pb::WatchCatalogsResponse {
    let Message {
        epoch,
        revision,
        event,
    } = message;
    pb::WatchCatalogsResponse {
        epoch,
        revision,
        event: Some(match event {
            portolan_scaffold::Event::Change(CatalogChange::Catalog(name, offer)) => {
                Event::Changed(encode_catalog(&name, &offer))
            }
            portolan_scaffold::Event::Change(CatalogChange::Gone(name)) => Event::Gone(Gone {
                name: name.to_string(),
            }),
            portolan_scaffold::Event::Synced => Event::Synced(Synced {}),
            portolan_scaffold::Event::Heartbeat => Event::Heartbeat(Heartbeat {}),
        }),
    }
}

/// Encodes the error that details cannot be read from their source now.
pub(crate) fn encode_unread(error: &ReadOrigin) -> Status {
    let why = SourceFailure::new("ReadOrigin", error);
    if error.is_outdated() {
        Status::aborted(format!("{why}; retry in a moment"))
    } else {
        Status::unavailable(format!("the source of the catalog does not answer: {why}"))
    }
}

/// Encodes an error in a batch. The other queries of the batch are still processed.
pub(crate) fn encode_refused(refusal: &RequestError) -> pb::Refusal {
    let (field, message) = match refusal {
        RequestError::Field { field, message } => (&**field, message.clone()),
        other => ("", other.to_string()),
    };
    pb::Refusal {
        code: code_name(code(refusal)).to_owned(),
        message,
        field: field.to_owned(),
    }
}

fn code(refusal: &RequestError) -> Code {
    match refusal {
        RequestError::Field { .. } => Code::InvalidArgument,
        RequestError::UnknownCatalog { .. }
        | RequestError::UnknownPackage { .. }
        | RequestError::UnknownChannel(_)
        | RequestError::NoChannels { .. }
        | RequestError::UnknownBundle { .. } => Code::NotFound,
        RequestError::NoContent(_) => Code::Unavailable,
        RequestError::PageGone => Code::Aborted,
        RequestError::TooManyUpdates { .. } => Code::ResourceExhausted,
        RequestError::Abandoned => Code::Cancelled,
        RequestError::Unsound(_) => Code::Internal,
    }
}

/// Returns the name of a code in the gRPC specification.
fn code_name(code: Code) -> &'static str {
    match code {
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::NotFound => "NOT_FOUND",
        Code::Unavailable => "UNAVAILABLE",
        Code::Aborted => "ABORTED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::Cancelled => "CANCELLED",
        Code::Internal => "INTERNAL",
        _ => "UNKNOWN",
    }
}

fn decode_text<T>(field: &'static str, text: &str) -> Result<T, RequestError>
where
    T: FromStr<Err: Display>,
{
    text.parse().map_err(|refusal: T::Err| RequestError::Field {
        field: field.into(),
        message: refusal.to_string(),
    })
}

/// Returns the error for an enum number that this version does not support.
fn unknown(field: &'static str, number: i32, known: &str) -> RequestError {
    RequestError::Field {
        field: field.into(),
        message: format!("{number} is unknown to this server, which supports {known}"),
    }
}

fn decode_optional<T>(field: &'static str, text: &str) -> Result<Option<T>, RequestError>
where
    T: FromStr<Err: Display>,
{
    (!text.is_empty())
        .then(|| decode_text(field, text))
        .transpose()
}

fn decode_installed(name: &str, version: &str) -> Result<Installed, RequestError> {
    Ok(Installed {
        name: decode_text("installed", name)?,
        version: decode_optional("installed_version", version)?,
    })
}

fn decode_page(size: u32, token: &str) -> Result<PageRequest, RequestError> {
    Ok(PageRequest::new(
        size,
        decode_optional("page_token", token)?,
    ))
}

fn encode_token<T>(page: &Page<T>) -> String {
    page.next
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Encodes a reference to the content of a catalog. It includes the digest of the faults, because
/// the faults also depend on the files.
fn encode_ref(catalog: &Answering<'_>) -> pb::CatalogRef {
    let content = catalog.content.catalog();
    let faults = (!content.faults.is_empty()).then_some(content.fault_digest);
    pb::CatalogRef {
        name: catalog.name.to_string(),
        digest: content.digest.to_string(),
        fault_digest: faults.map(|digest| digest.to_string()).unwrap_or_default(),
        stale: catalog.offer.state.why().is_some(),
    }
}

fn encode_refs(catalogs: &[Answering<'_>]) -> Vec<pb::CatalogRef> {
    catalogs.iter().map(encode_ref).collect()
}

fn encode_head(head: &Head) -> pb::Head {
    let Head {
        channel,
        bundle,
        version,
    } = head;
    pb::Head {
        channel: channel.to_string(),
        name: bundle.to_string(),
        version: encode_optional(version.as_ref()),
    }
}

fn encode_via(edges: Edges) -> Vec<i32> {
    let kinds = edges.iter().map(|edge| match edge {
        portolan_core_graph::Edge::Replaces => pb::edge::Kind::Replaces,
        portolan_core_graph::Edge::Skips => pb::edge::Kind::Skips,
        portolan_core_graph::Edge::SkipRange => pb::edge::Kind::SkipRange,
    });
    kinds.map(i32::from).collect()
}

fn encode_optional(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn encode_version(version: Option<&Version>) -> String {
    encode_optional(version)
}

fn encode_names<T: Display>(names: impl IntoIterator<Item = T>) -> Vec<String> {
    names.into_iter().map(|name| name.to_string()).collect()
}

fn encode_reason(code: &str, message: String, object: basis::ObjectRef) -> basis::Reason {
    basis::Reason {
        code: code.to_owned(),
        message,
        object: Some(object),
    }
}

fn encode_channel(package: &PackageName, channel: &ChannelName) -> basis::ObjectRef {
    encode_object("Channel", format_args!("{package}/{channel}"))
}

fn encode_object(kind: &str, name: impl Display) -> basis::ObjectRef {
    basis::ObjectRef {
        kind: kind.to_owned(),
        namespace: String::new(),
        name: name.to_string(),
    }
}

fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}
