//! Collects the facts about one namespace from the watched objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_health::{Item, Judged, Mentioned, Namespace, ObservedObjects, Workload};
use portolan_core_olm::{ApiService, CatalogSource, CustomResourceDefinition};
use portolan_world::{Area, Changes, Followed, Index, Key, Kind};

use super::copies::Copies;
use super::kinds::Kinds;
use super::pods::PodWatches;
use super::staleness::seen_each;

/// The objects outside a namespace to which each namespace refers. They are cluster-scoped or in
/// other namespaces.
#[derive(Debug, Default)]
pub(super) struct References {
    crds: Index<String>,
    served: Index<String>,
    catalogs: Index<(String, String)>,
}

// === impl References ===

impl References {
    /// Stores the objects outside a namespace to which the namespace refers now.
    pub(super) fn put(&mut self, name: &Arc<str>, mentioned: Mentioned) {
        let Mentioned {
            crds,
            served,
            catalogs,
        } = mentioned;
        self.crds.put(name, crds);
        self.served.put(name, served);
        self.catalogs.put(name, catalogs);
    }

    /// Returns the namespaces that refer to a changed object.
    pub(super) fn speaking_of(&self, changes: &Changes) -> BTreeSet<Arc<str>> {
        let name = |key: &Key| key.name.to_string();
        let names = |key: &Key| (key.namespace.to_string(), key.name.to_string());
        let crds = changes.of::<CustomResourceDefinition>().iter().map(name);
        let crds = crds.flat_map(|name| self.crds.speaking_of(&name));
        let served = changes.of::<ApiService>().iter().map(name);
        let served = served.flat_map(|name| self.served.speaking_of(&name));
        let catalogs = changes.of::<CatalogSource>().iter().map(names);
        let catalogs = catalogs.flat_map(|names| self.catalogs.speaking_of(&names));
        crds.chain(served).chain(catalogs).cloned().collect()
    }
}

/// Returns the facts that determine the health of the operators in a namespace, and the references
/// to objects outside the namespace.
pub(super) fn namespace(
    name: &str,
    kinds: &Kinds,
    copies: &Copies,
    pods: &PodWatches,
) -> (Namespace, Mentioned) {
    let subscriptions = seen_in(&kinds.subscriptions, name);
    let csvs = seen_in(&kinds.csvs, name);
    let mentioned = Mentioned::by(&csvs.objects, &subscriptions.objects);
    let deployments = kinds.deployments.shared_within(name).map(|deployment| {
        let deployment = Item::from(deployment.clone());
        Workload {
            below: pods.below(&deployment),
            deployment,
        }
    });
    let crds = mentioned.crds.iter().map(|name| Key::new("", name));
    let served = mentioned.served.iter().map(|name| Key::new("", name));
    let catalogs = mentioned.catalogs.iter();
    let catalogs = catalogs.map(|(space, name)| Key::new(space, name));
    let namespace = Namespace {
        name: name.to_owned(),
        groups: seen_in(&kinds.groups, name),
        plans: seen_in(&kinds.plans, name),
        copied: copies.within(name),
        conditions: seen_in(&kinds.conditions, name),
        deployments: seen_each(&kinds.deployments, deployments, |key| {
            *key.namespace == *name
        }),
        crds: seen_of(&kinds.crds, &crds.collect()),
        served: seen_of(&kinds.served, &served.collect()),
        catalogs: seen_of(&kinds.catalogs, &catalogs.collect()),
        subscriptions,
        csvs,
    };
    (namespace, mentioned)
}

/// Returns true if a Subscription names an operator that was not found. This operator may be a copy
/// from another namespace.
pub(super) fn is_in_doubt(namespace: &Namespace) -> bool {
    let csvs = namespace.csvs.objects.iter();
    let there: BTreeSet<_> = csvs.map(Item::name).collect();
    let mut subscriptions = namespace.subscriptions.objects.iter();
    subscriptions.any(|subscription| {
        let status = &subscription.status;
        let named = [&status.installed_csv, &status.current_csv];
        let mut named = named.into_iter().filter(|name| !name.is_empty()).peekable();
        named.peek().is_some() && !named.any(|name| there.contains(name.as_str()))
    })
}

/// Returns the unhealthy Deployments, each with the area that contains the objects below it, such
/// as Pods.
pub(super) fn failing(namespace: &Namespace, kinds: &Kinds) -> BTreeMap<Key, Area> {
    let Namespace {
        csvs, deployments, ..
    } = namespace;
    let failing = portolan_core_health::failing(&csvs.objects, &deployments.objects);
    let failing = failing.into_iter().filter_map(|object| {
        let deployment = kinds.deployments.object(&object.namespace, &object.name)?;
        // A Deployment with zero replicas has no Pods.
        let is_wanted = deployment.spec.replicas != Some(0);
        let selector = deployment.selector().filter(|_| is_wanted)?;
        let area = Area::namespace(&object.namespace).with_labels(selector);
        Some((Key::new(&object.namespace, &object.name), area))
    });
    failing.collect()
}

/// Returns the objects of a namespace.
fn seen_in<K: Kind + Judged>(followed: &Followed<K>, namespace: &str) -> ObservedObjects<Item<K>> {
    let objects = followed.shared_within(namespace);
    let items = objects.map(|object| Item::from(object.clone()));
    seen_each(followed, items, |key| *key.namespace == *namespace)
}

/// Returns the objects with these names.
fn seen_of<K: Kind + Judged>(
    followed: &Followed<K>,
    keys: &BTreeSet<Key>,
) -> ObservedObjects<Item<K>> {
    let objects = keys.iter().filter_map(|key| followed.shared(key));
    let items = objects.map(|object| Item::from(object.clone()));
    seen_each(followed, items, |key| keys.contains(key))
}
