//! The changes of several kinds that are watched together.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::{Followed, Key, Kind, Turn};

/// The time to wait for other kinds when one kind becomes unobservable, or becomes observable
/// again. Usually this happens to all kinds at the same time. Without the pause, each kind would
/// cause everything to be judged again.
const TOGETHER: Duration = Duration::from_millis(50);

/// A kind that is watched together with other kinds.
pub trait Informer: Send {
    /// Applies the current view, and adds the differences from the previous view to `changes`.
    fn take_over(&mut self, changes: &mut Changes);

    /// Returns true until the first response for the kind, which may be an error.
    fn is_pending(&self) -> bool;

    /// Returns true if the API server has ever responded about the kind. See
    /// [`State::is_heard`](crate::State::is_heard).
    fn is_heard(&self) -> bool;
}

/// Applies the changes of many kinds, one round at a time, and reports when all kinds have been
/// listed.
#[derive(Debug, Default)]
pub struct Informed {
    is_synced: bool,
    is_heard: bool,
}

/// The changes since the previous update.
#[derive(Debug, Default)]
pub struct Changes {
    /// True if the state of a kind has changed, for example from current to outdated.
    is_other_state: bool,
    /// True for the first update after all kinds have been listed.
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
    /// Applies all pending changes of these kinds. The kinds must be the same in each call.
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

    /// Returns true if the API server has responded about at least one kind. One response is
    /// enough, so that a kind that never gets a response does not block the other kinds.
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

    /// Returns true if everything must be judged again, and not only the changed objects. This is
    /// the case for the first update after all kinds were listed, and if the state of a kind has
    /// changed.
    pub fn bear_on_all(&self) -> bool {
        self.is_first || self.is_other_state
    }
}
