//! The lifetimes of certificates, which also determine when certificates are renewed.

use jiff::SignedDuration;

/// The lifetimes of leaves and authorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// The validity of a leaf. It is renewed when a third of this time remains.
    pub leaf: SignedDuration,
    /// The validity of an authority.
    pub authority: SignedDuration,
    /// The remaining validity of an authority when another authority is added. It is longer than
    /// the validity of a leaf, so that no leaf is valid longer than its authority.
    pub successor: SignedDuration,
    /// The time for which every object must trust an authority before the authority signs. API
    /// servers read a new `caBundle` with a delay.
    pub announced: SignedDuration,
    /// The time by which a validity starts before the current time, because some machines have slow
    /// clocks.
    pub backdated: SignedDuration,
}

// === impl Lifetimes ===

impl Default for Lifetimes {
    fn default() -> Self {
        Self {
            leaf: days(365),
            authority: days(5 * 365),
            successor: days(365 + 30),
            announced: SignedDuration::from_hours(1),
            backdated: SignedDuration::from_hours(1),
        }
    }
}

pub(crate) const fn days(days: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * days)
}
