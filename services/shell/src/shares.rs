//! A limited number of slots that callers share. A slot stands for one concurrent call or for one
//! byte, for example. No caller can take all slots.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The prefix of the user names of ServiceAccounts. The namespace, a colon and the name follow the
/// prefix.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// The default number of shares into which the slots are divided. One holder may use one share.
const PARTS: usize = 4;

/// The caller that holds slots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// The address of a client whose user is unknown. None if the address is unknown, too.
    Address(Option<IpAddr>),
    /// The name of a known user.
    User(Arc<str>),
    /// The namespace of a ServiceAccount. All ServiceAccounts of a namespace count as one holder,
    /// because a user who can create one ServiceAccount can create many.
    ServiceAccountsOf(Arc<str>),
}

/// A limited number of slots. Each holder may use one share of the slots. Clones use the same
/// slots.
///
/// # Guarantees
/// A holder uses at most one share of the slots, by default a quarter, and never more slots than
/// remain free. Therefore a holder that uses its maximum leaves slots for other holders. A holder
/// without slots may take any number of free slots, so that a single request that is larger than a
/// share succeeds.
#[derive(Debug)]
pub struct Shares<K = Holder>(Arc<Places<K>>);

#[derive(Debug)]
struct Places<K> {
    all: usize,
    /// The maximum number of slots for a holder that already has slots.
    part: usize,
    taken: Mutex<Taken<K>>,
}

#[derive(Debug)]
struct Taken<K> {
    all: usize,
    /// The number of slots of each holder.
    by: BTreeMap<K, usize>,
}

/// The slots that a holder has taken. The slots become free when this value is dropped.
#[derive(Debug)]
#[must_use = "the places are free again when the share is dropped"]
pub struct Share<K: Ord + Clone = Holder> {
    places: Arc<Places<K>>,
    holder: K,
    count: usize,
}

/// The reason why slots cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPlace {
    /// The holder would exceed its maximum.
    Own,
    /// Not enough slots are free.
    All,
}

// === impl Holder ===

impl Holder {
    /// Returns the holder for a known user of this name.
    pub(crate) fn of(user: &str) -> Self {
        let account = user.strip_prefix(SERVICE_ACCOUNT);
        match account.and_then(|account| account.split_once(':')) {
            Some((namespace, _)) => Self::ServiceAccountsOf(namespace.into()),
            None => Self::User(user.into()),
        }
    }
}

// === impl Shares ===

impl<K: Ord + Clone> Shares<K> {
    /// Creates `places` free slots. One holder may take a quarter of them.
    pub fn new(places: usize) -> Self {
        Self::in_parts(places, PARTS)
    }

    /// Creates `places` free slots, divided into `parts` shares. One holder may take one share.
    pub fn in_parts(places: usize, parts: usize) -> Self {
        Self(Arc::new(Places {
            all: places,
            part: places / parts.max(1),
            taken: Mutex::new(Taken {
                all: 0,
                by: BTreeMap::new(),
            }),
        }))
    }

    /// Takes `count` slots at once, without waiting. If `count` exceeds the total, takes all slots.
    ///
    /// # Errors
    /// Returns an error if too few slots are free, or if the holder would exceed its share.
    pub fn take(&self, holder: K, count: usize) -> Result<Share<K>, NoPlace> {
        let Self(places) = self;
        let count = count.min(places.all);
        let mut taken = places.taken();
        let free = places.all - taken.all;
        if count > free {
            return Err(NoPlace::All);
        }
        places.permit(&taken, &holder, count, free)?;
        taken.all += count;
        *taken.by.entry(holder.clone()).or_default() += count;
        drop(taken);
        Ok(Share {
            places: Arc::clone(places),
            holder,
            count,
        })
    }

    /// Returns the number of free slots.
    pub fn free(&self) -> usize {
        let Self(places) = self;
        places.all - places.taken().all
    }
}

impl<K> Clone for Shares<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

// === impl Places ===

impl<K: Ord + Clone> Places<K> {
    /// Returns an error if the holder would exceed its share with `count` more slots.
    fn permit(
        &self,
        taken: &Taken<K>,
        holder: &K,
        count: usize,
        free: usize,
    ) -> Result<(), NoPlace> {
        let own = taken.by.get(holder).copied().unwrap_or_default();
        let most = self.part.min(free);
        if own > 0 && own + count > most {
            return Err(NoPlace::Own);
        }
        Ok(())
    }

    fn taken(&self) -> MutexGuard<'_, Taken<K>> {
        // No code that holds this lock can panic while the state is inconsistent, so a poisoned
        // lock is safe to use.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Taken ===

impl<K: Ord + Clone> Taken<K> {
    /// Removes slots from a holder.
    fn free(&mut self, holder: &K, count: usize) {
        if let Some(own) = self.by.get_mut(holder) {
            *own -= count;
            if *own == 0 {
                self.by.remove(holder);
            }
        }
    }
}

// === impl Share ===

impl<K: Ord + Clone> Share<K> {
    /// Transfers these slots to another holder.
    ///
    /// # Errors
    /// Returns an error if the new holder would exceed its share. In this case, the old holder
    /// keeps the slots.
    pub fn pass_to(&mut self, holder: K) -> Result<(), NoPlace> {
        let Self {
            places,
            holder: own,
            count,
        } = self;
        if *own == holder {
            return Ok(());
        }
        let mut taken = places.taken();
        taken.free(own, *count);
        let free = places.all + *count - taken.all;
        let permitted = places.permit(&taken, &holder, *count, free);
        if permitted.is_ok() {
            *own = holder;
        }
        *taken.by.entry(own.clone()).or_default() += *count;
        permitted
    }
}

impl<K: Ord + Clone> Drop for Share<K> {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.all -= self.count;
        taken.free(&self.holder, self.count);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_user("ann", Holder::User("ann".into()))]
    #[case::a_service_account(
        "system:serviceaccount:harbor:pilot",
        Holder::ServiceAccountsOf("harbor".into())
    )]
    #[case::a_user_with_a_similar_name(
        "system:serviceaccount:harbor",
        Holder::User("system:serviceaccount:harbor".into())
    )]
    fn service_accounts_of_a_namespace_are_one_holder(
        #[case] user: &str,
        #[case] expected: Holder,
    ) {
        assert_eq!(Holder::of(user), expected);
    }

    #[test]
    fn one_holder_uses_at_most_a_quarter_of_the_slots() {
        let places = Shares::new(16);
        let own: Vec<_> = (0..4).map(|_| places.take("a", 1)).collect();
        assert!(own.iter().all(Result::is_ok));
        assert_eq!(places.take("a", 1).map(drop), Err(NoPlace::Own));
        assert_eq!(places.take("b", 1).map(drop), Ok(()));
        drop(own);
        assert_eq!(places.take("a", 1).map(drop), Ok(()));
        assert_eq!(places.free(), 16);
    }

    #[test]
    fn holders_at_their_maximum_leave_slots_for_the_next_holder() {
        let places = Shares::new(1024);
        let mut held = Vec::new();
        for holder in 0..8 {
            while let Ok(share) = places.take(holder, 1) {
                held.push(share);
            }
            assert!(places.free() > 0, "after holder {holder}");
        }
    }

    #[test]
    fn single_request_may_exceed_the_share() {
        let places = Shares::new(16);
        let large = places.take("a", 12);
        assert!(large.is_ok());
        assert_eq!(places.take("a", 1).map(drop), Err(NoPlace::Own));
        assert_eq!(places.take("b", 5).map(drop), Err(NoPlace::All));
        drop(large);
        assert_eq!(places.take("a", 99).map(|_| ()), Ok(()));
    }

    #[test]
    fn one_slot_serves_one_holder_at_a_time() {
        let places = Shares::new(1);
        let only = places.take("a", 1);
        assert_eq!(places.take("a", 1).map(drop), Err(NoPlace::All));
        drop(only);
        assert_eq!(places.take("b", 1).map(drop), Ok(()));
    }

    #[test]
    fn transferred_slots_count_for_the_new_holder() {
        let places = Shares::new(8);
        let mut first = places.take("address", 1).expect("a place");
        let mut second = places.take("address", 1).expect("a place");
        assert_eq!(first.pass_to("user"), Ok(()));
        assert_eq!(second.pass_to("user"), Ok(()));
        let mut third = places.take("address", 1).expect("a place");
        assert_eq!(third.pass_to("user"), Err(NoPlace::Own));
        assert_eq!(places.take("address", 1).map(drop), Ok(()));
        drop((first, second, third));
        assert_eq!(places.free(), 8);
    }

    proptest! {
        #[test]
        fn number_of_slots_never_changes(
            steps in prop::collection::vec((0..3_u8, 0..5_u8, 1..9_usize), 0..60),
        ) {
            let places = Shares::new(32);
            let mut held: Vec<Share<u8>> = Vec::new();
            for (step, holder, count) in steps {
                match step {
                    0 => held.extend(places.take(holder, count).ok()),
                    1 if !held.is_empty() => drop(held.swap_remove(count % held.len())),
                    _ => {
                        let at = count.min(held.len().saturating_sub(1));
                        if let Some(share) = held.get_mut(at) {
                            let _ = share.pass_to(holder);
                        }
                    }
                }
                let taken: usize = held.iter().map(|share| share.count).sum();
                prop_assert_eq!(places.free(), 32 - taken);
                let by: usize = places.0.taken().by.values().sum();
                prop_assert_eq!(by, taken);
            }
        }
    }
}
