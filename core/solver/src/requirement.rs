//! What a bundle requires, one thing at a time.

use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Api, Constraint, PackageRequirement, Requirements};

/// One thing that a bundle requires, on its own. A single operator must fulfill the whole of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// A package in one of some versions.
    Package(PackageRequirement),
    /// An API.
    Api(Api),
    /// A constraint.
    Constraint(Arc<Constraint>),
}

// === impl Requirement ===

impl Requirement {
    /// All that is required, in a stable order.
    pub(crate) fn each(requires: &Requirements) -> impl Iterator<Item = Self> {
        requires.each().map(Self::from)
    }

    /// Tells it from all others.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Package(_) | Self::Api(_) => self.to_string(),
            Self::Constraint(constraint) => constraint.text().to_owned(),
        }
    }

    fn borrowed(&self) -> catalog::Requirement<'_> {
        match self {
            Self::Package(required) => catalog::Requirement::Package(required),
            Self::Api(api) => catalog::Requirement::Api(api),
            Self::Constraint(constraint) => catalog::Requirement::Constraint(constraint),
        }
    }

    pub(crate) fn is_met_by(&self, candidate: &catalog::Candidate<'_>) -> bool {
        self.borrowed().is_met_by(candidate)
    }
}

impl From<catalog::Requirement<'_>> for Requirement {
    fn from(borrowed: catalog::Requirement<'_>) -> Self {
        match borrowed {
            catalog::Requirement::Package(required) => Self::Package(required.clone()),
            catalog::Requirement::Api(api) => Self::Api(api.clone()),
            catalog::Requirement::Constraint(constraint) => {
                Self::Constraint(Arc::clone(constraint))
            }
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.borrowed().fmt(f)
    }
}
