//! The tonic side of the resolver.

use std::sync::Arc;

use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use tokio::sync::watch;
use tonic::{Request, Response, Status};

use crate::Snapshot;
use crate::wire;

/// Answers from the current Snapshot. Clones share it.
#[derive(Debug, Clone)]
pub struct Resolver {
    snapshot: watch::Receiver<Option<Arc<Snapshot>>>,
}

// === impl Resolver ===

impl Resolver {
    /// A resolver over whatever Snapshot the channel holds; None until the first one is there.
    pub fn new(snapshot: watch::Receiver<Option<Arc<Snapshot>>>) -> Self {
        Self { snapshot }
    }

    /// A resolver over one Snapshot that stays.
    pub fn over(snapshot: Snapshot) -> Self {
        Self::new(watch::Sender::new(Some(Arc::new(snapshot))).subscribe())
    }

    /// The gRPC service, for a server or to be called in this process.
    pub fn into_service(self) -> ResolverServer<Self> {
        // The shell limits messages for all services, with the code that gRPC has for it.
        ResolverServer::new(self).max_decoding_message_size(usize::MAX)
    }

    fn current(&self) -> Result<Arc<Snapshot>, Status> {
        self.snapshot.borrow().clone().ok_or_else(|| {
            Status::unavailable("the resolver has not read its catalogs yet; ask again in a moment")
        })
    }
}

#[tonic::async_trait]
impl pb::resolver_server::Resolver for Resolver {
    async fn list_upgrades(
        &self,
        request: Request<pb::ListUpgradesRequest>,
    ) -> Result<Response<pb::ListUpgradesResponse>, Status> {
        let snapshot = self.current()?;
        let question =
            wire::decode_list_upgrades(request.get_ref()).map_err(wire::encode_refusal)?;
        let answer = question.ask(&snapshot).map_err(wire::encode_refusal)?;
        Ok(Response::new(wire::encode_list_upgrades(
            &question, &answer,
        )))
    }
}
