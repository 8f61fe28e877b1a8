//! TLS for servers. The certificate comes from a folder, such as a mounted Secret. It is replaced
//! when the files change.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::task::AbortOnDropHandle;

use crate::causes::with_causes;
use crate::shown::AnyCertificate;

/// The protocol of gRPC, HTTP/2.
pub(crate) const PROTOCOL: &[u8] = b"h2";

/// The protocol with which API servers call webhooks. HTTP/1.1 spreads their calls over all
/// replicas.
const HTTP_1: &[u8] = b"http/1.1";

/// The interval for checking the folder for changes. Kubernetes needs about a minute to update a
/// mounted certificate, and certificates are renewed long before they expire.
const LOOK: Duration = Duration::from_secs(10);

/// The maximum time for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The reason why a certificate cannot be loaded.
#[derive(Debug, Error)]
pub enum ReadCertificate {
    /// A file cannot be read.
    #[error("cannot read {}; a Secret of type kubernetes.io/tls has tls.crt and tls.key", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// The file is not in PEM format, or has no entry of the required kind.
    #[error("{} contains no {what} in PEM format", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// The expected content.
        what: &'static str,
        /// The error of the parser.
        source: pem::Error,
    },
    /// The key is invalid or does not belong to the certificate.
    #[error("the key in {} does not belong to its certificate", .0.display())]
    Key(PathBuf, #[source] rustls::Error),
    /// TLS cannot be set up, because the library supports no protocol version.
    #[error("cannot prepare TLS")]
    Prepare(#[source] rustls::Error),
}

/// The certificate of a server. It is kept up to date while this value exists.
#[derive(Debug)]
pub struct Tls {
    acceptor: Acceptor,
    _followed: AbortOnDropHandle<()>,
}

/// Performs TLS handshakes with the current certificate. Clones share the certificate.
#[derive(Clone)]
pub(crate) struct Acceptor(TlsAcceptor);

/// The current certificate. None until the first certificate is set.
#[derive(Default)]
struct Current(RwLock<Option<Arc<CertifiedKey>>>);

/// The certificate of a server. Other code can replace the certificate while the server runs.
/// Clones share the certificate.
#[derive(Debug, Clone, Default)]
pub struct ServedCertificate(Arc<Current>);

/// The certificate file and the key file of a folder. The key is never logged.
#[derive(PartialEq, Eq)]
struct Pair {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

// === impl Tls ===

impl Tls {
    /// Reads the certificate in a folder, and reads it again when its files change. Must be called
    /// within a Tokio runtime. If a later certificate is invalid, the error is logged, and the
    /// previous certificate is kept.
    pub(crate) fn of(folder: &Path) -> Result<Self, ReadCertificate> {
        Self::speaking(PROTOCOL, folder)
    }

    /// Reads the certificate in a folder for an HTTP/1.1 server that browsers use. Must be called
    /// within a Tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the folder contains no usable certificate.
    pub fn http1(folder: &Path) -> Result<Self, ReadCertificate> {
        Self::speaking(HTTP_1, folder)
    }

    fn speaking(protocol: &[u8], folder: &Path) -> Result<Self, ReadCertificate> {
        let served = ServedCertificate::default();
        let followed = served.follow(folder)?;
        Ok(Self {
            acceptor: Acceptor::of(served.0, protocol, None)?,
            _followed: followed,
        })
    }

    pub(crate) fn acceptor(&self) -> Acceptor {
        self.acceptor.clone()
    }

    /// Performs the TLS handshake with a client, within the time limit.
    ///
    /// # Errors
    /// Returns an error if the handshake fails or the client disconnects.
    pub async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.acceptor.accept(stream).await
    }
}

async fn follow(folder: PathBuf, mut known: Pair, current: Arc<Current>) {
    let mut told = None;
    loop {
        tokio::time::sleep(LOOK).await;
        let read = Pair::read(&folder).and_then(|pair| {
            let certified = (pair != known).then(|| pair.certified(&folder));
            Ok((pair, certified.transpose()?))
        });
        match read {
            Ok((_, None)) => told = None,
            Ok((pair, Some(certified))) => {
                current.set(certified);
                known = pair;
                told = None;
                tracing::info!(folder = %folder.display(), "serving with the next certificate");
            }
            Err(error) => {
                let why = with_causes(&error);
                if told.as_ref() != Some(&why) {
                    tracing::error!(error = why, "the previous certificate stays in use");
                }
                told = Some(why);
            }
        }
    }
}

// === impl ServedCertificate ===

impl ServedCertificate {
    /// Uses this certificate for new connections. Errors name `of` as the source of the
    /// certificate.
    ///
    /// # Errors
    /// Returns an error if the certificate or the key is invalid. The previous certificate is then
    /// kept.
    pub fn set(&self, of: &Path, certificate: &str, key: &str) -> Result<(), ReadCertificate> {
        let pair = Pair {
            certificate: certificate.into(),
            key: key.into(),
        };
        self.0.set(pair.certified(of)?);
        Ok(())
    }

    /// Uses the certificate in this folder, and replaces it when the files change. This ends when
    /// the returned value is dropped. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the folder contains no usable certificate.
    pub fn follow(&self, folder: &Path) -> Result<AbortOnDropHandle<()>, ReadCertificate> {
        let pair = Pair::read(folder)?;
        self.0.set(pair.certified(folder)?);
        let following = follow(folder.to_owned(), pair, self.0.clone());
        Ok(AbortOnDropHandle::new(tokio::spawn(following)))
    }

    pub(crate) fn acceptor(&self) -> Result<Acceptor, ReadCertificate> {
        Acceptor::of(self.0.clone(), HTTP_1, None)
    }

    /// Returns an acceptor that requests a certificate from clients. It also accepts clients
    /// without a certificate.
    pub(crate) fn asking_acceptor(&self) -> Result<Acceptor, ReadCertificate> {
        Acceptor::of(
            self.0.clone(),
            HTTP_1,
            Some(Arc::new(AnyCertificate::default())),
        )
    }
}

// === impl Acceptor ===

impl Acceptor {
    fn of(
        current: Arc<Current>,
        protocol: &[u8],
        clients: Option<Arc<dyn ClientCertVerifier>>,
    ) -> Result<Self, ReadCertificate> {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(ReadCertificate::Prepare)?;
        let config = match clients {
            Some(clients) => config.with_client_cert_verifier(clients),
            None => config.with_no_client_auth(),
        };
        let mut config = config.with_cert_resolver(current);
        config.alpn_protocols = vec![protocol.to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// Performs the TLS handshake with a client, within the time limit.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        match tokio::time::timeout(HANDSHAKE, self.0.accept(stream)).await {
            Ok(accepted) => accepted,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl fmt::Debug for Acceptor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Acceptor")
    }
}

// === impl Current ===

impl Current {
    fn set(&self, next: Arc<CertifiedKey>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(next);
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.0.read().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }
}

impl fmt::Debug for Current {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Current")
    }
}

// === impl Pair ===

impl Pair {
    fn read(folder: &Path) -> Result<Self, ReadCertificate> {
        let read = |name| {
            let path = folder.join(name);
            fs::read(&path).map_err(|error| ReadCertificate::Read(path, error))
        };
        Ok(Self {
            certificate: read("tls.crt")?,
            key: read("tls.key")?,
        })
    }

    fn certified(&self, folder: &Path) -> Result<Arc<CertifiedKey>, ReadCertificate> {
        let refused = |name, what| {
            let path = folder.join(name);
            move |source| ReadCertificate::Pem { path, what, source }
        };
        let chain = CertificateDer::pem_slice_iter(&self.certificate);
        let chain: Vec<_> = chain
            .collect::<Result<_, _>>()
            .map_err(refused("tls.crt", "certificate"))?;
        if chain.is_empty() {
            return Err(refused("tls.crt", "certificate")(pem::Error::NoItemsFound));
        }
        let key = PrivateKeyDer::from_pem_slice(&self.key);
        let key = key.map_err(refused("tls.key", "private key"))?;
        let certified = CertifiedKey::from_der(chain, key, &ring::default_provider());
        let certified =
            certified.map_err(|error| ReadCertificate::Key(folder.to_owned(), error))?;
        Ok(Arc::new(certified))
    }
}

#[cfg(test)]
mod tests {
    use portolan_kit::{Authority, TempFolder};

    use super::*;

    /// Advances the time so that the task checks the folder once.
    async fn look() {
        tokio::time::sleep(LOOK).await;
        tokio::task::yield_now().await;
    }

    #[tokio::test(start_paused = true)]
    async fn next_certificate_is_served_and_a_broken_certificate_is_ignored() {
        let authority = Authority::default();
        let folder = TempFolder::empty();
        let first = authority.vouch("one.example");
        first.write(&folder);
        let pair = Pair::read(&folder).expect("a pair");
        let certified = pair.certified(&folder).expect("a certificate");
        let current = Arc::new(Current::default());
        current.set(certified.clone());
        let served = || {
            let served = current.0.read().expect("a lock");
            served.as_ref().expect("a certificate").cert.clone()
        };
        let path = folder.to_path_buf();
        let _follower = tokio::spawn(follow(path, pair, current.clone()));
        look().await;
        assert_eq!(served(), certified.cert);

        let second = authority.vouch("two.example");
        second.write(&folder);
        look().await;
        let pair = Pair::read(&folder).expect("a pair");
        let next = pair.certified(&folder).expect("a certificate");
        assert_ne!(next.cert, certified.cert);
        assert_eq!(served(), next.cert);

        // Only one file of the new pair is written.
        fs::write(folder.join("tls.crt"), &first.certificate).expect("a file");
        look().await;
        assert_eq!(served(), next.cert);
        fs::remove_file(folder.join("tls.key")).expect("a file");
        look().await;
        assert_eq!(served(), next.cert);
        first.write(&folder);
        look().await;
        assert_eq!(served(), certified.cert);
    }

    #[test]
    fn invalid_certificate_pair_error_names_the_problem() {
        let folder = TempFolder::empty();
        let said = || {
            let read = Pair::read(&folder).and_then(|pair| pair.certified(&folder));
            let refused = read.map(drop).expect_err("a refusal").to_string();
            refused.replace(&folder.display().to_string(), "DIR")
        };
        let authority = Authority::default();
        assert_eq!(
            said(),
            "cannot read DIR/tls.crt; a Secret of type kubernetes.io/tls has tls.crt and tls.key"
        );
        let pair = authority.vouch("one.example");
        pair.write(&folder);
        let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
        put("tls.crt", "nothing");
        assert_eq!(said(), "DIR/tls.crt contains no certificate in PEM format");
        pair.write(&folder);
        put("tls.key", "nothing");
        assert_eq!(said(), "DIR/tls.key contains no private key in PEM format");
        pair.write(&folder);
        put("tls.key", &authority.vouch("two.example").key);
        assert_eq!(said(), "the key in DIR does not belong to its certificate");
    }
}
