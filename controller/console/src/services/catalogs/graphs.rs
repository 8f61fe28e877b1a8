//! The update graphs of packages, and the paths in them.

use portolan_core_console::GraphFilter;
use portolan_core_console::drawing::{Bundle, DrawnUpdate, Graph, Head, Way};
use portolan_core_console::view::{Seen, Unseen};
use portolan_core_names::Version;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::{
    Destination, FindPathRequest, FindPathResponse, GetGraphRequest, GetGraphResponse, destination,
    edge, walk,
};

use crate::services::{Services, heard};

const NO_START: &str = "To see a path, also choose the bundle at which it begins.";
const UNKNOWN_ANSWER: &str = "The resolver sent an answer that this version of the console does not \
    support.";

impl Services {
    /// Returns the part of a graph that a visitor wants to see. Fails with the reason if the visitor
    /// wants to see a path that does not exist.
    pub(in crate::services) async fn graph_of(
        &self,
        catalog: &str,
        package: &str,
        asked: &GraphFilter,
    ) -> Seen<Graph> {
        if asked.from.is_empty() && !asked.to.is_empty() {
            return Err(Unseen(NO_START.to_owned()));
        }
        let graph = self.graph(catalog, package, &asked.channel).await?;
        if asked.from.is_empty() {
            return Ok(graph);
        }
        let to = match asked.to.as_str() {
            "" => destination::To::Kind(destination::Kind::Head.into()),
            to if Version::parse(to).is_ok() => destination::To::Version(to.to_owned()),
            to => destination::To::Bundle(to.to_owned()),
        };
        let request = FindPathRequest {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            channel: asked.channel.clone(),
            installed: asked.from.clone(),
            destination: Some(Destination { to: Some(to) }),
            walk: walk::Kind::Catalog.into(),
            ..FindPathRequest::default()
        };
        let answer = heard(self.resolver().find_path(request).await)?;
        let path = path_of(&answer).map_err(Unseen)?;
        Ok(graph.only(&path))
    }

    pub(in crate::services) async fn graph(
        &self,
        catalog: &str,
        package: &str,
        channel: &str,
    ) -> Seen<Graph> {
        let request = GetGraphRequest {
            catalog: catalog.to_owned(),
            package: package.to_owned(),
            channel: channel.to_owned(),
        };
        let graph = heard(self.resolver().get_graph(request).await)?;
        Ok(drawn(graph))
    }
}

/// Returns the bundles of a path, beginning with the installed bundle. Without a path, returns the
/// reason in lines.
///
/// # Errors
/// Returns an error if there is no path.
pub fn path_of(answer: &FindPathResponse) -> Result<Vec<String>, String> {
    let installed = answer.installed.iter().map(|it| it.name.clone());
    match &answer.answer {
        Some(Answer::Reached(path)) => {
            let hops = path.hops.iter().map(|hop| hop.to.clone());
            Ok(installed.chain(hops).collect())
        }
        Some(Answer::AlreadyThere(_)) => Ok(installed.collect()),
        Some(Answer::Blocked(blockage)) => Err(blockage.text.clone()),
        None => Err(UNKNOWN_ANSWER.to_owned()),
    }
}

/// Converts a response of the resolver to a graph.
pub fn drawn(graph: GetGraphResponse) -> Graph {
    let updates = graph.updates.iter().map(|update| DrawnUpdate {
        channel: update.channel.clone(),
        from: update.from.clone(),
        to: update.to.clone(),
        ways: update.via().map(way).collect(),
    });
    let updates = updates.collect();
    let bundles = graph.nodes.into_iter().map(|node| Bundle {
        is_deprecated: !node.deprecation.is_empty(),
        name: node.name,
        version: node.version,
        channels: node.channels,
    });
    let heads = graph.heads.into_iter().map(|head| Head {
        channel: head.channel,
        name: head.name,
    });
    Graph {
        package: graph.package,
        default_channel: graph.default_channel,
        bundles: bundles.collect(),
        updates,
        heads: heads.collect(),
        path: Vec::new(),
        is_part: false,
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

#[cfg(test)]
mod tests {
    use portolan_proto::resolver::v1::find_path_response::Path;
    use portolan_proto::resolver::v1::{Blockage, Hop, Installed};

    use super::*;

    #[test]
    fn path_begins_at_the_installed_bundle() {
        let of = |answer| FindPathResponse {
            installed: Some(Installed {
                name: "ferry.v1.0.0".to_owned(),
                ..Installed::default()
            }),
            answer,
            ..FindPathResponse::default()
        };
        let hop = Hop {
            to: "ferry.v1.1.0".to_owned(),
            ..Hop::default()
        };
        let reached = Answer::Reached(Path { hops: vec![hop] });
        let path = ["ferry.v1.0.0", "ferry.v1.1.0"].map(str::to_owned);
        assert_eq!(path_of(&of(Some(reached))), Ok(path.into()));
        let why = "no path from ferry.v1.0.0".to_owned();
        let blocked = Answer::Blocked(Blockage {
            text: why.clone(),
            ..Blockage::default()
        });
        assert_eq!(path_of(&of(Some(blocked))), Err(why));
        assert_eq!(path_of(&of(None)), Err(UNKNOWN_ANSWER.to_owned()));
    }
}
