//! Limits for the number and the duration of connections, and their end.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::service::Routes;
use tower::{Layer, ServiceExt};

use super::PULSES;
use super::drain::FAREWELL;
use super::open::Open;
use super::preface::heard;
use crate::call::Calls;
use crate::guard::PeerAddress;
use crate::pauses::about;

/// The interval of keepalive pings, after which the loss of a client is noticed.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// The maximum number of concurrent calls on one connection. The default of the library is
/// unlimited.
const MAX_STREAMS: u32 = 256;

/// The pause after an error in accepting a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The maximum number of open connections, and the action when this number is reached.
#[derive(Debug, Clone, Copy)]
pub enum Full {
    /// Rejects the new connection, so that its client tries another replica. If another address has
    /// more connections than the client, closes one connection of that address instead.
    Refuse(usize),
    /// Closes the oldest connection, because the client has no other server.
    CloseOldest(usize),
}

// === impl Full ===

impl Full {
    /// Returns true if another connection can be accepted. Closes an open connection if this is
    /// necessary and allowed.
    fn has_room(self, open: &mut Open, from: IpAddr) -> bool {
        match self {
            Self::Refuse(most) => open.len() < most || open.makes_room(from),
            Self::CloseOldest(most) => {
                if open.len() >= most {
                    open.close_oldest();
                }
                true
            }
        }
    }
}

/// Serves each new connection until `stop` is cancelled. Then waits until the open connections end.
/// Dropping the future closes all connections.
pub async fn accept<F>(
    listener: TcpListener,
    full: Full,
    stop: CancellationToken,
    serve: impl Fn(TcpStream) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let mut open = Open::default();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            Some(()) = open.next_end() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((_, from)) if !full.has_room(&mut open, from.ip()) => {
                tracing::debug!(%from, "a connection over the limit was closed");
            }
            Ok((stream, from)) => {
                // Nagle's algorithm would delay small frames. The connection works even if the
                // option cannot be set.
                let _ = stream.set_nodelay(true);
                open.serve(from.ip(), serve(stream));
                // If many clients connect at the same time, each connection is served for a moment
                // before it may be closed for the next connection.
                tokio::task::yield_now().await;
            }
            // Without free file descriptors, every attempt to accept a connection fails
            // immediately. The pause prevents a busy loop.
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    while open.next_end().await.is_some() {}
}

/// The time limits of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lasts {
    /// The approximate age at which the connection accepts no more calls.
    pub(super) age: Duration,
    /// The additional time for running calls after this age.
    pub(super) grace: Duration,
}

/// Serves gRPC on one connection until its client closes it, it reaches its maximum age, or the
/// server drains. In the last two cases, the connection accepts no new calls, and the client
/// connects again, perhaps to a newer replica. Streams end as in a drain. Other calls may finish.
pub(super) async fn serve_grpc(
    (stream, from): (
        impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        Option<PeerAddress>,
    ),
    routes: Routes,
    calls: Calls,
    Lasts { age, grace }: Lasts,
) {
    let draining = calls.draining.child_token();
    let own = Calls {
        draining: draining.clone(),
        pulses: Arc::new(Semaphore::new(PULSES)),
        ..calls
    };
    let service = own.layer(routes);
    let service = service.map_request(move |mut request: Request<Incoming>| {
        if let Some(from) = from {
            request.extensions_mut().insert(from);
        }
        request.map(Body::new)
    });
    let (stream, silence) = heard(stream);
    let serving = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEPALIVE)
        .max_concurrent_streams(MAX_STREAMS)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut serving = std::pin::pin!(serving);
    let ended = tokio::select! {
        ended = &mut serving => ended,
        () = silence.expire() => return tracing::debug!("a client sent nothing after connecting"),
        () = leave(&draining, age) => {
            serving.as_mut().graceful_shutdown();
            match tokio::time::timeout(grace + FAREWELL, serving).await {
                Ok(ended) => ended,
                Err(_) => return tracing::debug!("a connection was open after the drain period"),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Waits until a connection must accept no more calls, and notifies the streams of the connection.
async fn leave(draining: &CancellationToken, age: Duration) {
    tokio::select! {
        () = draining.cancelled() => {}
        () = tokio::time::sleep(about(age)) => draining.cancel(),
    }
}
