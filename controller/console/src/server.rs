//! Listens on loopback, and answers.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use futures::{Stream, StreamExt};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::Source;
use crate::keys::NoRandom;
use crate::pages::Pages;

/// How many connections there may be; each page has one for its changes.
const CONNECTIONS: usize = 512;
/// How long a request may take to be sent.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// How long what runs may take after the console was told to stop.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the console waits where the machine gives it no connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How many headers a request may have, and how many bytes.
const HEADERS: usize = 64;
const HEAD: usize = 16 * 1024;

/// The console cannot be opened.
#[derive(Debug, Error)]
pub enum Bind {
    /// Others could reach it, and read everything on its way.
    #[error("the console listens on loopback alone, and {0} is not; say --listen 127.0.0.1:PORT")]
    Reachable(SocketAddr),
    /// The port is taken, or nobody may have it.
    #[error("listen on {address}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// There can be no keys.
    #[error(transparent)]
    Keys(#[from] NoRandom),
}

/// A console that listens.
pub struct Console {
    listener: TcpListener,
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
            pages: Arc::new(pages),
            draining,
        })
    }

    /// The address to open, with a secret that lets one browser in, once. There is another one then.
    pub fn urls(&self) -> watch::Receiver<String> {
        self.pages.urls()
    }

    /// Answers until the first of `stops`.
    pub async fn run(self, stops: impl Stream<Item = ()>) {
        let Self {
            listener,
            pages,
            draining,
        } = self;
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let mut connections = JoinSet::new();
        let mut stops = std::pin::pin!(stops);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
                _ = stops.next() => break,
            };
            match accepted {
                // Who comes when there is no room is hung up on.
                Ok((stream, _)) => {
                    if let Ok(permit) = Arc::clone(&room).try_acquire_owned() {
                        let (pages, draining) = (Arc::clone(&pages), draining.clone());
                        connections.spawn(async move {
                            answer(stream, pages, draining).await;
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

/// Answers on one connection.
async fn answer(stream: TcpStream, pages: Arc<Pages>, draining: CancellationToken) {
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
        let pages = Arc::clone(&pages);
        async move { Ok::<_, Infallible>(pages.answer(request.map(Body::new)).await) }
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
