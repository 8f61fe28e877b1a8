//! The objects of a namespace, indexed by name.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_olm::{
    ApiService, CatalogSource, CustomResourceDefinition, InstallPlan, OperatorCondition,
    OperatorGroup, Subscription,
};

use crate::unseen::unseen;
use crate::{
    Csv, Fact, HealthCode, Item, Judged, Kind, Namespace, Object, ObjectVersion, ObservedObjects,
    Sight, State, Workload,
};

/// The objects of a namespace, sorted by name. The order of the input has no effect.
#[derive(Debug)]
pub(crate) struct Objects<'a> {
    pub(crate) name: &'a str,
    pub(crate) subscriptions: Listed<'a, Item<Subscription>>,
    pub(crate) groups: Listed<'a, Item<OperatorGroup>>,
    pub(crate) plans: Listed<'a, Item<InstallPlan>>,
    pub(crate) csvs: Listed<'a, Csv>,
    pub(crate) copied: BTreeSet<&'a str>,
    pub(crate) copied_sight: &'a Sight,
    pub(crate) conditions: Listed<'a, Item<OperatorCondition>>,
    pub(crate) deployments: Listed<'a, Workload>,
    pub(crate) crds: Listed<'a, Item<CustomResourceDefinition>>,
    pub(crate) served: Listed<'a, Item<ApiService>>,
    pub(crate) catalogs: Listed<'a, Item<CatalogSource>>,
}

/// The objects of one kind, sorted by name, with the certainty about the list.
#[derive(Debug)]
pub(crate) struct Listed<'a, T> {
    kind: Kind,
    namespace: &'a str,
    objects: Vec<&'a T>,
    by_name: BTreeMap<(&'a str, &'a str), &'a T>,
    pub(crate) sight: &'a Sight,
}

/// The result of looking up an object by name.
#[derive(Debug)]
pub(crate) enum LookupResult<'a, T> {
    /// The object exists and was read.
    There(&'a T),
    /// The object is missing.
    Missing(ObjectVersion),
    /// The object could not be read, so it is unknown if the object exists.
    Unseen,
}

/// An object that has a namespace and a name.
pub(crate) trait Named: Ord {
    /// Returns the identity of the object, with the version that was read.
    fn observed(&self) -> &ObjectVersion;
}

impl<K: Judged> Named for Item<K> {
    fn observed(&self) -> &ObjectVersion {
        &self.observed
    }
}

impl Named for Workload {
    fn observed(&self) -> &ObjectVersion {
        &self.observed
    }
}

// === impl Objects ===

impl<'a> Objects<'a> {
    /// Sorts and indexes the objects of the namespace.
    pub(crate) fn of(namespace: &'a Namespace) -> Self {
        let Namespace {
            name,
            subscriptions,
            groups,
            plans,
            csvs,
            copied,
            conditions,
            deployments,
            crds,
            served,
            catalogs,
        } = namespace;
        Self {
            name,
            subscriptions: Listed::of(Kind::Subscription, name, subscriptions),
            groups: Listed::of(Kind::OperatorGroup, name, groups),
            plans: Listed::of(Kind::InstallPlan, name, plans),
            csvs: Listed::of(Kind::ClusterServiceVersion, name, csvs),
            copied: copied.objects.iter().map(String::as_str).collect(),
            copied_sight: &copied.sight,
            conditions: Listed::of(Kind::OperatorCondition, name, conditions),
            deployments: Listed::of(Kind::Deployment, name, deployments),
            crds: Listed::of(Kind::CustomResourceDefinition, "", crds),
            served: Listed::of(Kind::ApiService, "", served),
            catalogs: Listed::of(Kind::CatalogSource, "", catalogs),
        }
    }
}

// === impl Listed ===

impl<'a, T: Named> Listed<'a, T> {
    fn of(kind: Kind, namespace: &'a str, seen: &'a ObservedObjects<T>) -> Self {
        let mut objects: Vec<&T> = seen.objects.iter().collect();
        objects.sort();
        let mut by_name = BTreeMap::new();
        for object in &objects {
            let Object {
                namespace, name, ..
            } = &object.observed().object;
            by_name
                .entry((namespace.as_str(), name.as_str()))
                .or_insert(*object);
        }
        Self {
            kind,
            namespace,
            objects,
            by_name,
            sight: &seen.sight,
        }
    }

    /// Returns all objects of the kind, sorted by name.
    pub(crate) fn all(&self) -> &[&'a T] {
        &self.objects
    }

    /// Returns true if the list is complete and current, and if every object was read completely.
    pub(crate) fn is_clear(&self) -> bool {
        *self.sight == Sight::Clear
    }

    /// Returns true if it is known whether the object with this name exists, and if this object was
    /// read completely.
    pub(crate) fn is_clear_of(&self, name: &str) -> bool {
        match self.find(name) {
            LookupResult::There(_) | LookupResult::Missing(_) => true,
            LookupResult::Unseen => false,
        }
    }

    /// Looks up an object by name in the namespace.
    pub(crate) fn find(&self, name: &str) -> LookupResult<'a, T> {
        self.find_in(self.namespace, name)
    }

    /// Looks up an object by namespace and name.
    pub(crate) fn find_in(&self, namespace: &str, name: &str) -> LookupResult<'a, T> {
        let missing = || LookupResult::Missing(Object::new(self.kind, namespace, name).absent());
        match (self.by_name.get(&(namespace, name)), self.sight) {
            (Some(object), _) => LookupResult::There(object),
            (None, Sight::Clear) => missing(),
            (None, Sight::Odd(odd)) if odd.contains_key(&(namespace.into(), name.into())) => {
                LookupResult::Unseen
            }
            (None, Sight::Odd(_)) => missing(),
            (None, Sight::Dim(_)) => LookupResult::Unseen,
        }
    }

    /// Returns the fact that the list is stale, or a fact for each relevant object that was not
    /// read completely. `bears` returns true for the namespace and name of a relevant object.
    pub(crate) fn dim(&self, state: State, bears: impl Fn(&str, &str) -> bool) -> Vec<Fact> {
        match self.sight {
            Sight::Clear | Sight::Dim(_) => unseen(&self.whole(), self.sight, state)
                .into_iter()
                .collect(),
            Sight::Odd(odd) => {
                let odd = odd.iter().filter(|((space, name), _)| bears(space, name));
                let facts = odd.map(|((space, name), why)| self.odd(space, name, why, state));
                facts.collect()
            }
        }
    }

    fn odd(&self, namespace: &str, name: &str, why: &str, state: State) -> Fact {
        let there = self.find_in(namespace, name).object();
        let absent = || Object::new(self.kind, namespace, name).absent();
        let observed = there.map_or_else(absent, |object| object.observed().clone());
        let message = format!("{} cannot be read completely: {why}", observed.object);
        Fact::judged(&observed, state, HealthCode::NotObserved, &message)
    }

    /// Returns the identity that stands for the whole kind.
    pub(crate) fn whole(&self) -> ObjectVersion {
        Object::new(self.kind, self.namespace, "").absent()
    }
}

// === impl LookupResult ===

impl<'a, T> LookupResult<'a, T> {
    /// Returns the object. Returns None if the object is missing or could not be read.
    pub(crate) fn object(self) -> Option<&'a T> {
        match self {
            Self::There(object) => Some(object),
            Self::Missing(_) | Self::Unseen => None,
        }
    }
}
