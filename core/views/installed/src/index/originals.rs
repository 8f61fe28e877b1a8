//! Stores the original objects of each source list.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube_core::SelectorExt as _;

use crate::operator::Home;
use crate::original::{
    Csv, Group, Namespace, OwnOperator, Planned, StoredCsv, Subscription, Targets,
};
use crate::{Key, Operator, Original, Resource};

/// The original objects of all source lists.
#[derive(Debug, Default)]
pub(super) struct Originals {
    csvs: BTreeMap<Key, Arc<Csv>>,
    own: BTreeMap<Arc<str>, Arc<OwnOperator>>,
    stored: BTreeMap<Key, Arc<StoredCsv>>,
    /// The operators that are installed without OLM. They are derived from `own` and `stored`. The
    /// key is the name of the Operator.
    planned: BTreeMap<Arc<str>, Planned>,
    subscriptions: BTreeMap<Key, Arc<Subscription>>,
    groups: BTreeMap<Key, Arc<Group>>,
    pub(super) namespaces: BTreeMap<Arc<str>, Arc<Namespace>>,
}

// === impl Originals ===

impl Originals {
    /// Returns the keys of all original objects of a source list.
    pub(super) fn keys(&self, resource: Resource) -> Vec<Key> {
        match resource {
            Resource::ClusterServiceVersions => self.csvs.keys().cloned().collect(),
            Resource::OperatorGroups => self.groups.keys().cloned().collect(),
            Resource::Subscriptions => self.subscriptions.keys().cloned().collect(),
            Resource::ResourceManifests => self.stored.keys().cloned().collect(),
            Resource::Namespaces => of_names(self.namespaces.keys()),
            Resource::Operators => of_names(self.own.keys()),
        }
    }

    /// Stores an original object, or removes it if `original` is None. Does not store copied
    /// ClusterServiceVersions.
    pub(super) fn set(&mut self, resource: Resource, key: Key, original: Option<Original>) {
        match original {
            Some(Original::Csv(csv)) => drop(self.csvs.insert(key, csv)),
            Some(Original::Operator(it)) => drop(self.own.insert(key.name, it)),
            Some(Original::Stored(it)) => drop(self.stored.insert(key, it)),
            Some(Original::Group(group)) => drop(self.groups.insert(key, group)),
            Some(Original::Subscription(it)) => drop(self.subscriptions.insert(key, it)),
            Some(Original::Namespace(it)) => drop(self.namespaces.insert(key.name, it)),
            Some(Original::Copy(_)) | None => match resource {
                Resource::ClusterServiceVersions => drop(self.csvs.remove(&key)),
                Resource::Operators => drop(self.own.remove(&key.name)),
                Resource::ResourceManifests => drop(self.stored.remove(&key)),
                Resource::OperatorGroups => drop(self.groups.remove(&key)),
                Resource::Subscriptions => drop(self.subscriptions.remove(&key)),
                Resource::Namespaces => drop(self.namespaces.remove(&key.name)),
            },
        }
    }

    /// Rebuilds the operators installed without OLM that changes of these objects affect. Returns
    /// the namespaces in which these operators are installed, or were installed before.
    pub(super) fn plan_anew(&mut self, resource: Resource, keys: &[Key]) -> BTreeSet<Arc<str>> {
        let keys: BTreeSet<&Key> = keys.iter().collect();
        let names: Vec<_> = if resource == Resource::Operators {
            keys.iter().map(|key| key.name.clone()).collect()
        } else {
            let has = |own: &OwnOperator| own.csv.as_ref().is_some_and(|it| keys.contains(it));
            let own = self.own.values().filter(|own| has(own));
            own.map(|own| own.name.clone()).collect()
        };
        let mut homes = BTreeSet::new();
        for name in names {
            let is = self.own.get(&name).and_then(|own| {
                let stored = self.stored.get(own.csv.as_ref()?)?;
                own.with(stored)
            });
            homes.extend(is.iter().map(|is| is.key().namespace.clone()));
            let was = match is {
                Some(is) => self.planned.insert(name, is),
                None => self.planned.remove(&name),
            };
            homes.extend(was.map(|was| was.key().namespace.clone()));
        }
        homes
    }

    /// Returns the operators that are installed in a namespace, each with the namespaces that it
    /// watches.
    ///
    /// An operator of OLM watches the namespaces of its OperatorGroup, or no namespace if OLM has
    /// rejected the operator. If an operator of OLM and an operator without OLM have the same name,
    /// only the operator of OLM is returned. If several operators without OLM have the same name,
    /// only the first of them is returned, in the order of the names of their Operators.
    pub(super) fn operators_in(&self, home: &Arc<str>) -> BTreeMap<Key, (Operator, Targets)> {
        let csvs: Vec<_> = range(&self.csvs, home)
            .map(|(_, csv)| csv.clone())
            .collect();
        let subscriptions = range(&self.subscriptions, home);
        let subscriptions: Vec<_> = subscriptions.map(|(_, it)| it.clone()).collect();
        let all = Home {
            csvs: &csvs,
            subscriptions: &subscriptions,
        };
        let group = self.group_of(home);
        let planned = self.planned.values().rev();
        let planned = planned.filter(|planned| planned.key().namespace == *home);
        let planned = planned.map(|planned| {
            (
                planned.key().clone(),
                (planned.shown(), planned.targets.clone()),
            )
        });
        let of_olm = csvs.iter().map(|csv| {
            let accepting = group.filter(|_| !csv.is_rejected);
            let targets = accepting.map_or_else(Targets::none, |group| group.targets.clone());
            (csv.key.clone(), (all.operator(csv), targets))
        });
        planned.chain(of_olm).collect()
    }

    /// Returns the OperatorGroup of a namespace. Returns None if there are several, because OLM
    /// then accepts none of them.
    fn group_of(&self, home: &Arc<str>) -> Option<&Arc<Group>> {
        let mut groups = range(&self.groups, home);
        match (groups.next(), groups.next()) {
            (Some((_, group)), None) => Some(group),
            (None | Some(_), _) => None,
        }
    }

    /// Returns the existing namespaces that an operator watches.
    pub(super) fn watched<'a>(
        &'a self,
        targets: &'a Targets,
    ) -> Box<dyn Iterator<Item = &'a Arc<str>> + 'a> {
        match targets {
            Targets::These(names) => {
                let there = |name: &&Arc<str>| self.namespaces.contains_key(*name);
                Box::new(names.iter().filter(there))
            }
            Targets::All | Targets::Labeled(_) => {
                let all = self.namespaces.values();
                let watched = all.filter(|namespace| targets.have(namespace));
                Box::new(watched.map(|namespace| &namespace.name))
            }
        }
    }
}

// === impl Targets ===

impl Targets {
    /// Returns true if the targets contain the namespace.
    pub(super) fn have(&self, namespace: &Namespace) -> bool {
        match self {
            Self::All => true,
            Self::These(names) => names.contains(&namespace.name),
            Self::Labeled(selector) => selector.matches(&namespace.labels),
        }
    }
}

/// Returns the keys of cluster-scoped objects with these names.
fn of_names<'a>(names: impl Iterator<Item = &'a Arc<str>>) -> Vec<Key> {
    names.map(|name| Key::new("", name)).collect()
}

/// Returns the entries whose keys are in a namespace.
pub(super) fn range<'a, T>(
    all: &'a BTreeMap<Key, T>,
    namespace: &Arc<str>,
) -> impl Iterator<Item = (&'a Key, &'a T)> + use<'a, T> {
    let namespace = namespace.clone();
    let first = Key {
        namespace: namespace.clone(),
        name: "".into(),
    };
    let from = all.range(first..);
    from.take_while(move |(key, _)| key.namespace == namespace)
}
