//! The origins of a value: the entries of Secrets on which it depends. A value with origins is
//! secret.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// An entry of a Secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretEntry {
    pub namespace: String,
    pub name: String,
    /// The key in the data of the Secret, or the name of another field of the Secret.
    pub key: String,
}

/// The entries of Secrets on which a value depends. Most values depend on no Secret.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    entries: Option<Rc<BTreeSet<SecretEntry>>>,
    /// True if a Secret determined on which entries the value depends. Then the entries must not be
    /// named, because their names would reveal a part of this Secret.
    is_chosen: bool,
}

// === impl SecretEntry ===

impl fmt::Display for SecretEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            namespace,
            name,
            key,
        } = self;
        write!(f, "Secret {namespace}/{name} {key}")
    }
}

// === impl Origins ===

impl Origins {
    pub(crate) fn one(entry: SecretEntry) -> Self {
        Self {
            entries: Some(Rc::new(BTreeSet::from([entry]))),
            is_chosen: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_none()
    }

    pub(crate) fn join(&mut self, other: &Self) {
        self.is_chosen |= other.is_chosen;
        match (&mut self.entries, &other.entries) {
            (_, None) => {}
            (mine @ None, Some(_)) => *mine = other.entries.clone(),
            (Some(mine), Some(theirs)) if Rc::ptr_eq(mine, theirs) => {}
            (Some(mine), Some(theirs)) => Rc::make_mut(mine).extend(theirs.iter().cloned()),
        }
    }

    /// Returns the origins of a value that was chosen because of a value with these origins.
    #[must_use]
    pub(crate) fn chosen(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            is_chosen: !self.is_empty(),
        }
    }

    /// Returns the entries that may be named. Returns no entries if a Secret determined them.
    pub(crate) fn named(&self) -> impl Iterator<Item = &SecretEntry> {
        let entries = self.entries.iter().filter(|_| !self.is_chosen);
        entries.flat_map(|entries| entries.iter())
    }

    pub(crate) fn is_chosen(&self) -> bool {
        self.is_chosen
    }

    pub(crate) fn is_one(&self) -> bool {
        self.entries
            .as_ref()
            .is_none_or(|entries| entries.len() == 1)
    }

    /// Returns true if values with these two origins are displayed with the same mark.
    pub(crate) fn shows_as(&self, other: &Self) -> bool {
        self.is_chosen == other.is_chosen && self.named().eq(other.named())
    }
}
