//! The cost of a route. Each criterion is more important than all following criteria together.

use std::iter::Sum;
use std::ops::Add;

/// The cost of a route. The order of the fields defines their importance. All moves of a joint step
/// are counted. Otherwise it would be cheaper to install an old version only to move it together
/// with other operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Cost {
    /// Moves that only an override permits.
    pub(crate) overrides: u32,
    pub(crate) moves: u32,
    /// Moves to deprecated bundles.
    pub(crate) deprecated: u32,
    /// The sum of the places at the end of each move. A newer place has a lower number.
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
