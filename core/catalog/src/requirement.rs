//! One requirement, and whether a candidate fulfills it.

use std::fmt;
use std::sync::Arc;

use crate::model::{Api, PackageRequirement};
use crate::{Candidate, Constraint};

/// One of the [`Requirements`](crate::Requirements) of a bundle. A single candidate has to fulfill
/// it whole, as with OLM: what two candidates have together counts for neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement<'a> {
    /// A package in some versions.
    Package(&'a PackageRequirement),
    /// An API that somebody must provide.
    Api(&'a Api),
    /// A constraint.
    Constraint(&'a Arc<Constraint>),
}

// === impl Requirement ===

impl Requirement<'_> {
    /// Whether the candidate fulfills it.
    pub fn is_met_by(&self, candidate: &Candidate<'_>) -> bool {
        match self {
            Self::Package(requirement) => requirement.is_met_by(candidate),
            Self::Api(api) => candidate.provides.contains(*api),
            Self::Constraint(constraint) => constraint.is_met_by(candidate),
        }
    }
}

/// One line: `package ferry ">=4.0.0"`, `API g.test/v1/Kind`, or that of the constraint.
impl fmt::Display for Requirement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(requirement) => write!(f, "{requirement}"),
            Self::Api(api) => write!(f, "API {api}"),
            Self::Constraint(constraint) => write!(f, "{constraint}"),
        }
    }
}

// === impl PackageRequirement ===

impl PackageRequirement {
    pub(crate) fn is_met_by(&self, candidate: &Candidate<'_>) -> bool {
        let Self {
            package,
            text: _,
            range,
        } = self;
        candidate.package == Some(package)
            && range.as_ref().is_some_and(|range| {
                let version = candidate.version;
                version.is_some_and(|version| range.matches(version))
            })
    }
}

impl fmt::Display for PackageRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            package,
            text,
            range: _,
        } = self;
        write!(f, "package {package} {text:?}")
    }
}
