//! The two servers of the operator: a probe server over HTTP, and a webhook server over TLS.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::webhook::{convert, validate};
use crate::{Fault, Health};

/// The paths of the certificate. The files are read for each connection, because the certificate
/// may be renewed at any time.
#[derive(Clone, Debug)]
pub(crate) struct Tls {
    certificate: PathBuf,
    key: PathBuf,
}

impl Tls {
    pub(crate) fn of(folder: &Path) -> Self {
        Self {
            certificate: folder.join("tls.crt"),
            key: folder.join("tls.key"),
        }
    }

    fn acceptor(&self) -> Option<TlsAcceptor> {
        let certificates = CertificateDer::pem_file_iter(&self.certificate).ok()?;
        let certificates = certificates.collect::<Result<Vec<_>, _>>().ok()?;
        let key = PrivateKeyDer::from_pem_file(&self.key).ok()?;
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(certificates, key).ok()?;
        Some(TlsAcceptor::from(Arc::new(config)))
    }
}

/// Listens on a port of all addresses, and serves until the returned value is dropped.
pub(crate) async fn serve(
    port: u16,
    tls: Option<Tls>,
    health: Arc<Health>,
) -> Result<impl Future<Output = ()> + Send, Fault> {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).await;
    let listener = listener.map_err(|source| Fault::Listen { port, source })?;
    Ok(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (tls, health) = (tls.clone(), Arc::clone(&health));
            tokio::spawn(async move {
                match tls {
                    None => attend(stream, health).await,
                    Some(tls) => {
                        if let Some(acceptor) = tls.acceptor()
                            && let Ok(stream) = acceptor.accept(stream).await
                        {
                            attend(stream, health).await;
                        }
                    }
                }
            });
        }
    })
}

async fn attend(stream: impl AsyncRead + AsyncWrite + Unpin, health: Arc<Health>) {
    let service = service_fn(move |request| answer(request, Arc::clone(&health)));
    // Ignores an error: it means only that the client or the server closed the connection.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(
    request: Request<Incoming>,
    health: Arc<Health>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    if health.hangs.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
    let path = request.uri().path().to_owned();
    let is_ready = health.is_ready.load(Ordering::Relaxed);
    let (status, body) = match path.as_str() {
        "/healthz" => (StatusCode::OK, "ok".to_owned()),
        "/readyz" if is_ready => (StatusCode::OK, "ok".to_owned()),
        "/readyz" => (StatusCode::SERVICE_UNAVAILABLE, "starting".to_owned()),
        "/validate" => (StatusCode::OK, validate(&body(request).await).to_string()),
        "/convert" if health.converts => {
            (StatusCode::OK, convert(&body(request).await).to_string())
        }
        _ => (StatusCode::NOT_FOUND, String::new()),
    };
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    if health.is_stopping.load(Ordering::Relaxed) {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    Ok(response)
}

async fn body(request: Request<Incoming>) -> Value {
    let body = request.into_body().collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    serde_json::from_slice(&body).unwrap_or_default()
}
