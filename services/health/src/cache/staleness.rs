//! The followed objects, and whether they are complete and current.

use std::collections::BTreeMap;

use portolan_core_health::{ObservedObjects, Sight};
use portolan_world::{Followed, Key, Kind};

/// Returns the completeness and freshness of each object that `is_meant` selects. If an object was
/// not read completely, a missing field proves nothing.
fn sight_of_each<K: Kind>(followed: &Followed<K>, is_meant: impl Fn(&Key) -> bool) -> Sight {
    if let Some(why) = followed.doubt_of_all() {
        return Sight::Dim(why);
    }
    let odd = followed.faults().filter(|(key, _)| is_meant(key));
    let odd = odd.map(|(Key { namespace, name }, why)| {
        ((namespace.to_string(), name.to_string()), why.to_owned())
    });
    let odd: BTreeMap<_, _> = odd.collect();
    if odd.is_empty() {
        Sight::Clear
    } else {
        Sight::Odd(odd)
    }
}

/// Returns the completeness and freshness of the objects together. If one object was not read
/// completely, all objects count as unknown.
pub(super) fn sight_of_all<K: Kind>(
    followed: &Followed<K>,
    is_meant: impl Fn(&Key) -> bool,
) -> Sight {
    followed.doubt(is_meant).map_or(Sight::Clear, Sight::Dim)
}

/// Returns the completeness and freshness of one object.
pub(super) fn sight_of_one<K: Kind>(followed: &Followed<K>, key: &Key) -> Sight {
    sight_of_each(followed, |odd| odd == key)
}

/// Returns facts about objects that several operators share, each with its completeness and
/// freshness.
pub(super) fn seen_each<K: Kind, T>(
    followed: &Followed<K>,
    facts: impl Iterator<Item = T>,
    is_meant: impl Fn(&Key) -> bool,
) -> ObservedObjects<T> {
    ObservedObjects {
        objects: facts.collect(),
        sight: sight_of_each(followed, is_meant),
    }
}

/// Returns facts about objects that belong to one operator, with their completeness and freshness.
pub(super) fn seen_together<K: Kind, T>(
    followed: &Followed<K>,
    facts: impl Iterator<Item = T>,
    is_meant: impl Fn(&Key) -> bool,
) -> ObservedObjects<T> {
    ObservedObjects {
        objects: facts.collect(),
        sight: sight_of_all(followed, is_meant),
    }
}
