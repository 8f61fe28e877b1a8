//! Combines the layers of an image.

use std::collections::BTreeMap;
use std::ops::Bound;

/// The file name of a whiteout that removes everything that earlier layers contain in its folder.
const OPAQUE: &str = ".wh..wh..opq";
/// The prefix of a whiteout's file name. The whiteout removes the path with the name after the
/// prefix from earlier layers.
const WHITEOUT: &str = ".wh.";

/// The content of each path after some of the layers. Folders are not stored.
///
/// The content of the top layer is stored separately from the lower layers. So a whiteout visits
/// only the entries that it removes, and the time for all whiteouts is proportional to the number
/// of entries.
#[derive(Debug)]
pub(super) struct Laid<T> {
    /// The number of the top layer. Each layer has a higher number than the layer below it.
    layer: usize,
    top: BTreeMap<String, T>,
    below: BTreeMap<String, T>,
}

/// A path in a layer that removes content of lower layers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Whiteout {
    /// Removes this path and everything below it.
    At(String),
    /// Removes everything below this folder.
    Below(String),
}

// === impl Whiteout ===

impl Whiteout {
    /// Parses a whiteout. Returns None if the path is not a whiteout.
    pub(super) fn of(path: &str) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name == OPAQUE {
            return Some(Self::Below(folder.to_owned()));
        }
        let hidden = name.strip_prefix(WHITEOUT)?;
        Some(Self::At(join(folder, hidden)))
    }

    /// Returns the path at which or below which the whiteout removes content.
    pub(super) fn path(&self) -> &str {
        match self {
            Self::At(path) | Self::Below(path) => path,
        }
    }
}

// === impl Laid ===

impl<T> Laid<T> {
    pub(super) const fn nothing() -> Self {
        Self {
            layer: 0,
            top: BTreeMap::new(),
            below: BTreeMap::new(),
        }
    }

    /// Applies a whiteout: removes content of lower layers.
    pub(super) fn take_away(&mut self, layer: usize, whiteout: &Whiteout) {
        self.begin(layer);
        match whiteout {
            Whiteout::At(path) => {
                self.below.remove(path);
                forget_below(&mut self.below, path);
            }
            Whiteout::Below(folder) => forget_below(&mut self.below, folder),
        }
    }

    /// Adds a folder. It replaces a file or link at this path.
    pub(super) fn put_folder(&mut self, path: &str) {
        self.top.remove(path);
        self.below.remove(path);
    }

    /// Adds an entry that is not a folder. It replaces everything at or below this path.
    pub(super) fn put(&mut self, layer: usize, path: String, content: T) {
        self.begin(layer);
        forget_below(&mut self.top, &path);
        forget_below(&mut self.below, &path);
        self.top.insert(path, content);
    }

    /// Starts a new top layer if the number differs from the current layer.
    fn begin(&mut self, layer: usize) {
        if layer != self.layer {
            self.layer = layer;
            self.below.extend(std::mem::take(&mut self.top));
        }
    }

    /// Returns the content of all paths, sorted by path.
    pub(super) fn finish(mut self) -> impl Iterator<Item = (String, T)> {
        self.below.extend(self.top);
        self.below.into_iter()
    }
}

/// Removes the entries below a folder. Visits no other entries.
fn forget_below<T>(laid: &mut BTreeMap<String, T>, folder: &str) {
    if folder.is_empty() {
        return laid.clear();
    }
    let first = format!("{folder}/");
    let from = (Bound::Included(first.as_str()), Bound::Unbounded);
    let paths = laid.range::<str, _>(from).map(|(path, _)| path);
    let gone: Vec<_> = paths
        .take_while(|path| path.starts_with(&first))
        .cloned()
        .collect();
    for path in &gone {
        laid.remove(path);
    }
}

fn join(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

pub(super) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If each whiteout visited all content, this test would take hours.
    #[test]
    fn many_whiteouts_visit_only_the_files_that_they_remove() {
        let mut laid = Laid::nothing();
        let count = 50_000;
        for at in 0..count {
            laid.put(0, format!("configs/{at}"), ());
        }
        for at in 0..count {
            let whiteout = Whiteout::of(&format!("configs/.wh.x{at}")).expect("a whiteout");
            laid.take_away(1, &whiteout);
        }
        for at in 0..count {
            laid.put(1, format!("configs/y{at}"), ());
            laid.take_away(1, &Whiteout::Below("configs".to_owned()));
        }
        assert_eq!(laid.finish().count(), count);
    }

    #[test]
    fn whiteout_of_a_folder_keeps_a_neighbor_with_a_longer_name() {
        let mut laid = Laid::nothing();
        for path in ["a", "a-b", "a/b", "a0", "ab/c"] {
            laid.put(0, path.to_owned(), ());
        }
        laid.take_away(1, &Whiteout::At("a".to_owned()));
        let paths: Vec<_> = laid.finish().map(|(path, ())| path).collect();
        assert_eq!(paths, ["a-b", "a0", "ab/c"]);
    }
}
