//! The questions that a route answers.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_graph::{Charted, UnknownChannel};
use portolan_core_names::{ChannelName, PackageName, Version, VersionRange};
use portolan_core_solver::InstalledOperator;

/// The operators of a cluster, and their required versions.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The operators that may move, one for each package. If not all requirements can be satisfied,
    /// each requirement has more weight than all following requirements together.
    pub operators: Vec<Operator>,
    /// The operators that another installer manages. They provide and require APIs and packages,
    /// and never move.
    pub others: Vec<InstalledOperator>,
    pub budget: Budget,
}

/// An operator that may move.
#[derive(Debug, Clone)]
pub struct Operator {
    /// The package of the operator with its graph, as a shared reference.
    pub package: Arc<Charted>,
    /// The installed operator. None if the operator must be installed.
    pub installed: Option<InstalledOperator>,
    pub wish: Goal,
    /// The channels whose edges the operator may use. Empty for all channels.
    pub channels: BTreeSet<ChannelName>,
    pub overrides: Overrides,
}

/// The required version of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// Keep the installed bundle.
    Stay,
    /// The best available version.
    Any,
    /// The best version in the range. The upper end is a limit: no move leads to a version above
    /// the range.
    Range(VersionRange),
}

/// The restrictions that an administrator may remove for one operator. Each restriction protects a
/// rule of the catalog author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overrides {
    /// Ignores the requirements of the package.
    pub ignore_dependencies: bool,
    /// Permits any newer bundle as the next bundle, even without an edge.
    pub direct_upgrades: bool,
    /// Permits any older bundle as the next and as the final bundle, even without an edge.
    pub downgrades: bool,
    /// Permits an API that another operator also provides.
    pub ignore_conflicts: bool,
}

/// The search budget, in visited states. The search for the same question stops at the same state
/// on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub states: u32,
}

/// The reason why a question is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("package {0} is requested twice; request each operator once")]
    Twice(PackageName),
    #[error(transparent)]
    Channel(UnknownChannel),
}

// === impl Question ===

impl Question {
    /// Returns an error if the question is invalid.
    pub(crate) fn validate(&self) -> Result<(), Refused> {
        let mut seen = BTreeSet::new();
        for operator in &self.operators {
            let package = operator.package.package();
            if !seen.insert(&package.name) {
                return Err(Refused::Twice(package.name.clone()));
            }
            let known = &package.channels;
            let unknown = operator.channels.iter();
            let mut unknown = unknown.filter(|channel| !known.contains_key(*channel));
            if let Some(channel) = unknown.next() {
                return Err(Refused::Channel(UnknownChannel {
                    package: package.name.clone(),
                    channel: channel.clone(),
                    known: known.keys().cloned().collect(),
                }));
            }
        }
        Ok(())
    }
}

// === impl Operator ===

impl Operator {
    /// Returns an operator with default options: all channels, no overrides.
    pub fn new(package: Arc<Charted>, installed: Option<InstalledOperator>, wish: Goal) -> Self {
        Self {
            package,
            installed,
            wish,
            channels: BTreeSet::new(),
            overrides: Overrides::default(),
        }
    }

    pub(crate) fn name(&self) -> &PackageName {
        &self.package.package().name
    }
}

// === impl Goal ===

/// Formats `version 1.2.3` or `a version in >=1.0.0 <2.0.0`, to follow "at".
impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stay => f.write_str("what is installed"),
            Self::Any => f.write_str("the newest version"),
            Self::Range(range) if Version::parse(range.as_str()).is_ok() => {
                write!(f, "version {range}")
            }
            Self::Range(range) => write!(f, "a version in {range}"),
        }
    }
}

// === impl Budget ===

impl Default for Budget {
    fn default() -> Self {
        Self { states: 20_000 }
    }
}
