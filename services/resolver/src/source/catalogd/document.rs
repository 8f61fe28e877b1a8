//! One document out of the content.

use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use hyper::body::Incoming;
use portolan_core_catalog::Place;
use thiserror::Error;

use super::receive::Receiving;
use super::{AskCatalogd, Edition, Options, Receive};

/// Why a document cannot be read again.
#[derive(Debug, Error)]
pub enum ReadDocument {
    /// There is no answer with it.
    #[error(transparent)]
    Ask(#[from] AskCatalogd),
    /// The content is not the one any more that the document is in.
    #[error("the catalog has changed since; the document may stand elsewhere in it now")]
    Changed,
    /// The server gives all or nothing.
    #[error("the server does not serve parts of a catalog")]
    Whole,
    /// The answer does not come whole.
    #[error(transparent)]
    Receive(#[from] Receive),
}

/// The statuses that say something about the document.
pub(super) const EXPECTED: [StatusCode; 4] = [
    StatusCode::PARTIAL_CONTENT,
    StatusCode::OK,
    StatusCode::PRECONDITION_FAILED,
    StatusCode::RANGE_NOT_SATISFIABLE,
];

/// Asks for a document of an edition. Places count bytes of the content as it is, so it must not
/// come zipped.
pub(super) fn headers(place: &Place, edition: &Edition) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    let (first, last) = bounds(place);
    // Figures and a dash are always a value.
    if let Ok(range) = HeaderValue::try_from(format!("bytes={first}-{last}")) {
        headers.insert(header::RANGE, range);
    }
    edition.only_same(&mut headers);
    headers
}

pub(super) async fn read(
    answer: Response<Incoming>,
    place: &Place,
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
    // The content ends before the document does.
    match document.len() as u64 == place.length {
        true => Ok(document),
        false => Err(ReadDocument::Changed),
    }
}

/// The first and the last byte.
fn bounds(place: &Place) -> (u64, u64) {
    let last = place.offset.saturating_add(place.length);
    (place.offset, last.saturating_sub(1))
}
