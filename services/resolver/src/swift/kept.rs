//! Answers that were given before.

use std::fmt;

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tonic::Status;

use super::slow::Long;
use super::{Method, Told};

/// How many bytes of questions and answers a Snapshot keeps. What is asked seldom gives way to what
/// is asked often.
const MOST_BYTES: u64 = 32 << 20;

/// A usual number of answers within that.
const USUAL: usize = 4096;

/// What is asked, and the question.
pub(super) type Key = (Asking, Bytes);

/// What is asked, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Asking {
    One(Method),
    InBatch(Method),
    Long(Long),
}

/// The answers of one Snapshot, by their questions.
pub(crate) struct Kept(Cache<Key, Bytes, Size>);

#[derive(Debug, Clone, Copy)]
struct Size;

// === impl Kept ===

impl Kept {
    pub(super) fn find(&self, key: &Key) -> Option<Bytes> {
        self.0.get(key)
    }

    /// What was answered before, else what `tell` says, which is kept if it is an answer.
    pub(super) fn find_or(
        &self,
        key: Key,
        tell: impl FnOnce(Bytes) -> Result<Told, Status>,
    ) -> Result<Bytes, Status> {
        if let Some(kept) = self.find(&key) {
            return Ok(kept);
        }
        let (asking, question) = key;
        // The question is a part of a larger buffer, which must not be kept for it.
        let own = Bytes::copy_from_slice(&question);
        match tell(question)? {
            Told::Answer(bytes) => {
                let bytes = Bytes::from(bytes);
                self.0.insert((asking, own), bytes.clone());
                Ok(bytes)
            }
            Told::Refusal(bytes) => Ok(bytes.into()),
        }
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
    fn weight(&self, (_, question): &Key, answer: &Bytes) -> u64 {
        (question.len() + answer.len()) as u64
    }
}
