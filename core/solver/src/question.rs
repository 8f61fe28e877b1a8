//! What is asked.

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
    /// What is wished. An earlier wish is worth more than all that come after it.
    pub wishes: Vec<Wish>,
    /// What the cluster has.
    pub installed: Vec<Installed>,
    /// What becomes of the others if a wish cannot be granted.
    pub mode: Mode,
    /// How long to search.
    pub budget: Budget,
}

/// An operator that somebody wants, in some of its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// Its package.
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
pub struct Installed {
    /// The name of its bundle, which is that of its CSV. No catalog need have it.
    pub name: BundleName,
    /// Its version, where no catalog has the bundle.
    pub version: Option<Version>,
    /// Its package, where no catalog has the bundle.
    pub package: Option<PackageName>,
    /// What it is, as the cluster tells; where nobody does, as the catalogs tell.
    pub facts: Option<Arc<Facts>>,
}

/// What an installed operator brings and needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The APIs that it brings.
    pub provides: BTreeSet<Api>,
    /// What it needs beside itself.
    pub requires: Requirements,
    /// What rules can ask for.
    pub properties: Vec<Property>,
}

/// What becomes of the other wishes if one cannot be granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// All wishes are granted, or none.
    #[default]
    Together,
    /// Each wish is granted that can be, together with those before it that are.
    Each,
}

/// How long to search, in steps: the same question gives up at the same step everywhere.
///
/// A step is a contradiction that the solver ran into, or a call of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The most steps.
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

// === impl Installed ===

impl Installed {
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
