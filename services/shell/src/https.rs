//! An HTTPS server for requests of API servers. Its certificate can be replaced while it serves.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use futures::{Stream, StreamExt};
use http::{HeaderValue, header};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tower::util::{MapRequestLayer, MapResponseLayer};

use crate::patient::Patient;
use crate::pauses::about;
use crate::server::{Full, Serve, accept, listen};
use crate::shown::ShownCertificate;
use crate::tls::{Acceptor, ServedCertificate};

/// The maximum number of connections. There are few API servers, but every client that reaches the
/// port can connect.
const MOST: usize = 256;

/// The maximum number of headers of a request. API servers send one header for each group of a
/// user.
const HEADERS: usize = 1024;

/// The maximum time in which a client may read nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// The maximum idle time of a connection. API servers close connections that are idle for 90
/// seconds. The client must close first. Otherwise a request in transit could be lost.
const SILENCE: Duration = Duration::from_secs(120);

/// The maximum time for running calls to end after the stop signal.
const FAREWELL: Duration = Duration::from_secs(25);

/// A server of HTTP/1.1 over TLS.
#[derive(Debug)]
pub struct HttpsServer {
    listener: TcpListener,
    address: SocketAddr,
    acceptor: Acceptor,
    /// The age at which a connection is closed after its next response. The actual age varies by a
    /// tenth.
    age: Duration,
    full: Full,
}

// === impl HttpsServer ===

impl HttpsServer {
    /// Binds the address. Calls are processed only after [`HttpsServer::run`], and only if there is
    /// a certificate. A connection is closed after the first response that is sent after its `age`.
    /// The client then connects again, perhaps to another replica, and gets the current
    /// certificate.
    ///
    /// # Errors
    /// Returns an error if the server cannot listen on the address.
    pub async fn bind(
        address: SocketAddr,
        certificate: &ServedCertificate,
        age: Duration,
    ) -> Result<Self, Serve> {
        Ok(Self {
            listener: listen(address, "--listen").await?,
            address,
            acceptor: certificate.acceptor()?,
            age,
            full: Full::CloseOldest(MOST),
        })
    }

    /// Binds a server that requests a certificate from clients. Requests of clients with a
    /// certificate have a [`ShownCertificate`]. The server accepts up to `connections` connections
    /// at the same time, because each streaming response needs one connection.
    ///
    /// # Errors
    /// Returns the same errors as [`HttpsServer::bind`].
    pub async fn bind_asking(
        address: SocketAddr,
        certificate: &ServedCertificate,
        age: Duration,
        connections: usize,
    ) -> Result<Self, Serve> {
        Ok(Self {
            listener: listen(address, "--listen").await?,
            address,
            acceptor: certificate.asking_acceptor()?,
            age,
            full: Full::CloseOldest(connections),
        })
    }

    /// Returns the address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.address)
    }

    /// Serves until the first item of `stops`. Then it accepts no more connections, and running
    /// calls can finish. The second item of `stops` cancels them.
    pub async fn run(self, routes: Router, stops: impl Stream<Item = ()>) {
        let address = self.address();
        tracing::info!(https = %address, "listening");
        let Self {
            listener,
            acceptor,
            age,
            full,
            address: _,
        } = self;
        let draining = CancellationToken::new();
        let served = accept(listener, full, draining.clone(), |stream| {
            let (acceptor, routes, draining) = (acceptor.clone(), routes.clone(), draining.clone());
            async move {
                match acceptor.accept(stream).await {
                    Ok(stream) => answer(stream, routes, age, draining).await,
                    Err(error) => tracing::debug!(%error, "a TLS handshake failed"),
                }
            }
        });
        let mut served = std::pin::pin!(served);
        let mut stops = std::pin::pin!(stops.fuse());
        tokio::select! {
            () = &mut served => return,
            _ = stops.next() => draining.cancel(),
        }
        tracing::info!(timeout = ?FAREWELL, "draining");
        let hurried = async {
            if stops.next().await.is_none() {
                std::future::pending().await
            }
        };
        tokio::select! {
            () = served => {}
            () = tokio::time::sleep(FAREWELL) => {}
            () = hurried => {}
        }
        tracing::info!("stopped");
    }
}

/// Serves one connection until its client closes it, it reaches its maximum age, or the server
/// drains.
async fn answer(
    stream: TlsStream<TcpStream>,
    routes: Router,
    age: Duration,
    draining: CancellationToken,
) {
    let shown = ShownCertificate::of(stream.get_ref().1.peer_certificates());
    let stream = TokioIo::new(Patient::new(stream, PATIENCE));
    let until = Instant::now() + about(age);
    let drains = draining.clone();
    let routes = routes.layer(MapRequestLayer::new(move |mut request: Request| {
        if let Some(shown) = &shown {
            request.extensions_mut().insert(shown.clone());
        }
        request
    }));
    let routes = routes.layer(MapResponseLayer::new(move |mut response: Response| {
        if drains.is_cancelled() || Instant::now() >= until {
            // The header announces that this connection will be closed, so the client sends no
            // further request on it.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        response
    }));
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(SILENCE)
        .max_headers(HEADERS)
        .serve_connection(stream, TowerToHyperService::new(routes));
    let mut serving = std::pin::pin!(serving);
    let ended = tokio::select! {
        ended = &mut serving => ended,
        () = draining.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}
