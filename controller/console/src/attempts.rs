//! Limits the number of login attempts.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

/// The maximum number of attempts in a burst.
const AT_ONCE: u32 = 5;
/// The interval at which one more attempt is permitted.
const EACH: Duration = Duration::from_secs(10);

/// The maximum number of addresses whose attempts are counted. Further addresses may not log in.
const ADDRESSES: usize = 1024;

/// The remaining attempts. All clients on loopback share one limit, because the server cannot
/// distinguish them.
#[derive(Debug, Clone)]
pub(crate) struct Attempts {
    left: u32,
    /// The time at which the last attempt was added, measured from the start of the server.
    at: Duration,
}

// === impl Attempts ===

impl Attempts {
    pub(crate) fn new() -> Self {
        Self {
            left: AT_ONCE,
            at: Duration::ZERO,
        }
    }

    /// Uses one attempt. Returns false if no attempt is left. `now` is the time since the start of
    /// the server.
    pub(crate) fn take(&mut self, now: Duration) -> bool {
        while self.left < AT_ONCE && now >= self.at + EACH {
            self.left += 1;
            self.at += EACH;
        }
        if self.left == AT_ONCE {
            self.at = now;
        }
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }

    /// Restores an attempt that was not the guess of a token.
    pub(crate) fn give_back(&mut self) {
        self.left = self.left.saturating_add(1).min(AT_ONCE);
    }

    fn are_all_left(&self, now: Duration) -> bool {
        now.saturating_sub(self.at) >= EACH * AT_ONCE
    }
}

/// The attempts of clients on other machines, by address.
#[derive(Debug, Default)]
pub(crate) struct AttemptsByAddress(BTreeMap<IpAddr, Attempts>);

// === impl AttemptsByAddress ===

impl AttemptsByAddress {
    /// Uses one attempt of this address. Returns false if no attempt is left.
    pub(crate) fn take(&mut self, from: IpAddr, now: Duration) -> bool {
        if self.0.len() >= ADDRESSES && !self.0.contains_key(&from) {
            self.0.retain(|_, attempts| !attempts.are_all_left(now));
            if self.0.len() >= ADDRESSES {
                return false;
            }
        }
        self.0.entry(from).or_insert_with(Attempts::new).take(now)
    }

    /// Restores one attempt of this address, because the attempt was not the guess of a token.
    pub(crate) fn give_back(&mut self, from: IpAddr) {
        if let Some(attempts) = self.0.get_mut(&from) {
            attempts.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_limit_applies_per_address() {
        let mut attempts = AttemptsByAddress::default();
        let at = |last| IpAddr::from([192, 0, 2, last]);
        let second = Duration::from_secs(1);
        let of_one: Vec<_> = (0..6).map(|_| attempts.take(at(1), second)).collect();
        assert_eq!(of_one, [true, true, true, true, true, false]);
        assert!(attempts.take(at(2), second));
    }

    /// Behind a proxy, all clients have the address of the proxy.
    #[test]
    fn successful_logins_do_not_count_as_attempts() {
        let mut attempts = AttemptsByAddress::default();
        let (proxy, second) = (IpAddr::from([192, 0, 2, 1]), Duration::from_secs(1));
        for _ in 0..20 {
            assert!(attempts.take(proxy, second));
            attempts.give_back(proxy);
        }
        let guesses: Vec<_> = (0..6).map(|_| attempts.take(proxy, second)).collect();
        assert_eq!(guesses, [true, true, true, true, true, false]);
    }

    /// If too many addresses are in use, new addresses are refused until old addresses have all
    /// attempts again.
    #[test]
    fn addresses_are_counted_in_bounded_room() {
        let mut attempts = AttemptsByAddress::default();
        let second = Duration::from_secs;
        for at in 0..ADDRESSES {
            let [.., high, low] = at.to_be_bytes();
            assert!(attempts.take([10, 0, high, low].into(), second(1)));
        }
        let new = IpAddr::from([192, 0, 2, 1]);
        assert!(!attempts.take(new, second(2)));
        assert!(attempts.take(new, second(60)));
        assert_eq!(attempts.0.len(), 1);
    }

    #[test]
    fn five_attempts_are_possible_and_then_one_every_ten_seconds() {
        let mut attempts = Attempts::new();
        let second = Duration::from_secs;
        let first: Vec<_> = (0..7).map(|_| attempts.take(second(1))).collect();
        assert_eq!(first, [true, true, true, true, true, false, false]);
        assert!(!attempts.take(second(9)));
        assert!(attempts.take(second(11)));
        assert!(!attempts.take(second(12)));
        // The unfinished interval since the last added attempt still counts.
        assert!(attempts.take(second(29)));
        assert!(attempts.take(second(31)));
        assert!(!attempts.take(second(40)));
        let much_later: Vec<_> = (0..6).map(|_| attempts.take(second(9_999))).collect();
        assert_eq!(much_later, [true, true, true, true, true, false]);
    }
}
