//! A cache of encoded responses, for frequent queries.
//!
//! A response depends only on the Snapshot and the query. Therefore each Snapshot has a cache that
//! maps the bytes of a query to the bytes of its response. If the same query arrives again, the
//! cached bytes are returned without decoding, computing or encoding. The clusters of a fleet
//! repeatedly send the same few queries. [`Resolver`] does not use the cache, and returns the same
//! responses.

mod blocking;

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes};
use futures::future::{BoxFuture, Either, Ready, ready};
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryFutureExt};
use http::{Request, Response};
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_proto::resolver::v1::{
    batch_find_path_response as path, batch_list_upgrades_response as upgrades,
};
use portolan_shell::BlockingPool;
use prost::Message;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::{Grpc, NamedService, StreamingService, UnaryService};
use tonic::{Status, Streaming};
use tower::Service;

use self::blocking::{BlockingCall, KeptSlowMethod};
use crate::Snapshot;
use crate::service::{self, Resolver};

/// The resolver as a gRPC service that caches responses.
#[derive(Debug, Clone)]
pub struct CachedResolver {
    resolver: Resolver,
    uncached: ResolverServer<Resolver>,
}

/// The methods whose responses are cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum KeptMethod {
    ListUpgrades,
    FindPath,
}

/// An encoded response.
enum Encoded {
    Answer(Vec<u8>),
    /// An error for one query in a batch. The error is not cached.
    Refusal(Vec<u8>),
}

/// Calls one method. The responses are computed from the Snapshot.
#[derive(Debug, Clone)]
struct Asked {
    method: KeptMethod,
    snapshot: Arc<Snapshot>,
    pool: BlockingPool,
}

// === impl CachedResolver ===

impl CachedResolver {
    pub(crate) fn new(resolver: Resolver) -> Self {
        Self {
            uncached: resolver.clone().uncached(),
            resolver,
        }
    }
}

impl NamedService for CachedResolver {
    const NAME: &'static str = <ResolverServer<Resolver> as NamedService>::NAME;
}

impl Service<Request<Body>> for CachedResolver {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // `portolan-shell` limits the message size for all services, and returns the correct gRPC
        // code.
        let grpc = Grpc::new(Raw).max_decoding_message_size(usize::MAX);
        let (method, is_batch) = match request.uri().path() {
            "/portolan.resolver.v1.Resolver/Resolve" => {
                let call = BlockingCall::new(KeptSlowMethod::Resolve, &self.resolver);
                return answered(grpc, call, request).boxed();
            }
            "/portolan.resolver.v1.Resolver/PredictOlm" => {
                let call = BlockingCall::new(KeptSlowMethod::PredictOlm, &self.resolver);
                return answered(grpc, call, request).boxed();
            }
            "/portolan.resolver.v1.Resolver/ListUpgrades" => (KeptMethod::ListUpgrades, false),
            "/portolan.resolver.v1.Resolver/FindPath" => (KeptMethod::FindPath, false),
            "/portolan.resolver.v1.Resolver/BatchListUpgrades" => (KeptMethod::ListUpgrades, true),
            "/portolan.resolver.v1.Resolver/BatchFindPath" => (KeptMethod::FindPath, true),
            _ => return self.uncached.call(request),
        };
        let asked = Asked {
            method,
            snapshot: self.resolver.current(),
            pool: self.resolver.pool().clone(),
        };
        if is_batch {
            streamed(grpc, asked, request).boxed()
        } else {
            answered(grpc, asked, request).boxed()
        }
    }
}

async fn answered<A>(
    mut grpc: Grpc<Raw>,
    asked: A,
    request: Request<Body>,
) -> Result<Response<Body>, Infallible>
where
    A: UnaryService<Bytes, Response = Bytes>,
{
    Ok(grpc.unary(asked, request).await)
}

async fn streamed(
    mut grpc: Grpc<Raw>,
    asked: Asked,
    request: Request<Body>,
) -> Result<Response<Body>, Infallible> {
    Ok(grpc.streaming(asked, request).await)
}

// === impl Encoded ===

impl Encoded {
    fn new(is_answer: bool, told: &impl Message) -> Self {
        let bytes = told.encode_to_vec();
        if is_answer {
            Self::Answer(bytes)
        } else {
            Self::Refusal(bytes)
        }
    }
}

// === impl Asked ===

impl UnaryService<Bytes> for Asked {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let question = request.into_inner();
        let told = if self.is_long(Asking::One(self.method), &question) {
            self.clone().on_pool(question, Self::answer)
        } else {
            return ready(self.answer(question).map(tonic::Response::new)).boxed();
        };
        told.map_ok(tonic::Response::new).boxed()
    }
}

impl StreamingService<Bytes> for Asked {
    type Response = Bytes;
    type ResponseStream = BoxStream<'static, Result<Bytes, Status>>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    /// Processes one query at a time, when the client is ready to receive the response.
    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let asked = self.clone();
        let questions = request.into_inner();
        let told = questions.then(move |question| asked.answer_one(question));
        ready(Ok(tonic::Response::new(told.boxed())))
    }
}

impl Asked {
    fn answer_one(
        &self,
        question: Result<Bytes, Status>,
    ) -> impl Future<Output = Result<Bytes, Status>> + use<> {
        match question {
            Ok(question) if self.is_long(Asking::InBatch(self.method), &question) => {
                Either::Right(self.clone().on_pool(question, Self::answer_in_batch))
            }
            Ok(question) => Either::Left(ready(self.answer_in_batch(question))),
            Err(status) => Either::Left(ready(Err(status))),
        }
    }

    async fn on_pool(
        self,
        question: Bytes,
        tell: impl FnOnce(&Self, Bytes) -> Result<Bytes, Status> + Send + 'static,
    ) -> Result<Bytes, Status> {
        let pool = self.pool.clone();
        pool.run(move || tell(&self, question)).await
    }

    /// Returns true if the response is not cached, and computing it may take so long that it must
    /// run on another thread.
    fn is_long(&self, asking: Asking, question: &Bytes) -> bool {
        self.snapshot.has_large_packages()
            && self
                .snapshot
                .kept
                .find(&(asking, question.clone()))
                .is_none()
    }

    fn answer(&self, question: Bytes) -> Result<Bytes, Status> {
        let key = (Asking::One(self.method), question);
        self.snapshot.kept.find_or(key, |question| {
            let told = match self.method {
                KeptMethod::ListUpgrades => {
                    service::list_upgrades(&self.snapshot, &decode(question)?)
                        .map(|answer| answer.encode_to_vec())
                }
                KeptMethod::FindPath => service::find_path(&self.snapshot, &decode(question)?)
                    .map(|answer| answer.encode_to_vec()),
            };
            told.map(Encoded::Answer).map_err(Status::from)
        })
    }

    /// Returns the encoded response to one query in a batch, or the encoded error.
    fn answer_in_batch(&self, question: Bytes) -> Result<Bytes, Status> {
        let key = (Asking::InBatch(self.method), question);
        self.snapshot.kept.find_or(key, |question| {
            Ok(match self.method {
                KeptMethod::ListUpgrades => {
                    let told = service::answer_upgrades(&self.snapshot, &decode(question)?);
                    let is_answer = matches!(told.outcome, Some(upgrades::Outcome::Answer(_)));
                    Encoded::new(is_answer, &told)
                }
                KeptMethod::FindPath => {
                    let told = service::answer_path(&self.snapshot, &decode(question)?);
                    let is_answer = matches!(told.outcome, Some(path::Outcome::Answer(_)));
                    Encoded::new(is_answer, &told)
                }
            })
        })
    }
}

fn decode<T: Message + Default>(question: Bytes) -> Result<T, Status> {
    // An invalid message gets the same error code as in every tonic server.
    T::decode(question).map_err(|error| Status::internal(error.to_string()))
}

/// The maximum number of bytes of all queries and responses in the cache of a Snapshot. Rare
/// queries are evicted first.
const MOST_BYTES: u64 = 32 << 20;

/// The number of responses that are expected to fit into this size.
const USUAL: usize = 4096;

type CallKey = (Asking, Bytes);

/// The method, and whether it was called alone or in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Asking {
    One(KeptMethod),
    InBatch(KeptMethod),
    Slow(KeptSlowMethod),
}

/// The responses of one Snapshot, by query.
pub(crate) struct AnswerCache(Cache<CallKey, Bytes, Size>);

#[derive(Debug, Clone, Copy)]
struct Size;

// === impl AnswerCache ===

impl AnswerCache {
    fn find(&self, key: &CallKey) -> Option<Bytes> {
        self.0.get(key)
    }

    /// Returns the cached response. If there is no cached response, calls `tell` and caches its
    /// response, unless the response is an error.
    fn find_or(
        &self,
        key: CallKey,
        tell: impl FnOnce(Bytes) -> Result<Encoded, Status>,
    ) -> Result<Bytes, Status> {
        if let Some(kept) = self.find(&key) {
            return Ok(kept);
        }
        let (asking, question) = key;
        // The query is a slice of a larger buffer. The key is a copy, so that the buffer can be
        // freed.
        let own = Bytes::copy_from_slice(&question);
        match tell(question)? {
            Encoded::Answer(bytes) => {
                let bytes = Bytes::from(bytes);
                self.0.insert((asking, own), bytes.clone());
                Ok(bytes)
            }
            Encoded::Refusal(bytes) => Ok(bytes.into()),
        }
    }
}

impl Default for AnswerCache {
    fn default() -> Self {
        Self(Cache::with_weighter(USUAL, MOST_BYTES, Size))
    }
}

impl fmt::Debug for AnswerCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerCache")
            .field("answers", &self.0.len())
            .finish()
    }
}

// === impl Size ===

impl Weighter<CallKey, Bytes> for Size {
    fn weight(&self, (_, question): &CallKey, answer: &Bytes) -> u64 {
        (question.len() + answer.len()) as u64
    }
}

/// A codec that passes the bytes of messages on without decoding them.
#[derive(Debug, Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put(message);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_in_a_batch_are_not_cached() {
        for method in [KeptMethod::ListUpgrades, KeptMethod::FindPath] {
            let asked = Asked {
                method,
                snapshot: Arc::default(),
                pool: BlockingPool::default(),
            };
            let refused = asked.answer_in_batch(Bytes::new());
            assert!(!refused.expect("a refusal").is_empty());
            let key = (Asking::InBatch(method), Bytes::new());
            assert_eq!(asked.snapshot.kept.find(&key), None, "{method:?}");
        }
    }
}
