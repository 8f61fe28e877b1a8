//! One request to a server, until the response begins.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use http::uri::Scheme;
use http::{HeaderMap, Request, Response, StatusCode, Uri, header};
use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::{HttpConnector, capture_connection};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::time::timeout;

use super::Options;

/// The reason why a server does not return the requested content.
#[derive(Debug, Error)]
pub enum AskCatalogd {
    /// The certificate authorities for the server cannot be loaded.
    #[error("cannot read the certificate authorities{}", from(.path.as_ref()))]
    Trust {
        /// The file with the certificates. None for the authorities of the system.
        path: Option<PathBuf>,
        source: io::Error,
    },
    /// The server is unreachable, or its certificate is not trusted.
    #[error("cannot connect to {0}")]
    Connect(String, #[source] legacy::Error),
    /// The server closed the connection before it responded.
    #[error("no response from {0}")]
    Wait(String, #[source] legacy::Error),
    /// The server did not respond within the time limit.
    #[error("{0} did not answer within {1:?}")]
    Late(String, Duration),
    /// The catalog does not exist, or this catalogd replica is not the leader. The server sends the
    /// same response in both cases.
    #[error("{0} has no catalog with this name, or has not unpacked it")]
    Missing(String),
    /// A redirect. Redirects are not followed.
    #[error(
        "{0} redirects to {1:?}, but redirects are not followed; if the URL is correct, use it \
        instead"
    )]
    Moved(String, String),
    /// Any other failure status.
    #[error("{0} answers {1}")]
    Status(String, StatusCode),
}

/// The client for one server, with its connections.
pub(super) struct CatalogdClient {
    /// The name of the server in errors.
    server: String,
    is_plain: bool,
    options: Options,
    client: Mutex<Option<(Trust, HttpClient)>>,
}

// === impl CatalogdClient ===

impl CatalogdClient {
    pub(super) fn new(url: &Uri, options: &Options) -> Self {
        Self {
            server: url.authority().map(ToString::to_string).unwrap_or_default(),
            is_plain: url.scheme() == Some(&Scheme::HTTP),
            options: options.clone(),
            client: Mutex::default(),
        }
    }

    /// Sends a request. Returns the response if its status is one of the expected statuses.
    pub(super) async fn ask(
        self: &Arc<Self>,
        mut request: Request<Empty<Bytes>>,
        expected: &[StatusCode],
    ) -> Result<Response<Incoming>, AskCatalogd> {
        let connection = capture_connection(&mut request);
        let asked = async {
            let client = Arc::clone(self).client().await?;
            client
                .request(request)
                .await
                .map_err(|error| self.failed(error))
        };
        let late = |_| AskCatalogd::Late(self.server.clone(), self.options.answer);
        let answer = timeout(self.options.answer, asked).await.map_err(late)??;
        if expected.contains(&answer.status()) {
            return Ok(answer);
        }
        // Another replica behind the same address may have the content. This connection always
        // leads to the same replica, so the next request uses a new connection.
        if let Some(connection) = &*connection.connection_metadata() {
            connection.poison();
        }
        Err(self.refused(answer.status(), answer.headers()))
    }

    /// Returns the client with the current certificate authorities. The authorities are read again,
    /// because they may change while the process runs.
    async fn client(self: Arc<Self>) -> Result<HttpClient, AskCatalogd> {
        let path = self.options.authority.clone();
        // Loading the certificates reads files, so it runs on a blocking thread.
        let client = tokio::task::spawn_blocking(move || {
            let trust = self.trust()?;
            let mut known = self.client.lock().unwrap_or_else(PoisonError::into_inner);
            match &*known {
                Some((of, client)) if *of == trust => Ok(client.clone()),
                Some(_) | None => {
                    let client = client(&trust, &self.options)?;
                    *known = Some((trust, client.clone()));
                    Ok(client)
                }
            }
        });
        client
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
            .map_err(|source| AskCatalogd::Trust { path, source })
    }

    fn trust(&self) -> io::Result<Trust> {
        match &self.options.authority {
            _ if self.is_plain => Ok(Trust::Plain),
            Some(path) => std::fs::read(path).map(Trust::Pem),
            None => Ok(Trust::System),
        }
    }

    fn failed(&self, error: legacy::Error) -> AskCatalogd {
        if error.is_connect() {
            AskCatalogd::Connect(self.server.clone(), error)
        } else {
            AskCatalogd::Wait(self.server.clone(), error)
        }
    }

    fn refused(&self, status: StatusCode, headers: &HeaderMap) -> AskCatalogd {
        let server = self.server.clone();
        let location = headers
            .get(header::LOCATION)
            .filter(|_| status.is_redirection());
        match (status, location) {
            (StatusCode::NOT_FOUND, _) => AskCatalogd::Missing(server),
            (_, Some(location)) => {
                let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
                AskCatalogd::Moved(server, location)
            }
            (status, None) => AskCatalogd::Status(server, status),
        }
    }
}

impl fmt::Debug for CatalogdClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CatalogdClient")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

fn from(path: Option<&PathBuf>) -> String {
    path.map(|path| format!(" from {}", path.display()))
        .unwrap_or_default()
}

pub(super) type HttpClient = legacy::Client<HttpsConnector<HttpConnector>, Empty<Bytes>>;

/// The certificate authorities that are trusted for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trust {
    /// The connection does not use TLS, so no authorities are needed.
    Plain,
    /// The authorities that the system trusts.
    System,
    /// The certificates in a PEM text.
    Pem(Vec<u8>),
}

pub(super) fn client(trust: &Trust, options: &Options) -> io::Result<HttpClient> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    http.set_connect_timeout(Some(options.connect));
    let https = HttpsConnectorBuilder::new()
        .with_tls_config(tls(trust)?)
        .https_or_http()
        .enable_http1()
        .wrap_connector(http);
    Ok(legacy::Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .build(https))
}

fn tls(trust: &Trust) -> io::Result<ClientConfig> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let config = match trust {
        Trust::Plain => config.with_root_certificates(RootCertStore::empty()),
        Trust::System => config.with_native_roots()?,
        Trust::Pem(pem) => config.with_root_certificates(authorities(pem)?),
    };
    Ok(config.with_no_client_auth())
}

fn authorities(pem: &[u8]) -> io::Result<RootCertStore> {
    let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| invalid(error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| invalid(error.to_string()))?;
    }
    if roots.is_empty() {
        Err(invalid("it contains no certificate".to_owned()))
    } else {
        Ok(roots)
    }
}
