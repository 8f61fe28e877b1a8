//! Builds images, serves them from a registry that can fail, and pushes them to real registries.
//!
//! ```no_run
//! use portolan_kit::oci::{Image, Registry, Trouble};
//!
//! # async fn example() {
//! let image = Image::of(&[&[("manifests/a.yaml", "kind: ConfigMap")]]);
//! let registry = Registry::start().await;
//! registry.serve("ferry/bundle", "v1", &image);
//! registry.make(2, "/blobs/", Trouble::Cut(10));
//! println!("{} was asked {:?}", registry.host(), registry.asked());
//! # }
//! ```

mod answer;
mod push;
mod token;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

pub use self::push::push;
pub use self::token::token;
use crate::catalogd::identity::identity;
use crate::listening::{Stream, listen};

/// An image: its manifest and its blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub manifest: Vec<u8>,
    /// The blobs, including the config, by their digest.
    pub blobs: BTreeMap<String, Vec<u8>>,
    /// The manifests of the images in an index. Empty for a single image.
    pub members: Vec<Vec<u8>>,
}

/// A running registry. Dropping this value stops the registry and closes all connections.
#[derive(Debug)]
pub struct Registry {
    address: SocketAddr,
    authority: String,
    served: Arc<Mutex<Served>>,
    listening: JoinHandle<Infallible>,
}

/// A failure with which the registry responds instead of the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// Responds with a status and these headers.
    Status(u16, Vec<(&'static str, String)>),
    /// Responds with status 200 and these bytes.
    Bytes(Vec<u8>),
    /// Accepts the request and never responds.
    Silence,
    /// Closes the connection after this number of bytes of the body.
    Cut(usize),
    /// Sends no more data after this number of bytes of the body, and keeps the connection open.
    Stall(usize),
    /// Responds to a range request with the complete content.
    Whole,
}

/// The authentication that the registry requires from clients.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Door {
    #[default]
    Open,
    /// Basic authentication. Contains the only accepted value of the header `Authorization`.
    Basic(String),
    /// Bearer authentication. Contains the only accepted token, and the URL of the token server.
    Token { token: String, realm: String },
}

/// A received request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub path: String,
    pub authorization: Option<String>,
    pub range: Option<String>,
    pub status: u16,
}

/// The content that the registry serves, and the requests that it received.
#[derive(Debug, Default)]
struct Served {
    /// The content, by its path below `/v2/`.
    content: BTreeMap<String, Vec<u8>>,
    troubles: Vec<(usize, String, Trouble)>,
    door: Door,
    /// The tokens that the token server issues, by the header `Authorization` of the request.
    tokens: BTreeMap<Option<String>, String>,
    asked: Vec<Asked>,
}

/// Returns the digest of the bytes.
pub fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let digits: Vec<_> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{}", digits.concat())
}

/// Returns a layer with these files, as a compressed tar archive.
pub fn layer(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zipped = GzEncoder::new(Vec::new(), Compression::default());
    for (path, text) in files {
        let padding = vec![0; text.len().next_multiple_of(512) - text.len()];
        for part in [&header(path, text.len()), text.as_bytes(), &padding] {
            zipped.write_all(part).expect("memory takes any bytes");
        }
    }
    zipped
        .write_all(&[0; 1024])
        .expect("memory takes any bytes");
    zipped.finish().expect("memory takes any bytes")
}

fn header(path: &str, length: usize) -> Vec<u8> {
    let mut header = vec![0; 512];
    let length = format!("{length:011o}\0");
    let fields = [
        (0, path),
        (100, "0000644\0"),
        (124, &length),
        (148, "        "),
        (156, "0"),
        (257, "ustar"),
        (263, "00"),
    ];
    for (at, text) in fields {
        header[at..at + text.len()].copy_from_slice(text.as_bytes());
    }
    let sum: u32 = header.iter().copied().map(u32::from).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

// === impl Image ===

impl Image {
    /// Creates an image. Each layer contains files. The lowest layer comes first.
    pub fn of(layers: &[&[(&str, &str)]]) -> Self {
        let layers = layers.iter().map(|files| layer(files));
        Self::of_layers(layers.collect(), &json!({}))
    }

    /// Creates an image with these layers and labels. The layers are not changed.
    pub fn of_layers(layers: Vec<Vec<u8>>, labels: &Value) -> Self {
        let config = json!({"os": "linux", "architecture": "amd64", "config": {"Labels": labels}});
        let config = config.to_string().into_bytes();
        let kind = "application/vnd.oci.image";
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": format!("{kind}.manifest.v1+json"),
            "config": descriptor(&format!("{kind}.config.v1+json"), &config),
            "layers": layers
                .iter()
                .map(|layer| descriptor(&format!("{kind}.layer.v1.tar+gzip"), layer))
                .collect::<Vec<_>>(),
        });
        let blobs = layers.into_iter().chain([config]);
        Self {
            manifest: manifest.to_string().into_bytes(),
            blobs: blobs.map(|blob| (digest(&blob), blob)).collect(),
            members: Vec::new(),
        }
    }

    /// Converts the image to the format of Docker.
    #[must_use]
    pub fn docker(mut self) -> Self {
        let manifest = String::from_utf8_lossy(&self.manifest).into_owned();
        let kind = "application/vnd.docker";
        let manifest = manifest
            .replace(
                "application/vnd.oci.image.manifest.v1+json",
                &format!("{kind}.distribution.manifest.v2+json"),
            )
            .replace(
                "application/vnd.oci.image.config.v1+json",
                &format!("{kind}.container.image.v1+json"),
            )
            .replace(
                "application/vnd.oci.image.layer.v1.tar+gzip",
                &format!("{kind}.image.rootfs.diff.tar.gzip"),
            );
        self.manifest = manifest.into_bytes();
        self
    }

    /// Creates an index of images. Each image has a platform, such as `linux/amd64`.
    pub fn index(images: Vec<(&str, Self)>) -> Self {
        let kind = "application/vnd.oci.image.manifest.v1+json";
        let mut index = Self {
            manifest: Vec::new(),
            blobs: BTreeMap::new(),
            members: Vec::new(),
        };
        let mut members = Vec::new();
        for (platform, image) in images {
            let (os, architecture) = platform.split_once('/').unwrap_or((platform, ""));
            let mut member = descriptor(kind, &image.manifest);
            member["platform"] = json!({"os": os, "architecture": architecture});
            members.push(member);
            index.blobs.extend(image.blobs);
            index.members.push(image.manifest);
        }
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.index.v1+json",
            "manifests": members,
        });
        index.manifest = manifest.to_string().into_bytes();
        index
    }

    pub fn digest(&self) -> String {
        digest(&self.manifest)
    }
}

fn descriptor(kind: &str, bytes: &[u8]) -> Value {
    json!({"mediaType": kind, "digest": digest(bytes), "size": bytes.len()})
}

// === impl Registry ===

impl Registry {
    /// Listens on a free loopback port, without TLS.
    ///
    /// # Panics
    /// Panics if no port is free.
    pub async fn start() -> Self {
        Self::listen(None).await
    }

    /// Listens with TLS. The registry has its own CA.
    ///
    /// # Panics
    /// Panics if no port is free.
    pub async fn over_tls() -> Self {
        Self::listen(Some(identity())).await
    }

    async fn listen(tls: Option<(String, TlsAcceptor)>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.expect("a loopback port must be free");
        let address = listener.local_addr();
        let served = Arc::<Mutex<Served>>::default();
        let (authority, acceptor) = tls.unzip();
        Self {
            address: address.expect("a listener must have an address"),
            authority: authority.unwrap_or_default(),
            listening: tokio::spawn({
                let served = served.clone();
                listen(listener, acceptor, move |stream| {
                    attend(stream, served.clone())
                })
            }),
            served,
        }
    }

    /// Returns the host and port of the registry: `127.0.0.1:<port>`.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Returns the PEM certificate of the registry's CA. Empty if the registry uses no TLS.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Serves an image under this name and tag.
    pub fn serve(&self, repository: &str, tag: &str, image: &Image) {
        let mut served = self.served();
        let content = &mut served.content;
        content.insert(
            format!("{repository}/manifests/{tag}"),
            image.manifest.clone(),
        );
        for manifest in image.members.iter().chain([&image.manifest]) {
            let path = format!("{repository}/manifests/{}", digest(manifest));
            content.insert(path, manifest.clone());
        }
        for (digest, blob) in &image.blobs {
            content.insert(format!("{repository}/blobs/{digest}"), blob.clone());
        }
    }

    /// Fails the next `times` requests whose path contains `within`. If there are earlier failures,
    /// these are used first.
    pub fn make(&self, times: usize, within: &str, trouble: Trouble) {
        let mut served = self.served();
        served.troubles.push((times, within.to_owned(), trouble));
    }

    /// Requires authentication for each later request.
    pub fn close(&self, door: Door) {
        self.served().door = door;
    }

    /// Issues this token for requests to `/token` with this header `Authorization`.
    pub fn give(&self, token: &str, authorization: Option<&str>) {
        let mut served = self.served();
        let authorization = authorization.map(str::to_owned);
        served.tokens.insert(authorization, token.to_owned());
    }

    /// Returns the requests so far, in the order in which the registry responded.
    pub fn asked(&self) -> Vec<Asked> {
        self.served().asked.clone()
    }

    fn served(&self) -> MutexGuard<'_, Served> {
        locked(&self.served)
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

fn locked(served: &Mutex<Served>) -> MutexGuard<'_, Served> {
    served.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn attend(stream: Box<dyn Stream>, served: Arc<Mutex<Served>>) {
    let service = service_fn(move |request| {
        let answer = answer::answer(&request, &mut locked(&served));
        async move {
            match answer {
                Some(answer) => Ok::<_, Infallible>(answer),
                None => std::future::pending().await,
            }
        }
    });
    // Ignores an error: it means only that the client or the server closed the connection.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
