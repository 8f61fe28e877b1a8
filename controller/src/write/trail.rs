//! What the steps before have made of the objects that were seen.

use std::collections::BTreeMap;

/// Kind, namespace and name.
pub(super) type Key = (String, Option<String>, String);

/// The versions that objects had when they were seen, and those that they were given since.
#[derive(Debug, Default)]
pub(super) struct Trail(BTreeMap<Key, (String, String)>);

impl Trail {
    /// The version that an object has now, if nobody but this process wrote it since it was seen.
    pub(super) fn current<'a>(&'a self, key: &Key, seen: &'a str) -> &'a str {
        match self.0.get(key) {
            Some((before, after)) if before == seen => after,
            _ => seen,
        }
    }

    /// An object that was seen in one version was given another one.
    pub(super) fn wrote(&mut self, key: Key, seen: &str, after: &str) {
        self.0.insert(key, (seen.to_owned(), after.to_owned()));
    }
}
