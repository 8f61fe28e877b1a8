//! The lifetimes of certificates.

use jiff::SignedDuration;

/// The lifetimes of certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// The validity of a leaf. It is renewed when a third of it is left.
    pub leaf: SignedDuration,
    /// The validity of an authority.
    pub authority: SignedDuration,
    /// The remaining validity at which an authority gets a successor. It is longer than the
    /// validity of a leaf, so that no leaf outlives its authority.
    pub successor: SignedDuration,
    /// The time for which every object must trust an authority before it signs, because API servers
    /// learn of it with a delay.
    pub announced: SignedDuration,
    /// The time by which the start of validity is set back, for machines with slow clocks.
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
