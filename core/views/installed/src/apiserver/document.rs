//! Serves the documents that describe the server: API groups, resources and fields.

mod discovery;
mod openapi;

use sha2::{Digest, Sha256};

use crate::apiserver::accept::wants_aggregated;
use crate::apiserver::query::QueryParameters;
use crate::apiserver::status::Status;

/// A document that describes the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// The release of this server.
    Version,
    /// The list of all groups.
    Groups,
    /// The API group of Installed.
    Group,
    /// The resources of the API version.
    Resources,
    /// The OpenAPI v2 document.
    OpenApi2,
    /// The paths of the OpenAPI v3 documents.
    OpenApi3Paths,
    /// The OpenAPI v3 document of the group and version.
    OpenApi3,
}

/// The discovery and OpenAPI documents. Each is serialized only once.
#[derive(Debug)]
pub struct Documents {
    version: Text,
    groups: Text,
    aggregated: Text,
    group: Text,
    resources: Text,
    openapi2: Text,
    openapi3_paths: Text,
    openapi3: Text,
}

/// A complete HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status code.
    pub code: u16,
    /// The names and values of headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

#[derive(Debug)]
struct Text {
    body: String,
    hash: String,
}

const JSON: &str = "application/json";
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

// === impl Documents ===

impl Documents {
    /// Returns the documents of a server. `release` is the version of the server.
    pub fn of_release(release: &str) -> Self {
        let openapi3 = Text::of(openapi::v3());
        Self {
            version: Text::of(discovery::version(release)),
            groups: Text::of(discovery::groups()),
            aggregated: Text::of(discovery::aggregated()),
            group: Text::of(discovery::group()),
            resources: Text::of(discovery::resources()),
            openapi2: Text::of(openapi::v2()),
            openapi3_paths: Text::of(openapi::v3_paths(&openapi3.hash)),
            openapi3,
        }
    }

    /// Returns the response with a document in the requested format. `known` is the ETag of the
    /// document that the client has cached.
    pub fn answer<'a>(
        &self,
        document: Document,
        accept: impl IntoIterator<Item = &'a str>,
        known: Option<&str>,
        query: &QueryParameters,
    ) -> Answer {
        match document {
            Document::Version => self.version.plain(),
            Document::Groups if wants_aggregated(accept) => {
                self.aggregated.unless(known, AGGREGATED, "public")
            }
            Document::Groups => self.groups.unless(known, JSON, "public"),
            Document::Group => self.group.unless(known, JSON, "public"),
            Document::Resources => self.resources.unless(known, JSON, "public"),
            Document::OpenApi2 => self.openapi2.unless(known, JSON, "no-cache, private"),
            Document::OpenApi3Paths => self.openapi3_paths.unless(known, JSON, "no-cache, private"),
            Document::OpenApi3 => match query.first("hash") {
                None => self.openapi3.unless(known, JSON, "no-cache, private"),
                Some(hash) if hash == self.openapi3.hash => {
                    // The hash in this URL identifies the content, so the content never changes.
                    let year = "public, immutable, max-age=31536000";
                    self.openapi3.unless(known, JSON, year)
                }
                Some(_) => Answer {
                    code: 301,
                    headers: vec![("location", openapi::path(&self.openapi3.hash))],
                    body: String::new(),
                },
            },
        }
    }
}

// === impl Answer ===

impl Answer {
    /// Returns a JSON response.
    pub fn json(code: u16, body: String) -> Self {
        Self {
            code,
            headers: vec![("content-type", JSON.to_owned())],
            body,
        }
    }

    /// Returns the response for a rejection.
    pub fn refused(status: &Status) -> Self {
        let mut answer = Self::json(status.code, status.to_json());
        if let Some(seconds) = status.retry_after() {
            answer.headers.push(("retry-after", seconds.to_string()));
        }
        if status.code == 405 {
            answer.headers.push(("allow", "GET, HEAD".to_owned()));
        }
        answer
    }

    /// Returns a plain text response, for probes.
    pub fn text(code: u16, body: &str) -> Self {
        Self {
            code,
            headers: vec![("content-type", "text/plain; charset=utf-8".to_owned())],
            body: body.to_owned(),
        }
    }
}

// === impl Text ===

impl Text {
    fn of(document: serde_json::Value) -> Self {
        let body = document.to_string();
        let digest = Sha256::digest(&body);
        let hash = digest.iter().map(|byte| format!("{byte:02X}")).collect();
        Self { body, hash }
    }

    fn plain(&self) -> Answer {
        Answer::json(200, self.body.clone())
    }

    /// Returns the document, or 304 if the client has cached the current document.
    fn unless(&self, known: Option<&str>, media: &str, cached: &str) -> Answer {
        let tag = format!("\"{}\"", self.hash);
        let is_known = known.is_some_and(|known| {
            let mut tags = known.split(',').map(str::trim);
            tags.any(|known| known == tag || known == "*")
        });
        let headers = vec![
            ("content-type", media.to_owned()),
            ("etag", tag),
            ("vary", "Accept".to_owned()),
            ("cache-control", cached.to_owned()),
        ];
        Answer {
            code: if is_known { 304 } else { 200 },
            headers,
            body: if is_known {
                String::new()
            } else {
                self.body.clone()
            },
        }
    }
}
