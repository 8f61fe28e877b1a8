//! The lifetimes of what is made.

use jiff::SignedDuration;

/// The lifetimes of what is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// The time for which a leaf is valid; it is renewed when a third of that is left.
    pub leaf: SignedDuration,
    /// The time for which an authority is valid.
    pub authority: SignedDuration,
    /// The rest of the validity of an authority at which another one is put beside it. It is longer
    /// than a leaf is valid, so that no leaf is cut short.
    pub successor: SignedDuration,
    /// The time for which every object has trusted an authority before it signs: API servers hear
    /// of it in their time.
    pub announced: SignedDuration,
    /// The time by which the beginning of validity is moved back, for machines whose clocks are
    /// behind.
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
