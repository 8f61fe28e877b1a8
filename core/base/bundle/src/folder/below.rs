//! Reads the files below one folder of an image. For images that are not bundles.

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::archive::{self, Head, Kind};
use super::laid::{Laid, Whiteout, is_below};
use super::{LONGEST_PATH, Limits, clean};
use crate::fault::{BundleFault, Code};

/// The content at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Below {
    /// The content of a file, as `pack` returns it.
    File(Vec<u8>),
    /// Content that cannot be read. Contains the reason.
    Closed(String),
}

/// The files below a folder, after some of the image's layers.
struct Image<'f> {
    folder: &'f str,
    laid: Laid<Below>,
    entries: usize,
}

/// Reads the file at a path, and returns the bytes to keep.
pub(super) type Pack<'p> = &'p dyn Fn(&str, &mut dyn Read) -> io::Result<Vec<u8>>;

/// Returns the files below a folder of an image, with paths relative to the folder. `archives` are
/// the layers of the image, lowest first, each with its name for faults. Other files in the image
/// are skipped without parsing.
///
/// # Errors
/// Returns an error if a layer is not an archive, or if a limit is exceeded.
pub fn below<'a>(
    archives: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    folder: &str,
    pack: Pack<'_>,
    limits: &Limits,
) -> Result<BTreeMap<String, Below>, BundleFault> {
    let Some(folder) = clean(folder) else {
        return Ok(BTreeMap::new());
    };
    let mut image = Image {
        folder: &folder,
        laid: Laid::nothing(),
        entries: 0,
    };
    let mut left = limits.bytes as u64;
    for (at, (name, bytes)) in archives.into_iter().enumerate() {
        let laid = archive::unzipping(bytes).and_then(|tar| {
            // To detect that the limit is exceeded, one byte more than the limit is read.
            let mut tar = tar.take(left + 1);
            let walked = archive::walk(&mut tar, &mut |head, bytes| {
                image.lay(at, head, bytes, pack, limits)
            });
            left = tar.limit().saturating_sub(1);
            if tar.limit() == 0 {
                return Err(archive::too_long(limits));
            }
            walked
        });
        laid.map_err(|(code, sentence)| BundleFault::error(&name.into(), 0, code, sentence))?;
    }
    Ok(image.finish())
}

// === impl Image ===

impl Image<'_> {
    fn lay(
        &mut self,
        layer: usize,
        Head { path, kind }: Head,
        bytes: &mut dyn Read,
        pack: Pack<'_>,
        limits: &Limits,
    ) -> Result<(), (Code, String)> {
        let Some(path) = clean(&path).filter(|path| path.len() <= LONGEST_PATH) else {
            return Ok(());
        };
        let whiteout = Whiteout::of(&path);
        if !self.is_of_interest(whiteout.as_ref().map_or(&path, Whiteout::path)) {
            return Ok(());
        }
        if let Some(whiteout) = whiteout {
            self.count(limits)?;
            self.laid.take_away(layer, &whiteout);
        } else if matches!(kind, Kind::Folder) {
            self.laid.put_folder(&path);
        } else {
            self.count(limits)?;
            let found = match kind {
                Kind::File => Below::File(pack(&path, bytes).map_err(|error| {
                    let sentence = format!("{path:?} cannot be read: {error}");
                    (Code::Archive, sentence)
                })?),
                Kind::Link(target) => Below::Closed(format!(
                    "it is a link to {target:?}, and links in images are not followed"
                )),
                Kind::Special | Kind::Folder => {
                    Below::Closed("it is a device or a pipe".to_owned())
                }
            };
            self.laid.put(layer, path, found);
        }
        Ok(())
    }

    /// Counts an entry. Returns an error if the image has too many entries.
    fn count(&mut self, limits: &Limits) -> Result<(), (Code, String)> {
        self.entries += 1;
        archive::within_files(self.entries, limits)
    }

    /// Returns true if the path is below the folder, is the folder, or is a parent of the folder.
    fn is_of_interest(&self, path: &str) -> bool {
        is_below(path, self.folder) || path == self.folder || is_below(self.folder, path)
    }

    fn finish(self) -> BTreeMap<String, Below> {
        let folder = self.folder;
        let below = self.laid.finish().map(|(path, found)| {
            let rest = match folder {
                "" => Some(path.as_str()),
                folder => path
                    .strip_prefix(folder)
                    .and_then(|rest| rest.strip_prefix('/')),
            };
            // An entry that replaces the folder itself has no relative path, so it is reported with
            // its name.
            let path = match rest {
                Some(rest) => rest.to_owned(),
                None => path,
            };
            (path, found)
        });
        below.collect()
    }
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    /// Returns a tar archive with these entries: path, type, and content or link target.
    fn tar(entries: &[(&str, u8, &str)]) -> Vec<u8> {
        let mut tar = Vec::new();
        for (path, kind, text) in entries {
            let mut header = [0; 512];
            header[..path.len()].copy_from_slice(path.as_bytes());
            header[156] = *kind;
            let content = if *kind == b'0' { *text } else { "" };
            let length = format!("{:011o}", content.len());
            header[124..135].copy_from_slice(length.as_bytes());
            if *kind == b'2' {
                header[157..157 + text.len()].copy_from_slice(text.as_bytes());
            }
            tar.extend(header);
            tar.extend(content.as_bytes());
            tar.resize(tar.len().next_multiple_of(512), 0);
        }
        tar
    }

    fn listing(layers: &[Vec<u8>], folder: &str, limits: &Limits) -> Result<Vec<String>, String> {
        let layers = layers.iter().map(|layer| ("layer", &layer[..]));
        let whole = |_: &str, bytes: &mut dyn Read| {
            let mut all = Vec::new();
            bytes.read_to_end(&mut all).map(|_| all)
        };
        let found = below(layers, folder, &whole, limits).map_err(|fault| fault.to_string())?;
        let found = found.into_iter().map(|(path, found)| match found {
            Below::File(bytes) => format!("{path}={}", String::from_utf8_lossy(&bytes)),
            Below::Closed(why) => format!("{path}: {why}"),
        });
        Ok(found.collect())
    }

    #[test]
    fn upper_layer_replaces_and_removes_files_of_lower_layer() {
        let lower = tar(&[
            ("bin/opm", b'0', "a program"),
            ("configs/", b'5', ""),
            ("configs/a/catalog.yaml", b'0', "1"),
            ("configs/b/catalog.yaml", b'0', "1"),
            ("./configs/c.yaml", b'0', "1"),
            ("configs/d/e.yaml", b'0', "1"),
        ]);
        let upper = tar(&[
            ("configs/a/catalog.yaml", b'0', "2"),
            ("configs/.wh.b", b'0', ""),
            ("configs/d/new.yaml", b'0', "2"),
            ("configs/d/.wh..wh..opq", b'0', ""),
            ("configs/l.yaml", b'2', "/etc/passwd"),
        ]);
        let expected = [
            "a/catalog.yaml=2",
            "c.yaml=1",
            "d/new.yaml=2",
            "l.yaml: it is a link to \"/etc/passwd\", and links in images are not followed",
        ];
        let layers = [lower, upper];
        assert_eq!(
            listing(&layers, "/configs/", &Limits::default()).as_deref(),
            Ok(&expected.map(str::to_owned)[..])
        );
        let file = [
            tar(&[("configs", b'0', "a file")]),
            tar(&[("configs/", b'5', ""), ("configs/a", b'0', "1")]),
        ];
        let found = listing(&file, "configs", &Limits::default());
        assert_eq!(found, Ok(vec!["a=1".to_owned()]));
        let gone = [layers[0].clone(), tar(&[(".wh.configs", b'0', "")])];
        assert_eq!(
            listing(&gone, "configs", &Limits::default()),
            Ok(Vec::new())
        );
        let link = [layers[0].clone(), tar(&[("configs", b'2', "etc")])];
        let found = listing(&link, "configs", &Limits::default()).expect("a link");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("configs: it is a link"), "{found:?}");
    }

    #[test]
    fn file_limit_applies_to_the_bundle_folder_and_byte_limit_to_all_files() {
        let layer = tar(&[
            ("bin/a", b'0', "x"),
            ("bin/b", b'0', "x"),
            ("configs/c", b'0', "x"),
        ]);
        let limits = Limits {
            files: 1,
            ..Limits::default()
        };
        let layers = [layer];
        assert_eq!(
            listing(&layers, "configs", &limits),
            Ok(vec!["c=x".to_owned()])
        );
        assert_eq!(
            listing(&layers, "bin", &limits),
            Err("layer: more than 1 entries".to_owned())
        );
        let limits = Limits {
            bytes: 2000,
            ..Limits::default()
        };
        assert_eq!(
            listing(&layers, "configs", &limits),
            Err("layer: has more than 2000 bytes when decompressed".to_owned())
        );
        let cut = [layers[0][..1100].to_vec()];
        assert_eq!(
            listing(&cut, "configs", &Limits::default()),
            Err("layer: not a tar archive, or a truncated one".to_owned())
        );
    }

    #[test]
    fn whiteouts_in_the_folder_count_as_entries() {
        let layers = [tar(&[
            ("bin/.wh.a", b'0', ""),
            ("bin/.wh..wh..opq", b'0', ""),
            (".wh.configs", b'0', ""),
            ("configs/.wh.a", b'0', ""),
        ])];
        let of = |files| Limits {
            files,
            ..Limits::default()
        };
        assert_eq!(listing(&layers, "configs", &of(2)), Ok(Vec::new()));
        let refused = listing(&layers, "configs", &of(1));
        assert_eq!(refused, Err("layer: more than 1 entries".to_owned()));
    }

    #[test]
    fn zstd_layer_is_unzipped_only_as_far_as_needed() {
        let mut layer = tar(&[("configs/a", b'0', "1")]);
        layer.resize(layer.len() + 1024, 0);
        // After the end marker follows data that cannot be decompressed.
        let mut layer = compress_to_vec(&layer[..], CompressionLevel::Fastest);
        layer.extend(b"\x28\xb5\x2f\xfd");
        let found = listing(&[layer], "configs", &Limits::default());
        assert_eq!(found, Ok(vec!["a=1".to_owned()]));
    }
}
