//! The registry answers.

mod text;

use portolan_core_catalog::{Api, Requirements};
use portolan_core_graph::{self as graph, Edges, Node};
use portolan_core_names::{BundleName, PackageName, Version};
use portolan_core_solver::Requirement;

use crate::Overrides;

/// The answer to a [`Question`](crate::Question): a route for each group of operators that affect
/// each other. The routes are independent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The routes, ordered by their first operator in the order of the question.
    pub routes: Vec<Route>,
}

/// The route of some operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The steps in order. A step begins when the operators of the previous step have settled.
    pub steps: Vec<RouteStep>,
    /// The final state of each operator, in the order of the question.
    pub ends: Vec<End>,
    /// Shows if a better route may exist.
    pub certainty: Certainty,
    /// The operators whose moves were only tried one at a time. Too many operators would have to
    /// move together.
    pub only_single: Vec<PackageName>,
}

/// The certainty of a route, or of the result that there is no route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// There is no better route.
    Best,
    /// The search exceeded its budget. The route is valid, but a better route may exist, and
    /// blocked operators may have a route.
    BudgetSpent { states: u32 },
}

/// Moves that are made together, because no subset of them is possible alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteStep {
    /// The moves by operator, in the order of the question. Never empty.
    pub moves: Vec<Move>,
}

/// The move of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub package: PackageName,
    /// The bundle before the move. None for an installation.
    pub from: Option<BundleName>,
    pub to: Node,
    /// The edges that permit the move. Empty for an installation or an override.
    pub edges: Edges,
    /// True if only an override permits the move.
    pub is_override: bool,
    pub is_downgrade: bool,
}

/// The final state of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    pub package: PackageName,
    /// The bundle at the end of the route. None if the operator is not installed.
    pub bundle: Option<BundleName>,
    pub version: Option<Version>,
    /// The reason why the final bundle does not satisfy the requirement. None if it does.
    pub blockage: Option<Box<RouteBlockage>>,
    /// The target bundle. None if there is no target.
    pub wanted: Option<Wanted>,
}

/// The target bundle of an operator: the bundle at the end of its route, or the best bundle if the
/// route does not reach it.
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
    /// The requirement as a clause of a sentence.
    pub wish: String,
    /// The causes. Never empty.
    pub causes: Vec<Cause>,
    /// The suggestions, safest first. According to the search, each suggestion alone makes the
    /// operator satisfy its requirement.
    pub suggestions: Vec<Suggestion>,
}

/// A cause of a blockage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// No bundle in the operator's channels has a matching version.
    NoSuchVersion,
    /// Only a downgrade would satisfy the requirement.
    OnlyOlder { installed: BundleName },
    /// The catalog has no path, even if all other operators are ignored.
    NoPath(Option<Box<graph::Blockage>>),
    /// A bundle on the path has a requirement that no available bundle satisfies.
    Lacking {
        bundle: BundleName,
        requirement: Requirement,
    },
    /// A bundle on the path requires another version of an operator than the current one.
    Held {
        bundle: BundleName,
        requirement: Requirement,
        /// The operator that would have to move to another version.
        by: String,
        hold: Hold,
    },
    /// Another operator has a requirement that a bundle on the path does not satisfy.
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
    /// The requirements can be satisfied together, but no order of moves reaches this state.
    /// Another operator blocks the moves.
    Order { by: String },
    /// The search ended before it found a cause.
    Unknown,
}

/// The reason why another operator, which would have to move, does not move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hold {
    /// The operator satisfies its own requirement. Contains this requirement.
    Wished(String),
    /// The operator must keep its version.
    Stays,
    /// The other operator does not reach its own target.
    Stops,
}

/// A change that lets a blocked operator satisfy its requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    /// Allow another operator to move to this version.
    Let { package: PackageName, to: Version },
    /// Require this version instead, because it is reachable.
    Wish { package: PackageName, to: Version },
    /// Add an operator that satisfies this requirement.
    Add(Requirement),
    /// Unsafe: lift a restriction.
    Lift {
        package: PackageName,
        overrides: Overrides,
    },
}

// === impl Plan ===

impl Plan {
    /// Returns true if every operator satisfies its requirement at the end.
    pub fn is_reached(&self) -> bool {
        self.routes.iter().all(Route::is_reached)
    }

    /// Returns the blockages of all operators that do not satisfy their requirements.
    pub fn blockages(&self) -> impl Iterator<Item = &RouteBlockage> {
        let ends = self.routes.iter().flat_map(|route| &route.ends);
        ends.filter_map(|end| end.blockage.as_deref())
    }
}

// === impl Route ===

impl Route {
    /// Returns true if each operator of the route satisfies its requirement at the end.
    pub fn is_reached(&self) -> bool {
        self.ends.iter().all(|end| end.blockage.is_none())
    }
}

// === impl Cause ===

impl Cause {
    /// Returns true if the operator waits for a dependency. The cause disappears after another
    /// operator is installed or moves.
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

    /// Returns true if the suggestion violates a rule of the catalog author.
    pub fn is_unsafe(&self) -> bool {
        match self {
            Self::Lift { .. } => true,
            Self::Let { .. } | Self::Wish { .. } | Self::Add(_) => false,
        }
    }
}
