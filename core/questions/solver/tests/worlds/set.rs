//! Small sets of operators.

use std::ops::{BitAnd, BitOr};

/// A set of operators, by their indexes on a board. A board has at most 64 operators.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Set(pub(crate) u64);

impl Set {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn one(at: usize) -> Self {
        assert!(at < 64, "a board has room for 64 operators");
        Self(1 << at)
    }

    pub(crate) fn has(self, at: usize) -> bool {
        self.0 >> at & 1 == 1
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let at = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                at
            })
        })
    }
}

impl FromIterator<usize> for Set {
    fn from_iter<I: IntoIterator<Item = usize>>(places: I) -> Self {
        places
            .into_iter()
            .fold(Self::NONE, |set, at| set | Self::one(at))
    }
}

impl BitOr for Set {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Set {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
