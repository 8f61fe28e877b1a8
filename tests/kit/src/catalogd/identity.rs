//! Who a server is, for those who trust its authority.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

/// The PEM of a new authority, and a server on 127.0.0.1 that it vouches for.
pub(super) fn identity() -> (String, TlsAcceptor) {
    let made = make().expect("a certificate must be made of sound parts");
    let (authority, certificate, key) = made;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring must know the default versions of TLS")
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::Pkcs8(key.serialize_der().into()),
        )
        .expect("a key must be that of its certificate");
    (authority.pem(), TlsAcceptor::from(Arc::new(config)))
}

fn make() -> Result<(rcgen::Certificate, rcgen::Certificate, KeyPair), rcgen::Error> {
    let mut params = CertificateParams::new([])?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate()?;
    let authority = params.self_signed(&key)?;
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate()?;
    let server = CertificateParams::new(["127.0.0.1".to_owned()])?;
    Ok((authority, server.signed_by(&key, &issuer)?, key))
}
