//! The body of a response. It is observed until the status code of the call is known.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio_util::task::AbortOnDropHandle;
use tonic::body::Body;
use tonic::{Code, Status};

use super::run::{Run, overdue, panicked};
use super::unreadable;

/// The time that a client has to read the end of a call after its deadline. If the client does not
/// read in this time, its connection is closed. Only closing the connection frees the unsent bytes
/// in the transport.
const FAREWELL: Duration = Duration::from_secs(1);

/// The body of a response that is being sent.
pub(super) struct CallBody {
    sending: Arc<Mutex<Sending>>,
    /// A task that ends the call at its deadline. It is necessary because the body is not polled
    /// while the client does not read.
    _ends: Option<AbortOnDropHandle<()>>,
}

struct Sending {
    // The body. None after this module has ended the body early.
    inner: Option<Body>,
    /// The first frame, if it was encoded before the client read it.
    first: Option<Result<Frame<Bytes>, Status>>,
    /// The last frame. It reports to the client that this module has ended the call. It is sent as
    /// soon as the client reads again.
    last: Option<Frame<Bytes>>,
    run: Run,
}

// === impl CallBody ===

impl CallBody {
    pub(super) fn new(inner: Body, run: Run) -> Self {
        let (deadline, leaving) = (run.deadline(), run.leaving());
        let sending = Arc::new(Mutex::new(Sending {
            inner: Some(inner),
            first: None,
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
                tokio::time::sleep(FAREWELL).await;
                if late
                    .upgrade()
                    .is_some_and(|sending| lock(&sending).last.is_some())
                {
                    leaving.cancel();
                }
            }))
        });
        Self {
            sending,
            _ends: ends,
        }
    }

    /// Encodes the first frame if it is ready. A complete response then counts toward the limits
    /// with its encoded size, even if the client never reads it. Returns the status if the call has
    /// ended without a response.
    pub(super) async fn encode(&self) -> Option<Status> {
        std::future::poll_fn(|cx| {
            let mut sending = lock(&self.sending);
            let Poll::Ready(frame) = sending.poll_frame(cx) else {
                return Poll::Ready(None);
            };
            let Some(frame) = frame else {
                sending.inner = None;
                return Poll::Ready(None);
            };
            let trailers = frame.as_ref().ok().and_then(Frame::trailers_ref);
            let status = trailers.and_then(Status::from_header_map);
            sending.first = Some(frame);
            Poll::Ready(status)
        })
        .await
    }
}

fn lock(sending: &Mutex<Sending>) -> MutexGuard<'_, Sending> {
    // Panics of the code that holds this lock are caught before they can poison the lock.
    sending.lock().unwrap_or_else(PoisonError::into_inner)
}

// === impl Sending ===

impl Sending {
    /// Ends the body and the call with this status. Returns the frame with the status.
    fn stop(&mut self, status: &Status) -> Frame<Bytes> {
        self.inner = None;
        self.first = None;
        self.run.end(status.code());
        let mut trailers = HeaderMap::new();
        if status.add_header(&mut trailers).is_err() {
            trailers.insert("grpc-status", (status.code() as i32).into());
        }
        Frame::trailers(trailers)
    }

    /// Drops the part of the body that is not sent yet, and releases the slot of the call.
    fn expire(&mut self) {
        if self.inner.is_some() && !self.run.has_ended() {
            self.last = Some(self.stop(&overdue()));
        }
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let span = self.run.span();
        let _entered = span.enter();
        let Self {
            inner,
            first,
            last,
            run,
        } = self;
        let Some(inner) = inner else {
            let frame = first.take().or_else(|| last.take().map(Ok));
            return Poll::Ready(frame);
        };

        // The end of the call is checked before the handler is polled, because a handler may have
        // more data to send at every poll.
        if let Poll::Ready(status) = run.poll_stop(cx) {
            return Poll::Ready(Some(Ok(self.stop(&status))));
        }
        if let Some(first) = first.take() {
            return Poll::Ready(Some(first));
        }
        // A frame that is ready is sent before the drain ends the stream, so the client of a watch
        // still gets the last state.
        match catch_unwind(AssertUnwindSafe(|| Pin::new(inner).poll_frame(cx))) {
            Ok(Poll::Pending) => run
                .poll_drained(cx)
                .map(|status| Some(Ok(self.stop(&status)))),
            Ok(Poll::Ready(frame)) => Poll::Ready(self.passed(frame)),
            Err(_) => Poll::Ready(Some(Ok(self.stop(&panicked())))),
        }
    }

    /// Processes the next frame of the handler.
    fn passed(
        &mut self,
        frame: Option<Result<Frame<Bytes>, Status>>,
    ) -> Option<Result<Frame<Bytes>, Status>> {
        match &frame {
            Some(Ok(_)) => {}
            Some(Err(status)) => self.run.end(status.code()),
            None => self.run.end(Code::Unknown),
        }
        frame.map(|frame| frame.map(|frame| self.counted(frame)))
    }

    /// Counts the bytes of a frame until they are sent. Ends the call if the limit is exceeded.
    fn counted(&mut self, frame: Frame<Bytes>) -> Frame<Bytes> {
        let trailers = match frame.into_data().map(|data| self.run.counted(data)) {
            Ok(Ok(data)) => return Frame::data(data),
            Ok(Err(full)) => return self.stop(&full),
            Err(trailers) => trailers,
        };
        let status = trailers.trailers_ref().and_then(Status::from_header_map);
        if let Some(refused) = status.as_ref().and_then(unreadable) {
            return self.stop(&refused);
        }
        self.run
            .end(status.map_or(Code::Unknown, |status| status.code()));
        trailers
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
        let Sending {
            inner, first, last, ..
        } = &*lock(&self.sending);
        let is_whole = inner.as_ref().is_none_or(Body::is_end_stream);
        is_whole && first.is_none() && last.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        // The size hint is never exact, because this module may end the body early with other
        // trailers.
        SizeHint::default()
    }
}
