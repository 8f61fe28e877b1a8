//! The server behind the proxy, and the connections to it.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use http::uri::PathAndQuery;
use http::{HeaderValue, Request, Response, Uri, Version, header};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio_rustls::TlsConnector;

use super::gate::{Gate, Gated};

pub(super) type Failure = Box<dyn Error + Send + Sync>;

/// The server to which the proxy forwards requests. A socket address or `http://host:port` means
/// that the proxy uses no TLS.
#[derive(Debug, Clone)]
pub struct Upstream {
    authority: String,
    tls: Option<Arc<ClientConfig>>,
    /// The token that the proxy sends for all clients, as an authenticating proxy does.
    bearer: Option<HeaderValue>,
}

/// The connections to the upstream for one client connection. They are opened when they are needed.
/// If a client connection breaks, only its own upstream connections are closed.
#[derive(Debug, Default)]
pub(super) struct Line {
    http1: Mutex<Option<http1::SendRequest<Incoming>>>,
    http2: Mutex<Option<http2::SendRequest<Incoming>>>,
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

impl Upstream {
    /// Creates the upstream `https://host:port` from the PEM values of a kubeconfig: the CA, and
    /// the certificate and key of the client. Without an `identity`, the proxy forwards the token
    /// of each client.
    ///
    /// # Panics
    /// Panics if the PEM is invalid, or the key does not match the certificate.
    pub fn tls(url: &str, authority: &str, identity: Option<(&str, &str)>) -> Self {
        let mut roots = RootCertStore::empty();
        for root in certificates(authority) {
            roots
                .add(root)
                .expect("an authority must be fit to be trusted");
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring must know the default versions of TLS")
            .with_root_certificates(roots);
        let config = match identity {
            Some((chain, key)) => {
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes());
                let key = key.expect("a client key must be PEM");
                let config = config.with_client_auth_cert(certificates(chain), key);
                config.expect("a client key must be that of its certificate")
            }
            None => config.with_no_client_auth(),
        };
        Self {
            tls: Some(Arc::new(config)),
            ..Self::from(url)
        }
    }

    /// Sets the token for all requests, as an authenticating proxy does. The token replaces the
    /// token of the client. The host header of the client is not changed.
    ///
    /// # Panics
    /// Panics if the token is not a valid header value.
    pub fn as_bearer(self, token: &str) -> Self {
        let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
        Self {
            bearer: Some(bearer.expect("a token must be text")),
            ..self
        }
    }

    async fn connect(
        &self,
        protocol: &[u8],
        gate: &Arc<Gate>,
    ) -> Result<TokioIo<Box<dyn Stream>>, Failure> {
        let stream = TcpStream::connect(&self.authority).await?;
        stream.set_nodelay(true)?;
        let stream = Gated::new(stream, gate.clone());
        let Some(config) = &self.tls else {
            return Ok(TokioIo::new(Box::new(stream)));
        };
        let mut config = ClientConfig::clone(config);
        config.alpn_protocols = vec![protocol.to_vec()];
        let host = self
            .authority
            .rsplit_once(':')
            .map_or(self.authority.as_str(), |(host, _)| host);
        let name = ServerName::try_from(host.to_string())?;
        let stream = TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await?;
        Ok(TokioIo::new(Box::new(stream)))
    }

    /// Changes the address and the headers of the request to those that this upstream expects.
    fn address<B>(&self, request: &mut Request<B>) -> Result<(), Failure> {
        let target = request.uri().path_and_query().cloned();
        let target = target.unwrap_or_else(|| PathAndQuery::from_static("/"));
        if let Some(bearer) = &self.bearer {
            let headers = request.headers_mut();
            headers.insert(header::AUTHORIZATION, bearer.clone());
        }
        if request.version() == Version::HTTP_2 {
            let scheme = if self.tls.is_some() { "https" } else { "http" };
            let authority = self.authority.as_str();
            let uri = Uri::builder()
                .scheme(scheme)
                .authority(authority)
                .path_and_query(target);
            *request.uri_mut() = uri.build()?;
        } else {
            *request.uri_mut() = target.into();
            if self.bearer.is_none() {
                let host = HeaderValue::from_str(&self.authority)?;
                request.headers_mut().insert(header::HOST, host);
            }
        }
        Ok(())
    }
}

impl From<SocketAddr> for Upstream {
    fn from(address: SocketAddr) -> Self {
        Self {
            authority: address.to_string(),
            tls: None,
            bearer: None,
        }
    }
}

impl From<&str> for Upstream {
    fn from(url: &str) -> Self {
        let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
        Self {
            authority: authority.trim_end_matches('/').into(),
            tls: None,
            bearer: None,
        }
    }
}

impl Line {
    /// Sends a request with the HTTP version of the request.
    pub(super) async fn send(
        &self,
        upstream: &Upstream,
        gate: &Arc<Gate>,
        mut request: Request<Incoming>,
    ) -> Result<Response<Incoming>, Failure> {
        upstream.address(&mut request)?;
        match request.version() {
            Version::HTTP_2 => Ok(self
                .http2(upstream, gate)
                .await?
                .send_request(request)
                .await?),
            _ => {
                let mut line = self.http1.lock().await;
                let mut sender = match line.take() {
                    Some(sender) if !sender.is_closed() => sender,
                    _ => connect_http1(upstream, gate).await?,
                };
                sender.ready().await?;
                let answer = sender.send_request(request).await?;
                *line = Some(sender);
                Ok(answer)
            }
        }
    }

    async fn http2(
        &self,
        upstream: &Upstream,
        gate: &Arc<Gate>,
    ) -> Result<http2::SendRequest<Incoming>, Failure> {
        let mut line = self.http2.lock().await;
        if let Some(sender) = line.as_ref().filter(|sender| !sender.is_closed()) {
            return Ok(sender.clone());
        }
        let stream = upstream.connect(b"h2", gate).await?;
        let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await?;
        tokio::spawn(connection);
        Ok(line.insert(sender).clone())
    }
}

async fn connect_http1(
    upstream: &Upstream,
    gate: &Arc<Gate>,
) -> Result<http1::SendRequest<Incoming>, Failure> {
    let stream = upstream.connect(b"http/1.1", gate).await?;
    let (sender, connection) = http1::handshake(stream).await?;
    // The task ends when the sender is dropped. A caller that waits for a response gets the error.
    tokio::spawn(connection);
    Ok(sender)
}

fn certificates(pem: &str) -> Vec<CertificateDer<'static>> {
    let chain = CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<Vec<_>, _>>();
    chain.expect("certificates must be PEM")
}
