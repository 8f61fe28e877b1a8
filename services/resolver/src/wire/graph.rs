//! Graphs.

use std::collections::BTreeSet;

use portolan_core_graph::{Node, Update};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::get_graph_response as response;

use super::faults::encode_answer_faults;
use super::upgrades::encode_given_up;
use super::{
    decode_optional, decode_text, encode_head, encode_names, encode_optional, encode_ref,
    encode_version, encode_via,
};
use crate::question::{DrawnGraph, GetGraph, Refusal};

pub(crate) fn decode_get_graph(request: &pb::GetGraphRequest) -> Result<GetGraph, Refusal> {
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
    let found = &answer.found;
    let (package, graph) = (found.chart.package(), found.chart.graph());
    let updates: Vec<_> = graph.updates(answer.channel).collect();
    let joined: BTreeSet<_> = updates
        .iter()
        .flat_map(|u| [&u.from.name, &u.to.name])
        .collect();
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
        updates: updates.iter().map(encode_update).collect(),
        heads: heads.map(encode_head).collect(),
        deprecations: encode_given_up(found, answer.channel),
        faults: encode_answer_faults(found, &faults),
    }
}

fn encode_node(node: &Node, answer: &DrawnGraph<'_>) -> response::Node {
    let Node {
        name,
        version,
        release: _,
        deprecation,
    } = node;
    response::Node {
        name: name.to_string(),
        version: encode_version(version.as_ref()),
        channels: encode_names(answer.channels_of(name)),
        deprecation: encode_optional(deprecation.as_deref()),
    }
}

fn encode_update(update: &Update<'_>) -> response::Update {
    let Update {
        channel,
        from,
        to,
        edges,
    } = update;
    response::Update {
        channel: channel.to_string(),
        from: from.name.to_string(),
        to: to.name.to_string(),
        via: encode_via(*edges),
    }
}
