//! The layers of an image, as they lie on each other.

use std::collections::BTreeMap;

/// Takes away all that earlier layers have put into its folder.
const OPAQUE: &str = ".wh..wh..opq";
/// Takes away what earlier layers have put at the name behind it.
const WHITEOUT: &str = ".wh.";

/// The content that layers have put at each path, with the number of its layer, which grows from
/// layer to layer. Folders are not kept.
#[derive(Debug)]
pub(super) struct Laid<T>(BTreeMap<String, (usize, T)>);

// === impl Laid ===

impl<T> Laid<T> {
    pub(super) const fn nothing() -> Self {
        Self(BTreeMap::new())
    }

    /// Whether the path only takes away what layers before this one have put; then it is gone.
    pub(super) fn takes_away(&mut self, layer: usize, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name == OPAQUE {
            self.forget(layer, |path| is_below(path, folder));
            return true;
        }
        let Some(hidden) = name.strip_prefix(WHITEOUT) else {
            return false;
        };
        let hidden = join(folder, hidden);
        self.forget(layer, |path| path == hidden || is_below(path, &hidden));
        true
    }

    /// Puts a folder: whatever else was there is gone.
    pub(super) fn put_folder(&mut self, path: &str) {
        self.0.remove(path);
    }

    /// Puts something else: what was a folder is none any more.
    pub(super) fn put(&mut self, layer: usize, path: String, content: T) {
        self.forget(usize::MAX, |other| is_below(other, &path));
        self.0.insert(path, (layer, content));
    }

    /// Takes away what layers before this one have put at some paths.
    fn forget(&mut self, layer: usize, is_gone: impl Fn(&str) -> bool) {
        self.0
            .retain(|path, (of, _)| *of >= layer || !is_gone(path));
    }

    /// The final content, in the order of the paths.
    pub(super) fn finish(self) -> impl Iterator<Item = (String, T)> {
        let nodes = self.0.into_iter();
        nodes.map(|(path, (_, content))| (path, content))
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
