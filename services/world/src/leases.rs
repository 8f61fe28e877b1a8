//! The time of a world. Leases are compared with this time.

use jiff::{SignedDuration, Timestamp};
use portolan_core_olm::Lease;

use crate::{Dump, World};

/// A Lease expires after this many of its durations. The factor allows for clocks that differ
/// between machines.
const DURATIONS: i64 = 3;

/// The time at which the objects of a world were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldTime {
    /// The current time, for a cluster.
    Now,
    /// The time of the dump.
    At(Timestamp),
    /// Unknown, for files that are not a dump.
    Unknown,
}

// === impl WorldTime ===

impl WorldTime {
    /// Returns the time of a world.
    pub fn of(world: &impl World) -> Self {
        let dump = world.folder().map(|root| Dump::of(root).ok().flatten());
        match dump {
            None => Self::Now,
            Some(Some(dump)) => Self::At(dump.taken),
            Some(None) => Self::Unknown,
        }
    }

    /// Returns true if the Lease has a holder and has not expired. Returns None if this is unknown.
    pub fn is_held(self, lease: &Lease) -> Option<bool> {
        let now = match self {
            Self::Now => Timestamp::now(),
            Self::At(taken) => taken,
            Self::Unknown => return None,
        };
        let spec = &lease.spec;
        let patience = i64::from(spec.lease_duration_seconds).saturating_mul(DURATIONS);
        let patience = SignedDuration::from_secs(patience);
        let renewed = spec.renew_time.as_ref().map(|time| time.0);
        let is_fresh = renewed.is_some_and(|renewed| now.duration_since(renewed) <= patience);
        Some(is_fresh && !spec.holder_identity.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_olm::read_value;
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    #[rstest]
    #[case::renewed(json!({"holderIdentity": "a", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T06:00:00.000000Z"}), true)]
    #[case::expired(json!({"holderIdentity": "a", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T05:59:00.000000Z"}), false)]
    #[case::released(json!({"holderIdentity": "", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T06:00:00.000000Z"}), false)]
    #[case::never_held(json!({}), false)]
    fn lease_is_held_while_its_holder_renews_it(#[case] spec: Value, #[case] expected: bool) {
        let (lease, faults) = read_value::<Lease>(json!({"spec": spec})).expect("a Lease");
        assert_eq!(faults, []);
        let at = "2026-01-01T06:00:10Z".parse().expect("a time");
        assert_eq!(WorldTime::At(at).is_held(&lease), Some(expected));
        assert_eq!(WorldTime::Unknown.is_held(&lease), None);
    }
}
