use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::{Authority, Vouched};

/// A CA and the certificates that it has issued, all as PEM.
struct Keys {
    authority: String,
    server: (String, String),
    client: (String, String),
}

fn keys() -> Keys {
    let authority = Authority::default();
    let signed = |name: &str| {
        let Vouched { certificate, key } = authority.vouch(name);
        (certificate, key)
    };
    Keys {
        authority: authority.pem().to_owned(),
        server: signed("127.0.0.1"),
        client: signed("client"),
    }
}

/// Returns an upstream that requires client certificates.
async fn guarded(keys: &Keys) -> Origin {
    let origin = Origin::start().await;
    let provider = Arc::new(ring::default_provider());
    let certificate = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate(&keys.authority)).unwrap();
    let clients = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
    let (chain, key) = &keys.server;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(clients.build().unwrap())
        .with_single_cert(
            vec![certificate(chain)],
            PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
        )
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let serving = Origin {
        address: listener.local_addr().unwrap(),
        ..origin
    };
    let origin = serving.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // Clients without a certificate fail the handshake, and are ignored.
            if let Ok(stream) = acceptor.accept(stream).await {
                tokio::spawn(serving.clone().serve(stream));
            }
        }
    });
    origin
}

#[rstest]
#[case::http1(Version::HTTP_11)]
#[case::http2(Version::HTTP_2)]
#[tokio::test]
async fn client_certificate_opens_the_upstream(#[case] version: Version) {
    let keys = keys();
    let origin = guarded(&keys).await;
    let url = format!("https://{}", origin.address);
    let (certificate, key) = &keys.client;
    let upstream = Upstream::tls(&url, &keys.authority, Some((certificate, key)));
    let proxy = Proxy::before(upstream).await;
    let answer = Caller::of(&proxy, version).call("GET /a").await.unwrap();
    assert_same!(answer, (200, format!("{version:?} GET /a")));

    let stranger = Proxy::before(Upstream::tls(&url, &keys.authority, None)).await;
    let refused = Caller::of(&stranger, version).call("GET /b").await;
    refused.expect_err("a caller without a certificate must be refused");
    assert_same!(origin.hits(), vec!["GET /a"]);
}
