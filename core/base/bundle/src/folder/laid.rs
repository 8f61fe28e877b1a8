//! The layers of an image, in order.

use std::collections::BTreeMap;
use std::ops::Bound;

/// The marker that removes the content of earlier layers from its folder.
const OPAQUE: &str = ".wh..wh..opq";
/// The prefix of a marker that removes the content of earlier layers with the name after the
/// prefix.
const WHITEOUT: &str = ".wh.";

/// The content of each path after the layers so far. Folders are not stored.
///
/// The content of the topmost layer is stored separately from the lower layers. A whiteout visits
/// only the entries that it removes, so the cost of all whiteouts is limited by the content.
#[derive(Debug)]
pub(super) struct Laid<T> {
    /// The number of the topmost layer. Each layer has a higher number than the previous one.
    layer: usize,
    top: BTreeMap<String, T>,
    below: BTreeMap<String, T>,
}

/// The content of lower layers that a path in a layer removes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Whiteout {
    /// The content at a path and below it.
    At(String),
    /// The content below a folder.
    Below(String),
}

// === impl Whiteout ===

impl Whiteout {
    /// Returns the path that a whiteout removes. Returns None if the path is not a whiteout.
    pub(super) fn of(path: &str) -> Option<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name == OPAQUE {
            return Some(Self::Below(folder.to_owned()));
        }
        let hidden = name.strip_prefix(WHITEOUT)?;
        Some(Self::At(join(folder, hidden)))
    }

    /// Returns the path at or below which files are removed.
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

    /// Removes content of earlier layers.
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

    /// Adds a folder, which replaces any other entry at this path.
    pub(super) fn put_folder(&mut self, path: &str) {
        self.top.remove(path);
        self.below.remove(path);
    }

    /// Adds another kind of entry, which replaces a folder at this path.
    pub(super) fn put(&mut self, layer: usize, path: String, content: T) {
        self.begin(layer);
        forget_below(&mut self.top, &path);
        forget_below(&mut self.below, &path);
        self.top.insert(path, content);
    }

    /// Adds the next layer on top of the previous layers, if its number differs.
    fn begin(&mut self, layer: usize) {
        if layer != self.layer {
            self.layer = layer;
            self.below.extend(std::mem::take(&mut self.top));
        }
    }

    /// Returns the final content, ordered by path.
    pub(super) fn finish(mut self) -> impl Iterator<Item = (String, T)> {
        self.below.extend(self.top);
        self.below.into_iter()
    }
}

/// Removes the entries below a folder efficiently.
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

    /// Visiting all content for each whiteout would take hours.
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
