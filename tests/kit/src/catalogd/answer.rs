//! Responses to HTTP requests. They are like the responses of Go's file server.

use std::io::Write as _;
use std::ops::Range;
use std::time::SystemTime;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::HeaderName;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};

use super::body::{Content, Ending};
use super::{Served, Trouble};

/// The minimum size of a body that is compressed.
const WORTH_ZIPPING: usize = 1400;

/// Returns the response. Returns None if the server does not respond.
pub(super) fn answer<B>(request: &Request<B>, served: &Served) -> Option<Response<Content>> {
    let mut answer = match &served.trouble {
        Some(Trouble::Silence) => return None,
        Some(Trouble::Status(status)) => {
            let status = StatusCode::from_u16(*status);
            bare(status.expect("a status must have three figures"))
        }
        Some(Trouble::Moved(to)) => {
            let mut answer = bare(StatusCode::MOVED_PERMANENTLY);
            set_header(&mut answer, header::LOCATION, to);
            answer
        }
        Some(Trouble::Page) => {
            let mut answer = with(StatusCode::OK, Bytes::from_static(b"<html>Log in</html>"));
            set_header(
                &mut answer,
                header::CONTENT_TYPE,
                "text/html; charset=utf-8",
            );
            answer
        }
        Some(Trouble::Cut(_) | Trouble::Stall(_)) | None => sound(request, served),
    };
    match served.trouble {
        Some(Trouble::Cut(behind)) => shorten(answer.body_mut(), behind, Ending::Broken),
        Some(Trouble::Stall(behind)) => shorten(answer.body_mut(), behind, Ending::Never),
        _ => {}
    }
    set_header(
        &mut answer,
        header::DATE,
        &httpdate::fmt_http_date(served.now),
    );
    Some(answer)
}

pub(super) fn is_zipped(answer: &Response<Content>) -> bool {
    answer.headers().contains_key(header::CONTENT_ENCODING)
}

fn sound<B>(request: &Request<B>, served: &Served) -> Response<Content> {
    if request.uri().path() != served.path {
        return bare(StatusCode::NOT_FOUND);
    }
    if request.method() != Method::GET {
        return bare(StatusCode::METHOD_NOT_ALLOWED);
    }
    let headers = request.headers();
    let mut answer = match condition(headers, served) {
        Some(status) => bare(status),
        None => content(headers, &served.content),
    };
    let modified = httpdate::fmt_http_date(served.modified);
    set_header(&mut answer, header::LAST_MODIFIED, &modified);
    if served.has_tags {
        set_header(&mut answer, header::ETAG, &tag(served));
    }
    answer
}

/// Returns the status if a conditional header of the request makes the body unnecessary.
fn condition(headers: &HeaderMap, served: &Served) -> Option<StatusCode> {
    let said = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let time = |name| said(name).and_then(|text| httpdate::parse_http_date(text).ok());
    let is_newer = |than: SystemTime| served.modified > than;
    let tag = served.has_tags.then(|| tag(served));
    let has_changed = match said(header::IF_MATCH) {
        Some(wanted) => Some(wanted) != tag.as_deref(),
        None => time(header::IF_UNMODIFIED_SINCE).is_some_and(is_newer),
    };
    let is_same = match said(header::IF_NONE_MATCH) {
        Some(known) => Some(known) == tag.as_deref(),
        None => time(header::IF_MODIFIED_SINCE).is_some_and(|since| !is_newer(since)),
    };
    match (has_changed, is_same) {
        (true, _) => Some(StatusCode::PRECONDITION_FAILED),
        (false, true) => Some(StatusCode::NOT_MODIFIED),
        (false, false) => None,
    }
}

/// Returns the whole content, or the requested range of bytes.
fn content(headers: &HeaderMap, content: &Bytes) -> Response<Content> {
    let mut answer = match headers.get(header::RANGE) {
        None if is_zip_wanted(headers) && content.len() > WORTH_ZIPPING => {
            let mut answer = with(StatusCode::OK, zipped(content));
            // The response does not announce its length, as if it were compressed while it is sent.
            answer.body_mut().is_sized = false;
            set_header(&mut answer, header::CONTENT_ENCODING, "gzip");
            answer
        }
        None => with(StatusCode::OK, content.clone()),
        Some(range) => match range
            .to_str()
            .ok()
            .and_then(|text| span(text, content.len()))
        {
            None => bare(StatusCode::RANGE_NOT_SATISFIABLE),
            Some(Range { start, end }) => {
                let part = content.slice(start..end);
                let mut answer = with(StatusCode::PARTIAL_CONTENT, part);
                let told = format!("bytes {start}-{}/{}", end - 1, content.len());
                set_header(&mut answer, header::CONTENT_RANGE, &told);
                answer
            }
        },
    };
    set_header(&mut answer, header::CONTENT_TYPE, "application/jsonl");
    answer
}

fn is_zip_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING);
    accepted
        .and_then(|value| value.to_str().ok())
        .is_some_and(|text| text.contains("gzip"))
}

/// Returns the range in a header `bytes=FIRST-[LAST]`. Returns None if the range is empty.
fn span(range: &str, length: usize) -> Option<Range<usize>> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let start = first.parse().ok()?;
    let end = match last {
        "" => length,
        last => length.min(last.parse::<usize>().ok()? + 1),
    };
    (start < end).then_some(start..end)
}

fn zipped(content: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(content).and_then(|()| encoder.finish());
    written.expect("memory must be writable").into()
}

fn shorten(content: &mut Content, behind: usize, ending: fn(u64) -> Ending) {
    let missing = content.bytes.len().saturating_sub(behind);
    content.bytes.truncate(behind);
    content.ending = ending(missing as u64);
}

/// Returns an entity tag. It depends on the content, and not on the modification time.
fn tag(served: &Served) -> String {
    let sum = served
        .content
        .iter()
        .fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(*byte));
    format!("\"{sum:x}\"")
}

fn bare(status: StatusCode) -> Response<Content> {
    with(status, Bytes::new())
}

fn with(status: StatusCode, bytes: Bytes) -> Response<Content> {
    let mut answer = Response::new(Content {
        bytes,
        is_sized: true,
        ending: Ending::Whole,
    });
    *answer.status_mut() = status;
    answer
}

fn set_header(answer: &mut Response<Content>, name: HeaderName, value: &str) {
    let value = value
        .parse()
        .expect("a header must be of printable characters");
    answer.headers_mut().insert(name, value);
}
