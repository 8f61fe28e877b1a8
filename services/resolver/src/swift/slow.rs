//! What takes long enough to be answered in a thread of its own.

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use portolan_shell::Workbench;
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
    bench: Workbench,
}

// === impl Slow ===

impl Slow {
    pub(super) fn new(method: Long, resolver: &Resolver) -> Self {
        Self {
            method,
            snapshot: resolver.current(),
            bench: resolver.bench().clone(),
        }
    }
}

impl UnaryService<Bytes> for Slow {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let method = self.method;
        let key = (Asking::Long(method), request.into_inner());
        let (snapshot, bench) = (Arc::clone(&self.snapshot), self.bench.clone());
        async move {
            // What is kept needs no thread.
            let answer = match snapshot.kept.find(&key) {
                Some(kept) => kept,
                None => bench.run(move || answer(&snapshot, method, key)).await?,
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
