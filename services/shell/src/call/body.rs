//! The body of an answer, watched until its code is known.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio_util::task::AbortOnDropHandle;
use tonic::body::Body;
use tonic::{Code, Status};

use super::run::{Run, overdue, panicked};
use super::unreadable;

/// An answer on its way.
pub(super) struct CallBody {
    sending: Arc<Mutex<Sending>>,
    /// Ends the call at its deadline also where nobody polls: a body is not asked for more as long
    /// as its client takes nothing.
    _ends: Option<AbortOnDropHandle<()>>,
}

struct Sending {
    // None once we have ended the body ourselves.
    inner: Option<Body>,
    /// The frame that tells the client of such an end, as soon as it takes anything.
    last: Option<Frame<Bytes>>,
    run: Run,
}

// === impl CallBody ===

impl CallBody {
    pub(super) fn new(inner: Body, run: Run) -> Self {
        let deadline = run.deadline();
        let sending = Arc::new(Mutex::new(Sending {
            inner: Some(inner),
            last: None,
            run,
        }));
        let ends = deadline.map(|deadline| {
            let late = Arc::downgrade(&sending);
            AbortOnDropHandle::new(tokio::spawn(async move {
                tokio::time::sleep_until(deadline).await;
                if let Some(sending) = late.upgrade() {
                    lock(&sending).expire();
                }
            }))
        });
        Self {
            sending,
            _ends: ends,
        }
    }
}

fn lock(sending: &Mutex<Sending>) -> MutexGuard<'_, Sending> {
    // A panic of what is within is caught before it gets here.
    sending.lock().unwrap_or_else(PoisonError::into_inner)
}

// === impl Sending ===

impl Sending {
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

    /// Gives up what is not sent yet, and the place of the call.
    fn expire(&mut self) {
        if self.inner.is_some() && !self.run.has_ended() {
            self.last = Some(self.stop(&overdue()));
        }
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let span = self.run.span();
        let _entered = span.enter();
        let Self { inner, last, run } = self;
        let Some(inner) = inner else {
            return Poll::Ready(last.take().map(Ok));
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
                            let status = Status::from_header_map(trailers);
                            if let Some(refused) = status.as_ref().and_then(unreadable) {
                                return Poll::Ready(Some(Ok(self.stop(&refused))));
                            }
                            self.run
                                .end(status.map_or(Code::Unknown, |status| status.code()));
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
}

impl HttpBody for CallBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        lock(&self.sending).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        let Sending { inner, last, .. } = &*lock(&self.sending);
        last.is_none() && inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        // Never exact: we may end the body with trailers of our own.
        SizeHint::default()
    }
}
