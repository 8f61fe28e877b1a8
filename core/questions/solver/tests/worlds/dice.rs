//! Random choices that are read from a sequence of bytes (the tape).

/// Reads choices from a tape of bytes. After the end of the tape, all choices are zero. Zero is
/// always the simplest choice, so a shorter tape results in a simpler world.
#[derive(Debug)]
pub(crate) struct Dice<'t> {
    tape: &'t [u8],
}

// === impl Dice ===

impl<'t> Dice<'t> {
    pub(crate) fn new(tape: &'t [u8]) -> Self {
        Self { tape }
    }

    /// Returns a number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        let Some((first, rest)) = self.tape.split_first() else {
            return 0;
        };
        self.tape = rest;
        usize::from(*first) % sides
    }

    /// Returns true with the probability of 1 / `sides`.
    pub(crate) fn is_rare(&mut self, sides: usize) -> bool {
        self.roll(sides) == sides - 1
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())].clone()
    }
}

/// Returns random bytes for a number. The same number always has the same bytes (splitmix64).
pub(crate) fn tape(number: u64) -> Vec<u8> {
    let mut state = number;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (0..64).flat_map(|_| next().to_le_bytes()).collect()
}
