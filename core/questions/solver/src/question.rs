//! The questions that the solver answers.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{Api, Property, Requirements};
use portolan_core_names::{
    BundleName, CatalogName, ChannelName, PackageName, Version, VersionRange,
};

/// A set of requirements, and the operators installed in the cluster.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The requirements. Each requirement has more weight than all following requirements together.
    pub wishes: Vec<RequestedPackage>,
    pub installed: Vec<InstalledOperator>,
    pub mode: Mode,
    pub budget: Budget,
}

/// A requirement for a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedPackage {
    pub package: PackageName,
    /// The accepted versions. None accepts all versions.
    pub range: Option<VersionRange>,
    /// The channel that must contain the bundle. None accepts all channels.
    pub channel: Option<ChannelName>,
    /// The catalog that must contain the bundle. None accepts all catalogs.
    pub catalog: Option<CatalogName>,
}

/// An installed operator. It does not change unless a requirement contains its package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledOperator {
    /// The name of the installed bundle, which is also the name of its CSV. The catalogs need not
    /// contain it.
    pub name: BundleName,
    /// The version. It is used only if no catalog contains the bundle.
    pub version: Option<Version>,
    /// The package. It is used only if no catalog contains the bundle.
    pub package: Option<PackageName>,
    /// The facts from the cluster. If None, the catalogs provide the facts.
    pub facts: Option<Arc<OperatorFacts>>,
}

/// The provided APIs, properties and dependencies of an installed operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorFacts {
    pub provides: BTreeSet<Api>,
    pub requires: Requirements,
    pub properties: Vec<Property>,
}

/// The handling of the other requirements if one requirement cannot be satisfied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Satisfy all requirements, or fail.
    #[default]
    Together,
    /// Satisfy each requirement that can be satisfied together with the earlier satisfied
    /// requirements.
    Each,
}

/// The maximum length of the search, in steps. For the same query, the search stops at the same
/// step on every machine.
///
/// A step is a contradiction that the solver found, or a call of the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub steps: u32,
}

// === impl Question ===

impl Question {
    /// Returns the packages that requirements name, in the form used for operators.
    pub(crate) fn wished(&self) -> BTreeSet<Option<&PackageName>> {
        self.wishes.iter().map(|wish| Some(&wish.package)).collect()
    }
}

// === impl RequestedPackage ===

impl RequestedPackage {
    /// Returns a requirement for a package in any version.
    pub fn of(package: PackageName) -> Self {
        Self {
            package,
            range: None,
            channel: None,
            catalog: None,
        }
    }
}

/// Formats the requirement as users write it: `quay@>=3.9.0 <3.10.0 channel=stable-3.9`.
impl fmt::Display for RequestedPackage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            package,
            range,
            channel,
            catalog,
        } = self;
        write!(f, "{package}")?;
        if let Some(range) = range {
            write!(f, "@{range}")?;
        }
        if let Some(channel) = channel {
            write!(f, " channel={channel}")?;
        }
        if let Some(catalog) = catalog {
            write!(f, " catalog={catalog}")?;
        }
        Ok(())
    }
}

// === impl InstalledOperator ===

impl InstalledOperator {
    /// Returns an operator with only a name. The catalogs provide its other facts.
    pub fn named(name: BundleName) -> Self {
        Self {
            name,
            version: None,
            package: None,
            facts: None,
        }
    }
}

// === impl Budget ===

impl Default for Budget {
    fn default() -> Self {
        Self { steps: 20_000 }
    }
}
