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
    /// Takes the current view, and adds the differences from the previous one.
    fn take_over(&mut self, changes: &mut Changes);

    /// Returns true before the first answer.
    fn is_pending(&self) -> bool;

    /// Returns true if there was ever an answer of the API server; see
    /// [`State::is_heard`](crate::State::is_heard).
    fn is_heard(&self) -> bool;
}

/// The loop over changes of many kinds, one step at a time: it knows whether all were listed once.
#[derive(Debug, Default)]
pub struct Informed {
    is_synced: bool,
    is_heard: bool,
}

/// The changes since the previous update.
#[derive(Debug, Default)]
pub struct Changes {
    /// True if the certainty of a kind has changed.
    is_other_state: bool,
    /// True for the first update in which every kind has been listed.
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

    /// Returns true if at least one kind was answered by the API server. A kind without an answer
    /// does not hide the others.
    pub fn is_heard(&self) -> bool {
        self.is_heard
    }

    /// Returns true if every kind has been listed.
    pub fn is_synced(&self) -> bool {
        self.is_synced
    }
}

// === impl Changes ===

impl Changes {
    /// Returns the objects of a kind that were added, deleted or modified.
    pub fn of<K: Kind>(&self) -> &[Key] {
        self.keys.get(&TypeId::of::<K>()).map_or(&[], Vec::as_slice)
    }

    /// Returns the namespaces of the changed objects.
    pub fn namespaces<K: Kind>(&self) -> impl Iterator<Item = Arc<str>> + use<'_, K> {
        self.of::<K>().iter().map(|key| key.namespace.clone())
    }

    /// Returns true if everything must be evaluated, whatever has changed: in the first update in
    /// which every kind has been listed, and if the certainty of a kind has changed.
    pub fn bear_on_all(&self) -> bool {
        self.is_first || self.is_other_state
    }
}
