//! Contract types to core types and back; nothing else.

use std::fmt::Display;

use portolan_catalog::{Catalog, Digest, Fault};
use portolan_graph::{Edge, Head, Installed, Permit, Reason, Successor, Upgrades};
use portolan_names::{CatalogName, ChannelName, PackageName, Version};
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::question::{ListUpgrades, ListedUpgrades, Refusal};

/// As many faults as a person reads; a broken catalog can have thousands.
const MOST_FAULTS: usize = 20;

pub(crate) fn decode_list_upgrades(
    request: &pb::ListUpgradesRequest,
) -> Result<ListUpgrades, Refusal> {
    let pb::ListUpgradesRequest {
        catalog,
        package,
        channel,
        installed,
        installed_version,
    } = request;
    Ok(ListUpgrades {
        catalog: decode_optional("catalog", catalog)?,
        package: decode_text("package", package)?,
        channel: decode_optional("channel", channel)?,
        installed: Installed {
            name: decode_text("installed", installed)?,
            version: decode_optional("installed_version", installed_version)?,
        },
    })
}

pub(crate) fn encode_list_upgrades(
    question: &ListUpgrades,
    answer: &ListedUpgrades<'_>,
) -> pb::ListUpgradesResponse {
    let reasons = answer.upgrades.reasons.iter();
    let reasons = reasons
        .map(|reason| encode_reason(reason, answer))
        .chain(encode_graph_faults(answer))
        .chain(encode_faults(answer));
    pb::ListUpgradesResponse {
        observed: encode_observed(answer.catalog),
        installed: question.installed.name.to_string(),
        installed_version: encode_version(answer.upgrades.installed_version.as_ref()),
        updates: encode_updates(&answer.upgrades),
        heads: answer.upgrades.heads.iter().map(encode_head).collect(),
        reasons: reasons.collect(),
    }
}

/// The content of the catalog, and its faults where it has any: they depend on its files too.
fn encode_observed((name, catalog): (&CatalogName, &Catalog)) -> Vec<basis::Observed> {
    let observed = |kind, digest: Digest| basis::Observed {
        object: Some(encode_object(kind, name)),
        digest: digest.to_string(),
        ..basis::Observed::default()
    };
    let faults = (!catalog.faults.is_empty()).then_some(catalog.fault_digest);
    let content = observed("Catalog", catalog.digest);
    let faults = faults.map(|digest| observed("CatalogFaults", digest));
    std::iter::once(content).chain(faults).collect()
}

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
        Refusal::EmptyCatalog(name) | Refusal::UnknownCatalog { name, .. } => {
            not_found("Catalog", name.to_string())
        }
        Refusal::UnknownPackage { name, .. } => not_found("Package", name.to_string()),
        Refusal::UnknownChannel(unknown) => not_found("Channel", unknown.channel.to_string()),
    }
}

fn decode_text<T>(field: &'static str, text: &str) -> Result<T, Refusal>
where
    T: for<'a> TryFrom<&'a str, Error: Display>,
{
    T::try_from(text).map_err(|refusal| Refusal::Field {
        field,
        message: refusal.to_string(),
    })
}

fn decode_optional<T>(field: &'static str, text: &str) -> Result<Option<T>, Refusal>
where
    T: for<'a> TryFrom<&'a str, Error: Display>,
{
    (!text.is_empty())
        .then(|| decode_text(field, text))
        .transpose()
}

/// One update a channel. The one to take is that of the channel to whose head it leads, or of the
/// first channel where that one does not permit it.
fn encode_updates(upgrades: &Upgrades) -> Vec<pb::Update> {
    let updates = upgrades.successors.iter().flat_map(|successor| {
        let is_recommended = upgrades.recommended.as_ref() == Some(&successor.bundle.name);
        let permits = &successor.permits;
        let towards = permits
            .iter()
            .position(|p| Some(&p.channel) == upgrades.towards.as_ref());
        let marked = is_recommended.then_some(towards.unwrap_or(0));
        permits
            .iter()
            .enumerate()
            .map(move |(at, permit)| pb::Update {
                recommended: marked == Some(at),
                ..encode_update(successor, permit)
            })
    });
    updates.collect()
}

fn encode_update(successor: &Successor, permit: &Permit) -> pb::Update {
    let Permit { channel, edges } = permit;
    pb::Update {
        bundle: successor.bundle.name.to_string(),
        version: encode_version(successor.bundle.version.as_ref()),
        channel: channel.to_string(),
        edges: edges.iter().map(|edge| encode_edge(edge).into()).collect(),
        recommended: false,
        downgrade: successor.is_downgrade,
    }
}

fn encode_head(head: &Head) -> pb::Head {
    let Head {
        channel,
        bundle,
        version,
    } = head;
    pb::Head {
        channel: channel.to_string(),
        bundle: bundle.to_string(),
        version: encode_version(version.as_ref()),
    }
}

fn encode_edge(edge: Edge) -> pb::edge::Kind {
    match edge {
        Edge::Replaces => pb::edge::Kind::Replaces,
        Edge::Skips => pb::edge::Kind::Skips,
        Edge::SkipRange => pb::edge::Kind::SkipRange,
    }
}

fn encode_version(version: Option<&Version>) -> String {
    version.map(ToString::to_string).unwrap_or_default()
}

fn encode_reason(reason: &Reason, answer: &ListedUpgrades<'_>) -> basis::Reason {
    let channel = |name| encode_channel(answer.package, name);
    let object = match reason {
        Reason::NoSuccessor { channels, .. } => match channels.as_slice() {
            [only] => channel(only),
            _ => encode_object("Package", answer.package),
        },
        Reason::AtHead { channel: name, .. }
        | Reason::OlmStops { channel: name, .. }
        | Reason::NoHeadBundle { channel: name } => channel(name),
        Reason::NoEdge { to: bundle, .. }
        | Reason::NotInChannel { bundle, .. }
        | Reason::OnlyPrereleases { newest: bundle }
        | Reason::Below {
            destination: bundle,
            ..
        }
        | Reason::LeaptOver {
            destination: bundle,
            ..
        }
        | Reason::UnknownVersion {
            installed: bundle, ..
        } => encode_object("Bundle", bundle),
        Reason::NotOffered { package, .. } | Reason::NoDefaultChannel { package } => {
            encode_object("Package", package)
        }
    };
    basis_reason(reason.code(), reason.to_string(), object)
}

fn encode_graph_faults(answer: &ListedUpgrades<'_>) -> impl Iterator<Item = basis::Reason> {
    answer.upgrades.faults.iter().map(|fault| {
        let channel = encode_channel(answer.package, fault.channel());
        basis_reason(fault.code(), fault.to_string(), channel)
    })
}

fn encode_faults(answer: &ListedUpgrades<'_>) -> Vec<basis::Reason> {
    let catalog = encode_object("Catalog", answer.catalog.0);
    let reason = |message| basis_reason("CatalogFault", message, catalog.clone());
    let mut faults = answer.faults();
    let shown = faults.by_ref().take(MOST_FAULTS).map(Fault::to_string);
    let mut reasons: Vec<_> = shown.map(reason).collect();
    let left_out = faults.count();
    if left_out > 0 {
        reasons.push(reason(format!(
            "{left_out} more faults of this catalog are not listed here"
        )));
    }
    reasons
}

fn basis_reason(code: &str, message: String, object: basis::ObjectRef) -> basis::Reason {
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
