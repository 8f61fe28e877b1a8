//! A catalog in an image. OLM runs the registries in its Pods from such images.
//!
//! The catalog files of the image are kept in memory in compressed form. Therefore details that a
//! catalog does not keep can be read again without pulling the image.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use portolan_core_bundle::{Below, BundleFault, Code, Limits, below};
use portolan_core_catalog::{Catalog, CatalogPlace, Packing, Reader, Reading};
use portolan_images::{Image, OciDigest, PullImage, UseFlags};
use thiserror::Error;

use super::folder::{IGNORE_FILE, document_in, pour, unpacked};

/// The image label with the path of the catalog.
const CONFIGS: &str = "operators.operatorframework.io.index.configs.v1";
/// The image label of catalogs in the older database format.
const DATABASE: &str = "operators.operatorframework.io.index.database.v1";

/// The limits of an image. The image contains the catalog and the programs that serve the catalog.
const LIMITS: Limits = Limits {
    bytes: 4 << 30,
    files: 50_000,
    values: 0,
    depth: 0,
    faults: 1,
};
/// The maximum size in bytes of the compressed files that are kept in memory.
const KEPT: usize = 256 << 20;

/// The reason why an image cannot be read as a catalog.
#[derive(Debug, Error)]
pub enum ReadImage {
    /// A flag about images is invalid.
    #[error(transparent)]
    Flags(#[from] UseFlags),
    /// The certificate authorities of the system cannot be read.
    #[error("cannot prepare the connection to registries")]
    Prepare(#[source] io::Error),
    /// The host name of the registry is invalid.
    #[error("{0}")]
    Host(String),
    #[error(transparent)]
    Pull(Box<PullImage>),
    #[error(transparent)]
    Unusable(#[from] UnusableImage),
}

/// The reason why an existing image is not a catalog. A retry would have the same result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnusableImage {
    /// A layer is not an archive, or is too large.
    #[error("the image cannot be unpacked: {sentence}")]
    Layers { sentence: String, is_too_much: bool },
    #[error(
        "the image has no label {CONFIGS}, so it is not a catalog image; bundle images are read \
         by `portolan bundle`"
    )]
    NoCatalog,
    #[error(
        "the image has its catalog in a database, an old format that is not supported; convert it \
         with `opm render IMAGE > catalog.json`"
    )]
    Database,
    #[error(
        "there is no catalog file below {0} in the image, although its label names that \
     folder"
    )]
    NoFiles(String),
}

/// The catalog files of an image in [their kept form](kept_as).
#[derive(Debug)]
pub struct CatalogImage {
    digest: Option<OciDigest>,
    files: BTreeMap<String, Below>,
}

// === impl ReadImage ===

impl ReadImage {
    pub(super) fn is_too_much(&self) -> bool {
        matches!(
            self,
            Self::Unusable(UnusableImage::Layers {
                is_too_much: true,
                ..
            })
        )
    }
}

// === impl CatalogImage ===

impl CatalogImage {
    /// Reads the catalog files of an image.
    pub(super) fn of(image: &Image) -> Result<Self, UnusableImage> {
        let root = root(&image.labels)?;
        let names: Vec<_> = (1..=image.layers.len())
            .map(|at| format!("layer {at}"))
            .collect();
        let layers = image.layers.iter().map(|bytes| &bytes[..]);
        let layers = names.iter().map(String::as_str).zip(layers);
        let kept = std::cell::Cell::new(0);
        let pack = |path: &str, bytes: &mut dyn Read| packed(path, bytes, &kept);
        let mut files = below(layers, root, &pack, &LIMITS).map_err(|fault| unreadable(&fault))?;
        leave_out(&mut files);
        if files.is_empty() {
            return Err(UnusableImage::NoFiles(root.to_owned()));
        }
        Ok(Self {
            digest: image.reference.digest().cloned(),
            files,
        })
    }

    pub(super) fn digest(&self) -> Option<&OciDigest> {
        self.digest.as_ref()
    }

    /// Parses the catalog from all files.
    pub(super) fn read(&self) -> Catalog {
        let readings: Vec<_> = self
            .files
            .iter()
            .map(|(path, found)| reading(path, found))
            .collect();
        Catalog::of(&readings)
    }

    /// Reads a document again from its location.
    pub(super) fn document(&self, place: &CatalogPlace) -> io::Result<Vec<u8>> {
        let Some(Below::File(bytes)) = self.files.get(&*place.file) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        document_in(unpacked(kept_as(&place.file), &bytes[..]), place)
    }

    /// Writes the files to a folder. The error contains the path that failed.
    pub(super) fn copy(&self, to: &Path) -> Result<(), (std::path::PathBuf, io::Error)> {
        for (path, found) in &self.files {
            let Below::File(bytes) = found else { continue };
            let place = to.join(path);
            let written = || {
                std::fs::create_dir_all(place.parent().unwrap_or(to))?;
                match Reader::packing(path) {
                    Packing::Gzip => std::fs::write(&place, bytes),
                    Packing::Plain => {
                        let mut file = std::fs::File::create(&place)?;
                        io::copy(&mut unpacked(kept_as(path), &bytes[..]), &mut file).map(drop)
                    }
                }
            };
            written().map_err(|error| (place.clone(), error))?;
        }
        Ok(())
    }
}

/// Returns the folder of the catalog files in an image with these labels.
pub(super) fn root(labels: &BTreeMap<String, String>) -> Result<&str, UnusableImage> {
    match (labels.get(CONFIGS), labels.get(DATABASE)) {
        (Some(root), _) => Ok(root),
        (None, Some(_)) => Err(UnusableImage::Database),
        (None, None) => Err(UnusableImage::NoCatalog),
    }
}

fn unreadable(fault: &BundleFault) -> UnusableImage {
    UnusableImage::Layers {
        sentence: fault.to_string(),
        is_too_much: fault.code == Code::TooMuch,
    }
}

/// Returns the compression in which a file is kept. This is the compression of the file in the
/// image, or gzip if the file is not compressed.
fn kept_as(path: &str) -> Packing {
    match Reader::packing(path) {
        Packing::Plain | Packing::Gzip => Packing::Gzip,
    }
}

/// Returns the compressed bytes in which a file is kept. Returns no bytes for a file that is not
/// part of a catalog.
fn packed(path: &str, bytes: &mut dyn Read, kept: &std::cell::Cell<usize>) -> io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    if is_ignore_file(path) {
        bytes.take(KEPT as u64).read_to_end(&mut packed)?;
    } else if Reader::reads(path) {
        match Reader::packing(path) {
            Packing::Gzip => {
                bytes.take(KEPT as u64).read_to_end(&mut packed)?;
            }
            Packing::Plain => {
                let mut zipped = GzEncoder::new(&mut packed, Compression::fast());
                io::copy(bytes, &mut zipped)?;
                zipped.finish()?;
            }
        }
    }
    kept.set(kept.get() + packed.len());
    if kept.get() > KEPT {
        let why = format!("the files of the catalog have more than {KEPT} bytes compressed");
        return Err(io::Error::other(why));
    }
    Ok(packed)
}

fn is_ignore_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(IGNORE_FILE)
}

/// Removes the files that are not catalog files. Also removes the files that an ignore file
/// excludes. Ignore files have the format of `.gitignore`.
fn leave_out(files: &mut BTreeMap<String, Below>) {
    let rules: Vec<Gitignore> = files
        .iter()
        .filter(|(path, _)| is_ignore_file(path))
        .filter_map(|(path, found)| {
            let Below::File(text) = found else {
                return None;
            };
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let mut rules = GitignoreBuilder::new(Path::new("/").join(folder));
            for line in String::from_utf8_lossy(text).lines() {
                // A line that cannot be parsed excludes no file. The same applies to a catalog in a
                // folder.
                let _ = rules.add_line(None, line);
            }
            rules.build().ok()
        })
        .collect();
    let is_ruled_out = |path: &str| {
        let path = Path::new("/").join(path);
        // If several ignore files have a rule for the path, the nearest ignore file decides.
        let near = rules.iter().filter(|rules| path.starts_with(rules.path()));
        let said = near.map(|rules| rules.matched_path_or_any_parents(&path, false));
        let mut said = said.rev();
        said.find(|said| !said.is_none())
            .is_some_and(|said| said.is_ignore())
    };
    files.retain(|path, _| {
        let is_machinery = path.split('/').any(|part| part.starts_with(".."));
        Reader::reads(path) && !is_machinery && !is_ruled_out(path)
    });
}

fn reading(path: &str, found: &Below) -> Reading {
    let mut reader = Reader::new(path);
    match found {
        Below::Closed(why) => reader.break_off(why),
        Below::File(bytes) => match pour(unpacked(kept_as(path), &bytes[..]), &mut reader) {
            Ok(()) => reader.finish(),
            Err(error) => reader.break_off(&error.to_string()),
        },
    }
}
