//! Editions identify the content of a catalog on a catalogd server. Documents are requested from a
//! specific edition.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use hyper::body::Incoming;
use portolan_core_catalog::CatalogPlace;
use thiserror::Error;

use super::content::Receiving;
use super::{AskCatalogd, Options, Receive};

/// The time after a change in which another change may get the same modification time. The server's
/// times are in whole seconds, and some time passes between opening the file and reading the clock.
const UNSETTLED: Duration = Duration::from_secs(2);

/// The identifier that the server sends for its content: the modification time, and an entity tag
/// if the server sends one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edition {
    modified: Option<HeaderValue>,
    tag: Option<HeaderValue>,
    /// True if newer content is certain to have a later modification time.
    is_settled: bool,
    /// True if the tag belongs to the content in gzip form. A tag identifies only one form of the
    /// content.
    has_gzip_encoding: bool,
}

// === impl Edition ===

impl Edition {
    /// Reads the edition of a response from its headers.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let modified = headers.get(header::LAST_MODIFIED).cloned();
        let made = modified.as_ref().and_then(time);
        let told = headers.get(header::DATE).and_then(time);
        Self {
            is_settled: made.zip(told).is_some_and(|(made, told)| {
                told.duration_since(made).is_ok_and(|age| age >= UNSETTLED)
            }),
            modified,
            tag: headers.get(header::ETAG).cloned(),
            has_gzip_encoding: headers.contains_key(header::CONTENT_ENCODING),
        }
    }

    /// Adds headers so that the server sends the content only if it is another edition. Returns
    /// false if this edition has no identifier.
    pub(super) fn unless_same(&self, headers: &mut HeaderMap) -> bool {
        let modified = self.modified.as_ref().filter(|_| self.is_settled);
        for (name, value) in [
            (header::IF_NONE_MATCH, self.tag.as_ref()),
            (header::IF_MODIFIED_SINCE, modified),
        ] {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
        self.tag.is_some() || modified.is_some()
    }

    /// Adds headers so that the server sends the content only if it is this edition, uncompressed.
    pub(super) fn only_same(&self, headers: &mut HeaderMap) {
        let strong =
            |tag: &&HeaderValue| !self.has_gzip_encoding && !tag.as_bytes().starts_with(b"W/");
        match (self.tag.as_ref().filter(strong), &self.modified) {
            (Some(tag), _) => headers.insert(header::IF_MATCH, tag.clone()),
            (None, Some(time)) => headers.insert(header::IF_UNMODIFIED_SINCE, time.clone()),
            (None, None) => None,
        };
    }

    /// Returns true if the headers of a response show another edition.
    pub(super) fn is_other(&self, headers: &HeaderMap) -> bool {
        let differs = |ours: &Option<HeaderValue>, name| {
            let theirs = headers.get(name);
            ours.as_ref()
                .zip(theirs)
                .is_some_and(|(ours, theirs)| ours != theirs)
        };
        let is_comparable =
            !self.has_gzip_encoding && !headers.contains_key(header::CONTENT_ENCODING);
        differs(&self.modified, header::LAST_MODIFIED)
            || is_comparable && differs(&self.tag, header::ETAG)
    }
}

fn time(value: &HeaderValue) -> Option<SystemTime> {
    httpdate::parse_http_date(value.to_str().ok()?).ok()
}

/// The reason why a document cannot be read again.
#[derive(Debug, Error)]
pub enum ReadDocument {
    /// The request has failed.
    #[error(transparent)]
    Ask(#[from] AskCatalogd),
    /// The current content of the server is not the edition that contained the document.
    #[error("the catalog has changed in the meantime, and the document may have moved")]
    Changed,
    /// The server ignores byte ranges and returns only the whole content.
    #[error("the server does not support range requests")]
    Whole,
    /// The response is incomplete.
    #[error(transparent)]
    Receive(#[from] Receive),
}

/// The HTTP statuses that are expected in responses to a request for a document.
pub(super) const EXPECTED: [StatusCode; 4] = [
    StatusCode::PARTIAL_CONTENT,
    StatusCode::OK,
    StatusCode::PRECONDITION_FAILED,
    StatusCode::RANGE_NOT_SATISFIABLE,
];

/// Returns the headers that request a document of an edition. The document is a byte range of the
/// uncompressed content, so the response must not be compressed.
pub(super) fn headers(place: &CatalogPlace, edition: &Edition) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    let (first, last) = bounds(place);
    // A text of digits and a hyphen is always a valid header value.
    if let Ok(range) = HeaderValue::try_from(format!("bytes={first}-{last}")) {
        headers.insert(header::RANGE, range);
    }
    edition.only_same(&mut headers);
    headers
}

pub(super) async fn read(
    answer: Response<Incoming>,
    place: &CatalogPlace,
    edition: &Edition,
    options: &Options,
) -> Result<Vec<u8>, ReadDocument> {
    let headers = answer.headers();
    match answer.status() {
        StatusCode::PARTIAL_CONTENT if headers.contains_key(header::CONTENT_ENCODING) => {
            return Err(ReadDocument::Whole);
        }
        StatusCode::PARTIAL_CONTENT if edition.is_other(headers) => {
            return Err(ReadDocument::Changed);
        }
        StatusCode::PARTIAL_CONTENT => {}
        StatusCode::OK => return Err(ReadDocument::Whole),
        _ => return Err(ReadDocument::Changed),
    }
    let mut body = Receiving::new(answer.into_body(), options);
    let mut document = Vec::new();
    while let Some(bytes) = body.next().await? {
        document.extend_from_slice(&bytes);
        if document.len() as u64 > place.length {
            return Err(ReadDocument::Whole);
        }
    }
    // The length differs if the content ends before the end of the document.
    if document.len() as u64 == place.length {
        Ok(document)
    } else {
        Err(ReadDocument::Changed)
    }
}

/// Returns the first and the last byte of a byte range.
fn bounds(place: &CatalogPlace) -> (u64, u64) {
    let last = place.offset.saturating_add(place.length);
    (place.offset, last.saturating_sub(1))
}
