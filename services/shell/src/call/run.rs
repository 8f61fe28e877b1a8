//! One running call, from its first byte to its status code.

use std::any::Any;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Response;
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::task_tracker::TaskTrackerToken;
use tonic::body::Body;
use tonic::{Code, Status};
use tracing::Span;

use super::Calls;
use super::seat::Seat;
use crate::limits::Read;
use crate::methods::Method;
use crate::metrics::{CallMetrics, MethodLabels, code_name};
use crate::shares::Shares;

/// A running call. Its metrics are recorded when it ends. A call that is dropped before its end
/// counts as cancelled.
pub(super) struct Run {
    metrics: Arc<CallMetrics>,
    labels: MethodLabels,
    began: Instant,
    span: Span,
    deadline: Option<Pin<Box<Sleep>>>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Set only for streams, because streams do not end by themselves during a drain.
    draining: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    /// The slot of the call. The slot becomes free when the status code is known, so that a client
    /// that has received its response can call again.
    seat: Arc<Seat>,
    /// The limit for the bytes of all responses that wait to be sent.
    answering: Shares,
    /// Cancelled when the connection must accept no more calls.
    leaving: CancellationToken,
    /// The part of the request that is in memory. It is released when the status code is known.
    read: Arc<Read>,
    /// False for health calls. They are not logged, and they are limited for each connection
    /// instead of for each caller.
    counts: bool,
    ended: bool,
    /// A drain waits until this value is dropped.
    _running: TaskTrackerToken,
}

/// The payload of a handler's panic.
pub(super) type Panic = Box<dyn Any + Send>;

// === impl Run ===

impl Run {
    pub(super) fn begin(
        calls: &Calls,
        (method, seat): (&Method, Arc<Seat>),
        timeout: Option<Duration>,
        span: Span,
    ) -> Self {
        let draining = || Box::pin(calls.draining.clone().cancelled_owned());
        Self {
            labels: calls.metrics.begin(method),
            metrics: calls.metrics.clone(),
            began: Instant::now(),
            span,
            deadline: timeout.map(|timeout| Box::pin(tokio::time::sleep(timeout))),
            cut: Box::pin(calls.cut.clone().cancelled_owned()),
            draining: method.streams.then(draining),
            seat,
            answering: calls.answering.clone(),
            leaving: calls.draining.clone(),
            read: Arc::new(Read::within(calls.reading.clone())),
            counts: method.counts,
            ended: false,
            _running: calls.running.token(),
        }
    }

    pub(super) fn seat(&self) -> Arc<Seat> {
        Arc::clone(&self.seat)
    }

    /// Counts the bytes of the response until they are sent. Responses to health calls are not
    /// counted, so that other calls cannot make health calls fail.
    pub(super) fn counted(&self, data: Bytes) -> Result<Bytes, Status> {
        if !self.counts {
            return Ok(data);
        }
        self.seat.counted(data, &self.answering)
    }

    /// Returns the token of the connection. If the token is cancelled, the connection accepts no
    /// more calls.
    pub(super) fn leaving(&self) -> CancellationToken {
        self.leaving.clone()
    }

    /// Returns the counter for the received bytes of this call's request.
    pub(super) fn read(&self) -> Arc<Read> {
        self.read.clone()
    }

    /// Returns the time at which the call must end. Returns None if there is no deadline.
    pub(super) fn deadline(&self) -> Option<tokio::time::Instant> {
        self.deadline.as_ref().map(|deadline| deadline.deadline())
    }

    /// Returns true if the status code of the call is known.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the trace span of the call.
    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Waits for the handler's headers, until the deadline at the latest.
    pub(super) async fn answer<F>(&mut self, handled: F) -> Result<Response<Body>, Status>
    where
        F: Future<Output = Result<Result<Response<Body>, Infallible>, Panic>>,
    {
        let mut handled = std::pin::pin!(handled);
        std::future::poll_fn(|cx| {
            if let Poll::Ready(outcome) = handled.as_mut().poll(cx) {
                return Poll::Ready(match outcome {
                    Ok(Ok(response)) => Ok(response),
                    Ok(Err(never)) => match never {},
                    Err(_) => Err(panicked()),
                });
            }
            match self.poll_stop(cx) {
                Poll::Ready(status) => Poll::Ready(Err(status)),
                Poll::Pending => self.poll_drained(cx).map(Err),
            }
        })
        .await
    }

    /// Returns ready when the call must end, even if its handler is still running.
    pub(super) fn poll_stop(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(overdue());
        }
        self.cut.as_mut().poll(cx).map(|()| {
            Status::unavailable(
                "this server stopped before its answer was complete; retry on another connection",
            )
        })
    }

    /// Returns ready if the server drains and this call is a stream.
    pub(super) fn poll_drained(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        let Some(draining) = &mut self.draining else {
            return Poll::Pending;
        };
        draining.as_mut().poll(cx).map(|()| {
            Status::unavailable("this server is shutting down; watch again on another connection")
        })
    }

    /// Records the metrics of the call with its status code. Only the first end of a call is
    /// recorded.
    pub(super) fn end(&mut self, code: Code) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let took = self.began.elapsed();
        self.metrics.end(&self.labels, code, took);
        self.seat.release();
        self.read.release();
        self.span.record("grpc_code", code_name(code));
        if !self.counts {
            return;
        }
        tracing::debug!(
            parent: &self.span,
            grpc_code = code_name(code),
            took_ms = took.as_millis() as u64,
            "call ended"
        );
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.end(Code::Cancelled);
    }
}

/// Returns the status of a call whose deadline has passed.
pub(super) fn overdue() -> Status {
    Status::deadline_exceeded("the deadline of the call passed before its answer was complete")
}

/// Returns the status of a call after a panic. The panic hook has logged the cause. The client
/// learns only that the server has failed.
pub(crate) fn panicked() -> Status {
    Status::internal("the server failed on this call; its log has the details")
}
