//! All that bears on one namespace, gathered from what is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_health::{Mentioned, Namespace, Seen};
use portolan_core_olm::{ApiService, CatalogSource, CustomResourceDefinition};
use portolan_world::{Area, Changes, Followed, Index, Key, Kind};

use super::copies::Copies;
use super::kinds::Kinds;
use super::pods::PodWatches;
use super::staleness::seen_each;
use crate::facts;

/// Which namespaces speak of things that are in none, or in another one.
#[derive(Debug, Default)]
pub(super) struct References {
    definitions: Index<String>,
    served: Index<String>,
    catalogs: Index<(String, String)>,
}

// === impl References ===

impl References {
    /// This is what the namespace speaks of now.
    pub(super) fn put(&mut self, name: &Arc<str>, mentioned: Mentioned) {
        let Mentioned {
            definitions,
            served,
            catalogs,
        } = mentioned;
        self.definitions.put(name, definitions);
        self.served.put(name, served);
        self.catalogs.put(name, catalogs);
    }

    /// The namespaces that speak of something that has changed.
    pub(super) fn speaking_of(&self, changes: &Changes) -> BTreeSet<Arc<str>> {
        let name = |key: &Key| key.name.to_string();
        let names = |key: &Key| (key.namespace.to_string(), key.name.to_string());
        let definitions = changes.of::<CustomResourceDefinition>().iter().map(name);
        let definitions = definitions.flat_map(|name| self.definitions.speaking_of(&name));
        let served = changes.of::<ApiService>().iter().map(name);
        let served = served.flat_map(|name| self.served.speaking_of(&name));
        let catalogs = changes.of::<CatalogSource>().iter().map(names);
        let catalogs = catalogs.flat_map(|names| self.catalogs.speaking_of(&names));
        definitions.chain(served).chain(catalogs).cloned().collect()
    }
}

/// Everything that the operators of a namespace are judged by, and what of it is outside of it.
pub(super) fn namespace(
    name: &str,
    kinds: &Kinds,
    copies: &Copies,
    pods: &PodWatches,
) -> (Namespace, Mentioned) {
    let subscriptions = seen_in(&kinds.subscriptions, name, facts::subscription);
    let csvs = seen_in(&kinds.csvs, name, facts::csv);
    let mentioned = Mentioned::by(&csvs.objects, &subscriptions.objects);
    let definitions = mentioned.definitions.iter();
    let definitions = definitions.filter_map(|name| kinds.definitions.object("", name));
    let served = mentioned.served.iter();
    let served = served.filter_map(|name| kinds.served.object("", name));
    let catalogs = mentioned.catalogs.iter();
    let catalogs = catalogs.filter_map(|(space, name)| kinds.catalogs.object(space, name));
    let deployments = kinds.deployments.within(name);
    let deployments = deployments
        .map(|(key, deployment)| facts::deployment(deployment, pods.below(key, deployment)));
    let namespace = Namespace {
        name: name.to_owned(),
        groups: seen_in(&kinds.groups, name, facts::operator_group),
        plans: seen_in(&kinds.plans, name, facts::install_plan),
        copied: copies.within(name),
        conditions: seen_in(&kinds.conditions, name, facts::operator_condition),
        deployments: seen_each(&kinds.deployments, deployments, |key| {
            *key.namespace == *name
        }),
        definitions: seen_each(
            &kinds.definitions,
            definitions.map(facts::definition),
            |key| mentioned.definitions.contains(&*key.name),
        ),
        served: seen_each(&kinds.served, served.map(facts::served_api), |key| {
            mentioned.served.contains(&*key.name)
        }),
        catalogs: seen_each(
            &kinds.catalogs,
            catalogs.map(facts::catalog_source),
            |key| {
                let names = (key.namespace.to_string(), key.name.to_string());
                mentioned.catalogs.contains(&names)
            },
        ),
        subscriptions,
        csvs,
    };
    (namespace, mentioned)
}

/// Whether a Subscription has no operator and names one, which may be a copy.
pub(super) fn is_in_doubt(namespace: &Namespace) -> bool {
    let csvs = namespace.csvs.objects.iter();
    let there: BTreeSet<_> = csvs.map(|csv| csv.observed.object.name.as_str()).collect();
    let mut subscriptions = namespace.subscriptions.objects.iter();
    subscriptions.any(|subscription| {
        let named = [&subscription.installed_csv, &subscription.current_csv];
        let mut named = named.into_iter().filter(|name| !name.is_empty()).peekable();
        named.peek().is_some() && !named.any(|name| there.contains(name.as_str()))
    })
}

/// The Deployments that are not fine, each with where what is below it is.
pub(super) fn failing(namespace: &Namespace, kinds: &Kinds) -> BTreeMap<Key, Area> {
    let Namespace {
        csvs, deployments, ..
    } = namespace;
    let failing = portolan_core_health::failing(&csvs.objects, &deployments.objects);
    let failing = failing.into_iter().filter_map(|object| {
        let deployment = kinds.deployments.object(&object.namespace, &object.name)?;
        // Where somebody has set it to nothing, nothing is below it.
        let is_wanted = deployment.spec.replicas != Some(0);
        let selector = deployment.selector().filter(|_| is_wanted)?;
        let area = Area::namespace(&object.namespace).with_labels(selector);
        Some((Key::new(&object.namespace, &object.name), area))
    });
    failing.collect()
}

fn seen_in<K: Kind, T>(followed: &Followed<K>, namespace: &str, fact: impl Fn(&K) -> T) -> Seen<T> {
    let objects = followed.within(namespace);
    let facts = objects.map(|(_, object)| fact(object));
    seen_each(followed, facts, |key| *key.namespace == *namespace)
}
