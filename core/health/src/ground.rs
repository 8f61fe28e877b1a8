//! The objects of a namespace by their names, for all that is judged in it.

use std::collections::{BTreeMap, BTreeSet};

use crate::sight::unseen;
use crate::{
    CatalogSource, Code, Csv, Definition, Deployment, Fact, InstallPlan, Kind, Namespace, Object,
    Observed, OperatorCondition, OperatorGroup, Seen, ServedApi, Sight, State, Subscription,
};

/// The objects of a namespace by their names. Which of them come first in the Namespace reaches
/// nobody.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) name: &'a str,
    pub(crate) subscriptions: Shelf<'a, Subscription>,
    pub(crate) groups: Shelf<'a, OperatorGroup>,
    pub(crate) plans: Shelf<'a, InstallPlan>,
    pub(crate) csvs: Shelf<'a, Csv>,
    pub(crate) copied: BTreeSet<&'a str>,
    pub(crate) copied_sight: &'a Sight,
    pub(crate) conditions: Shelf<'a, OperatorCondition>,
    pub(crate) deployments: Shelf<'a, Deployment>,
    pub(crate) definitions: Shelf<'a, Definition>,
    pub(crate) served: Shelf<'a, ServedApi>,
    pub(crate) catalogs: Shelf<'a, CatalogSource>,
}

/// The objects of one kind, in order.
#[derive(Debug)]
pub(crate) struct Shelf<'a, T> {
    kind: Kind,
    namespace: &'a str,
    objects: Vec<&'a T>,
    by_name: BTreeMap<(&'a str, &'a str), &'a T>,
    pub(crate) sight: &'a Sight,
}

/// What came of looking for an object by its name.
#[derive(Debug)]
pub(crate) enum Found<'a, T> {
    /// It is there.
    There(&'a T),
    /// It is not there.
    Missing(Observed),
    /// It was not seen, and that means nothing.
    Unseen,
}

/// What has names.
pub(crate) trait Named: Ord {
    /// The names.
    fn observed(&self) -> &Observed;
}

macro_rules! named {
    ($($kind:ident,)+) => {
        $(impl Named for $kind {
            fn observed(&self) -> &Observed {
                &self.observed
            }
        })+
    };
}

named! {
    Subscription, OperatorGroup, InstallPlan, Csv, OperatorCondition, Deployment, Definition,
    ServedApi, CatalogSource,
}

// === impl Ground ===

impl<'a> Ground<'a> {
    /// The objects of the namespace by their names.
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
            definitions,
            served,
            catalogs,
        } = namespace;
        Self {
            name,
            subscriptions: Shelf::of(Kind::Subscription, name, subscriptions),
            groups: Shelf::of(Kind::OperatorGroup, name, groups),
            plans: Shelf::of(Kind::InstallPlan, name, plans),
            csvs: Shelf::of(Kind::ClusterServiceVersion, name, csvs),
            copied: copied.objects.iter().map(String::as_str).collect(),
            copied_sight: &copied.sight,
            conditions: Shelf::of(Kind::OperatorCondition, name, conditions),
            deployments: Shelf::of(Kind::Deployment, name, deployments),
            definitions: Shelf::of(Kind::CustomResourceDefinition, "", definitions),
            served: Shelf::of(Kind::ApiService, "", served),
            catalogs: Shelf::of(Kind::CatalogSource, "", catalogs),
        }
    }
}

// === impl Shelf ===

impl<'a, T: Named> Shelf<'a, T> {
    fn of(kind: Kind, namespace: &'a str, seen: &'a Seen<T>) -> Self {
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

    /// All of them, by name.
    pub(crate) fn all(&self) -> &[&'a T] {
        &self.objects
    }

    /// Whether what is not among them is not there, and those that are say all that they are to.
    pub(crate) fn is_clear(&self) -> bool {
        *self.sight == Sight::Clear
    }

    /// Whether one of that name is not there if it is not among them.
    pub(crate) fn is_clear_of(&self, name: &str) -> bool {
        match self.find(name) {
            Found::There(_) | Found::Missing(_) => true,
            Found::Unseen => false,
        }
    }

    /// One of them by its name.
    pub(crate) fn find(&self, name: &str) -> Found<'a, T> {
        self.find_in(self.namespace, name)
    }

    /// One of them by its names, of a kind that several namespaces have.
    pub(crate) fn find_in(&self, namespace: &str, name: &str) -> Found<'a, T> {
        let missing = || Found::Missing(Object::new(self.kind, namespace, name).absent());
        match (self.by_name.get(&(namespace, name)), self.sight) {
            (Some(object), _) => Found::There(object),
            (None, Sight::Clear) => missing(),
            (None, Sight::Odd(odd)) if odd.contains_key(&(namespace.into(), name.into())) => {
                Found::Unseen
            }
            (None, Sight::Odd(_)) => missing(),
            (None, Sight::Dim(_)) => Found::Unseen,
        }
    }

    /// That they are not seen as they are now, if that is so; or that some of them were not read
    /// whole, of those that bear on what is judged.
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
        let message = format!("{} is not read whole: {why}", observed.object);
        Fact::judged(&observed, state, Code::NotObserved, &message)
    }

    /// The kind as a whole.
    pub(crate) fn whole(&self) -> Observed {
        Object::new(self.kind, self.namespace, "").absent()
    }
}

// === impl Found ===

impl<'a, T> Found<'a, T> {
    /// The object, if it is there.
    pub(crate) fn object(self) -> Option<&'a T> {
        match self {
            Self::There(object) => Some(object),
            Self::Missing(_) | Self::Unseen => None,
        }
    }
}
