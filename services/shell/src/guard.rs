//! Access control: checks of a call before the call is handled.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use futures::future::BoxFuture;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Limited};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use tonic::body::Body;
use tonic::{Code, Status};

use crate::limits::PREFIX;
use crate::methods::Method;
use crate::refusal::invalid;
use crate::shares::Holder;

/// Decides if a call may be handled. Before the caller is identified, only the headers of the call
/// are read.
pub trait Guard: fmt::Debug + Send + Sync + 'static {
    /// Identifies the caller with this token. Returns UNAUTHENTICATED for an invalid token, or
    /// UNAVAILABLE if the caller cannot be identified now. The address does not authenticate a
    /// caller. It only separates callers whose tokens are not known yet.
    fn identify(
        &self,
        token: Option<Bearer>,
        from: Option<IpAddr>,
    ) -> BoxFuture<'_, Result<Arc<dyn Caller>, Status>>;
}

/// A caller whose user is known.
pub trait Caller: fmt::Debug + Send + Sync {
    /// Returns the name of the user. All callers with the same name share their limits. All
    /// ServiceAccounts of a namespace also share their limits. If the name is empty, the limits
    /// apply to each address.
    fn name(&self) -> &str;

    /// Returns the permitted scope of the response. Returns PERMISSION_DENIED if the caller lacks
    /// the permission. Returns UNAVAILABLE if the permission cannot be checked.
    fn permit(&self, asked: Asked) -> BoxFuture<'_, Result<Permitted, Status>>;
}

/// The service and the namespace of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The full name of the service.
    pub service: String,
    /// The namespace of the request. Empty if the request is for all namespaces or has no
    /// namespace.
    pub namespace: String,
}

/// The namespaces whose data the response may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permitted {
    /// Every namespace.
    All,
    /// Only the namespace of the request.
    Namespace,
}

/// The token that authenticates a caller. The token is a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Bearer(pub String);

/// The source address of a request. The server stores it as an extension of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerAddress(pub(crate) IpAddr);

/// A permitted call, with the permitted scope of its response.
pub(crate) struct Passed {
    pub(crate) request: Request<Body>,
    pub(crate) answer: Answer,
    /// The caller whose limits apply to the call.
    pub(crate) holder: Holder,
}

/// The restrictions on the response.
pub(crate) struct Answer {
    namespace: String,
    reach: Permitted,
}

/// The maximum length of a namespace name.
const LONGEST: usize = 63;

/// Admits a call, or returns the reason to reject it. Reads no body of an unknown caller. Of a
/// known caller, reads the body only if it is a single message with a namespace to check, with at
/// most `limit` bytes.
pub(crate) async fn pass(
    guard: &dyn Guard,
    method: &Method,
    request: Request<Body>,
    limit: u32,
) -> Result<Passed, Status> {
    let from = request
        .extensions()
        .get::<PeerAddress>()
        .map(|PeerAddress(from)| *from);
    let caller = guard.identify(token(request.headers()), from).await?;
    let (namespace, request) = match method.namespace_field.filter(|_| method.asks_once) {
        Some(field) => {
            let (head, body) = request.into_parts();
            let body = read(body, limit).await?;
            let namespace = namespace(&body, field)?;
            (namespace, Request::from_parts(head, whole(body)))
        }
        None => (String::new(), request),
    };
    let asked = Asked {
        service: method.service.clone(),
        namespace: namespace.clone(),
    };
    let reach = caller.permit(asked).await?;
    let answer = Answer { namespace, reach };
    let holder = match caller.name() {
        "" => Holder::Address(from),
        name => Holder::of(name),
    };
    Ok(Passed {
        request,
        answer,
        holder,
    })
}

/// Returns the source address of a request as the holder for limits.
pub(crate) fn address<B>(request: &Request<B>) -> Holder {
    let peer = request.extensions().get::<PeerAddress>();
    Holder::Address(peer.map(|PeerAddress(from)| *from))
}

impl Answer {
    /// Replaces the message of NOT_FOUND if the caller has no permission for all namespaces. The
    /// original message may name objects of other namespaces.
    pub(crate) fn within(&self, answer: Response<Body>) -> Response<Body> {
        let status = Status::from_header_map(answer.headers());
        let is_absent = status.is_some_and(|status| status.code() == Code::NotFound);
        if !is_absent || self.reach == Permitted::All {
            return answer;
        }
        let namespace = &self.namespace;
        let told = format!(
            "namespace {namespace} has no object with that name; other namespaces are visible \
             only to users with access to all namespaces"
        );
        Status::not_found(told).into_http()
    }
}

async fn read(body: Body, limit: u32) -> Result<Bytes, Status> {
    let most = limit as usize + PREFIX;
    let read = Limited::new(body, most).collect().await;
    let read = read.map_err(|error| match error.downcast::<Status>() {
        Ok(status) => *status,
        Err(_) => Status::resource_exhausted(format!("a request has at most {limit} bytes")),
    })?;
    Ok(read.to_bytes())
}

fn whole(body: Bytes) -> Body {
    Body::new(http_body_util::Full::new(body).map_err(|never| match never {}))
}

fn token(headers: &HeaderMap) -> Option<Bearer> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let is_token = scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty();
    is_token.then(|| Bearer(token.trim().to_owned()))
}

/// Returns a text field of the single message in a body. The field is decoded in the same way as
/// the service decodes it.
fn namespace(body: &[u8], field: u32) -> Result<String, Status> {
    let broken = || Status::invalid_argument("the request cannot be decoded");
    let Some((prefix, mut message)) = body.split_at_checked(PREFIX) else {
        return Err(broken());
    };
    if prefix[0] != 0 {
        return Err(Status::unimplemented(
            "compressed requests are not supported",
        ));
    }
    // Only the first message is authorized, so a body with a second message is rejected.
    let length = (&prefix[1..]).get_u32() as usize;
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
        // If a field occurs twice, the last value counts, as in every protobuf decoder.
        last = value.to_vec();
        message = rest;
    }
    let name = String::from_utf8(last).map_err(|_| broken())?;
    let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if name.len() <= LONGEST && name.bytes().all(is_of_names) {
        Ok(name)
    } else {
        let why = "no namespace has such a name";
        Err(invalid("namespace", why, why.to_owned()))
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Bearer")
    }
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
    #[case::after_other_bytes(b"\x12\x01x\x18\x07\x0a\x03sea", "sea")]
    #[case::the_last_of_two(b"\x0a\x01a\x0a\x01b", "b")]
    #[case::within_another_field(b"\x12\x03\x0a\x01a", "")]
    fn namespace_field_is_read_from_the_message(#[case] message: &[u8], #[case] wanted: &str) {
        let read = namespace(&framed(message), 1);
        assert_eq!(read.expect("a namespace"), wanted);
    }

    #[rstest]
    #[case::no_prefix(b"\0\0".to_vec())]
    #[case::cut(framed(b"\x0a\x05fer"))]
    #[case::no_text(framed(b"\x0a\x01\xff"))]
    #[case::two_messages([framed(b"\x0a\x01a"), framed(b"\x0a\x01b")].concat())]
    #[case::compressed(b"\x01\0\0\0\0".to_vec())]
    #[case::no_name(framed(b"\x0a\x03a/b"))]
    #[case::a_name_too_long(framed(&[&b"\x0a\x40"[..], &[b'a'; 64]].concat()))]
    fn unreadable_message_is_refused(#[case] body: Vec<u8>) {
        assert!(namespace(&body, 1).is_err());
    }

    #[tokio::test]
    async fn reads_at_most_the_limit_of_one_request() {
        let frames = futures::stream::repeat_with(|| {
            let frame = http_body::Frame::data(Bytes::from_static(&[0; PREFIX]));
            Ok::<_, Status>(frame)
        });
        let endless = Body::new(http_body_util::StreamBody::new(frames));
        let refused = read(endless, 1024).await.map(drop);
        let refused = refused.map_err(|status| status.code());
        assert_eq!(refused, Err(Code::ResourceExhausted));
    }

    #[rstest]
    #[case::a_token("Bearer abc", Some("abc"))]
    #[case::in_any_case("bearer  abc ", Some("abc"))]
    #[case::another_scheme("Basic abc", None)]
    #[case::nothing_behind_it("Bearer ", None)]
    #[case::no_scheme("abc", None)]
    fn token_follows_its_scheme(#[case] value: &str, #[case] wanted: Option<&str>) {
        let mut headers = HeaderMap::new();
        headers.insert(
            AUTHORIZATION,
            HeaderValue::from_str(value).expect("a value"),
        );
        let read = token(&headers).map(|Bearer(token)| token);
        assert_eq!(read.as_deref(), wanted);
        assert_eq!(token(&HeaderMap::new()), None);
    }
}
