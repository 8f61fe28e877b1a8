//! Connections, and who vouches for the other end.

use std::io;
use std::sync::Arc;

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::Options;

pub(super) type Client = legacy::Client<HttpsConnector<HttpConnector>, Empty<Bytes>>;

/// Who vouches for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trust {
    /// Nobody has to: it is not spoken to over TLS.
    Plain,
    /// The authorities that the system trusts.
    System,
    /// Those of a PEM.
    Pem(Vec<u8>),
}

pub(super) fn client(trust: &Trust, options: &Options) -> io::Result<Client> {
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
    match roots.is_empty() {
        true => Err(invalid("there is no certificate in it".to_owned())),
        false => Ok(roots),
    }
}
