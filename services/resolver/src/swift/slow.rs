//! What takes long enough to be answered in a thread of its own.

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use portolan_shell::BlockingPool;
use prost::Message;
use tonic::Status;
use tonic::server::UnaryService;

use super::kept::{Asking, Key};
use super::{Told, decode};
use crate::Snapshot;
use crate::service::{Resolver, answers};

/// The methods that take long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Long {
    Resolve,
    PredictOlm,
}

/// A method that takes long, over one Snapshot.
#[derive(Debug)]
pub(super) struct Slow {
    method: Long,
    snapshot: Arc<Snapshot>,
    pool: BlockingPool,
}

// === impl Slow ===

impl Slow {
    pub(super) fn new(method: Long, resolver: &Resolver) -> Self {
        Self {
            method,
            snapshot: resolver.current(),
            pool: resolver.pool().clone(),
        }
    }
}

impl UnaryService<Bytes> for Slow {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let method = self.method;
        let key = (Asking::Long(method), request.into_inner());
        let (snapshot, pool) = (Arc::clone(&self.snapshot), self.pool.clone());
        async move {
            // What is kept needs no thread.
            let answer = match snapshot.kept.find(&key) {
                Some(kept) => kept,
                None => pool.run(move || answer(&snapshot, method, key)).await?,
            };
            Ok(tonic::Response::new(answer))
        }
        .boxed()
    }
}

fn answer(snapshot: &Snapshot, method: Long, key: Key) -> Result<Bytes, Status> {
    // Who waited for a place may find that others have asked the same meanwhile.
    snapshot.kept.find_or(key, |question| {
        let told = match method {
            Long::Resolve => {
                answers::resolve(snapshot, &decode(question)?).map(|answer| answer.encode_to_vec())
            }
            Long::PredictOlm => answers::predict_olm(snapshot, &decode(question)?)
                .map(|answer| answer.encode_to_vec()),
        };
        told.map(Told::Answer).map_err(Status::from)
    })
}
