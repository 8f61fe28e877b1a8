//! The queue of callers that wait for a review by the API server.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use k8s_openapi::api::authentication::v1::UserInfo;
use tokio::sync::{self, AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// The identity by which callers are grouped. Limits for each group prevent one caller from using
/// the capacity of other callers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// The address of an unknown caller. None if the address is unknown, too.
    Address(Option<IpAddr>),
    /// The name of a user that is known, or was known recently.
    User(Option<String>),
}

/// The limits for waiting callers and for concurrent reviews.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The maximum number of callers that wait or are being reviewed.
    pub(crate) seats: usize,
    /// The maximum number of concurrent reviews of all origins (`places`), and of one origin
    /// (`share`).
    pub(crate) places: usize,
    pub(crate) share: usize,
    /// The minimum time between the starts of two reviews.
    pub(crate) pace: Duration,
}

/// The queue of callers that wait for a review. Clones share the seats.
///
/// If a caller stops waiting, its seat becomes free. If the review has already started, the review
/// continues and keeps the seat.
#[derive(Debug, Clone)]
pub(crate) struct Queue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bounds: Bounds,
    places: Arc<Semaphore>,
    seated: Mutex<Seated>,
    /// The earliest time at which the next review may start.
    next: sync::Mutex<Instant>,
}

#[derive(Debug, Default)]
struct Seated {
    all: usize,
    groups: BTreeMap<Origin, Group>,
}

/// The callers with one origin.
#[derive(Debug)]
struct Group {
    seated: usize,
    places: Arc<Semaphore>,
}

/// The seat of a waiting caller. The seat becomes free when all clones are dropped.
#[derive(Debug, Clone)]
pub(crate) struct Seat(Arc<Taken>);

#[derive(Debug)]
struct Taken {
    shared: Arc<Shared>,
    origin: Origin,
    /// The review slots of the caller's origin.
    places: Arc<Semaphore>,
}

/// The permission to run a review while this value exists. This value also keeps the seat, even if
/// the caller no longer waits.
#[derive(Debug)]
pub(crate) struct Turn {
    _places: [Result<OwnedSemaphorePermit, AcquireError>; 2],
    _seat: Seat,
}

// === impl Origin ===

impl Origin {
    pub(crate) fn of(user: &UserInfo) -> Self {
        Self::User(user.username.clone())
    }
}

// === impl Queue ===

impl Queue {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self(Arc::new(Shared {
            bounds,
            places: Arc::new(Semaphore::new(bounds.places)),
            seated: Mutex::default(),
            next: sync::Mutex::new(Instant::now()),
        }))
    }

    /// Takes a free seat. Returns None if this origin already has as many seats as are free.
    /// Therefore one origin can never take all seats, and other origins find a free seat.
    pub(crate) fn seat(&self, origin: Origin) -> Option<Seat> {
        let Self(shared) = self;
        let mut seated = shared.seated();
        let free = shared.bounds.seats - seated.all;
        let group = seated.groups.get(&origin);
        if group.map_or(0, |group| group.seated) >= free {
            return None;
        }
        seated.all += 1;
        let group = seated
            .groups
            .entry(origin.clone())
            .or_insert_with(|| Group {
                seated: 0,
                places: Arc::new(Semaphore::new(shared.bounds.share)),
            });
        group.seated += 1;
        Some(Seat(Arc::new(Taken {
            shared: shared.clone(),
            origin,
            places: group.places.clone(),
        })))
    }
}

// === impl Shared ===

impl Shared {
    fn seated(&self) -> MutexGuard<'_, Seated> {
        self.seated.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the minimum time since the start of the previous review has passed.
    async fn pace(&self) {
        if self.bounds.pace.is_zero() {
            return;
        }
        let mut next = self.next.lock().await;
        sleep_until(*next).await;
        *next = Instant::now() + self.bounds.pace;
    }
}

// === impl Seat ===

impl Seat {
    /// Waits until this caller may run a review: first for a slot of its origin, then for a slot of
    /// all origins. Therefore other origins wait for only a few reviews of this origin.
    ///
    /// # Cancel safety
    /// If the future is dropped, the caller loses its position in the queue.
    pub(crate) async fn turn(&self) -> Turn {
        let Taken { shared, places, .. } = &*self.0;
        let own = places.clone().acquire_owned().await;
        let place = shared.places.clone().acquire_owned().await;
        shared.pace().await;
        Turn {
            _places: [own, place],
            _seat: self.clone(),
        }
    }
}

// === impl Taken ===

impl Drop for Taken {
    fn drop(&mut self) {
        let mut seated = self.shared.seated();
        seated.all -= 1;
        if let Some(group) = seated.groups.get_mut(&self.origin) {
            group.seated -= 1;
            if group.seated == 0 {
                seated.groups.remove(&self.origin);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use futures::FutureExt;

    use super::*;

    fn line() -> Queue {
        Queue::new(Bounds {
            seats: 16,
            places: 4,
            share: 2,
            pace: Duration::ZERO,
        })
    }

    fn origin(number: u32) -> Origin {
        Origin::Address(Some(Ipv4Addr::from_bits(number).into()))
    }

    /// Returns all seats that an origin gets.
    fn seats(line: &Queue, number: u32) -> Vec<Seat> {
        std::iter::from_fn(|| line.seat(origin(number))).collect()
    }

    #[test]
    fn each_origin_gets_at_most_half_of_the_free_seats() {
        let line = line();
        let first = seats(&line, 1);
        let second = seats(&line, 2);
        let third = seats(&line, 3);
        assert_eq!([first.len(), second.len(), third.len()], [8, 4, 2]);
        drop(first);
        assert_eq!(seats(&line, 4).len(), 5);
    }

    #[test]
    fn dropped_seat_leaves_the_queue() {
        let line = line();
        drop(seats(&line, 1));
        let seated = line.0.seated();
        assert_eq!((seated.all, seated.groups.len()), (0, 0));
    }

    #[tokio::test]
    async fn concurrent_reviews_per_origin_are_limited() {
        let line = line();
        let seats = seats(&line, 1);
        let mut waiting: Vec<_> = seats.iter().map(|seat| seat.turn().boxed()).collect();
        let turns = waiting.iter_mut().map(FutureExt::now_or_never);
        let turns: Vec<_> = turns.flatten().collect();
        assert_eq!(turns.len(), 2, "of one origin");
        let other = line.seat(origin(2)).expect("a seat");
        let turn = other.turn().now_or_never();
        assert!(turn.is_some(), "there is a place for another one");
    }

    #[tokio::test]
    async fn review_counts_for_its_origin_until_it_ends() {
        let line = line();
        let turn = || {
            let seat = line.seat(origin(1)).expect("a seat");
            seat.turn().now_or_never()
        };
        let turns = [turn(), turn()];
        assert!(turns.iter().all(Option::is_some));
        assert!(turn().is_none(), "two reviews run, which is the limit");
        drop(turns);
        assert!(turn().is_some());
    }
}
