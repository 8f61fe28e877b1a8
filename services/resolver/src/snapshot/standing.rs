//! How well a catalog is known.

use std::fmt::{self, Display};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_catalog::Catalog;

use super::Content;

/// How well the content of a catalog is known. Whatever happens to its source, content that was
/// read once stays until there is newer content.
#[derive(Debug, Clone)]
pub enum Standing {
    /// Nothing was read yet.
    Pending,
    /// The content is that of the source.
    Serving {
        /// Since when it is served.
        since: Timestamp,
        /// The content.
        content: Arc<Content>,
    },
    /// The source cannot be read; the content is what it had before.
    Stale {
        /// Since when it cannot be read.
        since: Timestamp,
        /// Why.
        why: Trouble,
        /// The content.
        content: Arc<Content>,
    },
    /// The source cannot be read and never could.
    Failed {
        /// Since when it is tried.
        since: Timestamp,
        /// Why.
        why: Trouble,
    },
}

/// Why a source cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// A stable code in CamelCase.
    pub code: &'static str,
    /// One sentence for a person.
    pub message: String,
}

// === impl Standing ===

impl Standing {
    /// The content, if any was ever read.
    pub fn content(&self) -> Option<&Arc<Content>> {
        match self {
            Self::Serving { content, .. } | Self::Stale { content, .. } => Some(content),
            Self::Pending | Self::Failed { .. } => None,
        }
    }

    /// After the source was read.
    #[must_use]
    pub fn read(&self, at: Timestamp, catalog: Catalog) -> Self {
        match self {
            Self::Serving { content, .. } if content.catalog == catalog => self.clone(),
            Self::Stale { content, .. } if content.catalog == catalog => Self::Serving {
                since: at,
                content: Arc::clone(content),
            },
            Self::Serving { content, .. } | Self::Stale { content, .. } => Self::Serving {
                since: at,
                content: Arc::new(Content::after(content, catalog)),
            },
            Self::Pending | Self::Failed { .. } => Self::Serving {
                since: at,
                content: Arc::new(Content::new(catalog)),
            },
        }
    }

    /// After the source was found to have the content that it had before.
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

    /// After the source could not be read.
    #[must_use]
    pub fn lost(&self, at: Timestamp, why: Trouble) -> Self {
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

    pub(crate) fn since(&self) -> Option<Timestamp> {
        match self {
            Self::Pending => None,
            Self::Serving { since, .. }
            | Self::Stale { since, .. }
            | Self::Failed { since, .. } => Some(*since),
        }
    }

    pub(crate) fn why(&self) -> Option<&Trouble> {
        match self {
            Self::Stale { why, .. } | Self::Failed { why, .. } => Some(why),
            Self::Pending | Self::Serving { .. } => None,
        }
    }
}

// === impl Trouble ===

impl Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
