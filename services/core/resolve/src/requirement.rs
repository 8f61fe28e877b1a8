//! What a bundle requires, one thing at a time.

use std::fmt;

use portolan_catalog::{Api, PackageRequirement, Requirements};
use portolan_names::{PackageName, Version};

/// One thing that a bundle requires. A single operator must fulfill the whole of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// A package in one of some versions.
    Package(PackageRequirement),
    /// An API.
    Api(Api),
    /// A constraint, as canonical JSON.
    Constraint(Box<str>),
}

/// What an operator has for those who require it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer<'a> {
    pub(crate) package: Option<&'a PackageName>,
    pub(crate) version: Option<&'a Version>,
    pub(crate) provides: &'a std::collections::BTreeSet<Api>,
}

// === impl Requirement ===

impl Requirement {
    /// All that is required, in a stable order.
    pub(crate) fn each(requires: &Requirements) -> impl Iterator<Item = Self> {
        let packages = requires.packages.iter().cloned().map(Self::Package);
        let apis = requires.apis.iter().cloned().map(Self::Api);
        let constraints = requires.constraints.iter().cloned().map(Self::Constraint);
        packages.chain(apis).chain(constraints)
    }

    pub(crate) fn is_met_by(&self, offer: Offer<'_>) -> bool {
        match self {
            Self::Package(required) => {
                let range = required.range.as_ref();
                offer.package == Some(&required.package)
                    && range
                        .zip(offer.version)
                        .is_some_and(|(range, version)| range.matches(version))
            }
            Self::Api(api) => offer.provides.contains(api),
            Self::Constraint(_) => false,
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(PackageRequirement { package, text, .. }) => {
                write!(f, "package {package} {text:?}")
            }
            Self::Api(api) => write!(f, "API {api}"),
            Self::Constraint(json) => write!(f, "constraint {json}"),
        }
    }
}
