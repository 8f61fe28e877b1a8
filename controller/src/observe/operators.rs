//! The operators of the cluster by package, and the namespaces whose operators watch all
//! namespaces.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_olm::{ClusterServiceVersion, OperatorGroup};
use portolan_world::{Changes, Followed, Key};

use super::kinds::Kinds;

/// The ClusterServiceVersions of each package, and the namespaces whose OperatorGroup selects all
/// namespaces.
#[derive(Debug, Default)]
pub(super) struct Operators {
    packages: BTreeMap<Key, Arc<str>>,
    csvs: BTreeMap<Arc<str>, BTreeSet<Key>>,
    serving_all: BTreeSet<Arc<str>>,
}

impl Operators {
    /// Applies changes. Returns the packages of changed operators that watch all namespaces.
    pub(super) fn look(&mut self, kinds: &Kinds, changes: &Changes) -> BTreeSet<Arc<str>> {
        let mut packages = BTreeSet::new();
        for key in changes.of::<OperatorGroup>() {
            if self.group(&key.namespace, &kinds.groups) {
                let inside = within(&self.packages, &key.namespace);
                packages.extend(inside.map(|(_, package)| package.clone()));
            }
        }
        for key in changes.of::<ClusterServiceVersion>() {
            let was_and_is = self.csv(key, kinds.csvs.shared(key).map(|csv| &**csv));
            if self.serving_all.contains(&key.namespace) {
                packages.extend(was_and_is.into_iter().flatten());
            }
        }
        packages
    }

    /// Returns the package of a ClusterServiceVersion. Returns None if the package is unknown.
    pub(super) fn package(&self, csv: &Key) -> Option<&str> {
        self.packages.get(csv).map(|package| &**package)
    }

    /// Returns the ClusterServiceVersions of a package that are in another namespace than `than`
    /// and watch all namespaces.
    pub(super) fn elsewhere(&self, package: &str, than: &str) -> impl Iterator<Item = &Key> {
        let all = self.csvs.get(package).into_iter().flatten();
        all.filter(move |key| *key.namespace != *than && self.serving_all.contains(&key.namespace))
    }

    /// Updates a namespace after its OperatorGroups have changed. Returns true if the namespace has
    /// started or stopped to have an OperatorGroup that selects all namespaces.
    fn group(&mut self, namespace: &Arc<str>, groups: &Followed<OperatorGroup>) -> bool {
        let serves = groups.within(namespace).any(|(_, group)| serves_all(group));
        if serves {
            self.serving_all.insert(namespace.clone())
        } else {
            self.serving_all.remove(namespace)
        }
    }

    /// Updates the package of a ClusterServiceVersion. Returns the previous and the current
    /// package.
    fn csv(&mut self, key: &Key, csv: Option<&ClusterServiceVersion>) -> [Option<Arc<str>>; 2] {
        let is: Option<Arc<str>> = csv.and_then(|csv| csv.package()).map(Into::into);
        let was = match &is {
            Some(package) => self.packages.insert(key.clone(), package.clone()),
            None => self.packages.remove(key),
        };
        if was != is {
            was.iter().for_each(|package| self.drop(package, key));
            for package in is.iter().cloned() {
                let keys = self.csvs.entry(package).or_default();
                keys.insert(key.clone());
            }
        }
        [was, is]
    }

    fn drop(&mut self, package: &str, csv: &Key) {
        if let Some(keys) = self.csvs.get_mut(package) {
            keys.remove(csv);
            if keys.is_empty() {
                self.csvs.remove(package);
            }
        }
    }
}

/// Returns true if an OperatorGroup selects all namespaces. This is the case if its status contains
/// all namespaces, or if its spec has no restriction.
fn serves_all(group: &OperatorGroup) -> bool {
    let is_unbounded = group.spec.target_namespaces.is_empty() && !group.has_selector();
    group.status.namespaces == [""] || is_unbounded
}

fn within<'a, T>(
    all: &'a BTreeMap<Key, T>,
    namespace: &str,
) -> impl Iterator<Item = (&'a Key, &'a T)> {
    let from = all.range(Key::new(namespace, "")..);
    from.take_while(move |(key, _)| *key.namespace == *namespace)
}
