//! For how long what is made counts.

use jiff::SignedDuration;

/// For how long what is made counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// How long a leaf is valid; it is renewed when a third of that is left.
    pub leaf: SignedDuration,
    /// How long an authority is valid.
    pub authority: SignedDuration,
    /// When an authority has this long to go, another one is put beside it. It is longer than a leaf is
    /// valid, so that no leaf is cut short.
    pub successor: SignedDuration,
    /// How long every object has trusted an authority before it signs: API servers hear of it in their
    /// time.
    pub announced: SignedDuration,
    /// How far back validity begins, for machines whose clocks are behind.
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
