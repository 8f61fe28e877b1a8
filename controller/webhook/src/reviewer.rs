//! Handles requests of API servers to review objects. Each request gets a response in time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response as HttpResponse};
use axum::routing::post;
use kube::Client;
use portolan_shell::{BlockingPool, with_causes};
use tokio::time::timeout;

use crate::admission::{NoRequest, Request, Response, references, review};
use crate::metrics::{Metrics, ReviewOutcome};
use crate::wanted::absent;

/// The URL path of reviews, which the webhook configuration contains.
const PATH: &str = "/review";

/// The maximum size of a request in bytes. A request contains the existing and the new object. API
/// servers limit each of them to three megabytes.
const LARGEST: usize = 8 * 1024 * 1024;

/// The maximum time for receiving a request.
const READING: Duration = Duration::from_secs(1);
/// The maximum time for a review. The sum of all maximum times is less than the timeout of API
/// servers.
const REVIEWING: Duration = Duration::from_secs(1);

const LATE: &str = "the webhook of Portolan did not validate the object in time; the conditions of \
    the object show errors";
const FAILED: &str = "the webhook of Portolan failed to validate the object; the conditions of the \
    object show errors";

/// Handles reviews. Clones share the state.
#[derive(Clone)]
pub(crate) struct Reviewer {
    /// The client that looks up references. None if references are not looked up.
    client: Option<Client>,
    metrics: Metrics,
    pool: BlockingPool,
}

// === impl Reviewer ===

impl Reviewer {
    pub(crate) fn new(client: Option<Client>, metrics: Metrics) -> Self {
        Self {
            client,
            metrics,
            pool: BlockingPool::default(),
        }
    }

    pub(crate) fn routes(self) -> Router {
        Router::new().route(PATH, post(answer)).with_state(self)
    }

    async fn reviewed(&self, body: Body) -> Result<(Request, Response, ReviewOutcome), NoAnswer> {
        let bytes = timeout(READING, to_bytes(body, LARGEST)).await;
        let bytes = bytes.map_err(|_| NoAnswer::Slow)?;
        let bytes = bytes.map_err(|_| NoAnswer::Large)?;
        let request = Request::parse(&bytes).map_err(NoAnswer::Unread)?;
        drop(bytes);
        let request = Arc::new(request);
        let reviewing = timeout(REVIEWING, self.review(request.clone())).await;
        let (response, answer) = match reviewing {
            Ok(Some(response)) => {
                let answer = ReviewOutcome::of(&response);
                (response, answer)
            }
            Ok(None) => (
                Response::allowed(&request).warning(FAILED),
                ReviewOutcome::Late,
            ),
            Err(_) => (
                Response::allowed(&request).warning(LATE),
                ReviewOutcome::Late,
            ),
        };
        let request = Arc::unwrap_or_clone(request);
        Ok((request, response, answer))
    }

    /// Reviews a request. Returns None if the review panics.
    async fn review(&self, request: Arc<Request>) -> Option<Response> {
        let named = {
            let request = request.clone();
            let named = self.pool.run(move || Ok(references(&request))).await;
            named.ok()?
        };
        let absent = match &self.client {
            Some(client) if !named.is_empty() => absent(client, named).await,
            Some(_) | None => Default::default(),
        };
        let reviewed = self.pool.run(move || Ok(review(&request, &absent))).await;
        reviewed.ok()
    }
}

/// The reason why a request is not reviewed. The API server then continues without a review.
enum NoAnswer {
    Slow,
    Large,
    Unread(NoRequest),
}

// === impl NoAnswer ===

impl NoAnswer {
    fn response(&self) -> (StatusCode, String) {
        match self {
            Self::Slow => {
                let sentence = "the request was not received in time".to_owned();
                (StatusCode::REQUEST_TIMEOUT, sentence)
            }
            Self::Large => {
                let sentence = format!(
                    "the request has more than {LARGEST} bytes, or is \
                 incomplete"
                );
                (StatusCode::PAYLOAD_TOO_LARGE, sentence)
            }
            Self::Unread(why) => (StatusCode::BAD_REQUEST, with_causes(why)),
        }
    }
}

async fn answer(State(reviewer): State<Reviewer>, body: Body) -> HttpResponse {
    let began = Instant::now();
    let (kind, answer, response) = match reviewer.reviewed(body).await {
        Ok((request, response, answer)) => {
            log_answer(&request, &response, answer);
            let json = [(header::CONTENT_TYPE, "application/json")];
            let response = (json, response.to_json().to_string()).into_response();
            (request.kind, answer, response)
        }
        Err(none) => {
            let (status, sentence) = none.response();
            tracing::warn!(error = sentence, "a request cannot be read");
            (
                None,
                ReviewOutcome::Unread,
                (status, sentence).into_response(),
            )
        }
    };
    reviewer.metrics.answered(kind, answer, began.elapsed());
    response
}

fn log_answer(request: &Request, response: &Response, answer: ReviewOutcome) {
    let kind = request.kind.map(crate::admission::Kind::as_str);
    let (namespace, name) = (&request.namespace, &request.name);
    match answer {
        ReviewOutcome::Refused => {
            let faults = response.refused.len();
            tracing::info!(kind, namespace, name, faults, "an object is rejected");
        }
        ReviewOutcome::Late => {
            tracing::warn!(kind, namespace, name, "an object was not validated in time");
        }
        ReviewOutcome::Allowed | ReviewOutcome::Warned | ReviewOutcome::Unread => {
            let warnings = response.warnings.len();
            tracing::debug!(kind, namespace, name, warnings, "an object is allowed");
        }
    }
}

#[cfg(test)]
mod tests;
