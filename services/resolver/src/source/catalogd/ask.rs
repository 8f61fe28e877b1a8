//! One question to a server, up to where its answer begins.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::uri::Scheme;
use http::{HeaderMap, Request, Response, StatusCode, Uri, header};
use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::capture_connection;
use thiserror::Error;
use tokio::time::timeout;

use super::Options;
use super::trust::{self, Client, Trust};

/// Why a server does not answer what was asked.
#[derive(Debug, Error)]
pub enum AskCatalogd {
    /// Nobody can vouch for it.
    #[error("read whom to trust{}", from(.path.as_ref()))]
    Trust {
        /// The file that should say so; None for the authorities of the system.
        path: Option<PathBuf>,
        /// What is wrong with it.
        source: io::Error,
    },
    /// It is not there, or cannot prove who it is.
    #[error("connect to {0}")]
    Connect(String, #[source] legacy::Error),
    /// It went away before it answered.
    #[error("wait for the answer of {0}")]
    Wait(String, #[source] legacy::Error),
    /// It takes too long.
    #[error("{0} did not answer within {1:?}")]
    Late(String, Duration),
    /// A catalogd that does not lead has no content either, and says no more than that.
    #[error("{0} has no catalog of that name, or has not unpacked it")]
    Missing(String),
    /// It sends us somewhere else, where nobody told us to go.
    #[error("{0} leads to {1:?}, which is not followed; give that URL if it is right")]
    Moved(String, String),
    /// Anything else.
    #[error("{0} answers {1}")]
    Status(String, StatusCode),
}

/// The way to a server, with its connections.
pub(super) struct Line {
    /// The server as errors name it.
    server: String,
    is_plain: bool,
    options: Options,
    client: Mutex<Option<(Trust, Client)>>,
}

// === impl Line ===

impl Line {
    pub(super) fn new(url: &Uri, options: &Options) -> Self {
        Self {
            server: url.authority().map(ToString::to_string).unwrap_or_default(),
            is_plain: url.scheme() == Some(&Scheme::HTTP),
            options: options.clone(),
            client: Mutex::default(),
        }
    }

    /// Asks, and gives an answer back that has one of the expected statuses.
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
        // Behind the same address another replica may know better. The next question shall go
        // over a new connection, for this one always ends at the same replica.
        if let Some(connection) = &*connection.connection_metadata() {
            connection.poison();
        }
        Err(self.refused(answer.status(), answer.headers()))
    }

    /// The client that trusts whoever is to be trusted now. Certificates are renewed while we run.
    async fn client(self: Arc<Self>) -> Result<Client, AskCatalogd> {
        let path = self.options.authority.clone();
        // Off the threads that serve: it reads files.
        let client = tokio::task::spawn_blocking(move || {
            let trust = self.trust()?;
            let mut known = self.client.lock().unwrap_or_else(PoisonError::into_inner);
            match &*known {
                Some((of, client)) if *of == trust => Ok(client.clone()),
                Some(_) | None => {
                    let client = trust::client(&trust, &self.options)?;
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
        match error.is_connect() {
            true => AskCatalogd::Connect(self.server.clone(), error),
            false => AskCatalogd::Wait(self.server.clone(), error),
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

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

fn from(path: Option<&PathBuf>) -> String {
    path.map(|path| format!(" from {}", path.display()))
        .unwrap_or_default()
}
