//! Wishes, which take long enough to be resolved in a thread of their own.

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use portolan_shell::Workbench;
use prost::Message;
use tonic::Status;
use tonic::server::UnaryService;

use super::kept::Asking;
use super::{Told, decode};
use crate::service::{Resolver, answers};
use crate::{Snapshot, wire};

/// `Resolve` over one Snapshot.
#[derive(Debug)]
pub(super) struct Slow {
    snapshot: Arc<Snapshot>,
    bench: Workbench,
}

// === impl Slow ===

impl Slow {
    pub(super) fn new(resolver: &Resolver) -> Self {
        Self {
            snapshot: resolver.current(),
            bench: resolver.bench().clone(),
        }
    }
}

impl UnaryService<Bytes> for Slow {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let key = (Asking::Resolve, request.into_inner());
        let (snapshot, bench) = (Arc::clone(&self.snapshot), self.bench.clone());
        async move {
            // What is kept needs no thread.
            let answer = match snapshot.kept.find(&key) {
                Some(kept) => kept,
                None => bench.run(move || answer(&snapshot, key)).await?,
            };
            Ok(tonic::Response::new(answer))
        }
        .boxed()
    }
}

fn answer(snapshot: &Snapshot, key: (Asking, Bytes)) -> Result<Bytes, Status> {
    // Who waited for a place may find that others have asked the same meanwhile.
    snapshot.kept.find_or(key, |question| {
        let resolved = answers::resolve(snapshot, &decode(question)?);
        let resolved = resolved.map_err(wire::encode_refusal)?;
        Ok(Told::Answer(resolved.encode_to_vec()))
    })
}
