//! A catalog that a catalogd server sends over HTTP: the whole content as JSON lines.
//!
//! ```text
//! ask -> 304                              Unchanged
//!     -> 200 -> body -> (unzip) -> Reader Changed(Catalog, Edition)
//! ```
//!
//! Between two requests, only connections are kept. Each read returns the content and its
//! [`Edition`], and the caller passes this edition to the next read. Therefore a failure loses no
//! state. A document is always requested from the edition to which its location belongs.

mod ask;
mod content;
mod edition;
mod url;

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, header};
use http_body_util::Empty;
use hyper::body::Bytes;
use portolan_core_catalog::{Catalog, CatalogPlace, Limits};

use self::ask::CatalogdClient;

pub use self::ask::AskCatalogd;
pub use self::content::{ReadCatalogd, Receive};
pub use self::edition::{Edition, ReadDocument};
pub use self::url::ParseUrl;

/// The name of the content in faults and locations. It is the end of the content's URL.
const FILE: &str = "api/v1/all";

const USER_AGENT: &str = concat!("portolan-resolver/", env!("CARGO_PKG_VERSION"));

/// A catalog of one catalogd server. Clones share the connections.
#[derive(Debug, Clone)]
pub struct Catalogd {
    url: Uri,
    options: Options,
    client: Arc<CatalogdClient>,
}

/// The trusted certificate authorities, the timeouts and the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// A PEM file with the certificate authorities for the server, usually catalogd's own
    /// authority. If None, the authorities of the system are trusted. If the file changes, the next
    /// request uses its new content.
    pub authority: Option<PathBuf>,
    /// The maximum time until one address accepts a connection.
    pub connect: Duration,
    /// The maximum time until a response begins, including the time to connect.
    pub answer: Duration,
    /// The maximum pause within a response.
    pub stall: Duration,
    /// The maximum time for a whole response. This limit also ends a response that arrives very
    /// slowly without pauses.
    pub whole: Duration,
    /// The size limits. Content that exceeds a limit is treated as hostile.
    pub limits: Limits,
}

/// The outcome of a read.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one of it a reading, and it is taken apart at once"
)]
pub enum Read {
    Unchanged,
    /// The catalog has new content.
    Changed(Catalog, Edition),
}

// === impl Catalogd ===

impl Catalogd {
    /// Creates the catalog at a URL. This is the base URL in the status of a ClusterCatalog, such
    /// as `https://catalogd.olmv1-system.svc/catalogs/operatorhubio`, or the URL of its content.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL is invalid. The server is not contacted.
    pub fn new(url: &str, options: Options) -> Result<Self, ParseUrl> {
        let url = url::parse(url)?;
        let client = Arc::new(CatalogdClient::new(&url, &options));
        Ok(Self {
            url,
            options,
            client,
        })
    }

    /// Reads the catalog, unless its edition is still the edition `last`.
    ///
    /// # Errors
    ///
    /// Returns an error if the content is truncated or exceeds its limit. Invalid parts of the
    /// content are reported as faults of the catalog.
    pub async fn read(&self, last: Option<&Edition>) -> Result<Read, ReadCatalogd> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        let is_conditional = last.is_some_and(|last| last.unless_same(&mut headers));
        let expected: &[_] = if is_conditional {
            &[StatusCode::OK, StatusCode::NOT_MODIFIED]
        } else {
            &[StatusCode::OK]
        };
        let answer = self.client.ask(self.request(headers), expected).await?;
        if answer.status() == StatusCode::OK {
            let edition = Edition::of(answer.headers());
            let catalog = content::read(answer, &self.options).await?;
            return Ok(Read::Changed(catalog, edition));
        }
        match last.filter(|last| last.is_other(answer.headers())) {
            None => Ok(Read::Unchanged),
            // The server compares modification times by their order, and its content is older than
            // the known edition, because a clock was set back. The content is read again without a
            // condition.
            Some(_) => Box::pin(self.read(None)).await,
        }
    }

    /// Writes the current content to a file, unchanged.
    ///
    /// # Errors
    ///
    /// Returns an error if the content is truncated. The written content is then unusable.
    pub async fn copy(&self, to: File) -> Result<(), ReadCatalogd> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        let asked = self.client.ask(self.request(headers), &[StatusCode::OK]);
        content::copy(asked.await?, &self.options, to).await
    }

    /// Reads one document of an edition again.
    ///
    /// # Errors
    ///
    /// Returns [`ReadDocument::Changed`] if the server now has another edition. If the server does
    /// not identify editions, the bytes may belong to other content. [`portolan_core_catalog::raw`]
    /// detects this by comparing the bytes with the content in memory.
    pub async fn document(
        &self,
        place: &CatalogPlace,
        edition: &Edition,
    ) -> Result<Vec<u8>, ReadDocument> {
        let headers = edition::headers(place, edition);
        let answer = self
            .client
            .ask(self.request(headers), &edition::EXPECTED)
            .await?;
        edition::read(answer, place, edition, &self.options).await
    }

    fn request(&self, headers: HeaderMap) -> Request<Empty<Bytes>> {
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = self.url.clone();
        *request.headers_mut() = headers;
        let agent = HeaderValue::from_static(USER_AGENT);
        request.headers_mut().insert(header::USER_AGENT, agent);
        request
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            authority: None,
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(30),
            stall: Duration::from_secs(30),
            whole: Duration::from_secs(300),
            limits: Limits::default(),
        }
    }
}
