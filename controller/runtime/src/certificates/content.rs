//! The content of a Secret with a certificate. This module parses and creates certificates and
//! keys.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use portolan_core_certificate::{Authority, Leaf, SecretStep, Stored, Validity};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, Error, ExtendedKeyUsagePurpose,
    IsCa, Issuer, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, PublicKeyData,
};
use serde_json::{Value, json};
use time::OffsetDateTime;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::pem::Pem;

#[cfg(test)]
mod tests;

const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";
const AUTHORITIES: &str = "ca.crt";
const AUTHORITY_KEY: &str = "ca.key";
/// The entry of a Secret in which OLM stores the certificate of its certificate authority. OLM does
/// not store the key of this authority.
const OLM_AUTHORITY: &str = "olmCAKey";
/// The maximum length of a common name.
const COMMON_NAME: usize = 64;

/// The reason why a certificate cannot be created.
pub type MakeCertificate = Error;

/// The content of a Secret with a certificate, in PEM format.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Content {
    certificate: String,
    key: String,
    /// The certificates of the authorities, oldest first.
    authorities: String,
    /// The private key of the newest authority.
    authority_key: String,
    /// True if OLM has created the content and it has not changed since then.
    is_of_olm: bool,
}

// === impl Content ===

impl Content {
    /// Reads the content from the data of a Secret. Missing and invalid entries are empty.
    pub fn of(data: &Value) -> Self {
        let text = |key: &str| {
            let bytes = data[key]
                .as_str()
                .and_then(|text| STANDARD.decode(text).ok());
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            text.unwrap_or_default()
        };
        let is_of_olm = data.get(AUTHORITIES).is_none() && data.get(OLM_AUTHORITY).is_some();
        Self {
            certificate: text(CERTIFICATE),
            key: text(KEY),
            authorities: text(if is_of_olm {
                OLM_AUTHORITY
            } else {
                AUTHORITIES
            }),
            authority_key: text(AUTHORITY_KEY),
            is_of_olm,
        }
    }

    /// Returns the data of a Secret with this content.
    pub fn data(&self) -> Value {
        let Self {
            certificate,
            key,
            authorities,
            authority_key,
            is_of_olm: _,
        } = self;
        json!({
            CERTIFICATE: STANDARD.encode(certificate),
            KEY: STANDARD.encode(key),
            AUTHORITIES: STANDARD.encode(authorities),
            AUTHORITY_KEY: STANDARD.encode(authority_key),
        })
    }

    /// Returns the serving certificate and its key.
    pub fn pair(&self) -> (&str, &str) {
        (&self.certificate, &self.key)
    }

    /// Returns the facts about this content that the decision needs.
    pub fn stored(&self) -> Stored {
        let authorities = pems(&self.authorities);
        Stored {
            leaf: self.leaf(&authorities),
            authorities: self.authorities(&authorities),
            can_sign: !self.is_of_olm,
            ca_bundle: STANDARD.encode(&self.authorities),
        }
    }

    /// Returns the content after a step.
    ///
    /// # Errors
    /// Returns an error if the key of the newest authority is invalid, or if no random numbers are
    /// available.
    pub fn after(&self, step: &SecretStep) -> Result<Self, MakeCertificate> {
        let mut authorities: Vec<_> = pems(&self.authorities).iter().map(text).collect();
        let mut place = 0..;
        authorities.retain(|_| place.next().is_some_and(|place| step.kept.contains(&place)));
        let mut content = self.clone();
        if let Some(validity) = step.authority {
            let (certificate, key) = authority(validity)?;
            authorities.push(certificate);
            content.authority_key = key;
            content.is_of_olm = false;
        }
        if let Some((names, validity)) = &step.leaf {
            let last = authorities.last().map(String::as_str).unwrap_or_default();
            let key = KeyPair::from_pem(&content.authority_key)?;
            let issuer = Issuer::from_ca_cert_pem(last, key)?;
            (content.certificate, content.key) = leaf(&issuer, names, *validity)?;
        }
        content.authorities = authorities.concat();
        Ok(content)
    }

    fn authorities(&self, pems: &[Pem]) -> Result<Vec<Authority>, String> {
        let mut all = Vec::new();
        for pem in pems {
            let certificate = parsed(pem, AUTHORITIES)?;
            all.push(Authority {
                validity: validity(&certificate)?,
            });
        }
        let last = pems.last().ok_or("ca.crt has no certificate")?;
        if self.is_of_olm {
            return Ok(all);
        }
        let is_its_key = is_key(&self.authority_key, &parsed(last, AUTHORITIES)?);
        if !is_its_key {
            return Err("ca.key is not the key of the last certificate of ca.crt".to_owned());
        }
        Ok(all)
    }

    fn leaf(&self, authorities: &[Pem]) -> Result<Leaf, String> {
        let pems = pems(&self.certificate);
        let pem = pems.first().ok_or("tls.crt has no certificate")?;
        let certificate = parsed(pem, CERTIFICATE)?;
        if !is_key(&self.key, &certificate) {
            return Err("tls.key is not the key of tls.crt".to_owned());
        }
        let signed = |authority: &Pem| {
            let authority = parsed(authority, AUTHORITIES).ok();
            authority.is_some_and(|authority| {
                let is_named = authority.subject() == certificate.issuer();
                let verified = certificate.verify_signature(Some(authority.public_key()));
                is_named && verified.is_ok()
            })
        };
        Ok(Leaf {
            names: names(&certificate),
            validity: validity(&certificate)?,
            authority: authorities.iter().position(signed),
        })
    }
}

/// Returns the time until which the first certificate of a `tls.crt` is valid. The format of its
/// key does not matter. For example, Helm and cert-manager write RSA keys in PKCS #1.
///
/// # Errors
/// Returns the reason if there is no certificate, or if it cannot be parsed.
pub fn valid_until(certificate: &str) -> Result<Timestamp, String> {
    let pems = pems(certificate);
    let pem = pems.first().ok_or("tls.crt has no certificate")?;
    Ok(validity(&parsed(pem, CERTIFICATE)?)?.until)
}

/// Returns the time until which clients trust a certificate of a base64-encoded `caBundle`. Returns
/// None if the `caBundle` contains no certificate that is trusted.
pub fn trusted_until(ca_bundle: &str) -> Option<Timestamp> {
    let bytes = STANDARD.decode(ca_bundle).ok()?;
    let pems = pems(&String::from_utf8(bytes).ok()?);
    let ends = pems.iter().filter_map(|pem| {
        let certificate = parsed(pem, AUTHORITIES).ok()?;
        Some(validity(&certificate).ok()?.until)
    });
    ends.max()
}

/// Formats the content without its keys.
impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Content")
            .field("certificate", &self.certificate)
            .field("authorities", &self.authorities)
            .finish_non_exhaustive()
    }
}

/// Returns the certificates in a PEM text, up to the first invalid certificate.
fn pems(text: &str) -> Vec<Pem> {
    let all = Pem::iter_from_buffer(text.as_bytes());
    all.map_while(Result::ok).collect()
}

fn text(pem: &Pem) -> String {
    let lines = STANDARD.encode(&pem.contents);
    let lines = lines.as_bytes().chunks(64).map(String::from_utf8_lossy);
    let lines: Vec<_> = lines.collect();
    let (label, lines) = (&pem.label, lines.join("\n"));
    format!("-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n")
}

fn parsed<'a>(pem: &'a Pem, key: &str) -> Result<X509Certificate<'a>, String> {
    let parsed = pem.parse_x509();
    parsed.map_err(|error| format!("{key} has a certificate that cannot be read: {error}"))
}

fn validity(certificate: &X509Certificate<'_>) -> Result<Validity, String> {
    let validity = certificate.validity();
    let [from, until] = [validity.not_before, validity.not_after].map(|time| {
        let time = Timestamp::from_second(time.timestamp());
        time.map_err(|error| format!("a certificate has an invalid time: {error}"))
    });
    Ok(Validity {
        from: from?,
        until: until?,
    })
}

fn names(certificate: &X509Certificate<'_>) -> BTreeSet<String> {
    let extension = certificate.subject_alternative_name().ok().flatten();
    let names = extension.iter().flat_map(|all| &all.value.general_names);
    let names = names.filter_map(|name| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        _ => None,
    });
    names.collect()
}

/// Returns true if the private key belongs to the certificate.
fn is_key(key: &str, certificate: &X509Certificate<'_>) -> bool {
    let public = &certificate.public_key().subject_public_key.data;
    KeyPair::from_pem(key).is_ok_and(|key| key.der_bytes() == &**public)
}

/// Creates a certificate authority that can only sign certificates of servers and clients, and no
/// other authorities.
fn authority(validity: Validity) -> Result<(String, String), Error> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    let mut params = CertificateParams::default();
    limit(&mut params, validity);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    // Authorities that are trusted at the same time must have different names, so the name contains
    // the key identifier.
    let id = params.key_identifier(&key);
    let id: String = id
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    params.distinguished_name = named(&format!("portolan-{id}"));
    let certificate = params.self_signed(&key)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

fn leaf(
    issuer: &Issuer<'_, KeyPair>,
    names: &BTreeSet<String>,
    validity: Validity,
) -> Result<(String, String), Error> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    let mut params = CertificateParams::new(names.iter().cloned().collect::<Vec<_>>())?;
    limit(&mut params, validity);
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let mut short = names.iter().filter(|name| name.len() <= COMMON_NAME);
    params.distinguished_name = named(short.next().map_or("portolan", String::as_str));
    let certificate = params.signed_by(&key, issuer)?;
    Ok((certificate.pem(), key.serialize_pem()))
}

fn named(common_name: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common_name);
    name
}

fn limit(params: &mut CertificateParams, validity: Validity) {
    params.not_before = time_of(validity.from);
    params.not_after = time_of(validity.until);
}

/// Converts a time for a certificate, which contains only whole seconds.
fn time_of(time: Timestamp) -> OffsetDateTime {
    let time = OffsetDateTime::from_unix_timestamp(time.as_second());
    time.unwrap_or(OffsetDateTime::UNIX_EPOCH)
}
