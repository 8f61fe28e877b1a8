//! A catalog as catalogd serves it: the whole content as JSON lines, over HTTP.
//!
//! ```text
//! ask -> 304                              Unchanged
//!     -> 200 -> body -> (unzip) -> Reader Changed(Catalog, Edition)
//! ```
//!
//! Only connections are kept between two requests. The [`Edition`] of the content is returned with
//! it, and the caller keeps it for the next request: so a failure loses nothing, and a document is
//! requested from the same content that its place refers to.

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

/// The name of the content in faults and places: the end of its URL.
const FILE: &str = "api/v1/all";

const USER_AGENT: &str = concat!("portolan-resolver/", env!("CARGO_PKG_VERSION"));

/// A catalog of one catalogd. Clones share their connections.
#[derive(Debug, Clone)]
pub struct Catalogd {
    url: Uri,
    options: Options,
    client: Arc<CatalogdClient>,
}

/// The authorities to trust, and the timeouts and limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// A PEM file of the authorities that vouch for the server, which usually are catalogd's own.
    /// Without it those of the system do. A file that has changed counts from the next question on.
    pub authority: Option<PathBuf>,
    /// The longest time for one address to accept a connection.
    pub connect: Duration,
    /// The longest time for an answer to begin, connecting included.
    pub answer: Duration,
    /// The longest pause of an answer.
    pub stall: Duration,
    /// The longest time for an answer as a whole. An answer that trickles never pauses.
    pub whole: Duration,
    /// The bounds beyond which content is held to be hostile.
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
    /// New content.
    Changed(Catalog, Edition),
}

// === impl Catalogd ===

impl Catalogd {
    /// Creates the catalog at a URL: the base in the status of a ClusterCatalog, such as
    /// `https://catalogd.olmv1-system.svc/catalogs/operatorhubio`, or the URL of its content.
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

    /// Reads the catalog, unless it still is the edition that was read `last`.
    ///
    /// # Errors
    ///
    /// Returns an error if the content is truncated or exceeds its limit. An error within the
    /// content is a fault of the catalog.
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
            // It compares times by their order, and older content has come: a clock was set back.
            Some(_) => Box::pin(self.read(None)).await,
        }
    }

    /// Writes the current content to a file, unchanged.
    ///
    /// # Errors
    ///
    /// Returns an error if the content is truncated. The part that was written is then unusable.
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
    /// Returns [`ReadDocument::Changed`] if the server now has another edition. If a server does
    /// not name editions, the bytes may be arbitrary; [`portolan_core_catalog::raw`] compares them
    /// with the model.
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
