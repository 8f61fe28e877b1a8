//! The OCI layout of an image, as one tar archive.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::tar::{self, Entry};
use super::{Image, KIND, descriptor};
use crate::failure::Failure;

impl Image {
    /// Returns the archive of the image, which `docker load`, `podman load`, `skopeo` and
    /// `ctr images import` read. The image has this name there.
    pub fn archive(&self, name: &str) -> Vec<u8> {
        let mut manifest = descriptor(&format!("{KIND}.manifest.v1+json"), &self.manifest);
        let tag = name.rsplit_once(':').map_or("latest", |(_, tag)| tag);
        manifest["annotations"] = json!({
            "io.containerd.image.name": name,
            "org.opencontainers.image.ref.name": tag,
        });
        let index = json!({
            "schemaVersion": 2,
            "mediaType": format!("{KIND}.index.v1+json"),
            "manifests": [manifest],
        });
        let layout = json!({"imageLayoutVersion": "1.0.0"});
        let docker = json!([self.docker(name)]);
        let own = (self.digest(), self.manifest.clone());
        let blobs = self.blobs.clone().into_iter().chain([own]);
        let blobs = blobs.map(|(digest, blob)| {
            Entry::file(&format!("blobs/{}", digest.replace(':', "/")), 0o644, blob)
        });
        // The last one is for Docker, which reads no OCI layout without its own store of images.
        let files = [
            ("oci-layout", layout),
            ("index.json", index),
            ("manifest.json", docker),
        ];
        let files = files.map(|(name, text)| Entry::file(name, 0o644, text.to_string().into()));
        tar::archive(&files.into_iter().chain(blobs).collect::<Vec<_>>())
    }

    /// The description of the image in the format of Docker, with the same blobs.
    fn docker(&self, name: &str) -> Value {
        let manifest: Value = serde_json::from_slice(&self.manifest).unwrap_or_default();
        let path = |descriptor: &Value| {
            let digest = descriptor["digest"].as_str().unwrap_or_default();
            format!("blobs/{}", digest.replace(':', "/"))
        };
        let layers = manifest["layers"].as_array().into_iter().flatten();
        json!({
            "Config": path(&manifest["config"]),
            "RepoTags": [name],
            "Layers": layers.map(path).collect::<Vec<_>>(),
        })
    }

    /// Writes the archive of the image to a file.
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, name: &str, file: &Path) -> Result<(), Failure> {
        let act = format!("write {}", file.display());
        fs::write(file, self.archive(name)).map_err(Failure::touch(act))
    }
}
