//! Keeps unused values for some time.

use std::collections::BTreeMap;

use tokio::time::Instant;

/// Values by name. An unused value is dropped only after some time, because it may be used again
/// soon.
#[derive(Debug)]
pub(super) struct KeepAlive<K, V> {
    used: BTreeMap<K, V>,
    resting: BTreeMap<K, (V, Instant)>,
}

impl<K: Ord + Clone, V> KeepAlive<K, V> {
    /// Returns the used values.
    pub(super) fn used(&self) -> &BTreeMap<K, V> {
        &self.used
    }

    pub(super) fn used_mut(&mut self) -> &mut BTreeMap<K, V> {
        &mut self.used
    }

    /// Returns the number of used and unused values.
    pub(super) fn len(&self) -> usize {
        self.used.len() + self.resting.len()
    }

    /// Returns true if a used or unused value has this name.
    pub(super) fn has(&self, name: &K) -> bool {
        self.used.contains_key(name) || self.resting.contains_key(name)
    }

    /// Returns the time at which the next unused value must be dropped. Returns None if all values
    /// are used.
    pub(super) fn next_end(&self) -> Option<Instant> {
        self.resting.values().map(|(_, end)| *end).min()
    }

    /// Drops the values that have been unused for too long.
    pub(super) fn end(&mut self, now: Instant) {
        self.resting.retain(|_, (_, end)| *end > now);
    }

    /// Marks the values that are not wanted as unused until this time. Returns their names.
    pub(super) fn rest(&mut self, is_wanted: impl Fn(&K) -> bool, until: Instant) -> Vec<K> {
        let idle = self.used.extract_if(.., |name, _| !is_wanted(name));
        let idle: Vec<_> = idle.collect();
        let names = idle.iter().map(|(name, _)| name.clone()).collect();
        let idle = idle.into_iter().map(|(name, value)| (name, (value, until)));
        self.resting.extend(idle);
        names
    }

    /// Marks the value with this name as used. If the value is missing or does not fit, creates a
    /// new value. Returns true if the value was unused before.
    pub(super) fn wake(
        &mut self,
        name: &K,
        fits: impl Fn(&V) -> bool,
        new: impl FnOnce() -> V,
    ) -> bool {
        if self.used.get(name).is_some_and(&fits) {
            return false;
        }
        let rested = self.resting.remove(name).map(|(value, _)| value);
        let value = rested.filter(fits).unwrap_or_else(new);
        self.used.insert(name.clone(), value);
        true
    }
}

impl<K, V> Default for KeepAlive<K, V> {
    fn default() -> Self {
        Self {
            used: BTreeMap::new(),
            resting: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn used(kept: &KeepAlive<&'static str, u8>) -> Vec<(&'static str, u8)> {
        let used = kept.used().iter();
        used.map(|(name, value)| (*name, *value)).collect()
    }

    #[test]
    fn unused_value_is_reused_until_it_expires() {
        let mut kept = KeepAlive::default();
        let now = Instant::now();
        let later = |seconds| now + Duration::from_secs(seconds);
        assert!(kept.wake(&"a", |_| true, || 1));
        assert!(!kept.wake(&"a", |_| true, || 2), "it is in use");
        assert_eq!(kept.next_end(), None, "nothing rests");

        assert_eq!(kept.rest(|_| false, later(30)), ["a"]);
        assert_eq!((used(&kept), kept.len()), (vec![], 1));
        assert_eq!(kept.next_end(), Some(later(30)));
        kept.end(later(29));
        assert!(kept.wake(&"a", |_| true, || 3));
        assert_eq!(used(&kept), [("a", 1)]);
        assert_eq!(kept.next_end(), None);

        kept.rest(|_| false, later(30));
        assert!(kept.wake(&"a", |value| *value != 1, || 4));
        assert_eq!(
            used(&kept),
            [("a", 4)],
            "a value that does not fit is replaced"
        );
        kept.rest(|_| false, later(30));
        kept.end(later(30));
        assert_eq!((kept.has(&"a"), kept.len()), (false, 0));
    }
}
