//! Handles requests of API servers to convert Operators of OLM.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use portolan_core_components::{Conversion, Converted, PATH};
use portolan_shell::{BlockingPool, with_causes};
use tokio::time::timeout;

use crate::metrics::Metrics;

/// The maximum size of a request in bytes. A request contains one object, or the objects of one
/// page of a list.
pub(crate) const LARGEST: usize = 32 * 1024 * 1024;
/// The maximum time for receiving a request. API servers wait thirty seconds for the response.
const READING: Duration = Duration::from_secs(10);

/// Handles conversions. Clones share the state.
#[derive(Clone)]
pub(crate) struct Converter {
    metrics: Metrics,
    pool: BlockingPool,
}

// === impl Converter ===

impl Converter {
    pub(crate) fn new(metrics: Metrics) -> Self {
        Self {
            metrics,
            pool: BlockingPool::default(),
        }
    }

    pub(crate) fn routes(self) -> Router {
        Router::new().route(PATH, post(answer)).with_state(self)
    }

    async fn converted(&self, body: Body) -> Result<Converted, (StatusCode, String)> {
        let bytes = timeout(READING, to_bytes(body, LARGEST)).await;
        let slow = |_| {
            (
                StatusCode::REQUEST_TIMEOUT,
                "the request was not received in time".to_owned(),
            )
        };
        let large = |_| {
            let sentence = format!("the request has more than {LARGEST} bytes, or is incomplete");
            (StatusCode::PAYLOAD_TOO_LARGE, sentence)
        };
        let bytes = bytes.map_err(slow)?.map_err(large)?;
        let question = Conversion::parse(&bytes);
        let question = question.map_err(|why| (StatusCode::BAD_REQUEST, with_causes(&why)))?;
        let converted = self.pool.run(move || Ok(question.answer())).await;
        let failed = |_| {
            let sentence = "the webhook of Portolan failed to convert the object".to_owned();
            (StatusCode::INTERNAL_SERVER_ERROR, sentence)
        };
        converted.map_err(failed)
    }
}

async fn answer(State(converter): State<Converter>, body: Body) -> Response {
    match converter.converted(body).await {
        Ok(converted) => {
            if let Err(why) = &converted.objects {
                tracing::info!(why, "an object is not converted");
            }
            converter.metrics.converted(converted.objects.is_ok());
            let json = [(header::CONTENT_TYPE, "application/json")];
            (json, converted.to_json().to_string()).into_response()
        }
        Err((status, sentence)) => {
            tracing::warn!(error = sentence, "a request cannot be read");
            converter.metrics.converted(false);
            (status, sentence).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use rstest::rstest;
    use serde_json::{Value, json};
    use similar_asserts::assert_eq;
    use tower::ServiceExt as _;

    use super::*;

    async fn answered(body: String) -> (StatusCode, String) {
        let (metrics, _) = Metrics::new();
        let request = Request::post(PATH).body(Body::from(body));
        let routes = Converter::new(metrics).routes();
        let answer = routes.oneshot(request.expect("a request")).await;
        let answer = answer.expect("an answer");
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), LARGEST).await;
        (
            status,
            String::from_utf8_lossy(&bytes.expect("a body")).into_owned(),
        )
    }

    #[tokio::test]
    async fn converts_an_operator() {
        let object = |version: &str| {
            json!({
                "apiVersion": format!("operators.coreos.com/{version}"), "kind": "Operator",
                "metadata": {"name": "plumbus"},
            })
        };
        let question = json!({"request": {
            "uid": "7", "desiredAPIVersion": "operators.coreos.com/v1",
            "objects": [object("v2alpha1")],
        }});
        let (status, text) = answered(question.to_string()).await;
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        let mut stored = object("v1");
        stored["spec"] = json!({});
        let expected = json!({
            "uid": "7", "convertedObjects": [stored], "result": {"status": "Success"},
        });
        assert_eq!((status, &answer["response"]), (StatusCode::OK, &expected));
    }

    #[rstest]
    #[case::no_json(
        "nonsense",
        "it is no ConversionReview: expected ident at line 1 column 2"
    )]
    #[case::nothing("{}", "the ConversionReview has no request")]
    #[tokio::test]
    async fn invalid_conversion_request_is_refused(#[case] body: &str, #[case] why: &str) {
        let refused = (StatusCode::BAD_REQUEST, why.to_owned());
        assert_eq!(answered(body.to_owned()).await, refused);
    }
}
