//! A certificate authority for servers and users, in memory.

use std::fs;
use std::path::Path;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
};

/// A certificate authority. Only programs that have its certificate trust the certificates that it
/// issues.
#[derive(Debug)]
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate and its private key, both as PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vouched {
    pub certificate: String,
    pub key: String,
}

// === impl Authority ===

impl Default for Authority {
    fn default() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        Self {
            pem: certificate.pem(),
            issuer: Issuer::new(params, key),
        }
    }
}

impl Authority {
    /// Returns the certificate of the authority as PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Issues a server certificate for a name or an address.
    pub fn vouch(&self, name: &str) -> Vouched {
        let params = CertificateParams::new([name.to_owned()]).expect("a name");
        self.signed(params)
    }

    /// Issues a client certificate for Kubernetes, with the name of a user and the groups of the
    /// user.
    pub fn admit(&self, user: &str, groups: &[&str]) -> Vouched {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, user);
        for group in groups {
            params
                .distinguished_name
                .push(DnType::OrganizationName, *group);
        }
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.signed(params)
    }

    fn signed(&self, params: CertificateParams) -> Vouched {
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer);
        Vouched {
            certificate: certificate.expect("a certificate").pem(),
            key: key.serialize_pem(),
        }
    }
}

// === impl Vouched ===

impl Vouched {
    /// Writes the certificate and the key into a folder, in the form of a mounted Secret.
    pub fn write(&self, folder: &Path) {
        for (name, pem) in [("tls.crt", &self.certificate), ("tls.key", &self.key)] {
            fs::write(folder.join(name), pem).expect("a folder that can be written");
        }
    }
}
