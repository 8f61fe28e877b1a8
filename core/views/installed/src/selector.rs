//! Parses label selectors and field selectors in the syntax of the API server.

mod fields;
mod labels;
#[cfg(test)]
mod tests;

use thiserror::Error;

pub use self::fields::FieldSelector;
pub use self::labels::LabelSelector;
use crate::Installed;

/// The selectors of a request. The default filter selects all objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The label selector.
    pub labels: LabelSelector,
    /// The field selector.
    pub fields: FieldSelector,
}

/// The error for an invalid selector. The request is rejected (400).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotASelector {
    /// The selector contains an unexpected text.
    #[error("the selector {selector:?} cannot be read: {wanted} should be where {found:?} is")]
    Unexpected {
        /// The whole selector.
        selector: String,
        /// The expected text.
        wanted: &'static str,
        /// The unexpected text. Empty at the end of the selector.
        found: String,
    },
    /// The key of a label is invalid.
    #[error(
        "{0:?} is not the name of a label: up to 63 letters, digits, '-', '_' or '.', with a letter or \
         digit at both ends, and before that a DNS name and '/', if anything"
    )]
    Key(String),
    /// The value of a label is invalid.
    #[error(
        "{0:?} is not the value of a label: up to 63 letters, digits, '-', '_' or '.', with a letter or \
         digit at both ends"
    )]
    Value(String),
    /// The value is not an integer, but the operator requires an integer.
    #[error("{0:?} is not an integer, and only these are more or less than others")]
    Integer(String),
    /// The server does not support the field. Contains the name of the field.
    #[error("field label not supported: {0}; metadata.name and metadata.namespace are")]
    Field(String),
}

// === impl Filter ===

impl Filter {
    /// Returns true if the filter selects all objects.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if the filter selects this Installed.
    pub fn matches(&self, installed: &Installed) -> bool {
        self.fields.matches(installed) && self.labels.matches(&installed.operator.labels)
    }
}
