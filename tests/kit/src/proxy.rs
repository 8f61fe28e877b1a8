//! A proxy for an API server or a gRPC service. It delays or fails the requests that a test
//! selects.
//!
//! The proxy accepts HTTP/1.1 and HTTP/2 (with prior knowledge) without TLS. It sends the requests
//! to the server with the same protocol, with or without TLS. It forwards bodies and trailers frame
//! by frame in both directions.
//!
//! A list of rules determines the failures. A test can add and remove rules while requests run. The
//! proxy applies all rules that match a request: first the delays and callbacks in the order of the
//! rules, then the first response or cut. Each gRPC call is a POST, so it counts as a write.
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

/// A running proxy. Dropping this value stops the proxy and closes all connections.
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
    /// Starts a proxy on a free loopback port. If the upstream is unreachable, the first request
    /// fails, and not this function.
    ///
    /// # Panics
    /// Panics if no port is free.
    pub async fn before(upstream: impl Into<Upstream>) -> Self {
        Self::listening(upstream.into(), None).await
    }

    /// Starts a proxy with TLS. Its certificate is for the server that the proxy replaces.
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

    /// Returns the address of the proxy.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the proxy: `http://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests so far in the order in which they arrived, including failed requests.
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

    /// Delays each matching request before it is forwarded to the upstream.
    pub fn delay(&self, matcher: impl Into<Matcher>, pause: Duration) {
        self.state
            .rules
            .add(matcher.into(), 0, usize::MAX, Action::Delay(pause));
    }

    /// Responds to the next `times` matching requests with a status, such as 409, 429 or 500. The
    /// upstream does not receive these requests. The response is a Kubernetes `Status`, or a
    /// `grpc-status` for a gRPC call.
    pub fn answer(&self, matcher: impl Into<Matcher>, status: u16, times: usize) {
        self.state
            .rules
            .add(matcher.into(), 0, times, Action::Answer(status));
    }

    /// Forwards each matching request to another upstream.
    pub fn divert(&self, matcher: impl Into<Matcher>, upstream: impl Into<Upstream>) {
        let other = Action::Elsewhere(upstream.into());
        self.state.rules.add(matcher.into(), 0, usize::MAX, other);
    }

    /// Applies the action to one matching request: the n-th request from now. The next request has
    /// the number 1.
    pub fn at(&self, n: usize, matcher: impl Into<Matcher>, action: Action) {
        assert!(n > 0, "requests are counted from 1");
        self.state.rules.add(matcher.into(), n - 1, 1, action);
    }

    /// Applies the action to the n-th POST, PUT, PATCH or DELETE from now. The next request has the
    /// number 1.
    pub fn at_write(&self, n: usize, action: Action) {
        self.at(n, Matcher::writes(), action);
    }

    /// Breaks the matching requests that are in progress. Resets HTTP/2 streams, and closes
    /// HTTP/1.1 connections in the middle of the body. Returns the number of broken requests.
    pub fn cut(&self, matcher: impl Into<Matcher>) -> usize {
        self.state.exchanges.cut(&matcher.into())
    }

    /// Stops the transfer of all bytes in both directions. Connections stay open, and new
    /// connections are still accepted.
    pub fn freeze(&self) {
        self.state.gate.close();
    }

    /// Continues the transfer after a freeze, and forwards the delayed bytes.
    pub fn thaw(&self) {
        self.state.gate.open();
    }

    /// Removes all rules that have not been applied. Does not end a freeze, and keeps the log of
    /// requests.
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
    // The task owns the set of connections. Dropping the task therefore closes all connections.
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
    // Without this option, TCP delays small frames by 40 ms.
    let _ = stream.set_nodelay(true);
    let stream = Gated::new(stream, state.gate.clone());
    match tls {
        None => answer_over(stream, state).await,
        // The handshake fails if the client does not trust the proxy. This is not an error of the
        // proxy.
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
        // Ignores an error: the client closed the connection, or a rule broke it.
        let _ = auto::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), service)
            .await;
    }
}
