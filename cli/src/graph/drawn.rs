//! An answer of the resolver as what is drawn of it.

use portolan_core_drawing::{Bundle, Graph, Head, Update, Way};
use portolan_proto::resolver::v1::{GetGraphResponse, edge};

pub(super) fn drawn(graph: &GetGraphResponse) -> Graph {
    let bundles = graph.nodes.iter().map(|node| Bundle {
        name: node.name.clone(),
        version: node.version.clone(),
        channels: node.channels.clone(),
        is_deprecated: !node.deprecation.is_empty(),
    });
    let updates = graph.updates.iter().map(|update| Update {
        channel: update.channel.clone(),
        from: update.from.clone(),
        to: update.to.clone(),
        ways: update.via().map(way).collect(),
    });
    let heads = graph.heads.iter().map(|head| Head {
        channel: head.channel.clone(),
        name: head.name.clone(),
    });
    Graph {
        package: graph.package.clone(),
        default_channel: graph.default_channel.clone(),
        bundles: bundles.collect(),
        updates: updates.collect(),
        heads: heads.collect(),
        path: Vec::new(),
    }
}

fn way(kind: edge::Kind) -> Way {
    match kind {
        edge::Kind::Unspecified => Way::Other,
        edge::Kind::Replaces => Way::Replaces,
        edge::Kind::Skips => Way::Skips,
        edge::Kind::SkipRange => Way::SkipRange,
    }
}
