//! Creates the keys and certificates of a rig in memory, and writes them into its folder.

use std::fmt;
use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

use crate::failure::Failure;

/// The host names and addresses with which a client can connect to the API server.
const SERVER_NAMES: [&str; 7] = [
    "127.0.0.1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    // The first address of the Service range, which is the address of the Service `kubernetes`.
    "10.0.0.1",
];

/// The certificate authority of the cluster. It signs the certificates of servers and users.
#[derive(Debug)]
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate, its key, and the certificate of its authority, all as PEM.
#[derive(Clone)]
pub struct Identity {
    pub authority: String,
    pub certificate: String,
    pub key: String,
}

impl Authority {
    /// Creates the authority, and writes all files that an API server needs into `folder`.
    pub(crate) fn found(folder: &Path, host: Ipv4Addr) -> Result<Self, Failure> {
        fs::create_dir_all(folder).map_err(Failure::touch("create the folder of certificates"))?;
        let cluster = Self::new(folder, "ca")?;
        let host = host.to_string();
        let names: Vec<&str> = SERVER_NAMES.into_iter().chain([host.as_str()]).collect();
        cluster.serve_as(folder, "apiserver", &names)?;
        // The aggregator authenticates to extension servers with a certificate of another
        // authority. With the authority of the cluster, each user of the cluster could impersonate
        // the aggregator.
        let front = Self::new(folder, "front-proxy-ca")?;
        front.admit(folder, "front-proxy-client", "front-proxy-client", None)?;
        let tokens = pair()?;
        write(folder, "sa.key", &tokens.serialize_pem())?;
        write(folder, "sa.pub", &tokens.public_key_pem())?;
        Ok(cluster)
    }

    fn new(folder: &Path, name: &str) -> Result<Self, Failure> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        let key = pair()?;
        let certificate = params.self_signed(&key).map_err(unmade)?;
        write(folder, &format!("{name}.crt"), &certificate.pem())?;
        Ok(Self {
            issuer: Issuer::new(params, key),
        })
    }

    /// Writes `<file>.crt` and `<file>.key` for a server with these host names or addresses.
    pub(crate) fn serve_as(
        &self,
        folder: &Path,
        file: &str,
        names: &[&str],
    ) -> Result<(), Failure> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).map_err(unmade)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(folder, file, params)
    }

    /// Writes `<file>.crt` and `<file>.key` for a user. The user is in at most one group, because
    /// rcgen supports only one attribute of each kind in a name.
    pub(crate) fn admit(
        &self,
        folder: &Path,
        file: &str,
        user: &str,
        group: Option<&str>,
    ) -> Result<(), Failure> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, user);
        if let Some(group) = group {
            params
                .distinguished_name
                .push(DnType::OrganizationName, group);
        }
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(folder, file, params)
    }

    fn sign(
        &self,
        folder: &Path,
        file: &str,
        mut params: CertificateParams,
    ) -> Result<(), Failure> {
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        let key = pair()?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(unmade)?;
        write(folder, &format!("{file}.crt"), &certificate.pem())?;
        write(folder, &format!("{file}.key"), &key.serialize_pem())
    }
}

impl Identity {
    pub(crate) fn read(folder: &Path, name: &str) -> Result<Self, Failure> {
        let text = |file: String| {
            let act = format!("read {file}");
            fs::read_to_string(folder.join(file)).map_err(Failure::touch(act))
        };
        Ok(Self {
            authority: text("ca.crt".to_owned())?,
            certificate: text(format!("{name}.crt"))?,
            key: text(format!("{name}.key"))?,
        })
    }
}

impl fmt::Debug for Identity {
    /// Formats only the certificate. The key must not appear in output.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Identity")
            .field("certificate", &self.certificate)
            .finish_non_exhaustive()
    }
}

/// Creates an ECDSA P-256 key. The API server also accepts such a key for ServiceAccount tokens.
fn pair() -> Result<KeyPair, Failure> {
    KeyPair::generate().map_err(unmade)
}

fn unmade(source: rcgen::Error) -> Failure {
    Failure::read("the fields of a certificate")(source)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    fs::write(folder.join(name), text).map_err(Failure::touch(format!("write {name}")))
}
