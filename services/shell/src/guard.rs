//! Who may ask: what a server wants to know of a call before it is handled.

use std::fmt::Debug;

use bytes::{Buf, Bytes};
use futures::future::BoxFuture;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Request};
use http_body_util::BodyExt as _;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use tonic::Status;
use tonic::body::Body;

use crate::methods::Method;

/// Decides whether a call is answered.
pub trait Guard: Debug + Send + Sync + 'static {
    /// Lets it pass, or says why not: UNAUTHENTICATED, PERMISSION_DENIED, or UNAVAILABLE where
    /// nobody can tell.
    fn admit(&self, asked: Asked) -> BoxFuture<'_, Result<(), Status>>;
}

/// What decides about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The full name of the service.
    pub service: String,
    /// The namespace that the question is about; empty for all, and where it is about none.
    pub namespace: String,
    /// What the caller shows to prove who it is.
    pub token: Option<String>,
}

/// A gRPC message begins with a compression flag and its length in four bytes.
const PREFIX: usize = 5;

/// What decides about a call, and the call again.
pub(crate) async fn read(
    method: &Method,
    request: Request<Body>,
) -> Result<(Asked, Request<Body>), Status> {
    let token = token(request.headers());
    let (namespace, request) = match method.namespace_field.filter(|_| method.asks_once) {
        Some(field) => {
            let (head, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            let namespace = namespace(&body, field)?;
            (namespace, Request::from_parts(head, whole(body)))
        }
        None => (String::new(), request),
    };
    let asked = Asked {
        service: method.service.clone(),
        namespace,
        token,
    };
    Ok((asked, request))
}

fn whole(body: Bytes) -> Body {
    Body::new(http_body_util::Full::new(body).map_err(|never| match never {}))
}

fn token(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let is_token = scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty();
    is_token.then(|| token.trim().to_owned())
}

/// The value of a text field of the one message in a body, exactly as whoever answers will read it.
fn namespace(body: &[u8], field: u32) -> Result<String, Status> {
    let broken = || Status::internal("the question cannot be read");
    let Some((prefix, mut message)) = body.split_at_checked(PREFIX) else {
        return Err(broken());
    };
    if prefix[0] != 0 {
        return Err(Status::unimplemented("questions are not read compressed"));
    }
    // A second message would be another question than the one that is judged.
    let length = prefix[1..]
        .iter()
        .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    if message.len() != length {
        return Err(broken());
    }
    let mut last = Vec::new();
    while message.has_remaining() {
        let (tag, wire) = decode_key(&mut message).map_err(|_| broken())?;
        if tag != field || wire != WireType::LengthDelimited {
            let skipped = skip_field(wire, tag, &mut message, DecodeContext::default());
            skipped.map_err(|_| broken())?;
            continue;
        }
        let length = decode_varint(&mut message).map_err(|_| broken())?;
        let length = usize::try_from(length).map_err(|_| broken())?;
        let (value, rest) = message.split_at_checked(length).ok_or_else(broken)?;
        // Of a field that is there twice the last one counts, as in every reader of protobuf.
        last = value.to_vec();
        message = rest;
    }
    String::from_utf8(last).map_err(|_| broken())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use rstest::rstest;

    use super::*;

    fn framed(message: &[u8]) -> Vec<u8> {
        let length = u32::try_from(message.len()).expect("a small message");
        [&[0][..], &length.to_be_bytes(), message].concat()
    }

    #[rstest]
    #[case::none(b"", "")]
    #[case::the_only_field(b"\x0a\x05ferry", "ferry")]
    #[case::behind_others(b"\x12\x01x\x18\x07\x0a\x03sea", "sea")]
    #[case::the_last_of_two(b"\x0a\x01a\x0a\x01b", "b")]
    #[case::within_another_field(b"\x12\x03\x0a\x01a", "")]
    fn the_namespace_is_what_a_reader_takes(#[case] message: &[u8], #[case] wanted: &str) {
        let read = namespace(&framed(message), 1);
        assert_eq!(read.expect("a namespace"), wanted);
    }

    #[rstest]
    #[case::no_prefix(b"\0\0".to_vec())]
    #[case::cut(framed(b"\x0a\x05fer"))]
    #[case::no_text(framed(b"\x0a\x01\xff"))]
    #[case::two_messages([framed(b"\x0a\x01a"), framed(b"\x0a\x01b")].concat())]
    #[case::compressed(b"\x01\0\0\0\0".to_vec())]
    fn what_cannot_be_judged_is_not_asked(#[case] body: Vec<u8>) {
        assert!(namespace(&body, 1).is_err());
    }

    #[rstest]
    #[case::a_token("Bearer abc", Some("abc"))]
    #[case::in_any_case("bearer  abc ", Some("abc"))]
    #[case::another_scheme("Basic abc", None)]
    #[case::nothing_behind_it("Bearer ", None)]
    #[case::no_scheme("abc", None)]
    fn a_token_stands_behind_its_scheme(#[case] value: &str, #[case] wanted: Option<&str>) {
        let mut headers = HeaderMap::new();
        headers.insert(
            AUTHORIZATION,
            HeaderValue::from_str(value).expect("a value"),
        );
        assert_eq!(token(&headers).as_deref(), wanted);
        assert_eq!(token(&HeaderMap::new()), None);
    }
}
