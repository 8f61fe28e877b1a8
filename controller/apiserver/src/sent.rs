//! Sends responses in parts, and logs requests.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures::stream;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt as _, Limited};
use portolan_core_installed::Piece;
use portolan_core_installed::apiserver::{Answer, Listing};
use tokio::time::timeout;

use crate::slots::RequestSlot;

/// The approximate size in bytes of the part of a response that is in memory.
const CHUNK: usize = 64 * 1024;

/// The limits for reading the body of a rejected request, in bytes and in time. The body is read so
/// that the client reads the response.
const REFUSED_BODY: usize = 4 * 1024 * 1024;
const REFUSED_TIME: Duration = Duration::from_secs(2);

/// Logs a request. The audit ID in the log also occurs in the audit log of the Kubernetes API
/// server.
pub(crate) fn log_request(head: &Parts, verb: &'static str, code: u16) {
    let audit = head.headers.get("audit-id");
    let audit = audit.and_then(|audit| audit.to_str().ok());
    let (path, method) = (head.uri.path(), &head.method);
    if code >= 500 && *method != Method::HEAD {
        tracing::warn!(verb, path, code, audit, "a request failed");
    } else {
        tracing::debug!(verb, path, code, audit, "answered");
    }
}

pub(crate) fn whole(answer: Answer) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.code).unwrap_or_default();
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response
                .headers_mut()
                .append(HeaderName::from_static(name), value);
        }
    }
    response
}

pub(crate) fn texts<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let values = headers.get_all(name).into_iter();
    values.filter_map(|value| value.to_str().ok())
}

/// Reads a request body and drops it. Otherwise the connection would be closed while the client
/// sends, and the client would not read the response.
pub(crate) async fn drain(body: Body) {
    let body = Limited::new(body, REFUSED_BODY).collect();
    // A body that cannot be read or is too large is dropped too.
    let _ = timeout(REFUSED_TIME, body).await;
}

/// Returns a list as a response body, which is generated while it is sent. The slot is released
/// after the last part.
pub(crate) fn streamed(listing: Listing, place: RequestSlot) -> Body {
    let chunks = stream::unfold((listing, place), |(mut listing, place)| async {
        let mut chunk = BytesMut::with_capacity(CHUNK);
        while chunk.len() < CHUNK {
            let Some(pieces) = listing.next() else {
                break;
            };
            append(&mut chunk, &pieces);
        }
        let chunk = chunk.freeze();
        (!chunk.is_empty()).then_some((Ok::<Bytes, Infallible>(chunk), (listing, place)))
    });
    Body::from_stream(chunks)
}

pub(crate) fn append(chunk: &mut BytesMut, pieces: &[Piece]) {
    for piece in pieces {
        chunk.extend_from_slice(piece.as_ref());
    }
}
