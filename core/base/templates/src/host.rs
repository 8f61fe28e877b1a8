//! The state that functions share: objects, Secrets, and the counted steps with their limits.

use std::collections::BTreeSet;

use crate::fault::{Limit, MOST_BYTES, MOST_OBJECTS, MOST_STEPS};
use crate::objects::{Answer, Lookup, Objects};
use crate::origin::{Origins, SecretEntry};

/// The reason why a function has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    Said(String),
    Cut(Limit),
    /// A failure that depends on these Secrets, although no argument depends on them.
    Hidden(Origins),
    Unread,
}

pub(crate) struct Host<'o> {
    pub(crate) objects: &'o dyn Objects,
    /// The time that `now` returns, in seconds since 1970.
    pub(crate) now: i64,
    pub(crate) lookups: BTreeSet<Lookup>,
    /// The Secrets that determine whether the evaluation reaches the current position.
    pub(crate) branch: Origins,
    /// True while a function runs whose arguments depend on Secrets.
    pub(crate) is_hidden: bool,
    /// True if a step that depends on a Secret failed. The evaluation continues, so that nothing
    /// reveals which step failed.
    pub(crate) has_failed: bool,
    /// The entries of Secrets on which the template depends, regardless of their content.
    pub(crate) known: BTreeSet<SecretEntry>,
    steps: u64,
    /// The number of steps that depend on Secrets.
    hidden_steps: u64,
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
            is_hidden: false,
            has_failed: false,
            known: BTreeSet::new(),
            steps: 0,
            hidden_steps: 0,
        }
    }

    /// Counts steps. Steps whose number depends on a Secret are counted separately. Otherwise, the
    /// position at which a template exceeds the limit would reveal this number.
    pub(crate) fn steps(&mut self, count: usize) -> Result<(), Limit> {
        let steps = if self.is_hidden || !self.branch.is_empty() {
            &mut self.hidden_steps
        } else {
            &mut self.steps
        };
        *steps = steps.saturating_add(count as u64);
        if *steps > MOST_STEPS {
            return Err(Limit::Steps);
        }
        Ok(())
    }

    /// Runs a part of a function. Its steps and failures depend on these Secrets, so they are
    /// hidden.
    pub(crate) fn about<T>(
        &mut self,
        origins: &Origins,
        run: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let before = self.is_hidden;
        self.is_hidden |= !origins.is_empty();
        let ran = run(self);
        self.is_hidden = before;
        match ran {
            Err(Failure::Said(_) | Failure::Cut(_)) if !origins.is_empty() => {
                Err(Failure::Hidden(origins.clone()))
            }
            ran => ran,
        }
    }

    /// Counts steps for a value that depends on these Secrets.
    pub(crate) fn steps_about(&mut self, count: usize, origins: &Origins) -> Result<(), Limit> {
        let before = std::mem::replace(&mut self.is_hidden, !origins.is_empty());
        let counted = self.steps(count);
        self.is_hidden = before;
        counted
    }

    /// Returns true if the number of steps that depend on Secrets exceeds its limit. The evaluation
    /// then ends early, so its lookups depend on the Secrets.
    pub(crate) fn is_spent(&self) -> bool {
        self.hidden_steps > MOST_STEPS
    }

    /// Records the entries of Secrets on which the template depends.
    pub(crate) fn note(&mut self, origins: &Origins) {
        if self.branch.is_empty() {
            self.known.extend(origins.named().cloned());
        }
    }

    /// Counts the size of a text that a function creates, because the text needs time and memory.
    pub(crate) fn made(&mut self, bytes: usize) -> Result<(), Limit> {
        if bytes > MOST_BYTES {
            return Err(Limit::Bytes);
        }
        self.steps(bytes / 16)
    }

    /// Looks up an object. No Secret may determine whether the object is looked up, because the
    /// lookups of a template are not secret.
    pub(crate) fn look_up(&mut self, lookup: Lookup) -> Result<Answer, Failure> {
        let is_new = !self.lookups.contains(&lookup);
        if is_new && (self.is_hidden || !self.branch.is_empty()) {
            return Err("whether it is read depends on a Secret".into());
        }
        if is_new && self.lookups.len() == MOST_OBJECTS {
            return Err(Limit::Objects.into());
        }
        let answer = self.objects.answer(&lookup);
        self.lookups.insert(lookup);
        Ok(answer)
    }
}
