//! One HTTP/2 connection to one replica.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{AUTHORIZATION, USER_AGENT};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderValue, Request, Response, Uri};
use hyper::client::conn::http2::{Builder, Connection, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;
use tonic::body::Body;

use super::endpoints::DialOptions;
use super::failure::TransportFailure;
use super::secure::Secure;

const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("portolan/", env!("CARGO_PKG_VERSION")));

/// Sends calls over one connection. Clones share the connection. Running calls continue after all
/// clones are dropped.
#[derive(Debug, Clone)]
pub(super) struct Line {
    requests: SendRequest<Body>,
    authority: Authority,
    secure: Option<Arc<Secure>>,
}

/// The future that transfers the bytes of a connection. It ends when the connection accepts no more
/// calls.
pub(super) type Wire = Connection<TokioIo<Stream>, Body, TokioExecutor>;

/// An unencrypted or an encrypted stream.
type Stream = Either<TcpStream, TlsStream<TcpStream>>;

/// A call that failed before the response headers arrived.
#[derive(Debug)]
pub(super) struct Unanswered {
    pub(super) error: hyper::Error,
    pub(super) request: Reached,
}

/// The known state of a request that failed without a response.
#[derive(Debug)]
pub(super) enum Reached {
    /// The request was not sent. Contains the body, which can be sent again.
    Nowhere(Body),
    /// The server reports that it did not process the request.
    Refused,
    /// The request may have been processed.
    Somewhere,
}

// === impl Line ===

impl Line {
    /// Connects to a server. If the server sends nothing for the time in `reach`, the client sends
    /// a keepalive ping. The server then has half of that time to respond.
    pub(super) async fn connect(
        address: SocketAddr,
        dial: &DialOptions,
    ) -> Result<(Self, Wire), TransportFailure> {
        let DialOptions {
            authority,
            keep_alive,
            secure,
            refresh: _,
        } = dial.clone();
        let refused = |error: io::Error| TransportFailure::Connect(address, Arc::new(error));
        let stream = TcpStream::connect(address).await.map_err(refused)?;
        stream.set_nodelay(true).map_err(refused)?;
        let stream = match &secure {
            Some(secure) => Either::Right(secure.connect(address, stream).await?),
            None => Either::Left(stream),
        };
        let (requests, wire) = Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .keep_alive_interval(keep_alive)
            .keep_alive_timeout(keep_alive / 2)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| TransportFailure::Broken(address, Arc::new(error)))?;
        let line = Self {
            requests,
            authority,
            secure,
        };
        Ok((line, wire))
    }

    /// Sends a request and waits for the response headers.
    pub(super) fn ask(
        &self,
        mut request: Request<Body>,
    ) -> impl Future<Output = Result<Response<Body>, Unanswered>> + use<> {
        let path = request.uri().path_and_query().cloned();
        *request.uri_mut() = self.uri(path);
        request.headers_mut().entry(USER_AGENT).or_insert(AGENT);
        if let Some(bearer) = self.secure.as_ref().and_then(|secure| secure.bearer()) {
            request.headers_mut().insert(AUTHORIZATION, bearer);
        }
        let answer = self.requests.clone().try_send_request(request);
        async {
            match answer.await {
                Ok(response) => Ok(response.map(Body::new)),
                Err(mut failed) => Err(match failed.take_message() {
                    Some(request) => Unanswered {
                        error: failed.into_error(),
                        request: Reached::Nowhere(request.into_body()),
                    },
                    None => Unanswered::from(failed.into_error()),
                }),
            }
        }
    }

    fn uri(&self, path: Option<PathAndQuery>) -> Uri {
        let mut parts = http::uri::Parts::default();
        parts.scheme = Some(match self.secure {
            Some(_) => Scheme::HTTPS,
            None => Scheme::HTTP,
        });
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(path.unwrap_or(PathAndQuery::from_static("/")));
        Uri::from_parts(parts).expect("a scheme, an authority and a path must make a URL")
    }
}

// === impl Unanswered ===

impl From<hyper::Error> for Unanswered {
    fn from(error: hyper::Error) -> Self {
        let request = if is_refusal(&error) {
            Reached::Refused
        } else {
            Reached::Somewhere
        };
        Self { error, request }
    }
}

/// Returns true if the server reports that it did not process the request. The server reports this
/// with REFUSED_STREAM, or with a GOAWAY that names an earlier request as the last processed
/// request. h2 returns a GOAWAY of the server only as the error of later streams.
fn is_refusal(error: &hyper::Error) -> bool {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    let mut protocol = causes.filter_map(|cause| cause.downcast_ref::<h2::Error>());
    protocol.any(|error| {
        let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
        error.is_remote() && (refused || error.is_go_away())
    })
}
