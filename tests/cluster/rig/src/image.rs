//! Builds images without a container runtime, from programs that cargo or Go has built. The same
//! input gives the same bytes.
//!
//! An image contains the program, the certificates of public authorities, and a user without
//! privileges. If a program is not static, the image also contains its libraries, see
//! [`Program::with_libraries`].

mod archive;
mod index;
mod program;
mod push;
pub(crate) mod tar;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub use self::index::ImageIndex;
pub use self::program::Program;
pub(crate) use self::program::scratch;
pub use self::tar::Entry;

/// The user ID of containers. It is the user `nonroot` of distroless images.
pub const USER: u32 = 65532;
/// The path of the certificates of public authorities, in images and on most machines.
pub const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

const KIND: &str = "application/vnd.oci.image";

/// The program that a container of the image runs, and its environment.
#[derive(Clone, Debug)]
pub struct Start {
    /// The path of the program in the image. Empty if the image contains only files.
    pub program: String,
    pub env: Vec<(String, String)>,
    pub labels: Vec<(String, String)>,
    /// The architecture of the program, with its name in Go. The default is amd64.
    pub architecture: String,
}

impl Default for Start {
    fn default() -> Self {
        Self {
            program: String::new(),
            env: Vec::new(),
            labels: Vec::new(),
            architecture: "amd64".to_owned(),
        }
    }
}

/// An image: its manifest, and its blobs by their digests.
#[derive(Clone, Debug)]
pub struct Image {
    manifest: Vec<u8>,
    blobs: BTreeMap<String, Vec<u8>>,
}

impl Image {
    /// Creates an image. Each layer contains files. The lowest layer comes first.
    pub fn of(layers: &[Vec<Entry>], start: &Start) -> Self {
        let layers: Vec<Vec<u8>> = layers.iter().map(|entries| tar::archive(entries)).collect();
        let config = config(&layers, start).to_string().into_bytes();
        let config = (format!("{KIND}.config.v1+json"), config);
        let kind = format!("{KIND}.layer.v1.tar");
        Self::with(
            config,
            layers.into_iter().map(|layer| (kind.clone(), layer)),
        )
    }

    /// Creates an OCI artifact that is not an image. It consists of a configuration and a content,
    /// each with its media type.
    pub fn artifact(config: (&str, Vec<u8>), content: (&str, Vec<u8>)) -> Self {
        let owned = |(kind, blob): (&str, Vec<u8>)| (kind.to_owned(), blob);
        Self::with(owned(config), [owned(content)])
    }

    fn with(
        config: (String, Vec<u8>),
        layers: impl IntoIterator<Item = (String, Vec<u8>)>,
    ) -> Self {
        let layers: Vec<_> = layers.into_iter().collect();
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": format!("{KIND}.manifest.v1+json"),
            "config": descriptor(&config.0, &config.1),
            "layers": layers
                .iter()
                .map(|(kind, layer)| descriptor(kind, layer))
                .collect::<Vec<_>>(),
        });
        let blobs = layers.into_iter().chain([config]);
        Self {
            manifest: manifest.to_string().into_bytes(),
            blobs: blobs.map(|(_, blob)| (digest(&blob), blob)).collect(),
        }
    }

    /// Returns the digest of the manifest, such as `sha256:…`.
    pub fn digest(&self) -> String {
        digest(&self.manifest)
    }
}

/// Returns the configuration of the image. It contains no date, so that two builds produce the same
/// image.
fn config(layers: &[Vec<u8>], start: &Start) -> Value {
    let env = start.env.iter();
    let env: Vec<_> = env.map(|(name, value)| format!("{name}={value}")).collect();
    let labels: BTreeMap<_, _> = start.labels.iter().cloned().collect();
    let mut config = json!({"User": format!("{USER}:{USER}"), "Env": env, "Labels": labels});
    if !start.program.is_empty() {
        config["Entrypoint"] = json!([start.program]);
    }
    json!({
        "architecture": start.architecture,
        "os": "linux",
        "config": config,
        "rootfs": {
            "type": "layers",
            "diff_ids": layers.iter().map(|layer| digest(layer)).collect::<Vec<_>>(),
        },
    })
}

fn descriptor(kind: &str, bytes: &[u8]) -> Value {
    json!({"mediaType": kind, "digest": digest(bytes), "size": bytes.len()})
}

fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let digits: Vec<_> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{}", digits.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str) -> Image {
        let layer = vec![Entry::file("etc/motd", 0o644, text.as_bytes().to_vec())];
        let start = Start {
            program: "/ferry".to_owned(),
            env: vec![("MODE".to_owned(), "calm".to_owned())],
            labels: vec![
                ("b".to_owned(), "2".to_owned()),
                ("a".to_owned(), "1".to_owned()),
            ],
            ..Start::default()
        };
        Image::of(&[layer], &start)
    }

    #[test]
    fn same_content_gives_the_same_digest() {
        assert_eq!(image("calm").digest(), image("calm").digest());
        assert_ne!(image("calm").digest(), image("rough").digest());
    }

    #[test]
    fn container_runs_the_program_as_a_user_without_privileges() {
        let image = image("calm");
        let configs = image.blobs.values();
        let mut configs = configs.filter_map(|blob| serde_json::from_slice::<Value>(blob).ok());
        let config = configs.next().expect("an image has a configuration");
        assert_eq!(config["config"]["User"], "65532:65532");
        assert_eq!(config["config"]["Entrypoint"], json!(["/ferry"]));
        assert_eq!(config["config"]["Env"], json!(["MODE=calm"]));
        assert_eq!(config.get("created"), None);
    }
}
