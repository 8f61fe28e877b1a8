//! The certificates that clients present, and the certificate authorities that verify them.

use std::fmt;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, RootCertStore, SignatureScheme};

/// The certificate that a client presents, stored as an extension of its requests. The client has
/// proved that it has the private key. The issuer has not been verified yet.
#[derive(Debug, Clone)]
pub struct ShownCertificate(Arc<[CertificateDer<'static>]>);

/// The certificate authorities that verify clients.
#[derive(Clone)]
pub struct ClientAuthorities(Option<Arc<dyn ClientCertVerifier>>);

/// A verifier that accepts any certificate if the client has the private key.
#[derive(Debug)]
pub(crate) struct AnyCertificate(CryptoProvider);

// === impl ShownCertificate ===

impl ShownCertificate {
    pub(crate) fn of(chain: Option<&[CertificateDer<'static>]>) -> Option<Self> {
        let chain = chain.filter(|chain| !chain.is_empty())?;
        Some(Self(chain.into()))
    }

    /// Returns the certificate as DER.
    pub fn leaf(&self) -> &[u8] {
        self.0.first().map_or(&[], |leaf| leaf)
    }
}

// === impl ClientAuthorities ===

impl ClientAuthorities {
    /// Reads the certificate authorities from a PEM text. Ignores other content.
    pub fn of(pem: &str) -> Self {
        let mut roots = RootCertStore::empty();
        let certificates = CertificateDer::pem_slice_iter(pem.as_bytes());
        roots.add_parsable_certificates(certificates.map_while(Result::ok));
        let provider = Arc::new(ring::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
        Self(verifier.build().ok())
    }

    /// Returns true if there are no certificate authorities.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns true if one of the authorities has issued this certificate, and the certificate is
    /// valid now.
    pub fn vouch_for(&self, shown: &ShownCertificate) -> bool {
        let (Some(verifier), [leaf, others @ ..]) = (&self.0, &*shown.0) else {
            return false;
        };
        let verified = verifier.verify_client_cert(leaf, others, UnixTime::now());
        verified.is_ok()
    }
}

impl fmt::Debug for ClientAuthorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientAuthorities")
    }
}

// === impl AnyCertificate ===

impl Default for AnyCertificate {
    fn default() -> Self {
        Self(ring::default_provider())
    }
}

impl ClientCertVerifier for AnyCertificate {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        // The issuer is verified for each request, because the authorities may change while a
        // connection is open.
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
