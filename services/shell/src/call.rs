//! Handles what all calls have in common: a limit on concurrent calls, a deadline, a trace span,
//! metrics, and a response even if the handler panics.
//!
//! ```text
//! request -> [place?] -> [guard -> handler | deadline | panic] -> headers -> body -> [code counted]
//!                 no -> RESOURCE_EXHAUSTED                  dropped before its end -> Canceled
//! ```
//!
//! Each caller may use only a share of the slots for concurrent calls and only a share of the
//! memory for unsent responses. Callers are distinguished by address until the guard has identified
//! the user.

mod body;
mod run;
mod seat;

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Either};
use http::{Request, Response};
use opentelemetry::trace::FutureExt as _;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::{Code, Status};
use tower::{Layer, Service};
use tracing::{Instrument, Span};

use self::body::CallBody;
use self::run::Run;
pub(crate) use self::run::panicked;
use self::seat::Seat;
use crate::guard::{self, Guard, Passed};
use crate::limits::{client_timeout, limited};
use crate::methods::{Method, Methods};
use crate::metrics::CallMetrics;
use crate::shares::Shares;
use crate::traces;

/// The limits, metrics and shutdown signals for all calls of one server. Clones share the limits
/// and metrics.
#[derive(Debug, Clone)]
pub(crate) struct Calls {
    pub(crate) methods: Arc<Methods>,
    pub(crate) metrics: Arc<CallMetrics>,
    /// Authorizes calls, except health calls. None permits all calls.
    pub(crate) guard: Option<Arc<dyn Guard>>,
    /// The slots for unary calls.
    pub(crate) places: Shares,
    /// The slots for streams. A stream may run as long as its connection.
    pub(crate) streams: Shares,
    /// The slots for reflection.
    pub(crate) mirrors: Shares,
    /// The slots for health calls on this connection. Each connection has separate slots, because
    /// health calls need no token.
    pub(crate) pulses: Arc<Semaphore>,
    /// The bytes of requests that may be in memory at the same time. [`Read`](crate::limits::Read)
    /// counts them.
    pub(crate) reading: Arc<Semaphore>,
    /// The bytes of unsent responses that may be in memory at the same time.
    pub(crate) answering: Shares,
    pub(crate) max_message_bytes: u32,
    pub(crate) call_timeout: Duration,
    /// Contains a token of every call until its response is passed to the transport. A drain waits
    /// for these tokens.
    pub(crate) running: TaskTracker,
    /// Cancelled when the server drains. Then streams end, and unary calls may finish.
    pub(crate) draining: CancellationToken,
    /// Cancelled to end the drain early. Then all calls end.
    pub(crate) cut: CancellationToken,
}

/// The kind of a call. Each kind has separate slots.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Call,
    Stream,
    Reflection,
}

/// A service that applies the limits, the guard and the metrics of [`Calls`] to each call.
#[derive(Debug, Clone)]
pub(crate) struct CallService<S> {
    inner: S,
    calls: Calls,
}

// === impl Calls ===

impl<S> Layer<S> for Calls {
    type Service = CallService<S>;

    fn layer(&self, inner: S) -> CallService<S> {
        CallService {
            inner,
            calls: self.clone(),
        }
    }
}

impl Calls {
    fn begin<B>(&self, method: &Method, request: &Request<B>, span: Span) -> Run {
        let seat = Arc::new(Seat::of(guard::address(request)));
        let is_bounded = !method.streams || method.reflects;
        let own = is_bounded.then_some(self.call_timeout);
        let timeout = [own, client_timeout(request.headers())]
            .into_iter()
            .flatten()
            .min();
        Run::begin(self, (method, seat), timeout, span)
    }

    /// Takes a slot for a call of this method.
    fn admit(&self, method: &Method, seat: &Seat) -> Result<(), Status> {
        if !method.counts {
            return seat.take_of_connection(&self.pulses);
        }
        let places = match kind(method) {
            Kind::Reflection => &self.mirrors,
            Kind::Stream => &self.streams,
            Kind::Call => &self.places,
        };
        let seated = seat.take(places);
        seated.map_err(|full| seat::full(full, kind(method)))
    }
}

fn kind(method: &Method) -> Kind {
    if method.reflects {
        Kind::Reflection
    } else if method.streams {
        Kind::Stream
    } else {
        Kind::Call
    }
}

// === impl CallService ===

impl<S> Service<Request<Body>> for CallService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let method = self.calls.methods.at(request.uri().path());
        // The deadline starts here and not when the future is first polled. tonic starts its timer
        // later. The timer that expires first determines the status code of the call.
        let caller = traces::caller(request.headers());
        let span = traces::server_span(method, caller.clone());
        let mut run = self.calls.begin(method, &request, span.clone());
        let seat = run.seat();
        let admitted = self.calls.admit(method, &seat);

        let limit = self.calls.max_message_bytes;
        let read = run.read();
        let mut request = request.map(|body| limited(body, limit, read));
        // The caller to which limits of the service itself apply.
        let address = guard::address(&request);
        request.extensions_mut().insert(address);
        let guard = self.calls.guard.clone().filter(|_| method.counts);
        let handled = match guard {
            None => Either::Left(self.inner.call(request)),
            Some(guard) => {
                // tower requires that the instance that was polled as ready handles the call, so
                // the other clone remains in `self`.
                let other = self.inner.clone();
                let mut inner = std::mem::replace(&mut self.inner, other);
                let (method, patience) = (method.clone(), self.calls.call_timeout);
                Either::Right(async move {
                    let passing = guard::pass(&*guard, &method, request, limit);
                    // The guard has the same time limit as the response. Streams without a deadline
                    // have a limit here, too.
                    let passed = tokio::time::timeout(patience, passing).await;
                    let passed = passed.unwrap_or_else(|_| {
                        let why = "the request was not received in time";
                        Err(Status::deadline_exceeded(why))
                    });
                    let passed = passed.and_then(|passed| {
                        let Passed {
                            mut request,
                            answer,
                            holder,
                        } = passed;
                        request.extensions_mut().insert(holder.clone());
                        let seated = seat.pass_to(holder);
                        seated.map_err(|full| seat::full(full, kind(&method)))?;
                        Ok((request, answer))
                    });
                    match passed {
                        Ok((request, answer)) => {
                            let answered = inner.call(request).await;
                            answered.map(|response| answer.within(response))
                        }
                        Err(refusal) => Ok(refusal.into_http()),
                    }
                })
            }
        };
        let handled = AssertUnwindSafe(handled).catch_unwind();
        let answers_once = !method.streams;

        let answered = async move {
            let answered = match admitted {
                Ok(()) => run.answer(handled).await,
                Err(busy) => Err(busy),
            };
            Ok(match answered {
                Ok(response) => {
                    // A response without a body contains its code in the headers.
                    let status = Status::from_header_map(response.headers());
                    if let Some(refused) = status.as_ref().and_then(unreadable) {
                        run.end(refused.code());
                        return Ok(refused.into_http());
                    }
                    if let Some(status) = status {
                        run.end(status.code());
                    }
                    let (head, body) = response.into_parts();
                    let body = CallBody::new(body, run);
                    if answers_once && let Some(status) = body.encode().await {
                        return Ok(status.into_http());
                    }
                    Response::from_parts(head, Body::new(body))
                }
                Err(status) => {
                    run.end(status.code());
                    status.into_http()
                }
            })
        };
        Box::pin(answered.instrument(span).with_context(caller))
    }
}

/// The beginnings of error messages with which tonic and prost reject a request that cannot be
/// decoded.
const UNREADABLE: [&str; 4] = [
    "failed to decode Protobuf message",
    "Missing request message",
    "Unexpected EOF decoding stream",
    "protocol error: received message with ",
];

/// Returns the correct status if tonic or prost reports an invalid request as INTERNAL. Returns
/// None for other statuses. Both libraries also use INTERNAL for server errors, so only the message
/// distinguishes the two cases. INTERNAL must mean a bug, because it raises an alert.
fn unreadable(status: &Status) -> Option<Status> {
    let message = status.message();
    let is_theirs = status.code() == Code::Internal
        && UNREADABLE.iter().any(|begin| message.starts_with(begin));
    is_theirs.then(|| Status::invalid_argument(format!("the request cannot be decoded: {message}")))
}

#[cfg(test)]
mod tests;
