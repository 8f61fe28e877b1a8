//! What has changed among kinds that are followed together.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_world::{Followed, Key, Kind, Turn};

/// One kind of those that are followed together.
pub trait Informer: Send {
    /// Takes over what there is now, and adds what of it is not as it was.
    fn take_over(&mut self, changes: &mut Changes);

    /// Whether the first answer is on its way.
    fn is_pending(&self) -> bool;
}

/// What has changed since the last round.
#[derive(Debug, Default)]
pub struct Changes {
    /// Whether some kind is as sure as it was no longer, or surer.
    is_other_state: bool,
    /// Whether this is the first round in which there is an answer about every kind.
    is_first: bool,
    keys: BTreeMap<TypeId, Vec<Key>>,
}

// === impl Informer ===

impl<K: Kind> Informer for Followed<K> {
    fn take_over(&mut self, changes: &mut Changes) {
        let Turn {
            is_other_state,
            keys,
        } = self.look();
        changes.is_other_state |= is_other_state;
        changes
            .keys
            .entry(TypeId::of::<K>())
            .or_default()
            .extend(keys);
    }

    fn is_pending(&self) -> bool {
        Followed::is_pending(self)
    }
}

// === impl Changes ===

impl Changes {
    /// The objects of a kind that came, went, or are not as they were.
    pub fn of<K: Kind>(&self) -> &[Key] {
        self.keys.get(&TypeId::of::<K>()).map_or(&[], Vec::as_slice)
    }

    /// Their namespaces.
    pub fn namespaces<K: Kind>(&self) -> impl Iterator<Item = Arc<str>> + use<'_, K> {
        self.of::<K>().iter().map(|key| key.namespace.clone())
    }

    /// Whether everything is judged again, whatever the changes bear on: in the first round, and
    /// when some kind is as sure as it was no longer, or surer.
    pub fn bear_on_all(&self) -> bool {
        self.is_first || self.is_other_state
    }

    pub(crate) fn is_other_state(&self) -> bool {
        self.is_other_state
    }

    pub(crate) fn first(&mut self) {
        self.is_first = true;
    }
}
