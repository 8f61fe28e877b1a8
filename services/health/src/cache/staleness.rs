//! The followed objects, and whether they can be relied on.

use std::collections::BTreeMap;

use portolan_core_health::{ObservedObjects, Sight};
use portolan_world::{Followed, Key, Kind};

/// Returns whether the objects that `is_meant` selects can be relied on, one by one: nothing may be
/// concluded from an object that was not read whole, for what it lacks may well be there.
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

/// Returns whether they can be relied on together: not at all, if one of them was not read whole.
pub(super) fn sight_of_all<K: Kind>(
    followed: &Followed<K>,
    is_meant: impl Fn(&Key) -> bool,
) -> Sight {
    followed.doubt(is_meant).map_or(Sight::Clear, Sight::Dim)
}

/// Returns whether an object can be relied on.
pub(super) fn sight_of_one<K: Kind>(followed: &Followed<K>, key: &Key) -> Sight {
    sight_of_each(followed, |odd| odd == key)
}

/// Facts of objects that several operators have, with how sure each is.
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

/// Facts of objects that one has, with how sure they are.
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
