//! An image for several architectures.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::archive::{layout, named};
use super::{Image, KIND, descriptor};

/// The images of one program, by architecture.
#[derive(Clone, Debug)]
pub struct ImageIndex {
    images: Vec<(String, Image)>,
}

impl ImageIndex {
    /// Creates the index of these images.
    pub fn of(images: Vec<(String, Image)>) -> Self {
        Self { images }
    }

    /// Returns the media type of an index.
    pub(super) fn kind() -> String {
        format!("{KIND}.index.v1+json")
    }

    /// Returns the manifest of the index, which refers to the image for each architecture.
    pub(crate) fn manifest(&self) -> Vec<u8> {
        let image = |(architecture, image): &(String, Image)| -> Value {
            let kind = format!("{KIND}.manifest.v1+json");
            let mut manifest = descriptor(&kind, &image.manifest);
            manifest["platform"] = json!({"os": "linux", "architecture": architecture});
            manifest
        };
        let images: Vec<_> = self.images.iter().map(image).collect();
        let index = json!({"schemaVersion": 2, "mediaType": Self::kind(), "manifests": images});
        index.to_string().into_bytes()
    }

    /// Returns an archive with all images. `skopeo`, `podman load` and `ctr images import` can read
    /// it.
    pub fn archive(&self, name: &str) -> Vec<u8> {
        let own = self.manifest();
        let entry = named(descriptor(&Self::kind(), &own), name);
        let mut blobs = BTreeMap::from([(super::digest(&own), own)]);
        blobs.extend(self.images.iter().flat_map(|(_, image)| image.contents()));
        layout(entry, None, blobs)
    }

    pub(super) fn images(&self) -> impl Iterator<Item = &Image> {
        self.images.iter().map(|(_, image)| image)
    }
}
