//! TLS for clients: verifies the server and authenticates the caller.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderValue;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::failure::{Insecure, TransportFailure};
use crate::tls::PROTOCOL;

/// The age at which a token is read again from its file. Kubernetes replaces the token in the file
/// long before the token expires.
const FRESH: Duration = Duration::from_secs(10);

/// The settings that make connections to one service secure.
#[derive(Debug)]
pub(super) struct Secure {
    /// The name that the certificate of each replica must contain.
    pub(super) name: ServerName<'static>,
    /// The file with the trusted certificate authorities. The file is read again for each
    /// connection.
    pub(super) ca: PathBuf,
    pub(super) token: Option<Token>,
}

/// A token in a file whose content may change, such as the token of a ServiceAccount.
#[derive(Debug)]
pub(super) struct Token {
    path: PathBuf,
    kept: Mutex<Option<(Instant, HeaderValue)>>,
}

// === impl Secure ===

impl Secure {
    /// Performs the TLS handshake and verifies the server.
    pub(super) async fn connect(
        &self,
        address: SocketAddr,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, TransportFailure> {
        let unread = |path: &Path| {
            let path = path.to_owned();
            |error: io::Error| {
                TransportFailure::Insecure(Insecure::Read {
                    path,
                    why: error.to_string(),
                })
            }
        };
        if let Some(token) = &self.token {
            token.renew().map_err(unread(&token.path))?;
        }
        let config = config(&self.ca).map_err(unread(&self.ca))?;
        let connector = TlsConnector::from(Arc::new(config));
        let connected = connector.connect(self.name.clone(), stream).await;
        let disagreed = |why: String| TransportFailure::Insecure(Insecure::Agree { address, why });
        let stream = connected.map_err(|error| disagreed(error.to_string()))?;
        match stream.get_ref().1.alpn_protocol() {
            Some(PROTOCOL) => Ok(stream),
            _ => Err(disagreed("it does not support HTTP/2".to_owned())),
        }
    }

    /// Returns the value of the `authorization` header. Returns None if there is no token.
    pub(super) fn bearer(&self) -> Option<HeaderValue> {
        self.token.as_ref()?.header()
    }
}

fn config(ca: &Path) -> io::Result<ClientConfig> {
    let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    let text = fs::read(ca)?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(io::Error::other)?;
        roots.add(certificate).map_err(invalid)?;
    }
    if roots.is_empty() {
        let why = "it contains no certificate in PEM format";
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(invalid)?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(config)
}

// === impl Token ===

impl Token {
    pub(super) fn at(path: PathBuf) -> Self {
        Self {
            path,
            kept: Mutex::new(None),
        }
    }

    fn read(&self) -> io::Result<HeaderValue> {
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, "it has no token");
        let text = fs::read_to_string(&self.path)?;
        let token = text.trim();
        if token.is_empty() {
            return Err(invalid());
        }
        let mut value = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| invalid())?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// Reads the token from the file again.
    fn renew(&self) -> io::Result<()> {
        let value = self.read()?;
        *self.kept() = Some((Instant::now(), value));
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Option<(Instant, HeaderValue)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the header value with the token. If the file cannot be read, uses the token that was
    /// read last.
    fn header(&self) -> Option<HeaderValue> {
        let mut kept = self.kept();
        let (read, value) = kept.as_mut()?;
        if read.elapsed() >= FRESH {
            *read = Instant::now();
            match self.read() {
                Ok(next) => *value = next,
                Err(error) => {
                    let path = self.path.display();
                    tracing::warn!(%error, %path, "the token cannot be read again");
                }
            }
        }
        Some(value.clone())
    }
}

#[cfg(test)]
mod tests {
    use portolan_kit::TempFolder;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn token_is_read_again_and_kept_while_its_file_is_missing() {
        let folder = TempFolder::empty();
        let path = folder.join("token");
        fs::write(&path, "one\n").expect("a file");
        let token = Token::at(path.clone());
        let shown = || {
            token
                .header()
                .map(|value| value.to_str().unwrap_or("?").to_owned())
        };
        assert_eq!(shown(), None, "a connection reads it first");
        token.renew().expect("a token");
        assert_eq!(shown().as_deref(), Some("Bearer one"));
        fs::write(&path, "two\n").expect("a file");
        assert_eq!(shown().as_deref(), Some("Bearer one"));
        tokio::time::advance(FRESH).await;
        assert_eq!(shown().as_deref(), Some("Bearer two"));
        fs::write(&path, " \n").expect("a file");
        assert!(token.renew().is_err(), "nothing is no token");
        fs::remove_file(&path).expect("a file");
        tokio::time::advance(FRESH).await;
        assert_eq!(shown().as_deref(), Some("Bearer two"));
    }

    #[test]
    fn authorities_are_certificates_in_pem() {
        let folder = TempFolder::empty();
        let path = folder.join("ca.crt");
        assert!(config(&path).is_err(), "there is no file");
        fs::write(&path, "nothing").expect("a file");
        let why = config(&path).map(drop).map_err(|error| error.to_string());
        assert_eq!(
            why,
            Err("it contains no certificate in PEM format".to_owned())
        );
    }
}
