//! A graph whose updates are generated while the graph is written.

use std::sync::Arc;

use portolan_proto::resolver::v1 as pb;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use tonic::Status;

use crate::question::GetGraph;
use crate::{Resolver, Snapshot, wire};

/// The response of GetGraph for a process that writes the graph to a file. The number of updates is
/// not limited.
///
/// The response serializes to the JSON of a [`pb::GetGraphResponse`]. The required memory depends
/// on the number of bundles and not on the number of updates. A graph can have an update for each
/// pair of bundles.
#[derive(Debug)]
pub struct StreamedGraph {
    question: GetGraph,
    snapshot: Arc<Snapshot>,
    /// The response without the updates.
    rest: pb::GetGraphResponse,
}

/// The updates of a graph.
struct Updates<'a>(&'a StreamedGraph);

// === impl Resolver ===

impl Resolver {
    /// Returns the current graph of a package.
    ///
    /// # Errors
    /// Returns the errors of GetGraph, except for the limit on updates.
    pub fn streamed_graph(&self, request: &pb::GetGraphRequest) -> Result<StreamedGraph, Status> {
        let question = wire::decode_get_graph(request)?;
        let snapshot = self.current();
        let rest = wire::encode_graph_without_updates(&question.ask(&snapshot, u64::MAX)?);
        Ok(StreamedGraph {
            question,
            snapshot,
            rest,
        })
    }
}

// === impl StreamedGraph ===

impl StreamedGraph {
    /// Returns the response without the updates.
    pub fn rest(&self) -> &pb::GetGraphResponse {
        &self.rest
    }
}

impl Serialize for StreamedGraph {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const FIELDS: usize = 8;
        let pb::GetGraphResponse {
            catalogs,
            package,
            default_channel,
            nodes,
            updates: _,
            heads,
            deprecations,
            faults,
        } = &self.rest;
        let mut graph = serializer.serialize_struct("GetGraphResponse", FIELDS)?;
        graph.serialize_field("catalogs", catalogs)?;
        graph.serialize_field("package", package)?;
        graph.serialize_field("defaultChannel", default_channel)?;
        graph.serialize_field("nodes", nodes)?;
        graph.serialize_field("updates", &Updates(self))?;
        graph.serialize_field("heads", heads)?;
        graph.serialize_field("deprecations", deprecations)?;
        graph.serialize_field("faults", faults)?;
        graph.end()
    }
}

impl Serialize for Updates<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(graph) = self;
        // The first response was computed with the same Snapshot, so no error is possible.
        let drawn = graph.question.ask(&graph.snapshot, u64::MAX);
        let drawn = drawn.map_err(serde::ser::Error::custom)?;
        serializer.collect_seq(wire::encode_updates(&drawn))
    }
}
