//! Label and field selectors of requests, with the syntax of the API server.

mod fields;
mod labels;
#[cfg(test)]
mod tests;

use thiserror::Error;

pub use self::fields::FieldSelector;
pub use self::labels::LabelSelector;
use crate::Installed;

/// The selectors of a request. The default selects all objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The label selector.
    pub labels: LabelSelector,
    /// The field selector.
    pub fields: FieldSelector,
}

/// An invalid selector: the request is rejected (400).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotASelector {
    /// An unexpected text.
    #[error("the selector {selector:?} cannot be read: {wanted} should be where {found:?} is")]
    Unexpected {
        /// The complete selector.
        selector: String,
        /// The text that is expected.
        wanted: &'static str,
        /// The text that was found. Empty at the end of the selector.
        found: String,
    },
    /// An invalid name of a label.
    #[error(
        "{0:?} is not the name of a label: up to 63 letters, digits, '-', '_' or '.', with a letter or \
         digit at both ends, and before that a DNS name and '/', if anything"
    )]
    Key(String),
    /// An invalid value of a label.
    #[error(
        "{0:?} is not the value of a label: up to 63 letters, digits, '-', '_' or '.', with a letter or \
         digit at both ends"
    )]
    Value(String),
    /// A value that must be an integer.
    #[error("{0:?} is not an integer, and only these are more or less than others")]
    Integer(String),
    /// An unsupported field.
    #[error("field label not supported: {0}; metadata.name and metadata.namespace are")]
    Field(String),
}

// === impl Filter ===

impl Filter {
    /// Returns true if the filter selects everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if the filter selects an Installed.
    pub fn matches(&self, installed: &Installed) -> bool {
        self.fields.matches(installed) && self.labels.matches(&installed.operator.labels)
    }
}
