//! Listens on a socket and serves HTTP connections.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use futures::{Stream, StreamExt};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use portolan_shell::{Full, ReadCertificate, Tls, accept};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::keys::NoRandom;
use crate::pages::Pages;
use crate::{Source, Visitors};

/// The connection limit. Each open page keeps a connection for its events. At the limit, the server
/// closes the oldest connection of the address with the most connections.
const CONNECTIONS: Full = Full::CloseOldest(512);
/// The time limit for the TLS handshake and the headers of the first request.
pub(crate) const FIRST_HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for the headers of each further request on a connection, measured from the
/// previous response.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// The time that open connections have to finish after the stop signal.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(3);
/// The interval at which idle visitors are dropped.
const SWEEP: Duration = Duration::from_secs(60);
/// The maximum number of headers in a request. The next constant is the maximum size of the headers
/// in bytes.
const HEADERS: usize = 64;
const HEAD: usize = 16 * 1024;

/// The reason why the console cannot be opened.
#[derive(Debug, Error)]
pub enum Bind {
    /// Without TLS, the address must be on loopback.
    #[error(
        "without --tls the console listens only on loopback, and {0} is not loopback; use \
         --listen 127.0.0.1:PORT, or --tls DIR --host NAME for a console where users log in with \
         their tokens"
    )]
    Reachable(SocketAddr),
    /// The port is in use or not permitted.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address on which the console should listen.
        address: SocketAddr,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// The TLS certificate cannot be read.
    #[error("cannot serve TLS (--tls)")]
    Certificate(#[from] ReadCertificate),
    /// The system has no random numbers for the keys.
    #[error(transparent)]
    Keys(#[from] NoRandom),
}

/// The settings of a console for visitors with tokens.
#[derive(Debug, Clone)]
pub struct Hosted {
    /// The address on which the console listens.
    pub address: SocketAddr,
    /// The folder with the TLS certificate and key, such as a mounted Secret.
    pub tls: PathBuf,
    /// The host names of the console. A host name contains the port unless the port is 443.
    pub hosts: Vec<String>,
}

/// A console that listens on an address.
pub struct Console {
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    pages: Arc<Pages>,
    draining: CancellationToken,
    pub(crate) full: Full,
}

/// A connected client.
struct Visit<'v> {
    pages: Arc<Pages>,
    from: IpAddr,
    /// Notifies the server that the headers of a request have arrived.
    begun: &'v Notify,
}

impl std::fmt::Debug for Console {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Console").finish_non_exhaustive()
    }
}

// === impl Console ===

impl Console {
    /// Listens on an address. [`Console::run`] then answers the requests. Each page shows `subject`
    /// as the name of the cluster.
    ///
    /// # Errors
    /// Returns an error if the address is not on loopback, or if the server cannot listen on it.
    pub async fn bind(
        address: SocketAddr,
        source: impl Source,
        subject: String,
    ) -> Result<Self, Bind> {
        if !address.ip().is_loopback() {
            return Err(Bind::Reachable(address));
        }
        let listen = |source| Bind::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let draining = CancellationToken::new();
        let pages = Pages::new(address, Arc::new(source), subject, draining.clone())?;
        Ok(Self {
            listener,
            tls: None,
            pages: Arc::new(pages),
            draining,
            full: CONNECTIONS,
        })
    }

    /// Listens with TLS for visitors who have a token of the cluster. [`Console::run`] then answers
    /// the requests.
    ///
    /// # Errors
    /// Returns an error if the server cannot listen on the address, or if there is no certificate.
    pub async fn bind_hosted(
        hosted: Hosted,
        visitors: impl Visitors,
        subject: String,
    ) -> Result<Self, Bind> {
        let Hosted {
            address,
            tls,
            mut hosts,
        } = hosted;
        let tls = Some(Arc::new(Tls::http1(&tls)?));
        let listen = |source| Bind::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let port = listener.local_addr().map_err(listen)?.port();
        // A client that connects without a proxy sends the port of this server in the `Host`
        // header, so this port must be accepted too.
        let direct = hosts.iter().filter(|host| !has_port(host));
        let direct: Vec<_> = direct.map(|host| format!("{host}:{port}")).collect();
        hosts.extend(direct);
        let draining = CancellationToken::new();
        let pages = Pages::for_visitors(hosts, Arc::new(visitors), subject, draining.clone())?;
        Ok(Self {
            listener,
            tls,
            pages: Arc::new(pages),
            draining,
            full: CONNECTIONS,
        })
    }

    /// Returns the address to open. On loopback, the address contains a secret that admits one
    /// browser. After each login, the address has a new secret.
    pub fn urls(&self) -> watch::Receiver<String> {
        self.pages.urls()
    }

    /// Serves requests until `stops` yields its first item.
    pub async fn run(self, stops: impl Stream<Item = ()>) {
        let Self {
            listener,
            tls,
            pages,
            draining,
            full,
        } = self;
        let accepted = accept(listener, full, draining.clone(), |stream| {
            greet(stream, tls.clone(), Arc::clone(&pages), draining.clone())
        });
        let mut accepted = std::pin::pin!(accepted);
        let mut stops = std::pin::pin!(stops);
        let mut sweeps = tokio::time::interval(SWEEP);
        loop {
            tokio::select! {
                () = &mut accepted => return,
                _ = sweeps.tick() => pages.sweep(),
                _ = stops.next() => break,
            }
        }
        draining.cancel();
        // After the timeout, the connections that are still open are closed.
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, accepted).await;
    }
}

/// Serves a connection. Closes the connection if its first request does not arrive in time.
async fn greet(
    stream: TcpStream,
    tls: Option<Arc<Tls>>,
    pages: Arc<Pages>,
    draining: CancellationToken,
) {
    // The address is unavailable if the client has already disconnected.
    let Ok(from) = stream.peer_addr() else {
        return;
    };
    let begun = Notify::new();
    let answering = async {
        let visit = Visit {
            pages,
            from: from.ip(),
            begun: &begun,
        };
        let Some(tls) = tls else {
            return answer(stream, visit, draining).await;
        };
        match tls.accept(stream).await {
            Ok(stream) => answer(stream, visit, draining).await,
            Err(error) => tracing::debug!(%error, "a TLS handshake failed"),
        }
    };
    let silence = async {
        if tokio::time::timeout(FIRST_HEAD_TIMEOUT, begun.notified())
            .await
            .is_ok()
        {
            std::future::pending().await
        }
    };
    tokio::select! {
        () = answering => {}
        () = silence => tracing::debug!("a client sent no request in time"),
    }
}

/// Returns true if a host includes a port.
fn has_port(host: &str) -> bool {
    let port = host.rsplit_once(':').map(|(_, port)| port);
    port.is_some_and(|port| !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit()))
}

/// Answers the requests on one connection.
async fn answer(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin,
    Visit { pages, from, begun }: Visit<'_>,
    draining: CancellationToken,
) {
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
        begun.notify_one();
        let pages = Arc::clone(&pages);
        async move { Ok::<_, Infallible>(pages.answer(request.map(Body::new), from).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_headers(HEADERS)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service);
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
