//! The cost of a route. A difference in one criterion outweighs all differences in later criteria.

use std::iter::Sum;
use std::ops::Add;

/// The cost of a route. An earlier field is more important than all later fields. Each move of a
/// joint step counts separately. Otherwise it would be cheaper to install an old version first and
/// then move it together with other operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Cost {
    /// The number of moves that only an override permits.
    pub(crate) overrides: u32,
    pub(crate) moves: u32,
    /// The number of moves to deprecated bundles.
    pub(crate) deprecated: u32,
    /// The sum of the places to which the moves lead. A newer bundle has a lower place, so newer
    /// bundles cost less.
    pub(crate) age: u32,
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            overrides: self.overrides.saturating_add(other.overrides),
            moves: self.moves.saturating_add(other.moves),
            deprecated: self.deprecated.saturating_add(other.deprecated),
            age: self.age.saturating_add(other.age),
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), Self::add)
    }
}
