//! Answers.

mod text;

use portolan_core_catalog::{Api, Requirements};
use portolan_core_graph::{self as graph, Edges, Node};
use portolan_core_names::{BundleName, PackageName, Version};
use portolan_core_solver::Requirement;

use crate::Overrides;

/// The answer to a [`Question`](crate::Question): a route for each group of operators that affect
/// each other. Routes are independent of each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// By their first operator, in the order of the question.
    pub routes: Vec<Route>,
}

/// The route of some operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The steps in order. A step begins when the previous one has settled.
    pub steps: Vec<RouteStep>,
    /// The end of each operator, in the order of the question.
    pub ends: Vec<End>,
    /// States if a better route may exist.
    pub certainty: Certainty,
    /// Operators whose moves were only tried one by one, because too many would have to move
    /// together.
    pub only_single: Vec<PackageName>,
}

/// The certainty about a route and about missing routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// No better route exists.
    Best,
    /// The budget was spent. The route is sound, but a better one may exist, and a blocked operator
    /// may not really be blocked.
    BudgetSpent { states: u32 },
}

/// Moves that are made together, because no part of them is possible alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteStep {
    /// By operator, in the order of the question; never empty.
    pub moves: Vec<Move>,
}

/// The move of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub package: PackageName,
    /// None for an installation.
    pub from: Option<BundleName>,
    pub to: Node,
    /// The edges that permit it; empty for an installation or an override.
    pub edges: Edges,
    /// True if only an override permits it.
    pub is_override: bool,
    pub is_downgrade: bool,
}

/// The end of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    pub package: PackageName,
    /// The bundle at the end; None if the operator is not installed.
    pub bundle: Option<BundleName>,
    pub version: Option<Version>,
    /// The reason why the end differs from the requirement; None if it does not differ.
    pub blockage: Option<Box<RouteBlockage>>,
    /// The target bundle, if any.
    pub wanted: Option<Wanted>,
}

/// The target bundle of an operator: the end of its route, or the best one that it does not reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub bundle: BundleName,
    pub version: Option<Version>,
    pub requires: Requirements,
}

/// The reason why an operator does not reach its target. `Display` formats a short tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteBlockage {
    pub package: PackageName,
    /// The bundle at the end of the route.
    pub furthest: Option<BundleName>,
    /// The requirement, as a clause.
    pub wish: String,
    /// Never empty.
    pub causes: Vec<Cause>,
    /// The suggestions, safest first. Each was tried: alone, it lets the operator meet its
    /// requirement.
    pub suggestions: Vec<Suggestion>,
}

/// A cause of a blockage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// No bundle of its channels has such a version.
    NoSuchVersion,
    /// Only a downgrade would meet the requirement.
    OnlyOlder { installed: BundleName },
    /// The catalog has no path, whatever the other operators do.
    NoPath(Option<Box<graph::Blockage>>),
    /// A bundle on the path has a requirement that no available bundle meets.
    Lacking {
        bundle: BundleName,
        requirement: Requirement,
    },
    /// A bundle on the path requires another version of an operator than the current one.
    Held {
        bundle: BundleName,
        requirement: Requirement,
        /// The operator that would have to move.
        by: String,
        hold: Hold,
    },
    /// Another operator requires something that a bundle on the path does not provide.
    RequiredBy {
        bundle: BundleName,
        requirement: Requirement,
        by: String,
    },
    /// Another operator provides an API that a bundle on the path provides.
    Provides {
        bundle: BundleName,
        api: Api,
        by: String,
    },
    /// The requirements can be met, but in no order: another operator blocks the way.
    Order { by: String },
    /// The search ended before a cause was known.
    Unknown,
}

/// The reason why an operator that would have to move does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hold {
    /// The operator meets its own requirement. Holds that requirement.
    Wished(String),
    /// The operator must stay at its version.
    Stays,
    /// The operator does not reach its target either.
    Stops,
}

/// A change that lets a blocked operator meet its requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    /// Let another operator move to this version.
    Let { package: PackageName, to: Version },
    /// Require this version, which is reachable, instead.
    Wish { package: PackageName, to: Version },
    /// Add an operator that meets this requirement.
    Add(Requirement),
    /// Unsafe: lift a restriction.
    Lift {
        package: PackageName,
        overrides: Overrides,
    },
}

// === impl Plan ===

impl Plan {
    /// Returns true if every operator meets its requirement at the end.
    pub fn is_reached(&self) -> bool {
        self.routes.iter().all(Route::is_reached)
    }

    /// Returns the blockages of all operators that do not meet their requirements.
    pub fn blockages(&self) -> impl Iterator<Item = &RouteBlockage> {
        let ends = self.routes.iter().flat_map(|route| &route.ends);
        ends.filter_map(|end| end.blockage.as_deref())
    }
}

// === impl Route ===

impl Route {
    /// Returns true if each of its operators meets its requirement at the end.
    pub fn is_reached(&self) -> bool {
        self.ends.iter().all(|end| end.blockage.is_none())
    }
}

// === impl Cause ===

impl Cause {
    /// Returns true if the cause ends once another operator is installed or moves: the operator
    /// waits for a dependency.
    pub fn is_dependency(&self) -> bool {
        match self {
            Self::Lacking { .. } | Self::Held { .. } => true,
            Self::NoSuchVersion
            | Self::OnlyOlder { .. }
            | Self::NoPath(_)
            | Self::RequiredBy { .. }
            | Self::Provides { .. }
            | Self::Order { .. }
            | Self::Unknown => false,
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSuchVersion => "NoSuchVersion",
            Self::OnlyOlder { .. } => "OnlyOlder",
            Self::NoPath(_) => "NoPath",
            Self::Lacking { .. } => "Lacking",
            Self::Held { .. } => "Held",
            Self::RequiredBy { .. } => "RequiredBy",
            Self::Provides { .. } => "ProvidedTwice",
            Self::Order { .. } => "NoOrder",
            Self::Unknown => "Unknown",
        }
    }
}

// === impl Suggestion ===

impl Suggestion {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Let { .. } => "LetGo",
            Self::Wish { .. } => "WishInstead",
            Self::Add(_) => "Install",
            Self::Lift { .. } => "Lift",
        }
    }

    /// Returns true if it gives up a guarantee of an author.
    pub fn is_unsafe(&self) -> bool {
        match self {
            Self::Lift { .. } => true,
            Self::Let { .. } | Self::Wish { .. } | Self::Add(_) => false,
        }
    }
}
