//! The answer to a question about routes.

mod text;

use portolan_core_catalog::{Api, Requirements};
use portolan_core_graph::{self as graph, Edges, Node};
use portolan_core_names::{BundleName, PackageName, Version};
use portolan_core_solver::Requirement;

use crate::Overrides;

/// The answer to a [`Question`](crate::Question). Operators that affect each other have one common
/// route, and different routes are independent of each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The routes, in the order of their first operators in the question.
    pub routes: Vec<Route>,
}

/// The route of operators that affect each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The steps in order. A step begins after the operators of the previous step have settled.
    pub steps: Vec<RouteStep>,
    /// The final state of each operator, in the order of the question.
    pub ends: Vec<End>,
    /// The certainty that no better route exists.
    pub certainty: Certainty,
    /// The operators for which only single moves were tried, because too many operators would have
    /// to move together.
    pub only_single: Vec<PackageName>,
}

/// The certainty of a route, or of the result that no route exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// No better route exists.
    Best,
    /// The search exceeded its budget. The route is valid, but a better route may exist. A blocked
    /// operator may also have a route.
    BudgetSpent { states: u32 },
}

/// A step of a route: moves that are made together. No subset of the moves is possible alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteStep {
    /// The moves, in the order of the operators in the question. Never empty.
    pub moves: Vec<Move>,
}

/// The move of one operator to another bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub package: PackageName,
    /// The bundle before the move. None for an installation.
    pub from: Option<BundleName>,
    pub to: Node,
    /// The edges that permit the move. Empty for an installation, and for a move that only an
    /// override permits.
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
    /// The reason why the final bundle does not satisfy the requirement. None if the bundle
    /// satisfies it.
    pub blockage: Option<Box<RouteBlockage>>,
    /// The target bundle. None if the operator has no target.
    pub wanted: Option<Wanted>,
}

/// The target bundle of an operator. This is the bundle at the end of its route or, if the operator
/// is blocked, the best bundle for which it has a path.
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
    /// The bundle of the operator at the end of the route.
    pub furthest: Option<BundleName>,
    /// The requirement of the operator, as a clause of a sentence.
    pub wish: String,
    /// The causes. Never empty.
    pub causes: Vec<Cause>,
    /// The suggestions, safest first. The search verified that each suggestion alone satisfies the
    /// operator's requirement.
    pub suggestions: Vec<Suggestion>,
}

/// A cause that blocks an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// No bundle in the operator's channels has a matching version.
    NoSuchVersion,
    /// Every matching version is older than the installed version.
    OnlyOlder { installed: BundleName },
    /// The catalog has no path to a matching version, even if all other operators are ignored.
    NoPath(Option<Box<graph::Blockage>>),
    /// A bundle on the path has a requirement that no available operator satisfies.
    Lacking {
        bundle: BundleName,
        requirement: Requirement,
    },
    /// A bundle on the path requires another version of an operator than the operator has at the
    /// end.
    Held {
        bundle: BundleName,
        requirement: Requirement,
        /// The operator that would have to change its version.
        by: String,
        hold: Hold,
    },
    /// Another operator has a requirement that a bundle on the path does not satisfy.
    RequiredBy {
        bundle: BundleName,
        requirement: Requirement,
        by: String,
    },
    /// Another operator provides the same API as a bundle on the path.
    Provides {
        bundle: BundleName,
        api: Api,
        by: String,
    },
    /// The requirements can be satisfied together, but no order of moves leads to this state. The
    /// other operator blocks the moves.
    Order { by: String },
    /// The search ended before it found all causes.
    Unknown,
}

/// The reason why another operator keeps its version, although it would have to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hold {
    /// The other operator satisfies its own requirement. Contains this requirement.
    Wished(String),
    /// The question requires that the other operator keeps its version.
    Stays,
    /// The other operator does not reach its own target.
    Stops,
}

/// A change of the question with which a blocked operator satisfies its requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    /// Allow another operator to change to this version.
    Let { package: PackageName, to: Version },
    /// Require this reachable version of the operator instead.
    Wish { package: PackageName, to: Version },
    /// Add an operator that satisfies this requirement.
    Add(Requirement),
    /// Unsafe: remove a restriction.
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

    /// Iterates over the blockages of all operators that do not satisfy their requirements.
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
    /// Returns true if the operator waits for another operator. The cause disappears after the
    /// other operator is installed or changes its version.
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
