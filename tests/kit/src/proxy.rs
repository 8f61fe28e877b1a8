//! A proxy in front of an API server or a gRPC service, which fails requests on demand.
//!
//! The proxy accepts HTTP/1.1 and HTTP/2 (with prior knowledge) without TLS, and uses the same
//! protocol upstream, with or without TLS. Bodies and trailers are forwarded frame by frame in both
//! directions.
//!
//! Failures are a list of rules. Rules can be added and removed while requests run. Every rule that
//! matches a request is applied: first the delays and callbacks in the order of the rules, then the
//! first response or cut. Each gRPC call is a POST, so it counts as a write.
//!
//! ```no_run
//! # async fn example() {
//! use portolan_kit::proxy::{Action, Proxy};
//!
//! let proxy = Proxy::before("http://127.0.0.1:8001").await;
//! proxy.answer("PATCH /apis/example.test", 409, 2);
//! proxy.at_write(3, Action::CutAfter); // the write lands, its answer is lost
//! proxy.cut("GET /api/v1/pods");       // running watches end in the middle
//! println!("{} saw {:?}", proxy.url(), proxy.requests());
//! # }
//! ```

mod answer;
mod gate;
mod relay;
mod rules;
#[cfg(test)]
mod tests;
mod upstream;

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use self::gate::{Gate, Gated};
use self::relay::{Exchanges, relay};
use self::rules::Rules;
pub use self::rules::{Action, Matcher, Seen};
use self::upstream::Line;
pub use self::upstream::Upstream;
use crate::authority::Vouched;
use crate::catalogd::identity::acceptor;

/// A running proxy. Dropping it stops the proxy and drops every connection.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    state: Arc<State>,
    listening: JoinHandle<Infallible>,
}

#[derive(Debug)]
struct State {
    upstream: Upstream,
    rules: Rules,
    exchanges: Arc<Exchanges>,
    gate: Arc<Gate>,
}

impl Proxy {
    /// Listens on a free loopback port. If the upstream is unreachable, only the first request
    /// fails.
    ///
    /// # Panics
    /// Panics if no port is free.
    pub async fn before(upstream: impl Into<Upstream>) -> Self {
        Self::listening(upstream.into(), None).await
    }

    /// Listens with TLS, with a certificate for the server that the proxy replaces.
    ///
    /// # Panics
    /// Panics if no port is free.
    pub async fn vouched(upstream: impl Into<Upstream>, identity: &Vouched) -> Self {
        Self::listening(upstream.into(), Some(acceptor(identity))).await
    }

    async fn listening(upstream: Upstream, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.expect("a loopback port must be free");
        let address = listener
            .local_addr()
            .expect("a listener must have an address");
        let state = Arc::new(State {
            upstream,
            rules: Rules::default(),
            exchanges: Arc::default(),
            gate: Arc::default(),
        });
        let listening = tokio::spawn(listen(listener, tls, state.clone()));
        Self {
            address,
            state,
            listening,
        }
    }

    /// Returns the address on which the proxy listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns `http://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far in the order of arrival, including failed requests.
    pub fn requests(&self) -> Vec<Seen> {
        self.state.rules.requests()
    }

    /// Returns the number of matching requests so far.
    pub fn count(&self, matcher: impl Into<Matcher>) -> usize {
        let matcher = matcher.into();
        self.requests()
            .iter()
            .filter(|seen| matcher.matches(seen))
            .count()
    }

    /// Delays every matching request before it is forwarded.
    pub fn delay(&self, matcher: impl Into<Matcher>, pause: Duration) {
        self.state
            .rules
            .add(matcher.into(), 0, usize::MAX, Action::Delay(pause));
    }

    /// Responds to the next `times` matching requests with a status, such as 409, 429 or 500. These
    /// requests do not reach the upstream. Kubernetes paths get a `Status`, gRPC calls a
    /// `grpc-status`.
    pub fn answer(&self, matcher: impl Into<Matcher>, status: u16, times: usize) {
        self.state
            .rules
            .add(matcher.into(), 0, times, Action::Answer(status));
    }

    /// Diverts every matching request to another upstream.
    pub fn divert(&self, matcher: impl Into<Matcher>, upstream: impl Into<Upstream>) {
        let other = Action::Elsewhere(upstream.into());
        self.state.rules.add(matcher.into(), 0, usize::MAX, other);
    }

    /// Acts only on the n-th matching request from now. The first one has the number 1.
    pub fn at(&self, n: usize, matcher: impl Into<Matcher>, action: Action) {
        assert!(n > 0, "requests are counted from 1");
        self.state.rules.add(matcher.into(), n - 1, 1, action);
    }

    /// Acts on the n-th POST, PUT, PATCH or DELETE from now, starting at 1.
    pub fn at_write(&self, n: usize, action: Action) {
        self.at(n, Matcher::writes(), action);
    }

    /// Cuts the matching requests that are in progress: resets HTTP/2 streams, and closes HTTP/1.1
    /// connections in the middle of the body. Returns the number of cut requests.
    pub fn cut(&self, matcher: impl Into<Matcher>) -> usize {
        self.state.exchanges.cut(&matcher.into())
    }

    /// Stops all bytes in both directions. Connections stay open, and new connections are accepted.
    pub fn freeze(&self) {
        self.state.gate.close();
    }

    /// Ends a freeze, and forwards the delayed bytes.
    pub fn thaw(&self) {
        self.state.gate.open();
    }

    /// Removes every rule that has not fired. Freezes and the request log are kept.
    pub fn clear(&self) {
        self.state.rules.clear();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn listen(listener: TcpListener, tls: Option<TlsAcceptor>, state: Arc<State>) -> Infallible {
    // The task owns the set, so dropping the task ends every connection.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                connections.spawn(serve(stream, tls.clone(), state.clone()));
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(stream: TcpStream, tls: Option<TlsAcceptor>, state: Arc<State>) {
    // Otherwise small frames wait for each other for 40 ms.
    let _ = stream.set_nodelay(true);
    let stream = Gated::new(stream, state.gate.clone());
    match tls {
        None => answer_over(stream, state).await,
        // A client that does not trust the proxy closes the connection.
        Some(tls) => {
            if let Ok(stream) = tls.accept(stream).await {
                answer_over(stream, state).await;
            }
        }
    }
}

fn answer_over(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    state: Arc<State>,
) -> impl Future<Output = ()> + Send {
    let line = Arc::new(Line::default());
    let service = service_fn(move |request| relay(request, line.clone(), state.clone()));
    async move {
        // If a client closes the connection or is cut off, this is not an error of the proxy.
        let _ = auto::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), service)
            .await;
    }
}
