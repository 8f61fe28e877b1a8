//! Images in a folder, as skopeo, oras and others write them: the OCI image layout.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde::Deserialize;
use thiserror::Error;

use crate::digest::Digest;
use crate::manifest::{self, Descriptor, LONGEST, Manifest, Parts};
use crate::options::Options;
use crate::pull::{DEPTH, Image, LAYERS};
use crate::reference::Reference;

/// The file that every layout has.
const MARK: &str = "oci-layout";
/// What an image is called in a layout: by its tag alone, or by all of its name.
const NAMES: [&str; 2] = [
    "org.opencontainers.image.ref.name",
    "io.containerd.image.name",
];

/// A folder of images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout(PathBuf);

/// An image of a layout that cannot be read.
#[derive(Debug, Error)]
pub enum ReadLayout {
    #[error("read {}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// A file is not what its name or another file says.
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
    annotations: std::collections::BTreeMap<String, String>,
}

// === impl Layout ===

impl Layout {
    /// None if the folder is another one.
    pub fn at(folder: &Path) -> Option<Self> {
        let is_one = folder.join(MARK).is_file();
        is_one.then(|| Self(folder.to_owned()))
    }

    /// The image of a reference, each byte of it held against its digest; none if it is not there.
    /// It is found by its digest, or by its whole name.
    ///
    /// # Errors
    /// It is there, and broken.
    pub fn image(&self, reference: &Reference) -> Result<Option<Image>, ReadLayout> {
        let digest = match reference.digest() {
            Some(digest) => Some(digest.clone()),
            None => self.named(&reference.to_string())?,
        };
        let Some(digest) = digest.filter(|digest| self.blob(digest).is_file()) else {
            return Ok(None);
        };
        let Parts { config, layers } = self.parts(&digest)?;
        let Options { blob, image, .. } = Options::default();
        let sizes = || layers.iter().chain([&config]).map(|it| it.size);
        let is_too_much = layers.len() > LAYERS
            || sizes().any(|size| size > blob)
            || sizes().sum::<u64>() > image;
        if is_too_much {
            return Err(self.flawed(
                &digest,
                "is an image of more bytes or layers than any needs",
            ));
        }
        let labels = manifest::labels(&self.read_sized(&config)?);
        let labels = labels.map_err(|flaw| self.flawed(&config.digest, flaw))?;
        let layers = layers.iter().map(|layer| self.read_sized(layer));
        Ok(Some(Image {
            reference: reference.at(digest),
            labels,
            layers: layers.collect::<Result<_, _>>()?,
        }))
    }

    /// The digest of the manifest or index of that name.
    fn named(&self, name: &str) -> Result<Option<Digest>, ReadLayout> {
        let path = self.0.join("index.json");
        let bytes = bounded(&path, LONGEST)?;
        let flawed = |flaw: String| ReadLayout::Content {
            path: path.clone(),
            flaw,
        };
        let index: Index = serde_json::from_slice(&bytes)
            .map_err(|error| flawed(format!("is no index of images: {error}")))?;
        let is_it = |entry: &&Entry| {
            let names = NAMES.iter().filter_map(|key| entry.annotations.get(*key));
            names.into_iter().any(|other| other == name)
        };
        let found = index.manifests.iter().find(is_it);
        let digest = found.map(|entry| entry.digest.parse());
        digest
            .transpose()
            .map_err(|error: crate::digest::ParseDigest| flawed(error.to_string()))
    }

    /// What an image consists of, or the one of an index that is for this machine.
    fn parts(&self, digest: &Digest) -> Result<Parts, ReadLayout> {
        let mut digest = digest.clone();
        for _ in 0..DEPTH {
            let parsed = manifest::parse(&self.read(&digest, LONGEST)?);
            let members = match parsed.map_err(|flaw| self.flawed(&digest, flaw))? {
                Manifest::Image(parts) => return Ok(parts),
                Manifest::Index(members) => members,
            };
            let member = manifest::choose(&members, manifest::architecture());
            let member = member.ok_or_else(|| self.flawed(&digest, "is an index without an image"));
            digest = member?.digest.clone();
        }
        Err(self.flawed(&digest, "is an index within indexes"))
    }

    fn read_sized(&self, blob: &Descriptor) -> Result<Bytes, ReadLayout> {
        self.read(&blob.digest, blob.size)
    }

    fn read(&self, digest: &Digest, most: u64) -> Result<Bytes, ReadLayout> {
        let bytes = bounded(&self.blob(digest), most)?;
        let found = digest.same_of(&bytes);
        if found == *digest {
            return Ok(bytes.into());
        }
        Err(self.flawed(digest, format!("is something else: its digest is {found}")))
    }

    fn blob(&self, digest: &Digest) -> PathBuf {
        self.0
            .join("blobs")
            .join(digest.to_string().replacen(':', "/", 1))
    }

    fn flawed(&self, digest: &Digest, flaw: impl Into<String>) -> ReadLayout {
        ReadLayout::Content {
            path: self.blob(digest),
            flaw: flaw.into(),
        }
    }
}

/// The bytes of a file, and one more than the limit if there are more.
fn bounded(path: &Path, limit: u64) -> Result<Vec<u8>, ReadLayout> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    read.map_err(|source| ReadLayout::Io {
        path: path.to_owned(),
        source,
    })?;
    Ok(bytes)
}
