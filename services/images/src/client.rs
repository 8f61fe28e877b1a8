//! Sends one request to a registry: adds credentials, follows redirects, and checks the response.

mod body;
mod tokens;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

pub(crate) use self::body::Body;
use crate::challenge;
use crate::connect::{self, Connector};
use crate::failure::{Answer, Failure, Unknown};
use crate::manifest;
use crate::options::Options;
use crate::reference::{Host, Repository};
use crate::registries::NotAsked;
use crate::retry;

const USER_AGENT: &str = concat!("portolan/", env!("CARGO_PKG_VERSION"));

/// The maximum number of redirects that a request follows.
const REDIRECTS: usize = 5;

/// The maximum number of bytes that are read from an error response.
const LONGEST_REFUSAL: u64 = 16 << 10;

/// A client for registries. It remembers the authentication that each registry requires.
pub(crate) struct Client {
    http: legacy::Client<HttpsConnector<Connector>, Full<Bytes>>,
    options: Arc<Options>,
    known: Mutex<BTreeMap<Repository, HeaderValue>>,
}

/// A request to a repository.
#[derive(Debug, Clone)]
pub(crate) enum Question<'q> {
    /// The manifest of this tag or digest.
    Manifest(&'q str),
    /// The bytes of a blob, starting at this byte.
    Blob(&'q str, u64),
}

/// A response, after all redirects.
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Body,
}

/// The URL of a request. The scheme and the authority form the origin, which determines if
/// credentials may be sent, as in browsers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Target {
    scheme: Scheme,
    authority: Authority,
    uri: Uri,
}

// === impl Client ===

impl Client {
    pub(crate) fn new(options: Arc<Options>) -> io::Result<Self> {
        let connector = Connector {
            registries: Arc::new(options.registries.clone()),
            patience: options.connect,
        };
        let https = HttpsConnectorBuilder::new()
            .with_tls_config(connect::tls(&options.authorities)?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let http = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .build(https);
        Ok(Self {
            http,
            options,
            known: Mutex::default(),
        })
    }

    /// Sends a request, with authentication if it is required.
    pub(crate) async fn ask(
        &self,
        repository: &Repository,
        question: &Question<'_>,
    ) -> Result<Answered, Failure> {
        let mut proof = self.known(repository);
        let mut is_new = false;
        loop {
            let answer = self.led(repository, question, proof.as_ref()).await?;
            if answer.status() != StatusCode::UNAUTHORIZED {
                return self
                    .judged(repository.host().as_str(), question, answer)
                    .await;
            }
            if is_new {
                // Some registries require a token even for public content, and issue a token to
                // every client.
                let login = self.options.credentials.login(repository);
                let is_known = login.is_ok_and(|login| login.is_some());
                let why = if is_known {
                    Unknown::Declined
                } else {
                    Unknown::NoLogin
                };
                return Err(unknown(repository, why));
            }
            let challenge = challenge::chosen(answer.headers());
            let new = self.proof(repository, challenge).await?;
            self.remember(repository, new.clone());
            (proof, is_new) = (Some(new), true);
        }
    }

    /// Sends a request and follows redirects. Sends credentials only to the registry itself.
    async fn led(
        &self,
        repository: &Repository,
        question: &Question<'_>,
        proof: Option<&HeaderValue>,
    ) -> Result<Response<Incoming>, Failure> {
        let first = self.target(repository, question)?;
        let mut target = first.clone();
        for _ in 0..=REDIRECTS {
            let is_registry = target.is_same_origin(&first);
            let mut request = question.request(&target.uri);
            if let Some(proof) = proof.filter(|_| is_registry) {
                let headers = request.headers_mut();
                headers.insert(header::AUTHORIZATION, proof.clone());
            }
            let answer = self.send(request).await?;
            let status = answer.status();
            if !is_registry && status == StatusCode::UNAUTHORIZED {
                // Credentials are never sent to other hosts, so this is the final response.
                let host = target.authority.to_string();
                let refused = refusal(status, question, String::new());
                return Err(Failure::Status {
                    host,
                    answer: refused,
                });
            }
            let is_redirect = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
            match answer.headers().get(header::LOCATION) {
                Some(location) if is_redirect => target = self.next(&target, location)?,
                _ => return Ok(answer),
            }
        }
        Err(Failure::Content {
            host: repository.host().to_string(),
            what: question.name(),
            flaw: format!("redirects more than {REDIRECTS} times"),
        })
    }

    fn target(&self, repository: &Repository, question: &Question<'_>) -> Result<Target, Failure> {
        let host = repository.host();
        self.may_ask(host)?;
        let scheme = if self.options.is_plain(host) {
            "http"
        } else {
            "https"
        };
        let (address, path) = (host.address(), repository.path());
        let text = format!("{scheme}://{address}/v2/{path}/{}", question.path());
        Target::of(&text).ok_or_else(|| Failure::Content {
            host: host.to_string(),
            what: question.name(),
            flaw: "has no address".to_owned(),
        })
    }

    /// Returns the target of a redirect. The location may be relative to the current target.
    fn next(&self, from: &Target, location: &HeaderValue) -> Result<Target, Failure> {
        let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
        let base = format!("{}://{}", from.scheme, from.authority);
        let whole = match location.strip_prefix('/') {
            Some(path) if path.starts_with('/') => format!("{}:{location}", from.scheme),
            Some(_) => format!("{base}{location}"),
            None => location.clone(),
        };
        let target = Target::of(&whole).ok_or_else(|| Failure::Content {
            host: from.authority.to_string(),
            what: "a redirect".to_owned(),
            flaw: format!("has the location {location:?}, which is not a valid address"),
        })?;
        self.may_be_led_to(&target)?;
        Ok(target)
    }

    fn may_be_led_to(&self, target: &Target) -> Result<(), Failure> {
        let authority = target.authority.as_str();
        let refused = |why| Failure::Refuse {
            host: authority.to_owned(),
            why,
        };
        let host: Host = authority.parse().map_err(|_| refused(NotAsked::Unlisted))?;
        self.may_ask(&host)?;
        if target.scheme == Scheme::HTTPS || self.options.is_plain(&host) {
            Ok(())
        } else {
            Err(refused(NotAsked::Plain))
        }
    }

    fn may_ask(&self, host: &Host) -> Result<(), Failure> {
        let asked = self.options.registries.asks(host);
        asked.map_err(|why| Failure::Refuse {
            host: host.to_string(),
            why,
        })
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Failure> {
        let host = request.uri().authority().map(ToString::to_string);
        let host = host.unwrap_or_default();
        let pause = self.options.silence;
        match timeout(pause, self.http.request(request)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(connect::failed(&host, &error)),
            Err(_) => Err(Failure::Slow { host, pause }),
        }
    }

    /// Returns a successful response. Otherwise, returns the failure.
    async fn judged(
        &self,
        host: &str,
        question: &Question<'_>,
        answer: Response<Incoming>,
    ) -> Result<Answered, Failure> {
        let (parts, body) = answer.into_parts();
        let mut body = Body::new(host, body, &self.options);
        if matches!(parts.status.as_u16(), 200 | 206 | 416) {
            return Ok(Answered {
                status: parts.status,
                headers: parts.headers,
                body,
            });
        }
        let said = body.up_to(LONGEST_REFUSAL).await.unwrap_or_default();
        let said = body::words(&said);
        let host = host.to_owned();
        if parts.status == StatusCode::FORBIDDEN {
            let why = Unknown::Forbidden(said);
            return Err(Failure::Login { host, why });
        }
        let mut answer = refusal(parts.status, question, said);
        answer.after = retry::wish(&parts.headers, SystemTime::now());
        Err(Failure::Status { host, answer })
    }

    fn known(&self, repository: &Repository) -> Option<HeaderValue> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(repository).cloned()
    }

    fn remember(&self, repository: &Repository, proof: HeaderValue) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(repository.clone(), proof);
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

fn unknown(repository: &Repository, why: Unknown) -> Failure {
    let host = repository.host().to_string();
    Failure::Login { host, why }
}

fn refusal(status: StatusCode, question: &Question<'_>, said: String) -> Answer {
    Answer {
        status,
        what: question.name(),
        said,
        after: None,
    }
}

// === impl Question ===

impl Question<'_> {
    fn path(&self) -> String {
        match self {
            Self::Manifest(wanted) => format!("manifests/{wanted}"),
            Self::Blob(digest, _) => format!("blobs/{digest}"),
        }
    }

    /// Returns the name of the requested content for messages.
    fn name(&self) -> String {
        match self {
            Self::Manifest(wanted) => format!("image {wanted}"),
            Self::Blob(digest, _) => format!("blob {digest}"),
        }
    }

    fn request(&self, uri: &Uri) -> Request<Full<Bytes>> {
        let mut request = plain_request(Method::GET, uri.clone(), Bytes::new());
        let headers = request.headers_mut();
        match self {
            Self::Manifest(_) => {
                let accepted = HeaderValue::from_static(manifest::ACCEPTED);
                headers.insert(header::ACCEPT, accepted);
            }
            Self::Blob(_, 0) => {}
            Self::Blob(_, from) => {
                if let Ok(range) = HeaderValue::from_str(&format!("bytes={from}-")) {
                    headers.insert(header::RANGE, range);
                }
            }
        }
        request
    }
}

fn plain_request(method: Method, uri: Uri, body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    let agent = HeaderValue::from_static(USER_AGENT);
    request.headers_mut().insert(header::USER_AGENT, agent);
    request
}

// === impl Target ===

impl Target {
    fn of(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let authority = uri.authority()?.clone();
        // A URL with a user name is rejected, because credentials must come from the configuration.
        if authority.as_str().contains('@') {
            return None;
        }
        let scheme = uri.scheme()?.clone();
        let is_http = scheme == Scheme::HTTP || scheme == Scheme::HTTPS;
        is_http.then_some(Self {
            scheme,
            authority,
            uri,
        })
    }

    fn is_same_origin(&self, other: &Self) -> bool {
        self.scheme == other.scheme && self.authority == other.authority
    }
}
