use std::sync::mpsc;
use std::thread::available_parallelism;

use axum::body::Bytes;
use axum::http::{Method, Request as HttpRequest};
use futures::stream;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;
use tower::ServiceExt as _;

use super::*;

fn reviewer() -> Reviewer {
    let (metrics, _) = Metrics::new();
    Reviewer::new(None, metrics)
}

async fn answered(reviewer: &Reviewer, method: Method, body: Body) -> (StatusCode, String) {
    let request = HttpRequest::builder().method(method).uri(PATH).body(body);
    let request = request.expect("a request");
    let answer = reviewer.clone().routes().oneshot(request).await;
    let answer = answer.expect("an answer");
    let status = answer.status();
    let bytes = to_bytes(answer.into_body(), LARGEST).await;
    let text = String::from_utf8_lossy(&bytes.expect("a body")).into_owned();
    (status, text)
}

fn question(spec: &Value) -> Body {
    let question = json!({"request": {
        "uid": "7", "operation": "CREATE", "name": "ferry",
        "kind": {"group": "operators.operatorframework.io", "kind": "Operator"},
        "object": {"metadata": {"name": "ferry"}, "spec": spec},
    }});
    Body::from(question.to_string())
}

#[rstest]
#[case::valid_object(json!({"packageName": "ferry"}), true)]
#[case::invalid_object(json!({"packageName": 7}), false)]
#[tokio::test]
async fn review_allows_only_valid_objects(#[case] spec: Value, #[case] expected: bool) {
    let (status, text) = answered(&reviewer(), Method::POST, question(&spec)).await;
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    let reported = (&answer["response"]["uid"], &answer["response"]["allowed"]);
    assert_eq!(
        (status, reported),
        (StatusCode::OK, (&json!("7"), &json!(expected)))
    );
}

#[rstest]
#[case::no_json(
    Method::POST,
    Body::from("nonsense"),
    StatusCode::BAD_REQUEST,
    "the request is not an AdmissionReview: expected ident at line 1 column 2"
)]
#[case::large_object(
    Method::POST, Body::from(vec![b' '; LARGEST + 1]), StatusCode::PAYLOAD_TOO_LARGE,
    "the request has more than 8388608 bytes, or is incomplete"
)]
#[case::incomplete_request(
    Method::POST, Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>()),
    StatusCode::REQUEST_TIMEOUT, "the request was not received in time"
)]
#[case::another_method(Method::GET, Body::empty(), StatusCode::METHOD_NOT_ALLOWED, "")]
#[tokio::test(start_paused = true)]
async fn refuses_invalid_http_request(
    #[case] method: Method,
    #[case] body: Body,
    #[case] status: StatusCode,
    #[case] sentence: &str,
) {
    let expected = (status, sentence.to_owned());
    assert_eq!(answered(&reviewer(), method, body).await, expected);
}

/// Other tasks use all threads for reviews, so this review cannot start.
#[tokio::test(start_paused = true)]
async fn late_review_is_allowed_with_a_warning() {
    let reviewer = reviewer();
    let places = available_parallelism().map_or(1, std::num::NonZero::get);
    let mut held = Vec::new();
    for _ in 0..places {
        let (release, released) = mpsc::channel::<()>();
        let (began, begun) = tokio::sync::oneshot::channel();
        let pool = reviewer.pool.clone();
        tokio::spawn(async move {
            let work = move || {
                let _ = began.send(());
                let _ = released.recv();
                Ok(())
            };
            pool.run(work).await
        });
        begun.await.expect("it begins");
        held.push(release);
    }
    let asked = answered(
        &reviewer,
        Method::POST,
        question(&json!({"packageName": 7})),
    );
    let mut asked = std::pin::pin!(asked);
    // The paused clock does not advance by itself while a blocking task runs.
    tokio::select! {
        biased;
        answer = &mut asked => panic!("{answer:?}"),
        () = tokio::task::yield_now() => {}
    }
    tokio::time::advance(REVIEWING).await;
    let (status, text) = asked.await;
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    let expected = json!({"uid": "7", "allowed": true, "warnings": [LATE]});
    assert_eq!((status, &answer["response"]), (StatusCode::OK, &expected));
}
