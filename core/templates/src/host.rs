//! The context that functions get besides their arguments, and the limits that they keep.

use std::collections::BTreeSet;

use crate::fault::{Limit, MOST_BYTES, MOST_OBJECTS, MOST_STEPS};
use crate::objects::{Answer, Lookup, Objects};
use crate::origin::Origins;

/// Why a function has no value.
#[derive(Debug)]
pub(crate) enum Failure {
    Said(String),
    Cut(Limit),
    Unread,
}

pub(crate) struct Host<'o> {
    objects: &'o dyn Objects,
    /// The time that `now` tells, in seconds since 1970.
    pub(crate) now: i64,
    pub(crate) lookups: BTreeSet<Lookup>,
    /// The Secrets that decide whether this place is reached.
    pub(crate) branch: Origins,
    steps: u64,
}

// === impl Failure ===

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Self {
        Self::Cut(limit)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Said(message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Self::Said(message.to_owned())
    }
}

// === impl Host ===

impl<'o> Host<'o> {
    pub(crate) fn new(objects: &'o dyn Objects, now: i64) -> Self {
        Self {
            objects,
            now,
            lookups: BTreeSet::new(),
            branch: Origins::default(),
            steps: 0,
        }
    }

    pub(crate) fn steps(&mut self, count: usize) -> Result<(), Limit> {
        self.steps = self.steps.saturating_add(count as u64);
        if self.steps > MOST_STEPS {
            return Err(Limit::Steps);
        }
        Ok(())
    }

    /// Counts a text that a function makes: it takes time and room.
    pub(crate) fn made(&mut self, bytes: usize) -> Result<(), Limit> {
        if bytes > MOST_BYTES {
            return Err(Limit::Bytes);
        }
        self.steps(bytes / 16)
    }

    pub(crate) fn look_up(&mut self, lookup: Lookup) -> Result<Answer, Limit> {
        let is_new = !self.lookups.contains(&lookup);
        if is_new && self.lookups.len() == MOST_OBJECTS {
            return Err(Limit::Objects);
        }
        let answer = self.objects.answer(&lookup);
        self.lookups.insert(lookup);
        Ok(answer)
    }
}
