//! Limits the memory that simultaneous requests use. A parsed request uses several times its size
//! in memory, and every client that can connect to the port can send requests.
//!
//! The bytes of a request count from their arrival until the response is ready. Bytes that are
//! announced but not sent do not count. Therefore a client that announces a large request and sends
//! nothing does not affect other clients.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{BoxError, Router};
use futures::StreamExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::converter::LARGEST;

/// The maximum number of bytes that count at the same time. It is the maximum size of one request.
const BYTES: usize = LARGEST;

/// The permits for the bytes of one request that have arrived.
#[derive(Debug, Default)]
struct HeldBytes {
    permits: Mutex<Vec<OwnedSemaphorePermit>>,
    is_refused: AtomicBool,
}

/// Limits the memory that requests to these routes use. A request above the limit is rejected, and
/// the client must send it again.
pub(crate) fn bounded(routes: Router) -> Router {
    let budget = Arc::new(Semaphore::new(BYTES));
    routes.layer(from_fn_with_state(budget, answered))
}

async fn answered(State(budget): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    let held = Arc::new(HeldBytes::default());
    let holds = held.clone();
    let (head, body) = request.into_parts();
    let chunks = body.into_data_stream().map(move |chunk| {
        let chunk = chunk?;
        holds.take(&budget, chunk.len())?;
        Ok::<_, BoxError>(chunk)
    });
    let request = Request::from_parts(head, Body::from_stream(chunks));
    let response = next.run(request).await;
    if held.is_refused.load(Ordering::Relaxed) {
        let sentence = "too many requests at a time; try again";
        return (StatusCode::SERVICE_UNAVAILABLE, sentence).into_response();
    }
    response
}

impl HeldBytes {
    fn take(&self, budget: &Arc<Semaphore>, bytes: usize) -> Result<(), BoxError> {
        let bytes = u32::try_from(bytes)?;
        let taken = budget.clone().try_acquire_many_owned(bytes);
        let taken = taken.inspect_err(|_| self.is_refused.store(true, Ordering::Relaxed));
        let mut permits = self.permits.lock().unwrap_or_else(PoisonError::into_inner);
        permits.push(taken?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use axum::routing::post;
    use tokio::sync::Notify;
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn request_above_the_budget_is_rejected_and_idle_requests_use_no_memory() {
        let goes_on = Arc::new(Notify::new());
        let waits = goes_on.clone();
        let routes = post(move |body: Body| async move {
            let read = to_bytes(body, usize::MAX).await;
            let is_whole = read.is_ok();
            if is_whole {
                waits.notified().await;
            }
            is_whole.to_string()
        });
        let routes = bounded(Router::new().route("/", routes));
        let ask = |body: Body| {
            let request = Request::post("/").body(body).expect("a request");
            tokio::spawn(routes.clone().oneshot(request))
        };
        let silent = futures::stream::pending::<Result<Vec<u8>, BoxError>>();
        let silent = ask(Body::from_stream(silent));
        let large = ask(Body::from(vec![0; BYTES]));
        tokio::task::yield_now().await;
        let second = ask(Body::from("a"))
            .await
            .expect("it ends")
            .expect("an answer");
        assert_eq!(second.status(), StatusCode::SERVICE_UNAVAILABLE);
        let told = to_bytes(second.into_body(), 1024).await.expect("a body");
        assert_eq!(told, "too many requests at a time; try again");

        goes_on.notify_one();
        let large = large.await.expect("it ends").expect("an answer");
        assert_eq!(large.status(), StatusCode::OK);
        goes_on.notify_one();
        let third = ask(Body::from("a"))
            .await
            .expect("it ends")
            .expect("an answer");
        assert_eq!(third.status(), StatusCode::OK);
        silent.abort();
    }
}
