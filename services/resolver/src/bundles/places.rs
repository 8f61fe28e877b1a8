//! Limits the number of images that are pulled at the same time. One registry may use at most half
//! of the slots.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use portolan_images::Host;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots for images: a total number, and at most half of it for each registry.
#[derive(Debug)]
pub(super) struct Places {
    all: Arc<Semaphore>,
    of_one: usize,
    /// The slots of each registry whose images are being pulled or wait for a slot.
    by_host: Mutex<BTreeMap<Host, Weak<Semaphore>>>,
}

/// A slot for one image. It becomes free when this value is dropped.
#[derive(Debug)]
pub(super) struct ImageSlot {
    _of_host: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

// === impl Places ===

impl Places {
    pub(super) fn new(all: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all)),
            of_one: (all / 2).max(1),
            by_host: Mutex::default(),
        }
    }

    /// Waits for a slot for an image of this registry. If a registry has used all its slots, only
    /// its own images wait. Images of other registries still get slots.
    pub(super) async fn take(&self, host: &Host) -> ImageSlot {
        let of_host = acquire(self.of(host)).await;
        let of_all = acquire(Arc::clone(&self.all)).await;
        ImageSlot {
            _of_host: of_host,
            _of_all: of_all,
        }
    }

    fn of(&self, host: &Host) -> Arc<Semaphore> {
        let mut by_host = self.by_host.lock().unwrap_or_else(PoisonError::into_inner);
        by_host.retain(|_, places| places.strong_count() > 0);
        let known = by_host.get(host).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let places = Arc::new(Semaphore::new(self.of_one));
            by_host.insert(host.clone(), Arc::downgrade(&places));
            places
        })
    }
}

async fn acquire(places: Arc<Semaphore>) -> OwnedSemaphorePermit {
    let place = places.acquire_owned().await;
    place.expect("the places of images must not be closed")
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn host(name: &str) -> Host {
        name.parse().expect("a host")
    }

    #[test]
    fn one_registry_uses_at_most_half_of_the_slots() {
        let places = Places::new(4);
        let (slow, good) = (host("slow.example"), host("good.example"));
        let held: Vec<_> = (0..2)
            .map(|_| places.take(&slow).now_or_never().expect("a place"))
            .collect();
        assert!(places.take(&slow).now_or_never().is_none());
        assert!(places.take(&good).now_or_never().is_some());
        drop(held);
        assert!(places.take(&slow).now_or_never().is_some());
    }

    #[test]
    fn all_registries_share_the_download_slots() {
        let places = Places::new(4);
        let names = ["a.example", "a.example", "b.example", "b.example"];
        let held: Vec<_> = names
            .iter()
            .map(|name| places.take(&host(name)).now_or_never().expect("a place"))
            .collect();
        assert!(places.take(&host("c.example")).now_or_never().is_none());
        drop(held);
        assert!(places.take(&host("c.example")).now_or_never().is_some());
        assert_eq!(places.by_host.lock().expect("a lock").len(), 1);
    }
}
