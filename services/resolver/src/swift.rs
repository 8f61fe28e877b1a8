//! The questions that are asked by the thousand, answered from the bytes of earlier answers.
//!
//! An answer is a function of the Snapshot and the question. So the bytes of an answer are kept
//! with the Snapshot, by the bytes of its question, and the next who asks the same gets them
//! without anything being decoded, asked or encoded. Fleets ask the same few questions over and
//! over. What [`Resolver`] does by itself is the plain way, and both say the same.

mod kept;
mod raw;
mod slow;

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
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
use tonic::body::Body;
use tonic::server::{Grpc, NamedService, StreamingService, UnaryService};
use tonic::{Status, Streaming};
use tower::Service;

use self::kept::Asking;
pub(crate) use self::kept::Kept;
use self::raw::Raw;
use self::slow::{Long, Slow};
use crate::Snapshot;
use crate::service::{Resolver, answers};

/// The resolver as a gRPC service.
#[derive(Debug, Clone)]
pub struct Swift {
    resolver: Resolver,
    plain: ResolverServer<Resolver>,
}

/// The methods that are answered here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Method {
    ListUpgrades,
    FindPath,
}

/// The bytes of what there is to say.
enum Told {
    Answer(Vec<u8>),
    /// Within a batch; it is not kept.
    Refusal(Vec<u8>),
}

/// A method over one Snapshot.
#[derive(Debug, Clone)]
struct Asked {
    method: Method,
    snapshot: Arc<Snapshot>,
    pool: BlockingPool,
}

// === impl Swift ===

impl Swift {
    pub(crate) fn new(resolver: Resolver) -> Self {
        Self {
            plain: resolver.clone().plain(),
            resolver,
        }
    }
}

impl NamedService for Swift {
    const NAME: &'static str = <ResolverServer<Resolver> as NamedService>::NAME;
}

impl Service<Request<Body>> for Swift {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // The shell limits messages for all services, with the code that gRPC has for it.
        let grpc = Grpc::new(Raw).max_decoding_message_size(usize::MAX);
        let (method, is_batch) = match request.uri().path() {
            "/portolan.resolver.v1.Resolver/Resolve" => {
                let slow = Slow::new(Long::Resolve, &self.resolver);
                return answered(grpc, slow, request).boxed();
            }
            "/portolan.resolver.v1.Resolver/PredictOlm" => {
                let slow = Slow::new(Long::PredictOlm, &self.resolver);
                return answered(grpc, slow, request).boxed();
            }
            "/portolan.resolver.v1.Resolver/ListUpgrades" => (Method::ListUpgrades, false),
            "/portolan.resolver.v1.Resolver/FindPath" => (Method::FindPath, false),
            "/portolan.resolver.v1.Resolver/BatchListUpgrades" => (Method::ListUpgrades, true),
            "/portolan.resolver.v1.Resolver/BatchFindPath" => (Method::FindPath, true),
            _ => return self.plain.call(request),
        };
        let asked = Asked {
            method,
            snapshot: self.resolver.current(),
            pool: self.resolver.pool().clone(),
        };
        match is_batch {
            false => answered(grpc, asked, request).boxed(),
            true => streamed(grpc, asked, request).boxed(),
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

// === impl Told ===

impl Told {
    fn new(is_answer: bool, told: &impl Message) -> Self {
        let bytes = told.encode_to_vec();
        match is_answer {
            true => Self::Answer(bytes),
            false => Self::Refusal(bytes),
        }
    }
}

// === impl Asked ===

impl UnaryService<Bytes> for Asked {
    type Response = Bytes;
    type Future = BoxFuture<'static, Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let question = request.into_inner();
        let told = match self.is_long(Asking::One(self.method), &question) {
            false => return ready(self.answer(question).map(tonic::Response::new)).boxed(),
            true => self.clone().on_pool(question, Self::answer),
        };
        told.map_ok(tonic::Response::new).boxed()
    }
}

impl StreamingService<Bytes> for Asked {
    type Response = Bytes;
    type ResponseStream = BoxStream<'static, Result<Bytes, Status>>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    /// Answers one question at a time, when the client is ready for its answer.
    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let asked = self.clone();
        let questions = request.into_inner();
        let told = questions.then(move |question| asked.tell_one(question));
        ready(Ok(tonic::Response::new(told.boxed())))
    }
}

impl Asked {
    fn tell_one(
        &self,
        question: Result<Bytes, Status>,
    ) -> impl Future<Output = Result<Bytes, Status>> + use<> {
        match question {
            Ok(question) if self.is_long(Asking::InBatch(self.method), &question) => {
                Either::Right(self.clone().on_pool(question, Self::tell))
            }
            Ok(question) => Either::Left(ready(self.tell(question))),
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

    /// Whether the answer is not known yet, and may take so long that others would wait for it.
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
                Method::ListUpgrades => answers::list_upgrades(&self.snapshot, &decode(question)?)
                    .map(|answer| answer.encode_to_vec()),
                Method::FindPath => answers::find_path(&self.snapshot, &decode(question)?)
                    .map(|answer| answer.encode_to_vec()),
            };
            told.map(Told::Answer).map_err(Status::from)
        })
    }

    /// What there is to say to one question of a batch.
    fn tell(&self, question: Bytes) -> Result<Bytes, Status> {
        let key = (Asking::InBatch(self.method), question);
        self.snapshot.kept.find_or(key, |question| {
            Ok(match self.method {
                Method::ListUpgrades => {
                    let told = answers::tell_upgrades(&self.snapshot, &decode(question)?);
                    let is_answer = matches!(told.outcome, Some(upgrades::Outcome::Answer(_)));
                    Told::new(is_answer, &told)
                }
                Method::FindPath => {
                    let told = answers::tell_path(&self.snapshot, &decode(question)?);
                    let is_answer = matches!(told.outcome, Some(path::Outcome::Answer(_)));
                    Told::new(is_answer, &told)
                }
            })
        })
    }
}

fn decode<T: Message + Default>(question: Bytes) -> Result<T, Status> {
    // With the code that every server of tonic answers here.
    T::decode(question).map_err(|error| Status::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_within_a_batch_is_not_kept() {
        for method in [Method::ListUpgrades, Method::FindPath] {
            let asked = Asked {
                method,
                snapshot: Arc::default(),
                pool: BlockingPool::default(),
            };
            let refused = asked.tell(Bytes::new());
            assert!(!refused.expect("a refusal is told").is_empty());
            let key = (Asking::InBatch(method), Bytes::new());
            assert_eq!(asked.snapshot.kept.find(&key), None, "{method:?}");
        }
    }
}
