//! Shows if watched objects are complete and current. The type `Sight` contains the result.

use std::collections::BTreeMap;

use portolan_core_health::{ObservedObjects, Sight};
use portolan_world::{Followed, Key, Kind};

/// Returns a [`Sight`] that shows if the objects that `is_meant` selects are complete and current.
/// If some of these objects could not be read completely, it contains the reason for each of them.
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

/// Returns a [`Sight`] that shows if all objects that `is_meant` selects are complete and current.
/// If one of them could not be read completely, all of them count as unknown.
pub(super) fn sight_of_all<K: Kind>(
    followed: &Followed<K>,
    is_meant: impl Fn(&Key) -> bool,
) -> Sight {
    followed.doubt(is_meant).map_or(Sight::Clear, Sight::Dim)
}

/// Returns a [`Sight`] that shows if one object is complete and current.
pub(super) fn sight_of_one<K: Kind>(followed: &Followed<K>, key: &Key) -> Sight {
    sight_of_each(followed, |odd| odd == key)
}

/// Returns facts about objects that several operators share. Shows for each object if it is
/// complete and current.
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

/// Returns facts about objects that belong to one operator. Shows if the objects together are
/// complete and current.
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
