//! The state of a catalog.

use std::error::Error;
use std::fmt::{self, Display};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_core_catalog::Catalog;
use portolan_shell::with_causes;

use super::{Content, ContentOrigin};

/// The state of a catalog. If the source fails, the catalog keeps its content until newer content
/// is read or the catalog is disabled.
#[derive(Debug, Clone)]
pub enum CatalogState {
    /// The catalog has not been read yet.
    Pending,
    /// The source is readable, and the content is up to date.
    Serving {
        /// The time at which this content was first served.
        since: Timestamp,
        content: Arc<Content>,
    },
    /// The source cannot be read now. The content is the last content that was read.
    Stale {
        /// The time at which reading the source first failed.
        since: Timestamp,
        why: SourceFailure,
        content: Arc<Content>,
    },
    /// The source cannot be read and was never read, or the catalog is disabled.
    Failed {
        /// The time of the first attempt.
        since: Timestamp,
        why: SourceFailure,
    },
}

/// The reason why a source cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFailure {
    /// A stable code in CamelCase.
    pub code: &'static str,
    /// The reason as one sentence for users.
    pub message: String,
}

// === impl CatalogState ===

impl CatalogState {
    pub fn content(&self) -> Option<&Arc<Content>> {
        match self {
            Self::Serving { content, .. } | Self::Stale { content, .. } => Some(content),
            Self::Pending | Self::Failed { .. } => None,
        }
    }

    /// Returns the state after the source was read.
    #[must_use]
    pub fn read(&self, at: Timestamp, catalog: Catalog, origin: ContentOrigin) -> Self {
        let content = match self.content() {
            Some(older) => Content::after(older, catalog, origin),
            None => Content::new(catalog, origin),
        };
        self.serves(at, Arc::new(content))
    }

    /// Returns the state after the source was found to have this content.
    #[must_use]
    pub(crate) fn serves(&self, at: Timestamp, content: Arc<Content>) -> Self {
        let is_same = self.content().is_some_and(|known| known.says_as(&content));
        let since = match self {
            Self::Serving { since, .. } if is_same => *since,
            Self::Pending | Self::Serving { .. } | Self::Stale { .. } | Self::Failed { .. } => at,
        };
        Self::Serving { since, content }
    }

    /// Returns the state after the source was read again without a change.
    #[must_use]
    pub fn unchanged(&self, at: Timestamp) -> Self {
        match self {
            Self::Stale { content, .. } => Self::Serving {
                since: at,
                content: Arc::clone(content),
            },
            Self::Pending | Self::Serving { .. } | Self::Failed { .. } => self.clone(),
        }
    }

    /// Returns the state after the source could not be read.
    #[must_use]
    pub fn lost(&self, at: Timestamp, why: SourceFailure) -> Self {
        match self {
            Self::Pending => Self::Failed { since: at, why },
            Self::Failed { since, .. } => Self::Failed { since: *since, why },
            Self::Serving { content, .. } => Self::Stale {
                since: at,
                why,
                content: Arc::clone(content),
            },
            Self::Stale { since, content, .. } => Self::Stale {
                since: *since,
                why,
                content: Arc::clone(content),
            },
        }
    }

    /// Returns true if users cannot see a difference between the two states.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        // The contents are compared last, because comparing different contents in memory is slow.
        self.since() == other.since()
            && self.why() == other.why()
            && match (self.content(), other.content()) {
                (Some(one), Some(other)) => one.is_same(other),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            }
    }

    pub(crate) fn since(&self) -> Option<Timestamp> {
        match self {
            Self::Pending => None,
            Self::Serving { since, .. }
            | Self::Stale { since, .. }
            | Self::Failed { since, .. } => Some(*since),
        }
    }

    pub(crate) fn why(&self) -> Option<&SourceFailure> {
        match self {
            Self::Stale { why, .. } | Self::Failed { why, .. } => Some(why),
            Self::Pending | Self::Serving { .. } => None,
        }
    }
}

// === impl SourceFailure ===

impl SourceFailure {
    /// Creates a failure from an error and its causes. The message is one sentence.
    pub(crate) fn new(code: &'static str, error: &(dyn Error + 'static)) -> Self {
        let message = with_causes(error);
        Self { code, message }
    }
}

impl Display for SourceFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
