//! The bundles that one operator can have, and the moves between them.

mod walk;

use std::collections::BTreeSet;

use portolan_core_catalog::{Api, Bundle, Candidate, Properties, Requirements};
use portolan_core_graph::{Edges, Node};
use portolan_core_names::{BundleName, PackageName, Release, Version};
use portolan_core_solver::InstalledOperator;

use crate::Overrides;

/// The APIs of an operator that is not installed, or whose bundle is unknown.
static NO_APIS: BTreeSet<Api> = BTreeSet::new();

/// The index of a bundle in the list of bundles of its track.
pub(crate) type PlaceId = u32;

/// The bundles that one operator can have, and the moves between these bundles. Bundles that are
/// unreachable, or from which no goal is reachable, are omitted.
#[derive(Debug, Clone)]
pub(crate) struct Track<'a> {
    /// The package. None if it is unknown.
    pub(crate) package: Option<&'a PackageName>,
    /// The places of the operator. Bundles come first, from newest to oldest. Then come bundles
    /// that are missing in the catalog. The last place means that the operator is not installed.
    pub(crate) places: Vec<TrackPlace<'a>>,
    pub(crate) start: PlaceId,
    /// The possible moves from each place.
    pub(crate) jumps: Vec<Vec<Jump>>,
    /// The rank of each place. Lower is better, and no two places have the same rank.
    pub(crate) ranks: Vec<u32>,
    /// The number of places that satisfy the requirement, which are the goals. A place is a goal if
    /// its rank is lower than this number.
    pub(crate) goals: u32,
    pub(crate) overrides: Overrides,
    /// The reason why no goal is reachable, even if other operators are ignored. None if a goal is
    /// reachable.
    pub(crate) closed: Option<Closed>,
}

/// A place of a track: a bundle, or the absence of the operator.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TrackPlace<'a> {
    /// The operator is not installed.
    Absent,
    Bundle {
        node: &'a Node,
        bundle: &'a Bundle,
    },
    /// The bundle that is installed at the start, with its entry in the catalog.
    Installed {
        installed: &'a InstalledOperator,
        node: Option<&'a Node>,
        bundle: Option<&'a Bundle>,
    },
}

/// A possible move from one place to another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Jump {
    pub(crate) to: PlaceId,
    /// The edges that permit the move. Empty if only an override permits the move, or for an
    /// installation.
    pub(crate) edges: Edges,
    /// True if only an override permits the move.
    pub(crate) is_override: bool,
}

/// The reason why an operator cannot reach its target, even if other operators are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closed {
    /// The channels contain no matching version.
    NoSuchVersion,
    /// Every matching version is older than the installed version.
    OnlyOlder,
    NoPath,
}

// === impl Track ===

impl<'a> Track<'a> {
    /// Returns the track of an operator that another installer manages.
    pub(crate) fn fixed(installed: &'a InstalledOperator) -> Self {
        let place = TrackPlace::Installed {
            installed,
            node: None,
            bundle: None,
        };
        Self {
            package: installed.package.as_ref(),
            ..Self::standing(place)
        }
    }

    /// Returns the track of an operator that cannot move and that satisfies its requirement.
    fn standing(place: TrackPlace<'a>) -> Self {
        Self {
            package: None,
            places: vec![place],
            start: 0,
            jumps: vec![Vec::new()],
            ranks: vec![0],
            goals: 1,
            overrides: Overrides::default(),
            closed: None,
        }
    }

    pub(crate) fn is_goal(&self, place: PlaceId) -> bool {
        self.ranks[place as usize] < self.goals
    }

    pub(crate) fn place(&self, at: PlaceId) -> &TrackPlace<'a> {
        &self.places[at as usize]
    }

    /// Returns the moves from a place.
    pub(crate) fn jumps(&self, from: PlaceId) -> &[Jump] {
        &self.jumps[from as usize]
    }

    /// Returns all places, best rank first.
    pub(crate) fn by_rank(&self) -> Vec<PlaceId> {
        let mut places: Vec<PlaceId> = (0..).take(self.places.len()).collect();
        places.sort_unstable_by_key(|at| self.ranks[*at as usize]);
        places
    }

    /// Returns the candidate for comparisons with requirements. Returns None if the operator is not
    /// installed.
    pub(crate) fn candidate(&self, at: PlaceId) -> Option<Candidate<'a>> {
        self.place(at).candidate(self.package)
    }
}

// === impl TrackPlace ===

impl<'a> TrackPlace<'a> {
    pub(crate) fn name(&self) -> Option<&'a BundleName> {
        match self {
            Self::Absent => None,
            Self::Bundle { node, .. } => Some(&node.name),
            Self::Installed { installed, .. } => Some(&installed.name),
        }
    }

    /// Returns the version from the catalog. If the catalog does not contain the bundle, returns
    /// the version from the cluster.
    pub(crate) fn version(&self) -> Option<&'a Version> {
        match self {
            Self::Absent => None,
            Self::Bundle { bundle, .. } => Some(&bundle.version),
            Self::Installed {
                installed, bundle, ..
            } => {
                let catalogued = bundle.map(|bundle| &bundle.version);
                catalogued.or(installed.version.as_ref())
            }
        }
    }

    /// Returns the sort key for ages: the version, followed by the release. A place without a
    /// version is the oldest.
    pub(crate) fn age(&self) -> Option<(&'a Version, Option<Release>)> {
        let version = self.version()?;
        let release = match self.node() {
            Some(node) => node.release.clone(),
            None => version.build_as_release(),
        };
        Some((version, release))
    }

    pub(crate) fn is_deprecated(&self) -> bool {
        self.node().is_some_and(|node| node.deprecation.is_some())
    }

    pub(crate) fn node(&self) -> Option<&'a Node> {
        match self {
            Self::Absent => None,
            Self::Bundle { node, .. } => Some(node),
            Self::Installed { node, .. } => *node,
        }
    }

    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    pub(crate) fn provides(&self) -> &'a BTreeSet<Api> {
        match self {
            Self::Absent => &NO_APIS,
            Self::Bundle { bundle, .. } => &bundle.provides,
            Self::Installed {
                installed, bundle, ..
            } => match (&installed.facts, bundle) {
                (Some(facts), _) => &facts.provides,
                (None, Some(bundle)) => &bundle.provides,
                (None, None) => &NO_APIS,
            },
        }
    }

    pub(crate) fn requires(&self) -> Option<&'a Requirements> {
        match self {
            Self::Absent => None,
            Self::Bundle { bundle, .. } => Some(&bundle.requires),
            Self::Installed {
                installed, bundle, ..
            } => {
                let told = installed.facts.as_ref().map(|facts| &facts.requires);
                told.or(bundle.map(|bundle| &bundle.requires))
            }
        }
    }

    fn properties(&self) -> Option<Properties<'a>> {
        match self {
            Self::Absent => None,
            Self::Bundle { bundle, .. } => Some(Properties::Of(bundle)),
            Self::Installed {
                installed, bundle, ..
            } => {
                let told = installed.facts.as_ref();
                let told = told.map(|facts| Properties::Listed(&facts.properties));
                let known = told.or(bundle.map(Properties::Of));
                Some(known.unwrap_or(Properties::Listed(&[])))
            }
        }
    }

    fn candidate(&self, package: Option<&'a PackageName>) -> Option<Candidate<'a>> {
        Some(Candidate {
            package,
            version: self.version(),
            provides: self.provides(),
            properties: self.properties()?,
        })
    }
}
