//! Finds the operators that satisfy a requirement.

use std::collections::BTreeMap;

use portolan_core_graph::{Charted, Installed};
use portolan_core_names::{BundleName, ChannelName};

use super::lack::lack;
use super::{Item, Problem};
use crate::universe::{CandidateId, ChannelPlace, OfferedBundle, Package, Universe, candidate};
use crate::{Freshness, Lack, RequestedPackage};

/// The candidates for a requirement: all operators that satisfy it.
#[derive(Debug, Clone)]
pub(crate) struct Aim {
    /// The candidates, best first.
    pub(crate) picks: Vec<Pick>,
    /// The indexes of the catalogs whose current content is unknown. They may contain more
    /// candidates.
    pub(crate) unknown: Vec<usize>,
    /// The reason why no operator satisfies the requirement. None if the requirement has
    /// candidates.
    pub(crate) lack: Option<Lack>,
}

/// A candidate for a requirement.
#[derive(Debug, Clone)]
pub(crate) struct Pick {
    pub(crate) item: Item,
    /// The channel that contains the bundle. None for an installed operator that is kept.
    pub(crate) channel: Option<ChannelName>,
    /// The number of hops from the installed bundle. 0 if no bundle is installed, or if the
    /// installed bundle is kept.
    pub(crate) hops: u32,
}

/// The bundles to which the installed bundle of a package can be upgraded, by catalog. Each bundle
/// has the number of hops.
pub(super) struct Reaches(BTreeMap<usize, BTreeMap<BundleName, u32>>);

// === impl Aim ===

impl Aim {
    pub(super) fn of(problem: &Problem<'_>, at: usize) -> Self {
        let wish = &problem.question.wishes[at];
        let unknown = problem.unknown_catalogs().filter(|at| {
            let name = &problem.universe.catalogs[*at].name;
            wish.catalog.as_ref().is_none_or(|catalog| catalog == name)
        });
        let mut aim = Self {
            picks: picks(problem, wish),
            unknown: unknown.collect(),
            lack: None,
        };
        if aim.picks.is_empty() {
            aim.lack = Some(lack(problem, wish));
        }
        aim
    }

    /// Returns the position of the best candidate that a sorted set of operators contains. Returns
    /// None if the set contains no candidate.
    pub(crate) fn place_in(&self, items: &[Item]) -> Option<usize> {
        let mut picks = self.picks.iter();
        picks.position(|pick| items.binary_search(&pick.item).is_ok())
    }

    pub(crate) fn permits(&self, item: Item) -> Option<&Pick> {
        self.picks.iter().find(|pick| pick.item == item)
    }
}

fn picks(problem: &Problem<'_>, wish: &RequestedPackage) -> Vec<Pick> {
    let universe = problem.universe;
    let residents = problem.residents_of(&wish.package);
    let mut picks: Vec<Pick> = Vec::new();
    if let Some(id) = universe.package(&wish.package) {
        let package = &universe.packages[id as usize];
        let installed = residents.first().map(|(_, resident)| resident.known());
        picks = offered(problem, wish, package, installed.as_ref());
    }
    let staying = residents.into_iter();
    let staying = staying.filter(|(at, _)| permits_resident(problem, wish, *at));
    picks.extend(staying.map(|(at, _)| Pick {
        item: Item::Resident(at),
        channel: None,
        hops: 0,
    }));
    picks
}

/// Returns the catalog bundles that satisfy a requirement, best first. Omits bundles that are
/// already installed.
fn offered(
    problem: &Problem<'_>,
    wish: &RequestedPackage,
    package: &Package,
    installed: Option<&Installed>,
) -> Vec<Pick> {
    let universe = problem.universe;
    let reaches = installed.map(|installed| Reaches::of(package, wish, installed));
    let mut picks: Vec<(&ChannelPlace, CandidateId, u32)> = Vec::new();
    for id in package.candidates.clone() {
        let candidate = universe.candidate(id);
        let place = placed(universe, wish, candidate);
        let Some(place) = place.filter(|_| !problem.is_installed(id)) else {
            continue;
        };
        let hops = match &reaches {
            None => Some(0),
            Some(reaches) => reaches.hops(candidate),
        };
        let Some(hops) = hops.filter(|_| admits(wish, candidate, place, installed)) else {
            continue;
        };
        picks.push((place, id, hops));
    }
    picks.sort_by_key(|(place, id, _)| {
        let candidate = universe.candidate(*id);
        (candidate.catalog, *place, candidate::worth(candidate))
    });
    let picks = picks.into_iter().map(|(place, id, hops)| Pick {
        item: Item::Candidate(id),
        channel: Some(place.channel.clone()),
        hops,
    });
    picks.collect()
}

/// Returns the position in a channel that determines the rank of a candidate. Returns None if the
/// requirement names another catalog or channel, or if the catalog was never read.
pub(super) fn placed<'u>(
    universe: &Universe,
    wish: &RequestedPackage,
    candidate: &'u OfferedBundle,
) -> Option<&'u ChannelPlace> {
    let catalog = &universe.catalogs[candidate.catalog];
    if wish
        .catalog
        .as_ref()
        .is_some_and(|name| *name != catalog.name)
        || matches!(catalog.freshness, Freshness::Unread(_))
    {
        return None;
    }
    match &wish.channel {
        None => Some(candidate.place()),
        Some(channel) => candidate.placed_in(channel),
    }
}

/// Returns true if the requirement accepts the version of a candidate. Without a version range, the
/// requirement accepts no downgrade. It accepts a prerelease in three cases: the range names a
/// prerelease, a prerelease is installed, or there is no range and the bundle is the head of its
/// channel.
fn admits(
    wish: &RequestedPackage,
    candidate: &OfferedBundle,
    place: &ChannelPlace,
    installed: Option<&Installed>,
) -> bool {
    let version = &candidate.bundle.version;
    let has = installed.and_then(|installed| installed.version.as_ref());
    let takes_prereleases = has.is_some_and(|version| version.is_prerelease());
    match &wish.range {
        Some(range) => {
            range.matches(version)
                && (!version.is_prerelease() || takes_prereleases || range.as_str().contains('-'))
        }
        None => {
            let is_upwards = has.is_none_or(|has| version >= has);
            is_upwards && (!version.is_prerelease() || takes_prereleases || !place.is_behind)
        }
    }
}

/// Returns true if an installed operator satisfies the requirement without a change.
fn permits_resident(problem: &Problem<'_>, wish: &RequestedPackage, at: u32) -> bool {
    let resident = &problem.residents[at as usize];
    let in_range = wish.range.as_ref().is_none_or(|range| {
        let version = resident.version;
        version.is_some_and(|version| range.matches(version))
    });
    let is_placed = || {
        let universe = problem.universe;
        let package = resident.package.map(|id| &universe.packages[id as usize]);
        let candidates = package
            .into_iter()
            .flat_map(|package| package.candidates.clone());
        let mut same = candidates
            .map(|id| universe.candidate(id))
            .filter(|candidate| candidate.bundle.name == resident.installed.name);
        same.any(|candidate| placed(universe, wish, candidate).is_some())
    };
    let anywhere = wish.channel.is_none() && wish.catalog.is_none();
    in_range && (anywhere || is_placed())
}

// === impl Reaches ===

impl Reaches {
    pub(super) fn of(package: &Package, wish: &RequestedPackage, installed: &Installed) -> Self {
        let reach = |charted: &Charted| {
            let channel = wish.channel.as_ref();
            let listed = charted.graph().list_upgrades(installed, channel);
            let reachable = listed.into_iter().flat_map(|upgrades| upgrades.reachable);
            let reach = reachable.map(|reachable| (reachable.bundle.name, reachable.hops));
            reach.collect()
        };
        let offers = package.offers.iter();
        let reaches = offers.map(|(at, charted)| (*at, reach(charted)));
        Self(reaches.collect())
    }

    /// Returns the number of hops to a candidate. Returns None if no upgrade path leads to it.
    pub(super) fn hops(&self, candidate: &OfferedBundle) -> Option<u32> {
        let reach = self.0.get(&candidate.catalog)?;
        reach.get(&candidate.bundle.name).copied()
    }
}
