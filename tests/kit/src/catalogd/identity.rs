//! TLS certificates for test servers, and the CA that clients must trust.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::{Authority, Vouched};

/// Returns the PEM certificate of a new CA, and a TLS acceptor for 127.0.0.1 whose certificate this
/// CA has issued.
pub(crate) fn identity() -> (String, TlsAcceptor) {
    let authority = Authority::default();
    let identity = authority.vouch("127.0.0.1");
    (authority.pem().to_owned(), acceptor(&identity))
}

/// Returns a TLS acceptor that uses this certificate.
///
/// # Panics
/// Panics if the PEM is invalid, or the key does not match the certificate.
pub(crate) fn acceptor(Vouched { certificate, key }: &Vouched) -> TlsAcceptor {
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes());
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring must know the default versions of TLS")
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.expect("a certificate must be PEM")],
            key.expect("a key must be PEM"),
        )
        .expect("a key must be that of its certificate");
    TlsAcceptor::from(Arc::new(config))
}
