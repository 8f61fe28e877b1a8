//! Writes an image as an OCI layout in a tar archive.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::tar::{self, Entry};
use super::{Image, KIND, descriptor};
use crate::failure::Failure;

impl Image {
    /// Returns an archive with the image under this name. `docker load`, `podman load`, `skopeo`
    /// and `ctr images import` can read it.
    pub fn archive(&self, name: &str) -> Vec<u8> {
        let manifest = descriptor(&format!("{KIND}.manifest.v1+json"), &self.manifest);
        let manifest = named(manifest, name);
        // Docker can read the OCI layout only if it uses the containerd image store. So the archive
        // also contains a manifest in the format of Docker.
        let docker = json!([self.docker(name)]);
        layout(manifest, Some(docker), self.contents())
    }

    /// Returns the manifest and the blobs, by their digests.
    pub(super) fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        let mut contents = self.blobs.clone();
        contents.insert(self.digest(), self.manifest.clone());
        contents
    }

    /// Returns a manifest of the image in the format of Docker. It refers to the same blobs.
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

/// Returns the descriptor of an image with an annotation that contains the name of the image.
pub(super) fn named(mut descriptor: Value, name: &str) -> Value {
    let tag = name.rsplit_once(':').map_or("latest", |(_, tag)| tag);
    descriptor["annotations"] = json!({
        "io.containerd.image.name": name,
        "org.opencontainers.image.ref.name": tag,
    });
    descriptor
}

/// Returns the tar archive of an OCI layout with this index entry and these blobs.
pub(super) fn layout(
    entry: Value,
    docker: Option<Value>,
    blobs: BTreeMap<String, Vec<u8>>,
) -> Vec<u8> {
    let index = json!({
        "schemaVersion": 2,
        "mediaType": format!("{KIND}.index.v1+json"),
        "manifests": [entry],
    });
    let layout = json!({"imageLayoutVersion": "1.0.0"});
    let files = [
        ("oci-layout", Some(layout)),
        ("index.json", Some(index)),
        ("manifest.json", docker),
    ];
    let files = files
        .into_iter()
        .filter_map(|(name, text)| Some(Entry::file(name, 0o644, text?.to_string().into())));
    let blobs = blobs.into_iter().map(|(digest, blob)| {
        Entry::file(&format!("blobs/{}", digest.replace(':', "/")), 0o644, blob)
    });
    tar::archive(&files.chain(blobs).collect::<Vec<_>>())
}
