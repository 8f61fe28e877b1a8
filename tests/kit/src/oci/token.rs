//! Signed tokens, as the token server of a registry issues them.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rcgen::{KeyPair, SigningKey as _};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};

use crate::Vouched;

/// Returns a token with these claims, signed with the key of this certificate.
///
/// # Panics
/// Panics if the key was not created by the kit.
pub fn token(signer: &Vouched, claims: &Value) -> String {
    let certificate = CertificateDer::from_pem_slice(signer.certificate.as_bytes());
    let certificate = STANDARD.encode(certificate.expect("a certificate"));
    let header = json!({"alg": "ES256", "typ": "JWT", "x5c": [certificate]});
    let parts = [&header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    let signed = parts.join(".");
    let key = KeyPair::from_pem(&signer.key).expect("a key");
    let signature = key.sign(signed.as_bytes()).expect("a signature");
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(bare(&signature)))
}

/// Converts a signature from its DER encoding, a sequence of two integers. Returns the two
/// integers, each as 32 bytes.
fn bare(der: &[u8]) -> Vec<u8> {
    let mut numbers = Vec::new();
    let mut rest = &der[2..];
    for _ in 0..2 {
        let (number, behind) = rest[2..].split_at(usize::from(rest[1]));
        // In DER, an integer has a leading zero byte if its highest bit is set, and a small integer
        // has fewer bytes.
        let number = &number[number.len().saturating_sub(32)..];
        numbers.extend(std::iter::repeat_n(0, 32 - number.len()));
        numbers.extend_from_slice(number);
        rest = behind;
    }
    numbers
}
