//! The body of an answer, watched until its code is known.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::body::Body;
use tonic::{Code, Status};

use super::run::{Run, panicked};

/// An answer on its way.
pub(super) struct CallBody {
    // None once we have ended the body ourselves.
    inner: Option<Body>,
    run: Run,
}

// === impl CallBody ===

impl CallBody {
    pub(super) fn new(inner: Body, run: Run) -> Self {
        Self {
            inner: Some(inner),
            run,
        }
    }

    /// Ends the body with a status of our own.
    fn stop(&mut self, status: &Status) -> Frame<Bytes> {
        self.inner = None;
        self.run.end(status.code());
        let mut trailers = HeaderMap::new();
        if status.add_header(&mut trailers).is_err() {
            trailers.insert("grpc-status", (status.code() as i32).into());
        }
        Frame::trailers(trailers)
    }
}

impl HttpBody for CallBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let span = self.run.span();
        let _entered = span.enter();
        let Self { inner, run } = &mut *self;
        let Some(inner) = inner else {
            return Poll::Ready(None);
        };

        // Before the handler, who may always have more to say.
        if let Poll::Ready(status) = run.poll_stop(cx) {
            return Poll::Ready(Some(Ok(self.stop(&status))));
        }
        // What is ready goes out before the drain: a watch still gets its last state.
        match catch_unwind(AssertUnwindSafe(|| Pin::new(inner).poll_frame(cx))) {
            Ok(Poll::Pending) => run
                .poll_drained(cx)
                .map(|status| Some(Ok(self.stop(&status)))),
            Ok(Poll::Ready(frame)) => {
                match &frame {
                    Some(Ok(frame)) => {
                        if let Some(trailers) = frame.trailers_ref() {
                            self.run.end(
                                Status::from_header_map(trailers)
                                    .map_or(Code::Unknown, |status| status.code()),
                            );
                        }
                    }
                    Some(Err(status)) => self.run.end(status.code()),
                    None => self.run.end(Code::Unknown),
                }
                Poll::Ready(frame)
            }
            Err(_) => Poll::Ready(Some(Ok(self.stop(&panicked())))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        // Never exact: we may end the body with trailers of our own.
        SizeHint::default()
    }
}
