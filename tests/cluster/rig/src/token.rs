//! Creates ServiceAccount tokens with arbitrary claims, signed with the key of the API server.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rcgen::{KeyPair, SigningKey as _};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::site::Site;

/// Returns a JSON Web Token with these claims. Its signature is like that of a token from the API
/// server.
pub(crate) fn signed(site: &Site, claims: &Value) -> Result<String, Failure> {
    let key = fs::read_to_string(site.pki().join("sa.key"));
    let key = key.map_err(Failure::touch("read the key of tokens"))?;
    let key = KeyPair::from_pem(&key).map_err(Failure::read("the key of tokens"))?;
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!(
        "{}.{}",
        part(&json!({"alg": "ES256", "typ": "JWT"})),
        part(claims)
    );
    let signature = key.sign(message.as_bytes());
    let signature = signature.map_err(Failure::read("a signature"))?;
    Ok(format!(
        "{message}.{}",
        URL_SAFE_NO_PAD.encode(fixed(&signature))
    ))
}

/// Converts a signature from ASN.1 to two numbers of 32 bytes each. In ASN.1, the signature is a
/// sequence of two integers. Each integer has a type and a length, and may have a leading zero byte
/// or fewer bytes.
fn fixed(signature: &[u8]) -> Vec<u8> {
    let mut rest = &signature[2..];
    let mut both = Vec::new();
    for _ in 0..2 {
        let (number, behind) = rest[2..].split_at(usize::from(rest[1]));
        let digits = number.iter().skip_while(|byte| **byte == 0);
        let digits: Vec<u8> = digits.copied().collect();
        both.resize(both.len() + 32 - digits.len(), 0);
        both.extend(digits);
        rest = behind;
    }
    both
}

#[test]
fn signature_numbers_are_padded_to_32_bytes() {
    let first = [&[0x02, 33, 0][..], &[0xff; 32]].concat();
    let second = [&[0x02, 1][..], &[7]].concat();
    let signature = [&[0x30, 38][..], &first, &second].concat();
    let wanted = [&[0xff; 32][..], &[0; 31], &[7]].concat();
    assert_eq!(fixed(&signature), wanted);
}
