//! Questions.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_graph::{Charted, UnknownChannel};
use portolan_core_names::{ChannelName, PackageName, Version, VersionRange};
use portolan_core_solver::InstalledOperator;

/// The operators of a cluster, and their required versions.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The operators that may move, one for each package. If not all requirements can be met, an
    /// earlier one is worth more than all later ones.
    pub operators: Vec<Operator>,
    /// The operators that something else has installed: they fulfill and require, and never move.
    pub others: Vec<InstalledOperator>,
    pub budget: Budget,
}

/// An operator that may move.
#[derive(Debug, Clone)]
pub struct Operator {
    /// Its package, with its graph. It is shared with other users, not copied.
    pub package: Arc<Charted>,
    /// None if it is to be installed.
    pub installed: Option<InstalledOperator>,
    pub wish: Goal,
    /// The channels whose edges it takes; empty for all.
    pub channels: BTreeSet<ChannelName>,
    pub overrides: Overrides,
}

/// The required version of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// It stays at the installed bundle.
    Stay,
    /// The best version there is.
    Any,
    /// The best version of a range. Its end is a pin: no move leads to what is newer than all of it.
    Range(VersionRange),
}

/// The restrictions that an administrator may lift for one operator, against what its author or
/// others promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overrides {
    /// Its requirements are not asked for.
    pub ignore_dependencies: bool,
    /// Newer bundles are possible next ones, be there an edge or not.
    pub direct_upgrades: bool,
    /// Older bundles are possible next ones and ends, be there an edge or not.
    pub downgrades: bool,
    /// Permits an API that another operator provides.
    pub ignore_conflicts: bool,
}

/// The length of the search, in states looked at: the same question ends at the same one
/// everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub states: u32,
}

/// A question that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("package {0} is asked for twice; name each operator once")]
    Twice(PackageName),
    #[error(transparent)]
    Channel(UnknownChannel),
}

// === impl Question ===

impl Question {
    /// Refuses what means nothing.
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
    /// An operator with every option at its default: all channels, nothing lifted.
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

/// `version 1.2.3` or `a version in >=1.0.0 <2.0.0`, after "at".
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
