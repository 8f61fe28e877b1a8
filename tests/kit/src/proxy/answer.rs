//! Responses that the proxy creates without the upstream.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Method, Response, StatusCode};
use http_body_util::Full;
use serde_json::json;

use super::rules::Seen;

const RETRY_AFTER_SECONDS: u32 = 1;

/// Returns a Kubernetes `Status`. For a gRPC call, returns a response that contains only trailers.
pub(super) fn answer(seen: &Seen, headers: &HeaderMap, status: u16) -> Response<Full<Bytes>> {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| kind.starts_with("application/grpc")) {
        grpc(status)
    } else {
        kubernetes(seen, status)
    }
}

fn kubernetes(seen: &Seen, code: u16) -> Response<Full<Bytes>> {
    let mut status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": format!("the proxy answers {seen} with {code}"),
        "reason": reason(seen, code),
        "code": code,
    });
    if code == 429 {
        status["details"] = json!({"retryAfterSeconds": RETRY_AFTER_SECONDS});
    }
    let mut response = Response::new(Full::from(status.to_string()));
    *response.status_mut() = StatusCode::from_u16(code).expect("an answer must be a status code");
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if code == 429 {
        headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS));
    }
    response
}

fn reason(seen: &Seen, code: u16) -> &'static str {
    match code {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        409 if seen.method == Method::POST => "AlreadyExists",
        409 => "Conflict",
        410 => "Expired",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "",
    }
}

fn grpc(code: u16) -> Response<Full<Bytes>> {
    let status = match code {
        400 => 3,  // INVALID_ARGUMENT
        401 => 16, // UNAUTHENTICATED
        403 => 7,  // PERMISSION_DENIED
        404 => 5,  // NOT_FOUND
        409 => 10, // ABORTED
        429 => 8,  // RESOURCE_EXHAUSTED
        500 => 13, // INTERNAL
        503 => 14, // UNAVAILABLE
        504 => 4,  // DEADLINE_EXCEEDED
        _ => 2,    // UNKNOWN
    };
    let mut response = Response::new(Full::default());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert("grpc-status", HeaderValue::from(status));
    headers.insert(
        "grpc-message",
        HeaderValue::from_static("answered by the proxy"),
    );
    response
}
