//! A proxy that stands before an API server or a gRPC service and makes trouble on demand.
//!
//! It takes HTTP/1.1 and HTTP/2 (by prior knowledge) in plaintext and speaks the same protocol
//! upstream, in plaintext or over TLS. Bodies and trailers pass frame by frame, both ways.
//!
//! Trouble is a list of rules, which may be added and cleared while requests run. Every rule that
//! matches a request fires: delays and calls first, in the order in which they were said, then
//! the first answer or cut. For gRPC each call is a POST, so each counts as a write.
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

/// A running proxy, which stops and drops every connection with the value.
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
    /// Listens on a free loopback port; an upstream that is not there is noticed by requests.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn before(upstream: impl Into<Upstream>) -> Self {
        Self::listening(upstream.into(), None).await
    }

    /// The same over TLS, with the certificate of whom it stands for.
    ///
    /// # Panics
    /// When no port is free.
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

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, in the order of arrival, whatever became of it.
    pub fn requests(&self) -> Vec<Seen> {
        self.state.rules.requests()
    }

    /// Returns the number of requests so far that match.
    pub fn count(&self, matcher: impl Into<Matcher>) -> usize {
        let matcher = matcher.into();
        self.requests()
            .iter()
            .filter(|seen| matcher.matches(seen))
            .count()
    }

    /// Holds back every matching request for a while, before it goes upstream.
    pub fn delay(&self, matcher: impl Into<Matcher>, pause: Duration) {
        self.state
            .rules
            .add(matcher.into(), 0, usize::MAX, Action::Delay(pause));
    }

    /// Answers the next `times` matching requests with a status, such as 409, 429 or 500; they
    /// do not reach the upstream. Kubernetes paths get a `Status`, gRPC calls a `grpc-status`.
    pub fn answer(&self, matcher: impl Into<Matcher>, status: u16, times: usize) {
        self.state
            .rules
            .add(matcher.into(), 0, times, Action::Answer(status));
    }

    /// Has another upstream answer every matching request.
    pub fn divert(&self, matcher: impl Into<Matcher>, upstream: impl Into<Upstream>) {
        let other = Action::Elsewhere(upstream.into());
        self.state.rules.add(matcher.into(), 0, usize::MAX, other);
    }

    /// Acts at the n-th matching request from now, counted from 1, and at no other.
    pub fn at(&self, n: usize, matcher: impl Into<Matcher>, action: Action) {
        assert!(n > 0, "requests are counted from 1");
        self.state.rules.add(matcher.into(), n - 1, 1, action);
    }

    /// Acts at the n-th POST, PUT, PATCH or DELETE from now, counted from 1.
    pub fn at_write(&self, n: usize, action: Action) {
        self.at(n, Matcher::writes(), action);
    }

    /// Breaks off the matching requests that run now: HTTP/2 streams are reset, HTTP/1.1
    /// connections closed in the middle of the body. Returns how many there were.
    pub fn cut(&self, matcher: impl Into<Matcher>) -> usize {
        self.state.exchanges.cut(&matcher.into())
    }

    /// Lets no byte pass in either direction. Connections stay open, and new ones are taken.
    pub fn freeze(&self) {
        self.state.gate.close();
    }

    /// Ends a freeze; what was held back flows on.
    pub fn thaw(&self) {
        self.state.gate.open();
    }

    /// Forgets every rule that has not fired. Freezes and the log of requests stay.
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
    // Dropped with this task, the set ends every connection.
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
    // Without this, small frames wait for each other for 40 ms.
    let _ = stream.set_nodelay(true);
    let stream = Gated::new(stream, state.gate.clone());
    match tls {
        None => answer_over(stream, state).await,
        // A client that does not trust us leaves.
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
        // A client that leaves, or that we cut off, is no failure of the proxy.
        let _ = auto::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), service)
            .await;
    }
}
