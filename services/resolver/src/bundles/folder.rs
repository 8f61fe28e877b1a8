//! Reads a bundle from a folder or an archive on disk.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use portolan_core_bundle::{BundleFault, Content, Entry, Folder, Layer, Limits};
use thiserror::Error;

/// The file extensions of archives that contain a whole bundle.
const ARCHIVES: [&str; 3] = ["tar", "tar.gz", "tgz"];

/// The error for a bundle on disk that cannot be read.
#[derive(Debug, Error)]
pub enum ReadBundleFolder {
    #[error("cannot read {}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The content is not a bundle, or exceeds the limits of a bundle.
    #[error("{}", first(.0))]
    Faults(Vec<BundleFault>),
}

/// Returns a text with the first fault of a bundle.
pub(super) fn first(faults: &[BundleFault]) -> String {
    faults.first().map(ToString::to_string).unwrap_or_default()
}

/// Returns the path of a bundle inside a folder of bundles. Returns None if the folder does not
/// contain the bundle.
pub(super) fn of(root: &Path, package: &str, version: &str) -> Option<PathBuf> {
    let folder = super::place_in(root, package, version);
    let package = root.join(package);
    if folder.is_dir() {
        return Some(folder);
    }
    let mut archives = ARCHIVES.iter();
    archives.find_map(|ending| {
        Some(package.join(format!("{version}.{ending}"))).filter(|it| it.is_file())
    })
}

/// Reads the files of a bundle from a folder with `manifests` and `metadata`, or from a tar archive
/// of such a folder, compressed or not. Links are not followed.
///
/// # Errors
/// Returns an error if the path cannot be read or is not a bundle.
pub fn read(path: &Path, limits: &Limits) -> Result<Folder, ReadBundleFolder> {
    let io = |source| failed(path, source);
    let folder = if fs::metadata(path).map_err(io)?.is_dir() {
        Folder::of_layers([layer(path, limits).map_err(io)?], limits)
    } else {
        let bytes = bounded(path, limits.bytes).map_err(io)?;
        let layer = Layer::of_bundle("the archive", &bytes, limits);
        layer
            .map_err(|fault| vec![fault])
            .and_then(|layer| Folder::of_layers([layer], limits))
    };
    folder.map_err(ReadBundleFolder::Faults)
}

/// The subfolders of a bundle.
const TOP: [&str; 2] = ["manifests", "metadata"];

fn is_top(path: &str) -> bool {
    TOP.contains(&path)
}

/// Returns the files of a folder that belong to a bundle. Stops when the limits are exceeded. The
/// caller reports the exceeded limit when it combines the layers.
fn layer(folder: &Path, limits: &Limits) -> io::Result<Layer> {
    let mut layer = Layer::default();
    let mut rest = TOP.map(str::to_owned).to_vec();
    let mut bytes = 0;
    while let Some(path) = rest.pop() {
        let here = folder.join(&path);
        let kind = match fs::symlink_metadata(&here) {
            Ok(kind) => kind,
            // One of the two subfolders may be missing. The code that parses the bundle reports
            // this.
            Err(error) if is_top(&path) && error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let content = if kind.is_dir() {
            for entry in fs::read_dir(&here)? {
                let name = entry?.file_name().into_string().map_err(|name| {
                    let why = format!("{path}/{} has a name that is not UTF-8", name.display());
                    io::Error::new(io::ErrorKind::InvalidData, why)
                })?;
                rest.push(format!("{path}/{name}"));
            }
            Content::Folder
        } else if kind.is_symlink() {
            let target = fs::read_link(&here)?;
            Content::Link(target.to_string_lossy().into_owned())
        } else if kind.is_file() {
            let content = bounded(&here, limits.bytes)?;
            bytes += content.len();
            Content::File(content)
        } else {
            Content::Special
        };
        layer.entries.push(Entry { path, content });
        if layer.entries.len() > limits.files || bytes > limits.bytes {
            break;
        }
    }
    Ok(layer)
}

/// Returns the bytes of a file. If the file is larger than the limit, returns one byte more than
/// the limit.
fn bounded(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn failed(path: &Path, source: io::Error) -> ReadBundleFolder {
    ReadBundleFolder::Io {
        path: path.to_owned(),
        source,
    }
}
