//! Watches copied ClusterServiceVersions. A cluster may have thousands of copies. Therefore copies
//! are watched only in namespaces in which a Subscription may refer to a copy.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_health::{ObservedObjects, Sight};
use portolan_core_olm::CopiedCsv;
use portolan_world::{Area, Followed, Notifier, World};

use super::staleness::seen_together;

/// The maximum number of namespaces in which copies are watched at the same time.
const AT_ONCE: usize = 64;

/// The watched copies. A namespace is "in doubt" if a Subscription names an operator that was not
/// found. This operator may be a copy.
#[derive(Debug, Default)]
pub(super) struct Copies {
    in_doubt: BTreeSet<Arc<str>>,
    open: BTreeMap<Arc<str>, Followed<CopiedCsv>>,
}

// === impl Copies ===

impl Copies {
    /// Applies the changes of copies. Returns the namespaces whose copies have changed.
    pub(super) fn look(&mut self) -> BTreeSet<Arc<str>> {
        let open = self.open.iter_mut();
        let turned = open.filter_map(|(namespace, copies)| {
            (!copies.look().is_nothing()).then(|| namespace.clone())
        });
        turned.collect()
    }

    /// Records if a namespace is in doubt, so that its copies must be watched.
    pub(super) fn doubt(&mut self, namespace: &Arc<str>, is_in_doubt: bool) {
        if is_in_doubt {
            self.in_doubt.insert(namespace.clone())
        } else {
            self.in_doubt.remove(namespace)
        };
    }

    /// Starts and stops watches, so that only the copies of namespaces in doubt are watched.
    /// Returns the namespaces whose watch was started or stopped.
    pub(super) fn turn(&mut self, world: &impl World, notifier: &Notifier) -> BTreeSet<Arc<str>> {
        let wanted: BTreeSet<_> = self.in_doubt.iter().take(AT_ONCE).cloned().collect();
        let open: BTreeSet<_> = self.open.keys().cloned().collect();
        self.open.retain(|namespace, _| wanted.contains(namespace));
        for namespace in wanted.difference(&open) {
            let copies = world.objects_in::<CopiedCsv>(Area::namespace(namespace));
            let followed = Followed::of(copies, notifier);
            self.open.insert(namespace.clone(), followed);
        }
        wanted.symmetric_difference(&open).cloned().collect()
    }

    /// Returns the names of the copies in a namespace.
    pub(super) fn within(&self, namespace: &str) -> ObservedObjects<String> {
        match (self.open.get(namespace), self.in_doubt.contains(namespace)) {
            (Some(copies), _) => {
                let names = copies.all().map(|(key, _)| key.name.to_string());
                seen_together(copies, names, |_| true)
            }
            (None, false) => ObservedObjects::default(),
            (None, true) => ObservedObjects {
                objects: Vec::new(),
                sight: Sight::Dim(format!(
                    "at most {AT_ONCE} namespaces are checked at a time, and other namespaces are \
                     checked first"
                )),
            },
        }
    }

    /// Returns true if the copies of a namespace have not been listed yet.
    pub(super) fn are_pending(&self) -> bool {
        self.open.values().any(Followed::is_pending)
    }
}
