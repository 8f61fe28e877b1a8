//! The deadline of a call. It applies until the response is complete.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use http::{Request, Response};
use http_body::Body as _;
use tokio::time::Sleep;
use tonic::Status;
use tonic::body::Body;
use tower::{BoxError, Service};

use super::balanced::Balanced;
use crate::limits::{client_timeout, timeout_value};
use crate::methods::Methods;
use crate::polled::PolledBody;

/// Ends each unary call that does not finish before its deadline, even if there is no connection. A
/// call with a streaming response has only the timeout that the call itself sets.
#[derive(Debug, Clone)]
pub(super) struct WithDeadline {
    inner: Balanced,
    methods: Arc<Methods>,
    longest: Duration,
}

/// The time that a call has left.
struct Deadline {
    expires: Pin<Box<Sleep>>,
    given: Duration,
}

// === impl WithDeadline ===

impl WithDeadline {
    pub(super) fn new(inner: Balanced, methods: Arc<Methods>, longest: Duration) -> Self {
        Self {
            inner,
            methods,
            longest,
        }
    }
}

impl Service<Request<Body>> for WithDeadline {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Body>, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let own = !self.methods.at(request.uri().path()).streams;
        let own = own.then_some(self.longest);
        let asked = client_timeout(request.headers());
        let Some(given) = own.into_iter().chain(asked).min() else {
            return self.inner.call(request);
        };
        let value = timeout_value(given);
        request.headers_mut().insert("grpc-timeout", value);
        let mut deadline = Deadline::begin(given);
        let answered = self.inner.call(request);
        Box::pin(async move {
            tokio::select! {
                biased;
                status = std::future::poll_fn(|cx| deadline.poll_expired(cx)) => Err(status.into()),
                answered = answered => {
                    Ok(answered?.map(|body| deadline.until_its_end(body)))
                }
            }
        })
    }
}

// === impl Deadline ===

impl Deadline {
    fn begin(given: Duration) -> Self {
        Self {
            expires: Box::pin(tokio::time::sleep(given)),
            given,
        }
    }

    /// Applies the deadline to the body, so that a response that began in time must also end in
    /// time.
    fn until_its_end(mut self, body: Body) -> Body {
        Body::new(PolledBody::new(body, move |body, cx| {
            if let Poll::Ready(status) = self.poll_expired(cx) {
                return Poll::Ready(Some(Err(status)));
            }
            body.poll_frame(cx)
        }))
    }

    fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        let given = self.given;
        self.expires.as_mut().poll(cx).map(|()| {
            Status::deadline_exceeded(format!("the server did not answer within {given:?}"))
        })
    }
}
