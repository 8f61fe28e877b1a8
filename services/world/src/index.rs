//! An index from names of objects to the namespaces that refer to them. The objects are
//! cluster-scoped or in another namespace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The namespaces that refer to each name.
#[derive(Debug)]
pub struct Index<N> {
    names: BTreeMap<Arc<str>, BTreeSet<N>>,
    namespaces: BTreeMap<N, BTreeSet<Arc<str>>>,
}

impl<N: Ord + Clone> Index<N> {
    /// Sets the names that a namespace refers to. Returns the added and the removed names.
    pub fn put(&mut self, namespace: &Arc<str>, names: BTreeSet<N>) -> BTreeSet<N> {
        let before = if names.is_empty() {
            self.names.remove(namespace)
        } else {
            self.names.insert(namespace.clone(), names.clone())
        };
        let before = before.unwrap_or_default();
        for name in before.difference(&names) {
            if let Some(speaking) = self.namespaces.get_mut(name) {
                speaking.remove(namespace);
                if speaking.is_empty() {
                    self.namespaces.remove(name);
                }
            }
        }
        for name in names.difference(&before) {
            let speaking = self.namespaces.entry(name.clone()).or_default();
            speaking.insert(namespace.clone());
        }
        before.symmetric_difference(&names).cloned().collect()
    }

    /// Returns the namespaces that refer to a name.
    pub fn speaking_of<'a>(&'a self, name: &N) -> impl Iterator<Item = &'a Arc<str>> + use<'a, N> {
        self.namespaces.get(name).into_iter().flatten()
    }
}

impl<N> Default for Index<N> {
    fn default() -> Self {
        Self {
            names: BTreeMap::new(),
            namespaces: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_keeps_the_last_names_of_a_namespace() {
        let mut index = Index::default();
        let (a, b): (Arc<str>, Arc<str>) = ("a".into(), "b".into());
        let namespaces = |index: &Index<&str>, name| {
            let speaking = index.speaking_of(&name);
            speaking
                .map(|namespace| namespace.to_string())
                .collect::<Vec<_>>()
        };
        index.put(&a, ["x", "y"].into());
        index.put(&b, ["y"].into());
        assert_eq!(namespaces(&index, "x"), ["a"]);
        assert_eq!(namespaces(&index, "y"), ["a", "b"]);
        index.put(&a, ["x"].into());
        assert_eq!(namespaces(&index, "y"), ["b"]);
        index.put(&a, [].into());
        index.put(&b, [].into());
        assert!(index.names.is_empty() && index.namespaces.is_empty());
    }
}
