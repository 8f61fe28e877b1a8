//! The selection of the Installed that a request is about: selectors of labels and of fields, as
//! the API server reads them.

mod fields;
mod labels;
#[cfg(test)]
mod tests;

use thiserror::Error;

pub use self::fields::FieldSelector;
pub use self::labels::LabelSelector;
use crate::Installed;

/// The selectors of the Installed that a request is about; all if neither says anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// By their labels.
    pub labels: LabelSelector,
    /// By what they are called.
    pub fields: FieldSelector,
}

/// A selector that is none: the request is bad (400).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotASelector {
    /// Something else should be there.
    #[error("the selector {selector:?} cannot be read: {wanted} should be where {found:?} is")]
    Unexpected {
        /// All of the selector.
        selector: String,
        /// The text that is expected.
        wanted: &'static str,
        /// The text that is there; nothing at the end of the selector.
        found: String,
    },
    /// No label is called so.
    #[error(
        "{0:?} is not the name of a label: up to 63 letters, digits, '-', '_' or '.', with a letter or \
         digit at both ends, and before that a DNS name and '/', if anything"
    )]
    Key(String),
    /// No label has such a value.
    #[error(
        "{0:?} is not the value of a label: up to 63 letters, digits, '-', '_' or '.', with a letter or \
         digit at both ends"
    )]
    Value(String),
    /// Only an integer can be compared.
    #[error("{0:?} is not an integer, and only these are more or less than others")]
    Integer(String),
    /// No field is selected by that.
    #[error("field label not supported: {0}; metadata.name and metadata.namespace are")]
    Field(String),
}

// === impl Filter ===

impl Filter {
    /// Whether it says anything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether an Installed is meant.
    pub fn matches(&self, installed: &Installed) -> bool {
        self.fields.matches(installed) && self.labels.matches(&installed.operator.labels)
    }
}
