//! Questions.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{Api, Property, Requirements};
use portolan_core_names::{
    BundleName, CatalogName, ChannelName, PackageName, Version, VersionRange,
};

/// A set of wishes, for a cluster that has some operators already.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// An earlier wish is worth more than all that come after it.
    pub wishes: Vec<Wish>,
    pub installed: Vec<InstalledOperator>,
    pub mode: Mode,
    pub budget: Budget,
}

/// An operator that somebody wants, in some of its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    pub package: PackageName,
    /// The versions that will do; none if any will.
    pub range: Option<VersionRange>,
    /// The channel that it shall come from; any if none is named.
    pub channel: Option<ChannelName>,
    /// The catalog that it shall come from; any if none is named.
    pub catalog: Option<CatalogName>,
}

/// An operator that the cluster has. It stays as it is unless a wish names its package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledOperator {
    /// The name of its bundle, which is that of its CSV. No catalog need have it.
    pub name: BundleName,
    /// Its version, where no catalog has the bundle.
    pub version: Option<Version>,
    /// Its package, where no catalog has the bundle.
    pub package: Option<PackageName>,
    /// The facts that the cluster tells; None leaves them to the catalogs.
    pub facts: Option<Arc<OperatorFacts>>,
}

/// The provisions and needs of an installed operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorFacts {
    pub provides: BTreeSet<Api>,
    pub requires: Requirements,
    pub properties: Vec<Property>,
}

/// The treatment of the other wishes if one cannot be granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// All wishes are granted, or none.
    #[default]
    Together,
    /// Each wish is granted that can be, together with those before it that are.
    Each,
}

/// The length of the search, in steps: the same question gives up at the same step everywhere.
///
/// A step is a contradiction that the solver ran into, or a call of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub steps: u32,
}

// === impl Question ===

impl Question {
    /// The packages that wishes name, as operators have them.
    pub(crate) fn wished(&self) -> BTreeSet<Option<&PackageName>> {
        self.wishes.iter().map(|wish| Some(&wish.package)).collect()
    }
}

// === impl Wish ===

impl Wish {
    /// A wish for a package in whatever version.
    pub fn of(package: PackageName) -> Self {
        Self {
            package,
            range: None,
            channel: None,
            catalog: None,
        }
    }
}

/// As a person writes it: `quay@>=3.9.0 <3.10.0 channel=stable-3.9`.
impl fmt::Display for Wish {
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
    /// An operator of which only the name is known; the rest is as the catalogs tell.
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
