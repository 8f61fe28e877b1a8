//! The question that the solver answers.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{Api, Property, Requirements};
use portolan_core_names::{
    BundleName, CatalogName, ChannelName, PackageName, Version, VersionRange,
};

/// A set of requirements, with the operators that are installed in the cluster.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The requirements. An earlier requirement is more important than all later requirements
    /// together.
    pub wishes: Vec<RequestedPackage>,
    pub installed: Vec<InstalledOperator>,
    pub mode: Mode,
    pub budget: Budget,
}

/// A requirement for one package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedPackage {
    pub package: PackageName,
    /// The accepted versions. None to accept all versions.
    pub range: Option<VersionRange>,
    /// The channel that must contain the bundle. None to accept all channels.
    pub channel: Option<ChannelName>,
    /// The catalog that must contain the bundle. None to accept all catalogs.
    pub catalog: Option<CatalogName>,
}

/// An installed operator. The solver changes it only if a requirement names its package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledOperator {
    /// The name of the installed bundle, which is also the name of its ClusterServiceVersion. The
    /// catalogs may lack this bundle.
    pub name: BundleName,
    /// The version according to the cluster. None if it is unknown. The catalogs then provide the
    /// version.
    pub version: Option<Version>,
    /// The package according to the cluster. None if it is unknown. The catalogs then provide the
    /// package.
    pub package: Option<PackageName>,
    /// The facts according to the cluster. None if they are unknown. The catalogs then provide the
    /// facts.
    pub facts: Option<Arc<OperatorFacts>>,
}

/// The APIs, properties and dependencies of an installed operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorFacts {
    pub provides: BTreeSet<Api>,
    pub requires: Requirements,
    pub properties: Vec<Property>,
}

/// The behavior if not all requirements can be satisfied together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Satisfies all requirements, or returns a Conflict.
    #[default]
    Together,
    /// Satisfies the requirements one after the other. A requirement is refused if it conflicts
    /// with the satisfied requirements before it.
    Each,
}

/// The maximum number of steps of the search. A search for the same query stops at the same step on
/// every machine.
///
/// A step is one contradiction that the SAT solver finds, or one call of the SAT solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub steps: u32,
}

// === impl Question ===

impl Question {
    /// Returns the packages that requirements name. They are options, so that they can be compared
    /// with the packages of operators.
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

/// Formats the requirement as users write it, for example `quay@>=3.9.0 <3.10.0
/// channel=stable-3.9`.
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
    /// Returns an installed operator with only a name. The catalogs provide all other facts.
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
