//! A server like catalogd. It serves catalogs as JSON lines under `/catalogs/NAME/api/v1/all`.
//!
//! The server supports conditional requests, byte ranges and compression. It can also fail if a
//! test wants this. Its clock advances by an hour when the content is replaced, so that each
//! content has a different modification time without a wait.
//!
//! ```no_run
//! use portolan_kit::catalogd::{Catalogd, Trouble};
//!
//! # async fn example() {
//! let server = Catalogd::of("demo", "{\"schema\": \"olm.package\"}\n").await;
//! server.replace("");
//! server.make(Trouble::Cut(10));
//! println!("{} was asked {} times", server.url(), server.asked().len());
//! # }
//! ```

mod answer;
pub(crate) mod body;
pub(crate) mod identity;
mod lines;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

pub use self::lines::json_lines;
use crate::listening::{Stream, listen};

/// The difference between the times of two successive contents.
const HOUR: Duration = Duration::from_secs(3600);

/// The time of the first content, as a Unix time: 21 November 2026.
const BEGINNING: Duration = Duration::from_secs(1_795_219_200);

/// A running server. Dropping this value stops the server and closes all connections.
#[derive(Debug)]
pub struct Catalogd {
    address: SocketAddr,
    name: String,
    /// The PEM certificate of the server's CA. None if the server uses no TLS.
    authority: Option<String>,
    served: Arc<Mutex<Served>>,
    listening: JoinHandle<Infallible>,
}

/// A failure with which the server responds instead of the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// Responds with a status and an empty body.
    Status(u16),
    /// Redirects to another URL.
    Moved(String),
    /// Responds with status 200 and an HTML page.
    Page,
    /// Accepts the request and never responds.
    Silence,
    /// Closes the connection after this number of bytes of the body.
    Cut(usize),
    /// Sends no more data after this number of bytes of the body, and keeps the connection open.
    Stall(usize),
}

/// A received request, and the response to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The number of the connection. The first connection has the number 1.
    pub connection: usize,
    /// The HTTP status of the response. 0 if the server did not respond.
    pub status: u16,
    /// True if the body of the response was compressed.
    pub is_zipped: bool,
}

/// The content that the server serves, and the requests that it received.
#[derive(Debug, Clone)]
struct Served {
    path: String,
    content: Bytes,
    modified: SystemTime,
    now: SystemTime,
    has_tags: bool,
    trouble: Option<Trouble>,
    connections: usize,
    asked: Vec<Asked>,
}

impl Catalogd {
    /// Serves a catalog over HTTP, on a free loopback port.
    ///
    /// # Panics
    /// Panics if no port is free.
    pub async fn of(name: &str, content: impl Into<Vec<u8>>) -> Self {
        Self::start(name, content.into(), None).await
    }

    /// Serves a catalog over HTTPS, with its own CA.
    ///
    /// # Panics
    /// Panics if no port is free.
    pub async fn over_tls(name: &str, content: impl Into<Vec<u8>>) -> Self {
        Self::start(name, content.into(), Some(identity::identity())).await
    }

    async fn start(name: &str, content: Vec<u8>, tls: Option<(String, TlsAcceptor)>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.expect("a loopback port must be free");
        let address = listener.local_addr();
        let served = Arc::new(Mutex::new(Served {
            path: format!("/catalogs/{name}/api/v1/all"),
            content: content.into(),
            modified: SystemTime::UNIX_EPOCH + BEGINNING,
            now: SystemTime::UNIX_EPOCH + BEGINNING + HOUR,
            has_tags: false,
            trouble: None,
            connections: 0,
            asked: Vec::new(),
        }));
        let (authority, acceptor) = tls.unzip();
        Self {
            address: address.expect("a listener must have an address"),
            name: name.to_owned(),
            authority,
            listening: tokio::spawn({
                let served = served.clone();
                listen(listener, acceptor, move |stream| {
                    serve(stream, served.clone())
                })
            }),
            served,
        }
    }

    /// Returns the base URL of the catalog, in the form of the status of a ClusterCatalog.
    pub fn url(&self) -> String {
        self.url_of(&self.name)
    }

    /// Returns the base URL of a catalog with this name.
    pub fn url_of(&self, name: &str) -> String {
        let scheme = match self.authority {
            Some(_) => "https",
            None => "http",
        };
        format!("{scheme}://{}/catalogs/{name}", self.address)
    }

    /// Returns the PEM certificate of the server's CA. Empty if the server uses no TLS.
    pub fn authority(&self) -> &str {
        self.authority.as_deref().unwrap_or_default()
    }

    /// Replaces the content. The modification time of the new content is one hour later, because
    /// the clock of the server advances by one hour.
    pub fn replace(&self, content: impl Into<Vec<u8>>) {
        self.replace_in_a_hurry(content);
        self.served().now += HOUR;
    }

    /// Replaces the content. The modification time does not change, as if both contents were
    /// written in the same second.
    pub fn replace_in_a_hurry(&self, content: impl Into<Vec<u8>>) {
        let mut served = self.served();
        served.content = content.into().into();
        served.modified = served.now;
    }

    /// Replaces the content. The modification time of the new content is earlier than that of the
    /// old content.
    pub fn replace_by_older(&self, content: impl Into<Vec<u8>>) {
        let mut served = self.served();
        served.content = content.into().into();
        served.modified -= HOUR;
    }

    /// Sends an entity tag with each later response. Real servers send no entity tag.
    pub fn send_tags(&self) {
        self.served().has_tags = true;
    }

    /// Fails each later request in this way.
    pub fn make(&self, trouble: Trouble) {
        self.served().trouble = Some(trouble);
    }

    /// Stops the failures. Later requests succeed.
    pub fn behave(&self) {
        self.served().trouble = None;
    }

    /// Returns the requests so far, in the order in which the server responded.
    pub fn asked(&self) -> Vec<Asked> {
        self.served().asked.clone()
    }

    /// Returns the statuses of the responses so far.
    pub fn statuses(&self) -> Vec<u16> {
        self.asked().iter().map(|asked| asked.status).collect()
    }

    fn served(&self) -> MutexGuard<'_, Served> {
        locked(&self.served)
    }
}

impl Drop for Catalogd {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

fn locked(served: &Mutex<Served>) -> MutexGuard<'_, Served> {
    served.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(stream: Box<dyn Stream>, served: Arc<Mutex<Served>>) {
    let connection = {
        let mut served = locked(&served);
        served.connections += 1;
        served.connections
    };
    let service = service_fn(move |request| {
        let served = served.clone();
        async move {
            let seen = locked(&served).clone();
            let answer = answer::answer(&request, &seen);
            locked(&served).asked.push(Asked {
                connection,
                status: answer.as_ref().map_or(0, |answer| answer.status().as_u16()),
                is_zipped: answer.as_ref().is_some_and(answer::is_zipped),
            });
            match answer {
                Some(answer) => Ok::<_, Infallible>(answer),
                None => std::future::pending().await,
            }
        }
    });
    // Ignores an error: it means only that the client or the server closed the connection.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
