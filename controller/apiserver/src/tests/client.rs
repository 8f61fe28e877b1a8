//! An HTTP/1.1 client over TLS. It can send any bytes, including invalid requests.

use std::net::SocketAddr;
use std::sync::Arc;

use portolan_kit::Vouched;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A connection to the server.
pub(super) struct Client {
    pub(super) stream: TlsStream<TcpStream>,
    read: Vec<u8>,
}

/// A response of the server.
#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) code: u16,
    pub(super) head: String,
    pub(super) body: String,
}

// === impl Client ===

impl Client {
    /// Connects to the server. If `shown` is not None, sends this client certificate.
    pub(super) async fn of(address: SocketAddr, root: &str, shown: Option<&Vouched>) -> Self {
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from_pem_slice(root.as_bytes()).expect("a certificate");
        roots.add(root).expect("a root");
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots);
        let config = match shown {
            None => config.with_no_client_auth(),
            Some(Vouched { certificate, key }) => {
                let chain = CertificateDer::from_pem_slice(certificate.as_bytes());
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key");
                let chain = vec![chain.expect("a certificate")];
                config.with_client_auth_cert(chain, key).expect("a pair")
            }
        };
        let stream = TcpStream::connect(address).await.expect("a connection");
        let name = ServerName::try_from("localhost").expect("a name");
        let connector = TlsConnector::from(Arc::new(config));
        let stream = connector.connect(name, stream).await;
        Self {
            stream: stream.expect("an agreement"),
            read: Vec::new(),
        }
    }

    /// Sends a request with these headers and the Host header. Returns the response.
    pub(super) async fn asks(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
    ) -> HttpResponse {
        self.sends(method, target, headers).await;
        self.response().await
    }

    pub(super) async fn sends(&mut self, method: &str, target: &str, headers: &[(&str, &str)]) {
        let headers = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"));
        let headers: String = headers.collect();
        let request = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
        let sent = self.stream.write_all(request.as_bytes()).await;
        sent.expect("a request");
    }

    /// Reads the next response.
    pub(super) async fn response(&mut self) -> HttpResponse {
        let head = self.head().await;
        let is_chunked = head.contains("transfer-encoding: chunked");
        let length = head.lines().find_map(|line| {
            let length = line.strip_prefix("content-length: ")?;
            length.parse::<usize>().ok()
        });
        let body = if is_chunked {
            let mut body = String::new();
            while let Some(chunk) = self.chunk().await {
                body.push_str(&chunk);
            }
            body
        } else {
            self.text(length.unwrap_or_default()).await
        };
        HttpResponse {
            code: code(&head),
            head,
            body,
        }
    }

    /// Reads the head of the next response, but not its body.
    pub(super) async fn head(&mut self) -> String {
        loop {
            let end = self.read.windows(4).position(|four| four == b"\r\n\r\n");
            if let Some(end) = end {
                let head: Vec<_> = self.read.drain(..end + 4).collect();
                return String::from_utf8(head).expect("text");
            }
            self.more().await;
        }
    }

    /// Reads the next chunk of a chunked response. Returns None after the last chunk.
    pub(super) async fn chunk(&mut self) -> Option<String> {
        let size = loop {
            let end = self.read.windows(2).position(|two| two == b"\r\n");
            if let Some(end) = end {
                let line: Vec<_> = self.read.drain(..end + 2).collect();
                let line = String::from_utf8(line).expect("text");
                break usize::from_str_radix(line.trim(), 16).expect("a size");
            }
            self.more().await;
        };
        let text = self.text(size + 2).await;
        (size > 0).then(|| text[..size].to_owned())
    }

    async fn text(&mut self, length: usize) -> String {
        while self.read.len() < length {
            self.more().await;
        }
        let text: Vec<_> = self.read.drain(..length).collect();
        String::from_utf8(text).expect("text")
    }

    async fn more(&mut self) {
        let read = self.stream.read_buf(&mut self.read).await;
        assert_ne!(read.expect("more"), 0, "the server hangs up");
    }
}

pub(super) fn code(head: &str) -> u16 {
    let code = head.split(' ').nth(1).expect("a code");
    code.parse().expect("a code")
}

// === impl HttpResponse ===

impl HttpResponse {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}
