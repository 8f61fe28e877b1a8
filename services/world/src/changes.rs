//! The changes among kinds that are followed together.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::{Followed, Key, Kind, Turn};

/// The time to wait for the other kinds when one kind becomes unobservable, or observable again:
/// one kind alone seldom does, and each time everything is judged again.
const TOGETHER: Duration = Duration::from_millis(50);

/// One kind of those that are followed together.
pub trait Informer: Send {
    /// Takes over what there is now, and adds what of it is not as it was.
    fn take_over(&mut self, changes: &mut Changes);

    /// Whether the first answer is on its way.
    fn is_pending(&self) -> bool;

    /// Whether anybody was ever there to tell of it; see [`State::is_heard`](crate::State::is_heard).
    fn is_heard(&self) -> bool;
}

/// The loop over changes of many kinds, one step at a time: it knows whether all were listed once.
#[derive(Debug, Default)]
pub struct Informed {
    is_synced: bool,
    is_heard: bool,
}

/// The changes since the last look.
#[derive(Debug, Default)]
pub struct Changes {
    /// Whether some kind is as sure as it was no longer, or surer.
    is_other_state: bool,
    /// Whether this is the first look with an answer about every kind.
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

    fn is_heard(&self) -> bool {
        Followed::is_heard(self)
    }
}

// === impl Informed ===

impl Informed {
    /// Takes over what there is of these kinds, however many changes that is. They must be the same
    /// every time.
    pub async fn look(&mut self, mut kinds: Vec<&mut dyn Informer>) -> Changes {
        let mut changes = Changes::default();
        kinds
            .iter_mut()
            .for_each(|kind| kind.take_over(&mut changes));
        if self.is_synced && changes.is_other_state {
            sleep(TOGETHER).await;
            kinds
                .iter_mut()
                .for_each(|kind| kind.take_over(&mut changes));
        }
        if !self.is_synced && !kinds.iter().any(|kind| kind.is_pending()) {
            self.is_synced = true;
            changes.is_first = true;
        }
        self.is_heard |= kinds.iter().any(|kind| kind.is_heard());
        changes
    }

    /// Whether anybody was there to tell of some kind. One that nobody tells of is no reason to
    /// know nothing of the others.
    pub fn is_heard(&self) -> bool {
        self.is_heard
    }

    /// Whether there was an answer about every kind.
    pub fn is_synced(&self) -> bool {
        self.is_synced
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

    /// Whether everything is judged again, whatever the changes bear on: in the first look with an
    /// answer about every kind, and when some kind is as sure as it was no longer, or surer.
    pub fn bear_on_all(&self) -> bool {
        self.is_first || self.is_other_state
    }
}
