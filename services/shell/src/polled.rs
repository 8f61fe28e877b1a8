//! A body whose frames are processed by a function.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

/// A frame of a body. None at its end.
pub(crate) type NextFrame = Option<Result<Frame<Bytes>, Status>>;

/// A body whose frames come from a function. The function polls the inner body, and may end the
/// body with an error. The size hint is the hint of the inner body.
pub(crate) struct PolledBody<F> {
    inner: Body,
    poll: F,
}

// === impl PolledBody ===

impl<F> PolledBody<F>
where
    F: FnMut(Pin<&mut Body>, &mut Context<'_>) -> Poll<NextFrame>,
{
    pub(crate) fn new(inner: Body, poll: F) -> Self {
        Self { inner, poll }
    }
}

impl<F> HttpBody for PolledBody<F>
where
    F: FnMut(Pin<&mut Body>, &mut Context<'_>) -> Poll<NextFrame> + Unpin,
{
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<NextFrame> {
        let Self { inner, poll } = &mut *self;
        poll(Pin::new(inner), cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
