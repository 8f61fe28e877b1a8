//! The client side of calls: trace context, deadlines, and the choice of a replica. One connection
//! type serves both services in this process and services on the network.

mod balanced;
mod balancer;
mod contained;
mod deadline;
mod endpoints;
mod failure;
mod line;
mod question;
mod replica;
mod secure;

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::uri::{Authority, Scheme, Uri};
use http::{Request, Response};
use rustls::pki_types::ServerName;
use thiserror::Error;
use tokio_util::task::AbortOnDropHandle;
use tonic::Status;
use tonic::body::Body;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt};

use self::balanced::Balanced;
use self::contained::Contained;
use self::deadline::WithDeadline;
pub use self::endpoints::Lookup;
use self::endpoints::{DialOptions, Endpoints, System};
pub use self::failure::Insecure;
use self::secure::{Secure, Token};
use crate::flags::Credentials;
use crate::methods::{DecodeDescriptors, Methods};
use crate::traces;

/// The service that a generated client uses to send its requests.
pub type Connection = BoxCloneSyncService<Request<Body>, Response<Body>, Status>;

/// The maximum size of a response in bytes. A list of all Operators, or a bundle with all its
/// manifests, can exceed tonic's default of 4 MiB.
pub const LONGEST_ANSWER: usize = 32 << 20;

/// The default ports of URLs without a port.
const HTTP_PORT: u16 = 80;
const HTTPS_PORT: u16 = 443;

/// The settings for calls to a service.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The encoded descriptors of the service. They tell which methods are streams.
    pub descriptors: &'static [u8],
    /// The maximum time for a unary call.
    pub deadline: Duration,
    /// The calls that may be repeated on another replica.
    pub retry: Retry,
    /// The time between two lookups of the service's name. After a failure, the next lookup happens
    /// sooner.
    pub refresh: Duration,
    /// The time without data from the server after which the client sends a keepalive ping. If the
    /// server does not respond within half of this time, the client closes the connection, and its
    /// calls fail.
    pub keep_alive: Duration,
    /// The certificate authorities to trust and the token to send, for `https://` URLs.
    pub credentials: Credentials,
    /// The name that the certificate of the server must contain. None requires the host of the URL.
    pub server_name: Option<String>,
}

/// The calls that are repeated on another replica if one replica does not respond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Repeats every call, even if the server may have processed it. For queries, because repeating
    /// a query has no effect.
    Queries,
    /// Repeats only calls that were certainly not processed, because the request was not sent or
    /// the server rejected it before processing.
    Unprocessed,
}

/// The reason why a service cannot be called.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConnectTo {
    /// The text is not a URL, or the URL has no scheme or host.
    #[error("`{0}` is not the URL of a server, such as http://127.0.0.1:50051")]
    Form(String),
    /// The URL requires TLS, but no CA is configured.
    #[error("`{0}` uses TLS; give the certificate authorities of the server with --ca FILE")]
    Authorities(String),
    /// The host is not a valid name in a certificate.
    #[error("`{0}` is not the name of a server, such as portolan-health.portolan.svc")]
    Name(String),
    /// The token would be sent over an unencrypted connection.
    #[error("tokens are sent only to https:// servers, but `{0}` is not an https:// URL")]
    Clear(String),
    /// A server name is configured, but the server does not use TLS.
    #[error(
        "only the name of an https:// server can be verified, but `{0}` is not an https:// \
        URL"
    )]
    Unproved(String),
    /// The descriptors passed by the caller are invalid.
    #[error(transparent)]
    Decode(#[from] DecodeDescriptors),
}

/// The components of the URL of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Server {
    /// The name that the server's certificate must contain. None without TLS.
    proof: Option<ServerName<'static>>,
    authority: Authority,
    /// The name or address to look up, with a port.
    name: String,
}

/// Adds the trace context of the current span to the headers of each call.
#[derive(Debug, Clone)]
struct WithContext<S> {
    inner: S,
}

/// Connects to the replicas of the service at `url`, and connects again when a connection is lost.
/// Must be called within a Tokio runtime. The operating system resolves the name. If the lookup
/// fails or no replica can be reached, calls fail with UNAVAILABLE.
///
/// Each call is sent to the serving replica with the fewest running calls. A unary call is retried
/// on another replica if [`Retry`] permits this. The call ends with DEADLINE_EXCEEDED if its
/// response is not complete within [`Terms::deadline`] or within a shorter timeout of the call. The
/// client sends this timeout to the server.
///
/// A stream is restarted automatically only before the response headers arrive. After that, the
/// caller must restart the stream. The caller must treat the first message as a RESET, because it
/// may come from another replica.
pub fn remote(url: &str, terms: Terms) -> Result<Connection, ConnectTo> {
    let server = Server::parse(url)?;
    let name = server.name.clone();
    connect(url, server, System { name }, terms)
}

/// Connects like [`remote`], but finds the addresses with `names`. The URL then only identifies the
/// service.
pub fn remote_at(url: &str, names: impl Lookup, terms: Terms) -> Result<Connection, ConnectTo> {
    connect(url, Server::parse(url)?, names, terms)
}

fn connect(
    url: &str,
    server: Server,
    names: impl Lookup,
    terms: Terms,
) -> Result<Connection, ConnectTo> {
    let secure = match (server.proof, terms.credentials) {
        (
            Some(name),
            Credentials {
                ca: Some(ca),
                token,
            },
        ) => Some(Secure {
            name: match terms.server_name {
                Some(name) => server_name(name)?,
                None => name,
            },
            ca,
            token: token.map(Token::at),
        }),
        (Some(_), Credentials { ca: None, .. }) => {
            return Err(ConnectTo::Authorities(url.to_owned()));
        }
        (None, Credentials { token: Some(_), .. }) => return Err(ConnectTo::Clear(url.to_owned())),
        (None, _) if terms.server_name.is_some() => {
            return Err(ConnectTo::Unproved(url.to_owned()));
        }
        (None, _) => None,
    };
    let methods = Arc::new(Methods::decode(&[terms.descriptors])?);
    let dial = DialOptions {
        authority: server.authority,
        refresh: terms.refresh,
        keep_alive: terms.keep_alive,
        secure: secure.map(Arc::new),
    };
    let endpoints = Arc::new(Endpoints::new());
    let followed = tokio::spawn(endpoints.clone().follow(names, dial));
    let followed = AbortOnDropHandle::new(followed);
    let balanced = Balanced::new(endpoints, methods.clone(), terms.retry, followed);
    let inner = WithDeadline::new(balanced, methods, terms.deadline);
    let service = WithContext { inner }.map_err(Status::from_error);
    Ok(BoxCloneSyncService::new(service))
}

fn server_name(name: String) -> Result<ServerName<'static>, ConnectTo> {
    ServerName::try_from(name.clone()).map_err(|_| ConnectTo::Name(name))
}

/// Calls a service in this process. The messages and status codes are the same as over a network.
/// If the service panics, the call fails with INTERNAL.
pub fn local<S>(service: S) -> Connection
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    BoxCloneSyncService::new(WithContext {
        inner: Contained::new(service),
    })
}

// === impl Terms ===

impl Terms {
    /// Returns the settings for a service that only answers queries.
    pub fn queries(descriptors: &'static [u8], deadline: Duration) -> Self {
        Self {
            descriptors,
            deadline,
            retry: Retry::Queries,
            refresh: Duration::from_secs(30),
            keep_alive: Duration::from_secs(10),
            credentials: Credentials::default(),
            server_name: None,
        }
    }

    /// Sets the credentials. Services with TLS or authentication require them.
    pub fn with(self, credentials: Credentials) -> Self {
        Self {
            credentials,
            ..self
        }
    }

    /// Sets the name that the certificate must contain, if it differs from the host of the URL.
    pub fn named(self, server_name: Option<String>) -> Self {
        Self {
            server_name,
            ..self
        }
    }
}

// === impl Server ===

impl Server {
    /// Parses the URL of a service. Rejects a URL without a scheme, because every call to it would
    /// fail.
    fn parse(url: &str) -> Result<Self, ConnectTo> {
        let form = || ConnectTo::Form(url.to_owned());
        let uri: Uri = url.parse().map_err(|_| form())?;
        let authority = uri.authority().cloned().ok_or_else(form)?;
        let (proof, usual) = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTP => (None, HTTP_PORT),
            Some(scheme) if *scheme == Scheme::HTTPS => {
                let host = authority.host().trim_matches(['[', ']']).to_owned();
                let name = ServerName::try_from(host).map_err(|_| form())?;
                (Some(name), HTTPS_PORT)
            }
            _ => return Err(form()),
        };
        let port = authority.port_u16().unwrap_or(usual);
        let name = format!("{}:{port}", authority.host());
        Ok(Self {
            proof,
            authority,
            name,
        })
    }
}

// === impl WithContext ===

impl<S: Service<Request<Body>>> Service<Request<Body>> for WithContext<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> S::Future {
        traces::inject(request.headers_mut());
        self.inner.call(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_is_a_url_with_a_scheme() {
        for (url, name) in [
            ("http://resolver.tools:50051", "resolver.tools:50051"),
            ("http://resolver.tools", "resolver.tools:80"),
            ("http://127.0.0.1:50051/", "127.0.0.1:50051"),
            ("http://[::1]:50051", "[::1]:50051"),
        ] {
            let parsed = Server::parse(url).map(|server| server.name);
            assert_eq!(parsed, Ok(name.to_owned()));
        }
        for url in [
            "127.0.0.1:50051",
            "localhost",
            "grpc://localhost:50051",
            "a b",
            "",
        ] {
            assert_eq!(Server::parse(url), Err(ConnectTo::Form(url.to_owned())));
        }
    }

    #[test]
    fn tls_requires_a_host_name() {
        for (url, name, proof) in [
            (
                "https://resolver.tools",
                "resolver.tools:443",
                "resolver.tools",
            ),
            ("https://127.0.0.1:50051", "127.0.0.1:50051", "127.0.0.1"),
            ("https://[::1]:50051", "[::1]:50051", "::1"),
        ] {
            let parsed = Server::parse(url).expect("a server");
            let proof = ServerName::try_from(proof).expect("a name");
            assert_eq!((parsed.name.as_str(), parsed.proof), (name, Some(proof)));
        }
    }

    #[tokio::test]
    async fn insecure_credentials_are_refused() {
        let https = "https://resolver.tools:50051";
        let http = "http://resolver.tools:50051";
        let refused = |url: &str, credentials: Credentials| {
            let terms = Terms::queries(&[], Duration::from_secs(1)).with(credentials);
            remote(url, terms).map(drop)
        };
        let nobody = Credentials::default();
        let token = Credentials {
            ca: None,
            token: Some("token".into()),
        };
        assert_eq!(
            refused(https, nobody),
            Err(ConnectTo::Authorities(https.to_owned()))
        );
        assert_eq!(refused(http, token), Err(ConnectTo::Clear(http.to_owned())));

        let believed = Credentials {
            ca: Some("ca.crt".into()),
            token: None,
        };
        let terms = Terms::queries(&[], Duration::from_secs(1)).with(believed);
        let odd = terms.named(Some("no name".to_owned()));
        let odd = remote(https, odd).map(drop);
        assert_eq!(odd, Err(ConnectTo::Name("no name".to_owned())));
        let clear = Terms::queries(&[], Duration::from_secs(1)).named(Some("resolver".to_owned()));
        let clear = remote(http, clear).map(drop);
        assert_eq!(clear, Err(ConnectTo::Unproved(http.to_owned())));
    }
}
