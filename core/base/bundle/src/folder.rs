//! The files of a bundle, read from a folder or from the layers of an image.

mod archive;
mod below;
mod laid;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_names::text::cut;

use crate::bundle::PACKAGE;
use crate::fault::{BundleFault, Code, WHOLE};

pub use self::below::{Below, below};
use self::laid::{Laid, Whiteout};

/// Limits on memory and time. The largest of seven thousand real bundles has 105 files and seven
/// megabytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of bytes of all files together. Also the maximum number of bytes of one
    /// uncompressed layer.
    pub bytes: usize,
    /// The maximum number of files. Also the maximum number of entries in all layers together.
    pub files: usize,
    /// The maximum number of values of one document. Values that aliases repeat count each time.
    pub values: usize,
    /// The maximum nesting depth of the values in a document.
    pub depth: usize,
    /// The maximum number of faults that are listed.
    pub faults: usize,
}

/// The unchanged files of a bundle, each with its path, such as `manifests/a.yaml`. Contains only
/// files in `manifests` and `metadata`, so it contains no tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folder {
    files: BTreeMap<Arc<str>, Vec<u8>>,
}

/// One layer of an image, with its entries in the order of the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layer {
    pub entries: Vec<Entry>,
}

/// A path in a layer, with its content. A file name that begins with `.wh.` is a whiteout: it
/// removes content of earlier layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: String,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Folder,
    File(Vec<u8>),
    /// A symbolic or hard link. Contains its target, which is not read.
    Link(String),
    /// A device or a pipe.
    Special,
}

/// The maximum length of a path in common operating systems.
const LONGEST_PATH: usize = 4096;

/// The folders of a bundle whose files are kept.
const KEPT: [&str; 2] = ["manifests", "metadata"];

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            files: 2000,
            values: 1_000_000,
            depth: 100,
            faults: 1000,
        }
    }
}

// === impl Layer ===

impl Layer {
    /// Parses a layer: a tar archive that is uncompressed, or compressed with gzip or zstd.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not an archive, or exceed the limits. The error contains
    /// `name`, the name of the layer.
    pub fn of_archive(name: &str, bytes: &[u8], limits: &Limits) -> Result<Self, BundleFault> {
        let (layer, _) = Self::and_end(name, bytes, limits)?;
        Ok(layer)
    }

    /// Parses an archive with one bundle. The bundle may be in a folder with any name. The archive
    /// must have an end marker, because no digest proves that the archive is complete.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Layer::of_archive`]. Also returns an error if the archive has no end
    /// marker or contains several bundles.
    pub fn of_bundle(name: &str, bytes: &[u8], limits: &Limits) -> Result<Self, BundleFault> {
        let fault = |sentence| BundleFault::error(&name.into(), 0, Code::Archive, sentence);
        let (mut layer, has_end) = Self::and_end(name, bytes, limits)?;
        if !has_end {
            return Err(fault("is truncated: its end is missing".to_owned()));
        }
        let paths = layer.entries.iter().map(|entry| clean_start(&entry.path));
        let folders: BTreeSet<_> = paths.filter_map(folder_of_bundle).collect();
        let above = match *folders.iter().copied().collect::<Vec<_>>().as_slice() {
            // The bundle is at the root of the archive, or there is no bundle. Files outside the
            // folders of a bundle do not belong to it.
            [] | ["", ..] => return Ok(layer),
            [folder] => format!("{folder}/"),
            [one, other, ..] => {
                return Err(fault(format!(
                    "has several bundles, in {one} and in {other}; create one archive for each \
                     bundle"
                )));
            }
        };
        for entry in &mut layer.entries {
            if let Some(below) = clean_start(&entry.path).strip_prefix(&above) {
                entry.path = below.to_owned();
            }
        }
        Ok(layer)
    }

    fn and_end(name: &str, bytes: &[u8], limits: &Limits) -> Result<(Self, bool), BundleFault> {
        let fault = |(code, sentence)| BundleFault::error(&name.into(), 0, code, sentence);
        let (entries, has_end) = archive::entries(bytes, limits).map_err(fault)?;
        Ok((Self { entries }, has_end))
    }
}

/// Returns the folder of the bundle to which a file belongs. The path is empty if the bundle is at
/// the root of the archive. Returns None if the file belongs to no bundle.
fn folder_of_bundle(path: &str) -> Option<&str> {
    let (top, rest) = path.split_once('/')?;
    if KEPT.contains(&top) {
        return Some("");
    }
    let (below, _) = rest.split_once('/')?;
    KEPT.contains(&below).then_some(top)
}

/// Returns a path without `./` or `/` at its start, which many archives contain.
fn clean_start(path: &str) -> &str {
    path.trim_start_matches("./").trim_start_matches('/')
}

// === impl Folder ===

impl Folder {
    /// Creates a Folder from the files that the caller found below one folder.
    ///
    /// # Errors
    ///
    /// Returns an error if a path points outside the folder, or if a limit is exceeded.
    pub fn of_files(
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
        limits: &Limits,
    ) -> Result<Self, Vec<BundleFault>> {
        let entries = files.into_iter().map(|(path, bytes)| Entry {
            path,
            content: Content::File(bytes),
        });
        let layer = Layer {
            entries: entries.collect(),
        };
        Self::of_layers([layer], limits)
    }

    /// Creates a Folder for a bundle that consists only of manifests, as in a catalog with
    /// `olm.bundle.object`. The names of the files are numbers, and `package` becomes the package.
    ///
    /// # Errors
    ///
    /// Returns an error if a limit is exceeded.
    pub fn of_manifests(
        package: &str,
        manifests: impl IntoIterator<Item = Vec<u8>>,
        limits: &Limits,
    ) -> Result<Self, Vec<BundleFault>> {
        let annotations = serde_json::json!({"annotations": {PACKAGE: package}});
        let annotations = annotations.to_string().into_bytes();
        let numbered = manifests.into_iter().enumerate();
        let numbered = numbered.map(|(at, bytes)| (format!("manifests/{at:04}.json"), bytes));
        let metadata = ("metadata/annotations.yaml".to_owned(), annotations);
        Self::of_files(numbered.chain([metadata]), limits)
    }

    /// Creates a Folder from the archives of an image's layers, lowest layer first. Each layer has
    /// a name for faults. Decompresses only one archive at a time.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Layer::of_archive`] and [`Folder::of_layers`].
    pub fn of_archives<'a>(
        archives: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        limits: &Limits,
    ) -> Result<Self, Vec<BundleFault>> {
        let mut image = Image::within(limits);
        for (name, bytes) in archives {
            match Layer::of_archive(name, bytes, limits) {
                Ok(layer) => image.lay(layer),
                Err(fault) => image.faults.push(fault),
            }
        }
        image.finish()
    }

    /// Creates a Folder from the layers of an image, lowest layer first.
    ///
    /// # Errors
    ///
    /// Returns an error if a path points outside the image, if a manifest is a link or a device, or
    /// if a limit is exceeded.
    pub fn of_layers(
        layers: impl IntoIterator<Item = Layer>,
        limits: &Limits,
    ) -> Result<Self, Vec<BundleFault>> {
        let mut image = Image::within(limits);
        for layer in layers {
            image.lay(layer);
        }
        image.finish()
    }

    /// Returns the content of the file at a path, or None if the file does not exist.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Returns all files, sorted by their paths.
    pub fn files(&self) -> impl Iterator<Item = (&Arc<str>, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path, &bytes[..]))
    }
}

/// The content of an image after some of its layers.
struct Image<'l> {
    limits: &'l Limits,
    /// The content of each path. The number of a layer is the number of entries in earlier layers.
    laid: Laid<Content>,
    entries: usize,
    /// The number of bytes of all added files, including files that a later layer removes.
    bytes: usize,
    faults: Vec<BundleFault>,
}

// === impl Image ===

impl<'l> Image<'l> {
    fn within(limits: &'l Limits) -> Self {
        Self {
            limits,
            laid: Laid::nothing(),
            entries: 0,
            bytes: 0,
            faults: Vec::new(),
        }
    }

    fn lay(&mut self, layer: Layer) {
        let layer_begins = self.entries;
        for Entry { path, content } in layer.entries {
            self.entries += 1;
            if self.entries > self.limits.files || self.bytes > self.limits.bytes {
                return;
            }
            match clean(&path) {
                _ if path.len() > LONGEST_PATH => self.fault(
                    &cut(&path, 80),
                    Code::TooMuch,
                    format!("a path of more than {LONGEST_PATH} bytes"),
                ),
                Some(clean) => {
                    let content = self.counted(&clean, content);
                    self.put(clean, content, layer_begins);
                }
                None => self.fault(
                    &path,
                    Code::FileUnexpected,
                    "the path leads out of the bundle".to_owned(),
                ),
            }
        }
    }

    /// Adds the size of a file to the total size. Returns the content, without the bytes of files
    /// that are not kept.
    fn counted(&mut self, path: &str, content: Content) -> Content {
        let Content::File(bytes) = content else {
            return content;
        };
        let top = path.split('/').next().unwrap_or_default();
        if !KEPT.contains(&top) {
            return Content::File(Vec::new());
        }
        self.bytes += bytes.len();
        Content::File(bytes)
    }

    fn put(&mut self, path: String, content: Content, layer: usize) {
        if let Some(whiteout) = Whiteout::of(&path) {
            return self.laid.take_away(layer, &whiteout);
        }
        match content {
            Content::Folder => self.laid.put_folder(&path),
            _ if path.is_empty() => {}
            content @ (Content::File(_) | Content::Link(_) | Content::Special) => {
                self.laid.put(layer, path, content);
            }
        }
    }

    fn finish(mut self) -> Result<Folder, Vec<BundleFault>> {
        let laid = std::mem::replace(&mut self.laid, Laid::nothing());
        let mut folder = Folder::default();
        for (path, content) in laid.finish() {
            let top = path.split('/').next().unwrap_or_default();
            match content {
                _ if !KEPT.contains(&top) => {}
                Content::Folder => {}
                Content::File(bytes) => {
                    folder.files.insert(path.into(), bytes);
                }
                Content::Link(target) => {
                    let sentence =
                        format!("a link to {target:?}; links in bundles are not followed");
                    self.fault(&path, Code::FileUnexpected, sentence);
                }
                Content::Special => {
                    let sentence = "a device or a pipe, and no file".to_owned();
                    self.fault(&path, Code::FileUnexpected, sentence);
                }
            }
        }
        let Limits { bytes, files, .. } = *self.limits;
        if self.entries > files {
            self.fault("", Code::TooMuch, format!("more than {files} files"));
        }
        if self.bytes > bytes {
            self.fault(
                "",
                Code::TooMuch,
                format!("more than {bytes} bytes in total"),
            );
        }
        if self.faults.is_empty() {
            Ok(folder)
        } else {
            Err(self.faults)
        }
    }

    fn fault(&mut self, path: &str, code: Code, sentence: String) {
        let path = if path.is_empty() { WHOLE } else { path };
        let fault = BundleFault::error(&path.into(), 0, code, sentence);
        if self.faults.len() < self.limits.faults {
            self.faults.push(fault);
        }
    }
}

/// Returns the path without `.`, `..` and double slashes. Returns None if the path points outside
/// the image.
fn clean(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests;
