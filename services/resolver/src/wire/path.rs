//! Encodes paths and graphs.

use std::collections::BTreeSet;

use portolan_core_graph::{Destination, Hop, Node, Path, PathAnswer, Query, Update, Walk};
use portolan_core_names::BundleName;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::find_path_response::{self as response, AlreadyThere};
use portolan_proto::resolver::v1::get_graph_response as graph_response;

use super::faults::encode_answer_faults;
use super::upgrades::{encode_blockage, encode_given_up, encode_permits};
use super::{
    decode_installed, decode_optional, decode_text, encode_head, encode_names, encode_optional,
    encode_ref, encode_version, encode_via, unknown,
};
use crate::question::{DrawnGraph, FindPath, FoundPath, GetGraph, RequestError};

pub(crate) fn decode_find_path(request: &pb::FindPathRequest) -> Result<FindPath, RequestError> {
    let pb::FindPathRequest {
        catalog,
        package,
        channel,
        installed,
        installed_version,
        destination,
        walk,
        allow_downgrade,
        allow_unconnected,
    } = request;
    Ok(FindPath {
        catalog: decode_optional("catalog", catalog)?,
        package: decode_text("package", package)?,
        query: Query {
            installed: decode_installed(installed, installed_version)?,
            destination: decode_destination(destination.as_ref())?,
            channel: decode_optional("channel", channel)?,
            walk: decode_walk(*walk)?,
            allow_downgrade: *allow_downgrade,
            allow_unconnected: *allow_unconnected,
        },
    })
}

fn decode_destination(destination: Option<&pb::Destination>) -> Result<Destination, RequestError> {
    use pb::destination::{Kind, To};
    let kind = match destination.and_then(|destination| destination.to.as_ref()) {
        Some(To::Version(text)) => {
            return decode_text("destination.version", text).map(Destination::Version);
        }
        Some(To::Range(text)) => {
            return decode_text("destination.range", text).map(Destination::Range);
        }
        Some(To::Bundle(text)) => {
            return decode_text("destination.bundle", text).map(Destination::Bundle);
        }
        Some(To::Kind(kind)) => *kind,
        None => Kind::Head.into(),
    };
    match Kind::try_from(kind) {
        Ok(Kind::Unspecified | Kind::Head) => Ok(Destination::Head),
        Ok(Kind::NewestPatch) => Ok(Destination::NewestPatch),
        Ok(Kind::NewestMinor) => Ok(Destination::NewestMinor),
        Err(_) => Err(unknown(
            "destination.kind",
            kind,
            "HEAD, NEWEST_PATCH, NEWEST_MINOR",
        )),
    }
}

fn decode_walk(walk: i32) -> Result<Walk, RequestError> {
    use pb::walk::Kind;
    match Kind::try_from(walk) {
        Ok(Kind::Unspecified | Kind::Catalog) => Ok(Walk::Catalog),
        Ok(Kind::OlmV0) => Ok(Walk::OlmV0),
        Err(_) => Err(unknown("walk", walk, "CATALOG, OLM_V0")),
    }
}

pub(crate) fn encode_find_path(
    question: &FindPath,
    answer: &FoundPath<'_>,
) -> pb::FindPathResponse {
    let FoundPath { found, answer } = answer;
    let installed = &question.query.installed;
    let package = found.chart.package();
    let bundle = package.bundles.get(&installed.name);
    let version = bundle.map(|bundle| &bundle.version);
    let faults = match answer {
        PathAnswer::Blocked(blockage) => &*blockage.faults,
        PathAnswer::Reached(_) | PathAnswer::AlreadyThere(_) => &[],
    };
    pb::FindPathResponse {
        catalogs: vec![encode_ref(&found.catalog)],
        installed: Some(pb::Installed {
            name: installed.name.to_string(),
            version: encode_version(version.or(installed.version.as_ref())),
            channels: encode_names(package.channels_of(&installed.name)),
        }),
        faults: encode_answer_faults(found, faults),
        answer: Some(match answer {
            PathAnswer::Reached(path) => {
                response::Answer::Reached(encode_path(&installed.name, path))
            }
            PathAnswer::AlreadyThere(_) => response::Answer::AlreadyThere(AlreadyThere {}),
            PathAnswer::Blocked(blockage) => {
                response::Answer::Blocked(encode_blockage(blockage, found))
            }
        }),
    }
}

fn encode_path(start: &BundleName, path: &Path) -> response::Path {
    let starts = [start]
        .into_iter()
        .chain(path.hops.iter().map(|hop| &hop.to.name));
    let hops = starts.zip(&path.hops);
    response::Path {
        hops: hops.map(|(from, hop)| encode_hop(from, hop)).collect(),
    }
}

fn encode_hop(from: &BundleName, hop: &Hop) -> pb::Hop {
    let Hop {
        to,
        permits,
        is_downgrade,
    } = hop;
    pb::Hop {
        from: from.to_string(),
        to: to.name.to_string(),
        version: encode_version(to.version.as_ref()),
        via: encode_permits(permits),
        channels: encode_names(permits.iter().map(|permit| &permit.channel)),
        downgrade: *is_downgrade,
        deprecation: encode_optional(to.deprecation.as_deref()),
    }
}

pub(crate) fn decode_get_graph(request: &pb::GetGraphRequest) -> Result<GetGraph, RequestError> {
    let pb::GetGraphRequest {
        catalog,
        package,
        channel,
    } = request;
    Ok(GetGraph {
        catalog: decode_optional("catalog", catalog)?,
        package: decode_text("package", package)?,
        channel: decode_optional("channel", channel)?,
    })
}

pub(crate) fn encode_get_graph(answer: &DrawnGraph<'_>) -> pb::GetGraphResponse {
    pb::GetGraphResponse {
        updates: encode_updates(answer).collect(),
        ..encode_graph_without_updates(answer)
    }
}

/// Encodes the updates of a graph one by one, on demand.
pub(crate) fn encode_updates(
    answer: &DrawnGraph<'_>,
) -> impl Iterator<Item = graph_response::Update> {
    let graph = answer.found.chart.graph();
    graph
        .updates(answer.channel)
        .map(|update| encode_update(&update))
}

pub(crate) fn encode_graph_without_updates(answer: &DrawnGraph<'_>) -> pb::GetGraphResponse {
    let found = &answer.found;
    let (package, graph) = (found.chart.package(), found.chart.graph());
    let updates = graph.updates(answer.channel);
    let joined: BTreeSet<_> = updates.flat_map(|u| [&u.from.name, &u.to.name]).collect();
    let is_entry = |node: &Node| answer.channels_of(&node.name).next().is_some();
    let is_shown = |node: &&Node| is_entry(node) || joined.contains(&node.name);
    let nodes = graph.nodes().iter().filter(is_shown);
    let heads = graph.heads();
    let heads = heads.iter().filter(|head| answer.shows(&head.channel));
    let faults = graph.faults().iter();
    let faults: Vec<_> = faults
        .filter(|fault| answer.shows(fault.channel()))
        .cloned()
        .collect();
    pb::GetGraphResponse {
        catalogs: vec![encode_ref(&found.catalog)],
        package: package.name.to_string(),
        default_channel: encode_optional(package.default_channel.as_ref()),
        nodes: nodes.map(|node| encode_node(node, answer)).collect(),
        updates: Vec::new(),
        heads: heads.map(encode_head).collect(),
        deprecations: encode_given_up(found, answer.channel),
        faults: encode_answer_faults(found, &faults),
    }
}

fn encode_node(node: &Node, answer: &DrawnGraph<'_>) -> graph_response::Node {
    let Node {
        name,
        version,
        release: _,
        deprecation,
    } = node;
    graph_response::Node {
        name: name.to_string(),
        version: encode_version(version.as_ref()),
        channels: encode_names(answer.channels_of(name)),
        deprecation: encode_optional(deprecation.as_deref()),
    }
}

fn encode_update(update: &Update<'_>) -> graph_response::Update {
    let Update {
        channel,
        from,
        to,
        edges,
    } = update;
    graph_response::Update {
        channel: channel.to_string(),
        from: from.name.to_string(),
        to: to.name.to_string(),
        via: encode_via(*edges),
    }
}
