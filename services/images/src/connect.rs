//! Connects to hosts: resolves names, rejects forbidden addresses, and uses TLS.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use hyper_util::rt::TokioIo;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tower::Service;

use crate::failure::{Failure, Unreached};
use crate::reference::Host;
use crate::registries::{NotAsked, Registries};

/// The maximum number of addresses of a name that are tried.
const ADDRESSES: usize = 8;

/// Connects only to permitted addresses.
#[derive(Debug, Clone)]
pub(crate) struct Connector {
    pub(crate) registries: Arc<Registries>,
    /// The maximum time until one address accepts a connection.
    pub(crate) patience: Duration,
}

/// The reason why a connection cannot be opened.
#[derive(Debug, Error)]
enum Connect {
    #[error("it is not contacted")]
    NotAsked(NotAsked),
    #[error("its name cannot be resolved: {0}")]
    Resolve(io::Error),
    #[error("{0}: {1}")]
    Dial(SocketAddr, io::Error),
}

/// Returns the TLS settings. They trust the certificate authorities of the system and the
/// certificate authorities in `authorities`.
///
/// # Errors
///
/// Returns an error if a PEM text contains no certificate.
pub(crate) fn tls(authorities: &[Vec<u8>]) -> io::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    // If the system has no certificate authorities, servers of the configured authorities can still
    // be contacted.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for pem in authorities {
        for certificate in certificates(pem)? {
            roots.add(certificate).map_err(invalid)?;
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Returns the certificates in a PEM text.
///
/// # Errors
///
/// Returns an error if the PEM text contains no certificate or an invalid certificate.
pub(crate) fn certificates(pem: &[u8]) -> io::Result<Vec<CertificateDer<'static>>> {
    let all = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    match all.map_err(invalid)? {
        none if none.is_empty() => Err(invalid("it contains no certificate")),
        all => Ok(all),
    }
}

fn invalid(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// Returns the failure of a request that got no response.
pub(crate) fn failed(host: &str, error: &(dyn std::error::Error + 'static)) -> Failure {
    let host = host.to_owned();
    let mut deepest = error.to_string();
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(Connect::NotAsked(why)) = error.downcast_ref() {
            let why = why.clone();
            return Failure::Refuse { host, why };
        }
        if let Some(connect) = error.downcast_ref::<Connect>() {
            let why = Unreached::Network(connect.to_string());
            return Failure::Reach { host, why };
        }
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            let why = match error {
                rustls::Error::InvalidCertificate(_) => Unreached::Authority(error.to_string()),
                rustls::Error::InvalidMessage(_) => Unreached::Plain,
                other => Unreached::Network(other.to_string()),
            };
            return Failure::Reach { host, why };
        }
        deepest = error.to_string();
        cause = inner(error);
    }
    Failure::Cut { host, why: deepest }
}

/// Returns the source of an error. An I/O error does not return its inner error as its source, so
/// this function reads the inner error directly.
fn inner<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> Option<&'e (dyn std::error::Error + 'static)> {
    let held = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    match held {
        Some(held) => Some(held),
        None => error.source(),
    }
}

// === impl Connector ===

impl Connector {
    async fn connect(self, uri: Uri) -> Result<TokioIo<TcpStream>, Connect> {
        let name = uri.host().unwrap_or_default();
        let is_plain = uri.scheme() == Some(&Scheme::HTTP);
        let port = uri.port_u16().unwrap_or(if is_plain { 80 } else { 443 });
        let name = name.trim_start_matches('[').trim_end_matches(']');
        let authority = uri.authority().map(|authority| authority.as_str());
        let host: Host = authority
            .unwrap_or_default()
            .parse()
            .map_err(|_| Connect::NotAsked(NotAsked::Unlisted))?;
        let addresses = lookup_host((name, port)).await.map_err(Connect::Resolve)?;
        let mut failed = Connect::Resolve(io::ErrorKind::NotFound.into());
        for address in addresses.take(ADDRESSES) {
            match self.registries.connects(&host, address.ip()) {
                Err(why) => failed = Connect::NotAsked(why),
                Ok(()) => match self.dial(address).await {
                    Ok(stream) => return Ok(TokioIo::new(stream)),
                    Err(error) => failed = Connect::Dial(address, error),
                },
            }
        }
        Err(failed)
    }

    async fn dial(&self, address: SocketAddr) -> io::Result<TcpStream> {
        let late = |_| io::Error::from(io::ErrorKind::TimedOut);
        let stream = timeout(self.patience, TcpStream::connect(address));
        let stream = stream.await.map_err(late)??;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move { Ok(connector.connect(uri).await?) })
    }
}
