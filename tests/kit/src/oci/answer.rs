//! Responses of the registry to HTTP requests.

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use serde_json::json;

use super::{Asked, Door, Served, Trouble};
use crate::catalogd::body::{Content, Ending};

/// Returns the response. Returns None if the server does not respond.
pub(super) fn answer<B>(request: &Request<B>, served: &mut Served) -> Option<Response<Content>> {
    let path = request.uri().path().to_owned();
    let of = |name| {
        let value = request.headers().get(name);
        value.map(|value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let (authorization, range) = (of(header::AUTHORIZATION), of(header::RANGE));
    let trouble = trouble(&path, served);
    let answer = match &trouble {
        Some(Trouble::Silence) => None,
        Some(Trouble::Status(status, headers)) => {
            let mut answer = bare(*status);
            for (name, value) in headers {
                set_header(&mut answer, name, value);
            }
            Some(answer)
        }
        Some(Trouble::Bytes(bytes)) => Some(with(200, bytes.clone())),
        Some(Trouble::Whole) => Some(sound(&path, &authorization, None, served)),
        Some(Trouble::Cut(_) | Trouble::Stall(_)) | None => {
            Some(sound(&path, &authorization, range.as_deref(), served))
        }
    };
    let answer = answer.map(|mut answer| {
        let body = answer.body_mut();
        match trouble {
            Some(Trouble::Cut(behind)) => shorten(body, behind, Ending::Broken),
            Some(Trouble::Stall(behind)) => shorten(body, behind, Ending::Never),
            _ => {}
        }
        answer
    });
    served.asked.push(Asked {
        path,
        authorization,
        range,
        status: answer.as_ref().map_or(0, |answer| answer.status().as_u16()),
    });
    answer
}

fn trouble(path: &str, served: &mut Served) -> Option<Trouble> {
    let mut troubles = served.troubles.iter_mut();
    let (times, _, trouble) =
        troubles.find(|(times, within, _)| *times > 0 && path.contains(within.as_str()))?;
    *times -= 1;
    Some(trouble.clone())
}

fn sound(
    path: &str,
    authorization: &Option<String>,
    range: Option<&str>,
    served: &Served,
) -> Response<Content> {
    if path == "/token" {
        return match served.tokens.get(authorization) {
            Some(token) => with(200, json!({"token": token}).to_string().into_bytes()),
            None => bare(401),
        };
    }
    let wanted = match &served.door {
        Door::Open => None,
        Door::Basic(proof) => Some((proof.clone(), "Basic realm=\"kit\"".to_owned())),
        Door::Token { token, realm } => Some((
            format!("Bearer {token}"),
            format!("Bearer realm=\"{realm}\",service=\"kit\",scope=\"registry:catalog:*\""),
        )),
    };
    let refused = wanted.filter(|(proof, _)| authorization.as_ref() != Some(proof));
    if let Some((_, challenge)) = refused {
        let mut answer = bare(401);
        set_header(&mut answer, "www-authenticate", &challenge);
        return answer;
    }
    let content = path
        .strip_prefix("/v2/")
        .and_then(|path| served.content.get(path));
    match content {
        None => {
            let said = json!({"errors": [{"code": "NAME_UNKNOWN", "message": "not here"}]});
            with(404, said.to_string().into_bytes())
        }
        Some(content) => part(content, range),
    }
}

/// Returns the whole content, or the range in a header `bytes=FROM-`.
fn part(content: &[u8], range: Option<&str>) -> Response<Content> {
    let from = range.and_then(|range| {
        range
            .strip_prefix("bytes=")?
            .strip_suffix('-')?
            .parse()
            .ok()
    });
    let Some(from) = from else {
        return with(200, content.to_vec());
    };
    match content.get(from..).filter(|rest| !rest.is_empty()) {
        None => bare(416),
        Some(rest) => {
            let mut answer = with(206, rest.to_vec());
            let of = content.len();
            set_header(
                &mut answer,
                "content-range",
                &format!("bytes {from}-{}/{of}", of - 1),
            );
            answer
        }
    }
}

fn shorten(content: &mut Content, behind: usize, ending: fn(u64) -> Ending) {
    let missing = content.bytes.len().saturating_sub(behind);
    content.bytes.truncate(behind);
    content.ending = ending(missing as u64);
}

fn bare(status: u16) -> Response<Content> {
    with(status, Vec::new())
}

fn with(status: u16, bytes: Vec<u8>) -> Response<Content> {
    let mut answer = Response::new(Content {
        bytes: Bytes::from(bytes),
        is_sized: true,
        ending: Ending::Whole,
    });
    let status = StatusCode::from_u16(status);
    *answer.status_mut() = status.expect("a status must have three figures");
    answer
}

fn set_header(answer: &mut Response<Content>, name: &str, value: &str) {
    let name: http::HeaderName = name.parse().expect("a header must have a name");
    let value = HeaderValue::from_str(value).expect("a header must be text");
    answer.headers_mut().insert(name, value);
}
