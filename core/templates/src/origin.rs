//! The origins of a value, as far as it must not be shown.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// One entry of a Secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretEntry {
    pub namespace: String,
    pub name: String,
    /// The key in the data; or the field, for what else a Secret holds.
    pub key: String,
}

/// The entries of Secrets that a value depends on: none, for most.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Origins(Option<Rc<BTreeSet<SecretEntry>>>);

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
        Self(Some(Rc::new(BTreeSet::from([entry]))))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn join(&mut self, other: &Self) {
        match (&mut self.0, &other.0) {
            (_, None) => {}
            (mine @ None, Some(_)) => *mine = other.0.clone(),
            (Some(mine), Some(theirs)) if Rc::ptr_eq(mine, theirs) => {}
            (Some(mine), Some(theirs)) => Rc::make_mut(mine).extend(theirs.iter().cloned()),
        }
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &SecretEntry> {
        self.0.iter().flat_map(|entries| entries.iter())
    }
}

/// The mark that is shown in place of a value: `<Secret NAMESPACE/NAME KEY>`.
impl fmt::Display for Origins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<_> = self.entries().map(SecretEntry::to_string).collect();
        write!(f, "<{}>", entries.join(", "))
    }
}
