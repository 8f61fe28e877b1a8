//! The client's side of every hop: trace context, a deadline, and one type whether the service is
//! in this process or behind a network.

mod deadline;

use std::convert::Infallible;
use std::task::{Context, Poll};
use std::time::Duration;

use http::uri::{Scheme, Uri};
use http::{Request, Response};
use thiserror::Error;
use tonic::body::Body;
use tonic::transport::Endpoint;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceExt};

use self::deadline::WithDeadline;
use crate::traces;

/// What a generated client talks through.
pub type Connection = BoxCloneSyncService<Request<Body>, Response<Body>, BoxError>;

/// How long a connection may take to come up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A `--server` that cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseServer {
    /// It is no URL, or one without a scheme or a host.
    #[error("`{0}` is not the URL of a server, such as http://127.0.0.1:50051")]
    Form(String),
    /// It asks for TLS.
    #[error("`{0}` asks for TLS, which servers do not speak yet; begin the URL with http://")]
    Tls(String),
}

/// Adds the trace context of the current span to each call.
#[derive(Debug, Clone)]
struct WithContext<S> {
    inner: S,
}

/// Connects to a running server at the first call, again whenever the connection is lost. Every
/// answer is complete within `deadline`, or the call ends with DEADLINE_EXCEEDED: made for calls
/// that answer once. The server hears of the deadline, and of a shorter one that the call brings.
pub fn remote(url: &str, deadline: Duration) -> Result<Connection, ParseServer> {
    let endpoint = Endpoint::from(parse_server(url)?)
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(Duration::from_secs(20))
        .tcp_nodelay(true);
    let inner = WithDeadline::new(endpoint.connect_lazy(), deadline);
    Ok(BoxCloneSyncService::new(WithContext { inner }))
}

/// A URL without its scheme parses as well, and would fail at the first call only.
fn parse_server(url: &str) -> Result<Uri, ParseServer> {
    let form = || ParseServer::Form(url.to_owned());
    let uri: Uri = url.parse().map_err(|_| form())?;
    match uri.scheme() {
        Some(scheme) if *scheme == Scheme::HTTP => Ok(uri),
        Some(scheme) if *scheme == Scheme::HTTPS => Err(ParseServer::Tls(url.to_owned())),
        _ => Err(form()),
    }
}

/// Calls a service in this process, over the same messages and codes as through a network.
pub fn local<S>(service: S) -> Connection
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    let service = service.map_err(|never: Infallible| match never {});
    BoxCloneSyncService::new(WithContext { inner: service })
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
    fn a_server_is_a_url_with_a_scheme() {
        assert!(parse_server("http://resolver.tools:50051").is_ok());
        for url in [
            "127.0.0.1:50051",
            "localhost",
            "grpc://localhost:50051",
            "a b",
            "",
        ] {
            assert_eq!(parse_server(url), Err(ParseServer::Form(url.to_owned())));
        }
    }

    #[test]
    fn tls_is_refused_where_nobody_speaks_it() {
        let url = "https://resolver.tools:50051".to_owned();
        assert_eq!(parse_server(&url), Err(ParseServer::Tls(url)));
    }
}
