//! Calls a service in this process. As in a server, a panic of the service ends only one call.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{HeaderMap, Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;
use tower::Service;

/// A service whose calls fail with INTERNAL if it panics.
#[derive(Debug, Clone)]
pub(super) struct Contained<S> {
    inner: S,
}

/// The body of a response. None after a panic.
struct ContainedBody(Option<Body>);

// === impl Contained ===

impl<S> Contained<S> {
    pub(super) fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S> Service<Request<Body>> for Contained<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Status;
    type Future = BoxFuture<'static, Result<Response<Body>, Status>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Status>> {
        let ready = self.inner.poll_ready(cx);
        ready.map_err(|never| match never {})
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answered = AssertUnwindSafe(self.inner.call(request)).catch_unwind();
        Box::pin(async move {
            Ok(match answered.await {
                Ok(Ok(response)) => response.map(|body| Body::new(ContainedBody(Some(body)))),
                Ok(Err(never)) => match never {},
                Err(_) => panicked().into_http(),
            })
        })
    }
}

// === impl ContainedBody ===

impl HttpBody for ContainedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some(inner) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let polled = catch_unwind(AssertUnwindSafe(|| Pin::new(inner).poll_frame(cx)));
        polled.unwrap_or_else(|_| {
            self.0 = None;
            let mut trailers = HeaderMap::new();
            let status = panicked();
            if status.add_header(&mut trailers).is_err() {
                trailers.insert("grpc-status", (status.code() as i32).into());
            }
            Poll::Ready(Some(Ok(Frame::trailers(trailers))))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map(Body::size_hint).unwrap_or_default()
    }
}

/// Returns the status of a call whose service has panicked. The panic hook has printed or logged
/// the position.
fn panicked() -> Status {
    Status::internal(
        "this program failed on this request, which is a bug; its log or standard error has the \
         details",
    )
}

#[cfg(test)]
mod tests {
    use futures::{StreamExt as _, stream};
    use http_body_util::StreamBody;
    use tonic::Code;
    use tower::{ServiceExt as _, service_fn};

    use super::*;
    use crate::client::local;

    #[tokio::test]
    async fn panic_in_a_local_service_returns_internal() {
        let connection = local(service_fn(|_: Request<Body>| async { panic!("a bug") }));
        let response = connection.oneshot(Request::new(Body::empty())).await;
        let response = response.expect("an answer");
        let status = Status::from_header_map(response.headers()).expect("a status");
        assert_eq!(status.code(), Code::Internal);
    }

    #[tokio::test]
    async fn panic_in_the_body_of_a_local_service_ends_it_with_internal() {
        let connection = local(service_fn(|_: Request<Body>| async {
            let frames = stream::iter([1, 0]).map(|divisor| {
                assert_ne!(divisor, 0, "a bug");
                Ok::<_, Status>(Frame::data(Bytes::from_static(b"one")))
            });
            Ok(Response::new(Body::new(StreamBody::new(frames))))
        }));
        let response = connection.oneshot(Request::new(Body::empty())).await;
        let mut body = Box::pin(response.expect("an answer").into_body());
        let mut codes = Vec::new();
        while let Some(frame) = std::future::poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
            let frame = frame.expect("a frame");
            let trailers = frame.trailers_ref().and_then(Status::from_header_map);
            codes.push(trailers.map(|status| status.code()));
        }
        assert_eq!(codes, [None, Some(Code::Internal)]);
    }
}
