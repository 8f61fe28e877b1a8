//! Reads images from a folder in the OCI image layout. skopeo, oras and other tools write such
//! folders.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde::Deserialize;
use thiserror::Error;

use crate::digest::{OciDigest, ParseDigest};
use crate::manifest::{self, Descriptor, ImageManifest, LONGEST, Parts};
use crate::options::Options;
use crate::pull::{DEPTH, Image, LAYERS};
use crate::reference::Reference;

/// The name of the file that marks a folder as an OCI layout.
const MARK: &str = "oci-layout";
/// The annotations with the name of an image in a layout. The name is only a tag, or the full name.
const NAMES: [&str; 2] = [
    "org.opencontainers.image.ref.name",
    "io.containerd.image.name",
];

/// The maximum number of image names in the error for a request without an image name.
const NAMED: usize = 5;

/// A folder of images in the OCI image layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout(PathBuf);

/// The reason why an image of a layout cannot be read.
#[derive(Debug, Error)]
pub enum ReadLayout {
    #[error("cannot read {}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The content of a file does not match its digest, or contradicts another file.
    #[error("{} {flaw}", path.display())]
    Content { path: PathBuf, flaw: String },
}

#[derive(Debug, Deserialize)]
struct Index {
    #[serde(default)]
    manifests: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    digest: String,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

// === impl Entry ===

impl Entry {
    fn names(&self) -> impl Iterator<Item = &str> {
        let names = NAMES.iter().filter_map(|key| self.annotations.get(*key));
        names.map(String::as_str)
    }

    fn name(&self) -> Option<&str> {
        self.names().last()
    }

    fn is_called(&self, name: &str) -> bool {
        self.names().any(|other| other == name)
    }

    /// Returns the digest of an entry. `path` is the path of the index for errors.
    fn digest(&self, path: PathBuf) -> Result<OciDigest, ReadLayout> {
        let digest = self.digest.parse();
        digest.map_err(|error: ParseDigest| ReadLayout::Content {
            path,
            flaw: error.to_string(),
        })
    }
}

// === impl Layout ===

impl Layout {
    /// Opens a layout. Returns None if the folder is not a layout.
    pub fn at(folder: &Path) -> Option<Self> {
        let is_one = folder.join(MARK).is_file();
        is_one.then(|| Self(folder.to_owned()))
    }

    /// Opens a folder as a layout without checking if it is a layout.
    pub fn named(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Returns the layers of the image with this name. Without a name, the layout must contain a
    /// single image.
    ///
    /// # Errors
    /// Returns an error if the image is missing, ambiguous or invalid.
    pub fn layers(&self, name: Option<&str>) -> Result<Vec<Bytes>, ReadLayout> {
        let (path, entries) = self.entries()?;
        let is_meant = |entry: &&Entry| name.is_none_or(|name| entry.is_called(name));
        let meant: Vec<_> = entries.iter().filter(is_meant).collect();
        let [one] = meant.as_slice() else {
            let names = entries.iter().filter_map(Entry::name);
            let flaw = format!(
                "has {} images that match; append one of these names to the folder: {}",
                meant.len(),
                names.take(NAMED).collect::<Vec<_>>().join(", ")
            );
            return Err(ReadLayout::Content { path, flaw });
        };
        Ok(self.content(&one.digest(path)?)?.1)
    }

    /// Returns the image of a reference. Finds the image by its digest or by its full name. Returns
    /// None if the layout does not contain the image. All content is verified by its digest.
    ///
    /// # Errors
    /// Returns an error if the image is damaged.
    pub fn image(&self, reference: &Reference) -> Result<Option<Image>, ReadLayout> {
        let digest = match reference.digest() {
            Some(digest) => Some(digest.clone()),
            None => self.digest_of(&reference.to_string())?,
        };
        let Some(digest) = digest.filter(|digest| self.blob(digest).is_file()) else {
            return Ok(None);
        };
        let (labels, layers) = self.content(&digest)?;
        Ok(Some(Image {
            reference: reference.at(digest),
            labels,
            layers,
        }))
    }

    /// Returns the labels and the layers of an image.
    fn content(
        &self,
        digest: &OciDigest,
    ) -> Result<(BTreeMap<String, String>, Vec<Bytes>), ReadLayout> {
        let Parts { config, layers } = self.parts(digest)?;
        let Options { blob, image, .. } = Options::default();
        let sizes = || layers.iter().chain([&config]).map(|it| it.size);
        let is_too_much = layers.len() > LAYERS
            || sizes().any(|size| size > blob)
            || sizes().sum::<u64>() > image;
        if is_too_much {
            return Err(self.flawed(
                digest,
                "is an image that exceeds the limits for bytes or \
             layers",
            ));
        }
        let labels = manifest::labels(&self.read_sized(&config)?);
        let labels = labels.map_err(|flaw| self.flawed(&config.digest, flaw))?;
        let layers = layers.iter().map(|layer| self.read_sized(layer));
        Ok((labels, layers.collect::<Result<_, _>>()?))
    }

    /// Returns the digest of the manifest or index with this name. Returns None if there is no such
    /// name.
    fn digest_of(&self, name: &str) -> Result<Option<OciDigest>, ReadLayout> {
        let (path, entries) = self.entries()?;
        let found = entries.iter().find(|entry| entry.is_called(name));
        found.map(|entry| entry.digest(path)).transpose()
    }

    /// Returns the path of the layout's index, and its entries.
    fn entries(&self) -> Result<(PathBuf, Vec<Entry>), ReadLayout> {
        let path = self.0.join("index.json");
        let bytes = bounded(&path, LONGEST)?;
        match serde_json::from_slice::<Index>(&bytes) {
            Ok(index) => Ok((path, index.manifests)),
            Err(error) => Err(ReadLayout::Content {
                path,
                flaw: format!("is not an index of images: {error}"),
            }),
        }
    }

    /// Returns the descriptors of the blobs of an image. If the digest names an index, chooses the
    /// image for this machine.
    fn parts(&self, digest: &OciDigest) -> Result<Parts, ReadLayout> {
        let mut digest = digest.clone();
        for _ in 0..DEPTH {
            let parsed = manifest::parse(&self.read(&digest, LONGEST)?);
            let members = match parsed.map_err(|flaw| self.flawed(&digest, flaw))? {
                ImageManifest::Image(parts) => return Ok(parts),
                ImageManifest::Index(members) => members,
            };
            let member = manifest::choose(&members, manifest::architecture());
            let member = member.ok_or_else(|| self.flawed(&digest, "is an index without an image"));
            digest = member?.digest.clone();
        }
        Err(self.flawed(&digest, "is a nested index"))
    }

    fn read_sized(&self, blob: &Descriptor) -> Result<Bytes, ReadLayout> {
        self.read(&blob.digest, blob.size)
    }

    fn read(&self, digest: &OciDigest, most: u64) -> Result<Bytes, ReadLayout> {
        let bytes = bounded(&self.blob(digest), most)?;
        let found = digest.same_of(&bytes);
        if found == *digest {
            return Ok(bytes.into());
        }
        Err(self.flawed(digest, format!("has another digest: {found}")))
    }

    fn blob(&self, digest: &OciDigest) -> PathBuf {
        self.0
            .join("blobs")
            .join(digest.to_string().replacen(':', "/", 1))
    }

    fn flawed(&self, digest: &OciDigest, flaw: impl Into<String>) -> ReadLayout {
        ReadLayout::Content {
            path: self.blob(digest),
            flaw: flaw.into(),
        }
    }
}

/// Returns the bytes of a file. If the file is larger than the limit, returns one byte more than
/// the limit.
fn bounded(path: &Path, limit: u64) -> Result<Vec<u8>, ReadLayout> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    read.map_err(|source| ReadLayout::Io {
        path: path.to_owned(),
        source,
    })?;
    Ok(bytes)
}
