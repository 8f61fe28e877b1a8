//! Finds the operators that a request permits, according to ADR 13.

use std::collections::BTreeMap;

use portolan_core_catalog::{Entry, Package};
use portolan_core_names::{BundleName, ChannelName, Version};
use portolan_core_solver::RequestedPackage;

use crate::board::{Board, Operator, Place, worth};
use crate::world::Offer;

/// An operator that a request permits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pick {
    pub(crate) at: usize,
    /// The channel from which the bundle is installed. None if the installed operator is kept.
    pub(crate) channel: Option<ChannelName>,
    /// The number of hops from the installed bundle of the package. None if no bundle is installed.
    pub(crate) hops: Option<u32>,
}

/// Returns the operators that a request permits, best first.
pub(crate) fn picks(board: &Board<'_>, request: &RequestedPackage) -> Vec<Pick> {
    let resident = board.residents_of(&request.package).iter().next();
    let installed = resident.map(|at| &board.operators[at]);
    let mut placed: Vec<_> = board
        .operators
        .iter()
        .enumerate()
        .filter_map(|(at, operator)| {
            let (offer, place) = placed(board, request, operator)?;
            let hops = match installed {
                Some(from) => Some(hops(board.offers[offer], request, from, operator)?),
                None => None,
            };
            is_meant(request, operator, &place, installed).then_some((offer, place, at, hops))
        })
        .collect();
    placed.sort_by(|one, other| {
        let rank = |(offer, place, at, _): &(usize, Place, usize, _)| (*offer, place.clone(), *at);
        let (left, right) = (&board.operators[one.2], &board.operators[other.2]);
        (one.0, &one.1, worth(left))
            .cmp(&(other.0, &other.1, worth(right)))
            .then_with(|| rank(one).cmp(&rank(other)))
    });
    let candidates = placed.into_iter().map(|(_, place, at, hops)| Pick {
        at,
        channel: Some(place.channel),
        hops,
    });
    let staying = resident.filter(|at| may_stay(board, request, &board.operators[*at]));
    let staying = staying.map(|at| Pick {
        at,
        channel: None,
        hops: None,
    });
    candidates.chain(staying).collect()
}

/// Returns the position of a bundle that determines its rank. Returns None if the request permits
/// no position of the bundle.
fn placed(
    board: &Board<'_>,
    request: &RequestedPackage,
    operator: &Operator<'_>,
) -> Option<(usize, Place)> {
    let (offer, best) = operator.offer.as_ref()?;
    let catalog = board.offers[*offer];
    let is_named = request
        .catalog
        .as_ref()
        .is_none_or(|name| *name == catalog.name);
    if operator.package != Some(&request.package) || !is_named {
        return None;
    }
    let place = match &request.channel {
        None => best.clone(),
        Some(channel) => {
            let package = &catalog.catalog.packages[&request.package];
            package.channels.get(channel)?;
            Place::of(package, operator.name, channel)?
        }
    };
    Some((*offer, place))
}

fn is_meant(
    request: &RequestedPackage,
    operator: &Operator<'_>,
    place: &Place,
    installed: Option<&Operator<'_>>,
) -> bool {
    let version = operator
        .version
        .expect("a bundle of a catalog has a version");
    let has = installed.and_then(|installed| installed.version);
    let takes_prereleases = has.is_some_and(Version::is_prerelease);
    let is_release = !version.is_prerelease() || takes_prereleases;
    match &request.range {
        Some(range) => range.matches(version) && (is_release || range.as_str().contains('-')),
        None => has.is_none_or(|has| version >= has) && (is_release || !place.is_behind),
    }
}

/// Returns true if the installed operator satisfies the request without a change. A bundle that no
/// catalog contains belongs to no known channel or catalog.
fn may_stay(board: &Board<'_>, request: &RequestedPackage, installed: &Operator<'_>) -> bool {
    let is_in_range = request.range.as_ref().is_none_or(|range| {
        installed
            .version
            .is_some_and(|version| range.matches(version))
    });
    let is_anywhere = request.channel.is_none() && request.catalog.is_none();
    let mut same = board
        .operators
        .iter()
        .filter(|other| other.name == installed.name);
    is_in_range && (is_anywhere || same.any(|other| placed(board, request, other).is_some()))
}

fn hops(
    offer: &Offer,
    request: &RequestedPackage,
    from: &Operator<'_>,
    to: &Operator<'_>,
) -> Option<u32> {
    let package = offer.catalog.packages.get(&request.package)?;
    reached(package, request.channel.as_ref(), from)
        .get(to.name)
        .copied()
}

/// Returns all reachable bundles, each with the number of hops of the shortest path.
fn reached<'a>(
    package: &'a Package,
    channel: Option<&ChannelName>,
    from: &'a Operator<'_>,
) -> BTreeMap<&'a BundleName, u32> {
    let channels = package.channels.values();
    let channels = channels.filter(|one| channel.is_none_or(|name| *name == one.name));
    let entries: Vec<_> = channels
        .flat_map(|channel| channel.entries.values())
        .collect();
    let version = |name| package.bundles.get(name).map(|bundle| &bundle.version);
    let mut reached = BTreeMap::new();
    let mut border = vec![(from.name, version(from.name).or(from.version))];
    for hops in 1.. {
        let mut next = Vec::new();
        for (at, entry) in border
            .iter()
            .flat_map(|at| entries.iter().map(move |to| (at, *to)))
        {
            let Some(to) = version(&entry.name) else {
                continue;
            };
            let is_new = entry.name != *from.name && !reached.contains_key(&entry.name);
            if is_new && follows(entry, to, *at) {
                reached.insert(&entry.name, hops);
                next.push((&entry.name, Some(to)));
            }
        }
        if next.is_empty() {
            break;
        }
        border = next;
    }
    reached
}

fn follows(entry: &Entry, to: &Version, (from, version): (&BundleName, Option<&Version>)) -> bool {
    let is_covered = entry
        .skip_range
        .as_ref()
        .zip(version)
        .is_some_and(|(range, version)| range.matches(version) && to > version);
    entry.replaces.as_ref() == Some(from) || entry.skips.contains(from) || is_covered
}
