//! Answers that were given before.

use std::fmt;

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::Method;

/// How many bytes of questions and answers a Snapshot keeps. What is asked seldom gives way to what
/// is asked often.
const MOST_BYTES: u64 = 32 << 20;

/// A usual number of answers within that.
const USUAL: usize = 4096;

/// The method, whether it is asked in a batch, and the question.
pub(super) type Key = (Method, bool, Bytes);

/// The answers of one Snapshot, by their questions.
pub(crate) struct Kept(Cache<Key, Bytes, Size>);

#[derive(Debug, Clone, Copy)]
struct Size;

// === impl Kept ===

impl Kept {
    pub(super) fn find(&self, key: &Key) -> Option<Bytes> {
        self.0.get(key)
    }

    pub(super) fn keep(&self, key: Key, answer: Bytes) {
        self.0.insert(key, answer);
    }
}

impl Default for Kept {
    fn default() -> Self {
        Self(Cache::with_weighter(USUAL, MOST_BYTES, Size))
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept")
            .field("answers", &self.0.len())
            .finish()
    }
}

// === impl Size ===

impl Weighter<Key, Bytes> for Size {
    fn weight(&self, (_, _, question): &Key, answer: &Bytes) -> u64 {
        (question.len() + answer.len()) as u64
    }
}
