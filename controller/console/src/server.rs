//! Listens, and answers.

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
use portolan_shell::{ReadCertificate, Tls};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::keys::NoRandom;
use crate::pages::Pages;
use crate::{Source, Visitors};

/// The maximum number of connections; each page has one for its changes.
const CONNECTIONS: usize = 512;
/// The time limit for the head of a request to be sent.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// The time that open connections have to end after the console was told to stop.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(3);
/// The pause of the console where the machine gives it no connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The interval at which visitors who look no more are dropped.
const SWEEP: Duration = Duration::from_secs(60);
/// The maximum number of headers of a request, and of bytes.
const HEADERS: usize = 64;
const HEAD: usize = 16 * 1024;

/// The console cannot be opened.
#[derive(Debug, Error)]
pub enum Bind {
    /// Others could reach it, and read everything on its way.
    #[error(
        "without --tls the console listens on loopback alone, and {0} is not; say --listen 127.0.0.1:PORT, or \
         --tls DIR --host NAME for one that visitors bring their tokens to"
    )]
    Reachable(SocketAddr),
    /// The port is taken, or nobody may have it.
    #[error("listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// There is no certificate to serve with.
    #[error("serve TLS (--tls)")]
    Certificate(#[from] ReadCertificate),
    /// There can be no keys.
    #[error(transparent)]
    Keys(#[from] NoRandom),
}

/// The settings of a console that visitors bring their tokens to.
#[derive(Debug, Clone)]
pub struct Hosted {
    /// The address that it listens on.
    pub address: SocketAddr,
    /// The folder of its certificate, as a mounted Secret has it.
    pub tls: PathBuf,
    /// The names that it is reached by, each with its port unless that is 443.
    pub hosts: Vec<String>,
}

/// A console that listens.
pub struct Console {
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    pages: Arc<Pages>,
    draining: CancellationToken,
}

impl std::fmt::Debug for Console {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Console").finish_non_exhaustive()
    }
}

// === impl Console ===

impl Console {
    /// Listens. Nothing is answered before [`Console::run`]. `subject` says what is looked at, on each page.
    ///
    /// # Errors
    /// The address is not on loopback, or cannot be listened on.
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
        })
    }

    /// Listens behind TLS for visitors who bring a token of the cluster. Nothing is answered before [`Console::run`].
    ///
    /// # Errors
    /// The address cannot be listened on, or there is no certificate.
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
        // Whoever reaches it without anything in front of it names its own port.
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
        })
    }

    /// The address to open. On loopback it has a secret that lets one browser in, once; there is another one then.
    pub fn urls(&self) -> watch::Receiver<String> {
        self.pages.urls()
    }

    /// Answers until the first of `stops`.
    pub async fn run(self, stops: impl Stream<Item = ()>) {
        let Self {
            listener,
            tls,
            pages,
            draining,
        } = self;
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let mut connections = JoinSet::new();
        let mut stops = std::pin::pin!(stops);
        let mut sweeps = tokio::time::interval(SWEEP);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
                _ = sweeps.tick() => {
                    pages.sweep();
                    continue;
                }
                _ = stops.next() => break,
            };
            match accepted {
                // Who comes when there is no room is hung up on.
                Ok((stream, from)) => {
                    if let Ok(permit) = Arc::clone(&room).try_acquire_owned() {
                        let (tls, pages) = (tls.clone(), Arc::clone(&pages));
                        let (from, draining) = (from.ip(), draining.clone());
                        connections.spawn(async move {
                            greet(stream, tls, (pages, from), draining).await;
                            drop(permit);
                        });
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        draining.cancel();
        let ended = async { while connections.join_next().await.is_some() {} };
        // What has not ended by then ends with the set.
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, ended).await;
    }
}

/// Answers on one connection, once keys are agreed on where there is TLS.
async fn greet(
    stream: TcpStream,
    tls: Option<Arc<Tls>>,
    (pages, from): (Arc<Pages>, IpAddr),
    draining: CancellationToken,
) {
    let Some(tls) = tls else {
        return answer(stream, (pages, from), draining).await;
    };
    match tls.accept(stream).await {
        Ok(stream) => answer(stream, (pages, from), draining).await,
        Err(error) => tracing::debug!(%error, "a client did not agree on TLS"),
    }
}

/// Whether a host is named with its port.
fn has_port(host: &str) -> bool {
    let port = host.rsplit_once(':').map(|(_, port)| port);
    port.is_some_and(|port| !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit()))
}

/// Answers on one connection.
async fn answer(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin,
    (pages, from): (Arc<Pages>, IpAddr),
    draining: CancellationToken,
) {
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
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
