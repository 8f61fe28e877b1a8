//! Who a server is, for those who trust its authority.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::{Authority, Vouched};

/// The PEM of a new authority, and a server on 127.0.0.1 that it vouches for.
pub(crate) fn identity() -> (String, TlsAcceptor) {
    let authority = Authority::default();
    let Vouched { certificate, key } = authority.vouch("127.0.0.1");
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
    (
        authority.pem().to_owned(),
        TlsAcceptor::from(Arc::new(config)),
    )
}
