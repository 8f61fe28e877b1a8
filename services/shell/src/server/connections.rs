//! Connections: how many, how long, and how one ends.

use std::future::Future;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::service::Routes;
use tower::{Layer, ServiceExt};

use super::drain::FAREWELL;
use crate::call::Calls;
use crate::pauses::about;

/// A client that went away without a word is noticed after this long.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// Most calls at one time on one connection; there is no bound by itself, and health has no other.
const MAX_STREAMS: u32 = 256;

/// How long nobody is accepted after that has failed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves each connection that comes until `stop`, then waits for those that are open. At most
/// `most` are open at one time; one more is closed at once, so that its client goes elsewhere.
pub(crate) async fn accept<F>(
    listener: TcpListener,
    most: usize,
    stop: CancellationToken,
    serve: impl Fn(TcpStream) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let mut open = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = open.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) if open.len() < most => {
                // Small frames would wait for each other; where it fails they do.
                let _ = stream.set_nodelay(true);
                open.spawn(serve(stream));
            }
            Ok((_, from)) => tracing::debug!(%from, most, "a connection too many was closed"),
            // Who has no file descriptor left fails over and over, and would do nothing else.
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

/// Serves gRPC on one connection until its client closes it, it is as old as `age` (about), or the
/// server drains. From then on it takes no new calls: its client connects again, perhaps to a
/// replica that was not there before. Its streams end as in a drain; its other calls finish, for
/// which `grace` must be enough.
pub(super) async fn serve_grpc(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    routes: Routes,
    calls: Calls,
    age: Duration,
    grace: Duration,
) {
    let draining = calls.draining.child_token();
    let own = Calls {
        draining: draining.clone(),
        ..calls
    };
    let service = own.layer(routes);
    let service = service.map_request(|request: Request<Incoming>| request.map(Body::new));
    let serving = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEPALIVE)
        .max_concurrent_streams(MAX_STREAMS)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut serving = std::pin::pin!(serving);
    let ended = tokio::select! {
        ended = &mut serving => ended,
        () = leave(&draining, age) => {
            serving.as_mut().graceful_shutdown();
            match tokio::time::timeout(grace + FAREWELL, serving).await {
                Ok(ended) => ended,
                Err(_) => return tracing::debug!("a connection outlived its grace"),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Returns when a connection is to take no more calls, and lets its streams know.
async fn leave(draining: &CancellationToken, age: Duration) {
    tokio::select! {
        () = draining.cancelled() => {}
        () = tokio::time::sleep(about(age)) => draining.cancel(),
    }
}
