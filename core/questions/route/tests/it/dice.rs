//! Random choices that depend only on a seed number.

/// A small random number generator (splitmix64).
#[derive(Debug)]
pub(crate) struct Dice(u64);

// === impl Dice ===

impl Dice {
    pub(crate) fn of(number: u64) -> Self {
        Self(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns a number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let sides = u64::try_from(sides).expect("a number");
        usize::try_from(mixed % sides).expect("a number")
    }

    /// Returns true with this probability in percent.
    pub(crate) fn is_in(&mut self, hundred: usize) -> bool {
        self.roll(100) < hundred
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())].clone()
    }
}
