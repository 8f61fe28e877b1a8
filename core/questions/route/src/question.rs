//! The question for which routes are planned.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_graph::{Charted, UnknownChannel};
use portolan_core_names::{ChannelName, PackageName, Version, VersionRange};
use portolan_core_solver::InstalledOperator;

/// The operators of a cluster, and their required versions.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The operators that may move, one operator for each package. If not all requirements can be
    /// satisfied, the requirement of an earlier operator is more important than all later
    /// requirements.
    pub operators: Vec<Operator>,
    /// The operators that another installer manages. They provide and require APIs and packages,
    /// but never move.
    pub others: Vec<InstalledOperator>,
    pub budget: Budget,
}

/// An operator that may move to another bundle.
#[derive(Debug, Clone)]
pub struct Operator {
    /// The package of the operator with its graph. The package is shared.
    pub package: Arc<Charted>,
    /// The installed operator. None if the operator must be installed.
    pub installed: Option<InstalledOperator>,
    pub wish: Goal,
    /// The channels whose edges the operator may use. Empty if the operator may use all channels.
    pub channels: BTreeSet<ChannelName>,
    pub overrides: Overrides,
}

/// The required version of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// Keep the installed bundle.
    Stay,
    /// Move to the best available version.
    Any,
    /// Move to the best version in the range. No move leads to a version above the range.
    Range(VersionRange),
}

/// The restrictions that are removed for one operator, as an administrator has requested. Each
/// restriction protects a rule of the catalog author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overrides {
    /// Ignores the requirements of the operator's bundles.
    pub ignore_dependencies: bool,
    /// Permits a move to any newer bundle without an edge.
    pub direct_upgrades: bool,
    /// Permits a move to any older bundle without an edge. The final bundle may also be older than
    /// the installed bundle.
    pub downgrades: bool,
    /// Permits the operator to provide an API that another operator also provides.
    pub ignore_conflicts: bool,
}

/// The search budget, as a number of visited states. Therefore a search for the same question stops
/// at the same state on every machine.
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
    /// Returns an operator with default options: all channels are permitted, and no restriction is
    /// removed.
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

/// Formats the goal as `version 1.2.3` or `a version in >=1.0.0 <2.0.0`, for use after "at".
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
