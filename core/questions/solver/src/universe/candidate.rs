//! Bundles that can be installed.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Bundle, Package};
use portolan_core_graph::{Charted, heads};
use portolan_core_names::{BundleName, ChannelName, PackageName, Release, Version};

use super::{ApiId, Catalog, Numbering, PackageId, RequirementId, Universe};

/// A catalog bundle that is in a channel.
#[derive(Debug)]
pub(crate) struct OfferedBundle {
    pub(crate) package: PackageId,
    pub(crate) catalog: usize,
    pub(crate) bundle: Arc<Bundle>,
    /// The positions of the bundle in the channels that contain it, preferred channel first. Never
    /// empty.
    pub(crate) places: Box<[ChannelPlace]>,
    /// The deprecation message of the author. None if the bundle is not deprecated.
    pub(crate) deprecation: Option<Arc<str>>,
    pub(crate) is_outranked: bool,
    pub(crate) provides: Box<[ApiId]>,
    pub(crate) requires: Box<[RequirementId]>,
}

/// The position of a bundle in a channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChannelPlace {
    /// False for the default channel, which is preferred.
    pub(crate) is_elsewhere: bool,
    pub(crate) channel: ChannelName,
    /// False for the head of a channel, which is preferred.
    pub(crate) is_behind: bool,
}

// === impl OfferedBundle ===

impl OfferedBundle {
    pub(crate) fn package<'a>(&self, universe: &'a Universe) -> &'a PackageName {
        &universe.packages[self.package as usize].name
    }

    /// Returns the position in the preferred channel.
    pub(crate) fn place(&self) -> &ChannelPlace {
        &self.places[0]
    }

    /// Returns the position in a channel. Returns None if the channel does not contain the bundle.
    pub(crate) fn placed_in(&self, channel: &ChannelName) -> Option<&ChannelPlace> {
        self.places.iter().find(|place| place.channel == *channel)
    }

    /// Returns the candidate that dependencies are compared with.
    pub(crate) fn offer<'a>(&'a self, universe: &'a Universe) -> catalog::Candidate<'a> {
        catalog::Candidate::of(self.package(universe), &self.bundle)
    }
}

/// Returns the bundles of a package that can be installed, the preferred bundle first.
pub(super) fn candidates(
    id: PackageId,
    offers: &[(usize, Arc<Charted>)],
    catalogs: &[Catalog],
    numbering: &mut Numbering,
) -> Vec<OfferedBundle> {
    let highest = offers.iter().map(|(at, _)| catalogs[*at].priority).max();
    let mut candidates = Vec::new();
    for (catalog, charted) in offers {
        let package = charted.package();
        let heads = Heads::of(package);
        let is_outranked = Some(catalogs[*catalog].priority) < highest;
        for bundle in package.bundles.values() {
            let places = heads.places(package, &bundle.name);
            let Some(place) = places.first() else {
                continue;
            };
            candidates.push(OfferedBundle {
                package: id,
                catalog: *catalog,
                deprecation: deprecation(package, &place.channel, &bundle.name),
                places,
                is_outranked,
                provides: bundle
                    .provides
                    .iter()
                    .map(|api| numbering.api(api))
                    .collect(),
                requires: numbering.requirements(&bundle.requires),
                bundle: Arc::clone(bundle),
            });
        }
    }
    candidates.sort_by(|one, other| order(one).cmp(&order(other)));
    candidates
}

/// Returns a sort key; lower is better. Criteria: catalog, default channel, head, not deprecated,
/// release, newest.
fn order(candidate: &OfferedBundle) -> impl Ord + '_ {
    (candidate.catalog, candidate.place(), worth(candidate))
}

/// Returns the rank within one channel of one catalog, after the head. Lower is better.
pub(crate) fn worth(candidate: &OfferedBundle) -> Worth<'_> {
    let bundle: &Bundle = &candidate.bundle;
    (
        candidate.deprecation.is_some(),
        bundle.version.is_prerelease(),
        Reverse((&bundle.version, bundle.release.as_ref())),
        &bundle.name,
    )
}

type Worth<'a> = (
    bool,
    bool,
    Reverse<(&'a Version, Option<&'a Release>)>,
    &'a BundleName,
);

/// Returns the deprecation message of the bundle. If the bundle has none, returns the message of
/// its channel or package. Returns None if nothing is deprecated.
fn deprecation(package: &Package, channel: &ChannelName, bundle: &BundleName) -> Option<Arc<str>> {
    let said = &package.deprecations;
    let of_bundle = said.bundles.get(bundle);
    let of_channel = || said.channels.get(channel);
    of_bundle
        .or_else(of_channel)
        .or(said.package.as_ref())
        .cloned()
}

/// The heads of every channel of a package.
struct Heads<'a> {
    of: Vec<(&'a ChannelName, BTreeSet<&'a BundleName>)>,
}

// === impl Heads ===

impl<'a> Heads<'a> {
    fn of(package: &'a Package) -> Self {
        let channels = package.channels.values();
        let of = channels.map(|channel| (&channel.name, heads(channel).collect()));
        Self { of: of.collect() }
    }

    /// Returns the positions of a bundle in the channels that contain it, the preferred channel
    /// first.
    fn places(&self, package: &Package, bundle: &BundleName) -> Box<[ChannelPlace]> {
        let places = self.of.iter();
        let places = places.filter_map(|(channel, heads)| {
            let entries = &package.channels[*channel].entries;
            entries.contains_key(bundle).then(|| ChannelPlace {
                is_elsewhere: package.default_channel.as_ref() != Some(channel),
                channel: (*channel).clone(),
                is_behind: !heads.contains(bundle),
            })
        });
        let mut places: Vec<_> = places.collect();
        places.sort();
        places.into()
    }
}
