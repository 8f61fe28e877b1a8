//! One call from its first byte to its code.

use std::any::Any;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http::Response;
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::body::Body;
use tonic::{Code, Status};

use crate::methods::Method;
use crate::metrics::{CallMetrics, MethodLabels, code_name};

/// One running call. It is counted when it ends, and as cancelled when it is dropped before.
pub(super) struct Run {
    metrics: Arc<CallMetrics>,
    labels: MethodLabels,
    began: Instant,
    deadline: Option<Pin<Box<Sleep>>>,
    /// Only for streams, which may outlive every drain if nobody ends them.
    draining: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    ended: bool,
}

/// What a handler's panic carries.
pub(super) type Panic = Box<dyn Any + Send>;

// === impl Run ===

impl Run {
    pub(super) fn begin(
        metrics: Arc<CallMetrics>,
        method: &Method,
        timeout: Option<Duration>,
        draining: Option<CancellationToken>,
    ) -> Self {
        Self {
            labels: metrics.begin(method),
            metrics,
            began: Instant::now(),
            deadline: timeout.map(|timeout| Box::pin(tokio::time::sleep(timeout))),
            draining: draining.map(|token| Box::pin(token.cancelled_owned())),
            ended: false,
        }
    }

    /// Waits for the handler's headers, but not past the deadline.
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
            self.poll_stop(cx).map(Err)
        })
        .await
    }

    /// Ready when the call must end though its handler has more to do.
    pub(super) fn poll_stop(&mut self, cx: &mut Context<'_>) -> Poll<Status> {
        if let Some(deadline) = &mut self.deadline
            && deadline.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Status::deadline_exceeded(
                "the deadline of the call passed before its answer was complete",
            ));
        }
        if let Some(draining) = &mut self.draining
            && draining.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Status::unavailable(
                "this server is going away; watch again on another connection",
            ));
        }
        Poll::Pending
    }

    /// Counts the call under its code; later ends are not counted.
    pub(super) fn end(&mut self, code: Code) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let took = self.began.elapsed();
        self.metrics.end(&self.labels, code, took);
        tracing::Span::current().record("grpc_code", code_name(code));
        tracing::debug!(
            code = code_name(code),
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

/// The panic hook has logged the cause; the client learns only that it is not to blame.
pub(super) fn panicked() -> Status {
    Status::internal("the server failed on this call; its log names the place")
}
