//! The slow methods, which run on a separate thread.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use portolan_shell::BlockingPool;
use prost::Message;
use tonic::Status;
use tonic::server::UnaryService;

use super::{Asking, CallKey, Encoded, decode};
use crate::Snapshot;
use crate::service::{self, Resolver};

/// The slow methods whose responses are cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum KeptSlowMethod {
    Resolve,
    PredictOlm,
}

/// A slow method, together with one Snapshot.
#[derive(Debug)]
pub(super) struct BlockingCall {
    method: KeptSlowMethod,
    snapshot: Arc<Snapshot>,
    pool: BlockingPool,
}

// === impl BlockingCall ===

impl BlockingCall {
    pub(super) fn new(method: KeptSlowMethod, resolver: &Resolver) -> Self {
        Self {
            method,
            snapshot: resolver.current(),
            pool: resolver.pool().clone(),
        }
    }
}

impl UnaryService<Bytes> for BlockingCall {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let method = self.method;
        let key = (Asking::Slow(method), request.into_inner());
        let (snapshot, pool) = (Arc::clone(&self.snapshot), self.pool.clone());
        async move {
            // A cached response needs no thread.
            let answer = match snapshot.kept.find(&key) {
                Some(kept) => kept,
                None => {
                    let work = move |abandoned| answer(&snapshot, method, key, abandoned);
                    pool.run_while_awaited(work).await?
                }
            };
            Ok(tonic::Response::new(answer))
        }
        .boxed()
    }
}

fn answer(
    snapshot: &Snapshot,
    method: KeptSlowMethod,
    key: CallKey,
    abandoned: Arc<AtomicBool>,
) -> Result<Bytes, Status> {
    // While this call waited for the thread, another call may have cached the response.
    snapshot.kept.find_or(key, |question| {
        let told = match method {
            KeptSlowMethod::Resolve => service::resolve(snapshot, &decode(question)?, abandoned)
                .map(|answer| answer.encode_to_vec()),
            KeptSlowMethod::PredictOlm => service::predict_olm(snapshot, &decode(question)?)
                .map(|answer| answer.encode_to_vec()),
        };
        told.map(Encoded::Answer).map_err(Status::from)
    })
}
