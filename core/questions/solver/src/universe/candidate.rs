//! The bundles that can be installed from catalogs.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Bundle, Package};
use portolan_core_graph::{Charted, heads};
use portolan_core_names::{BundleName, ChannelName, PackageName, Release, Version};

use super::{ApiId, Catalog, Numbering, PackageId, RequirementId, Universe};

/// A catalog bundle that at least one channel contains.
#[derive(Debug)]
pub(crate) struct OfferedBundle {
    pub(crate) package: PackageId,
    pub(crate) catalog: usize,
    pub(crate) bundle: Arc<Bundle>,
    /// The positions of the bundle in the channels that contain it. The preferred channel comes
    /// first. Never empty.
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
    /// True if the channel is not the default channel. The default channel is preferred.
    pub(crate) is_elsewhere: bool,
    pub(crate) channel: ChannelName,
    /// True if the bundle is not the head of the channel. The head is preferred.
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

    /// Returns the position of the bundle in a channel. Returns None if the channel does not
    /// contain the bundle.
    pub(crate) fn placed_in(&self, channel: &ChannelName) -> Option<&ChannelPlace> {
        self.places.iter().find(|place| place.channel == *channel)
    }

    /// Returns the candidate for comparisons with dependencies.
    pub(crate) fn offer<'a>(&'a self, universe: &'a Universe) -> catalog::Candidate<'a> {
        catalog::Candidate::of(self.package(universe), &self.bundle)
    }
}

/// Returns the bundles of a package that can be installed. The preferred bundle comes first.
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

/// Returns a sort key for the candidates of a package. Lower is better. The criteria are: catalog,
/// default channel, head, not deprecated, release, newest version.
fn order(candidate: &OfferedBundle) -> impl Ord + '_ {
    (candidate.catalog, candidate.place(), worth(candidate))
}

/// Returns the rank of a bundle that is compared after catalog, channel and head. Lower is better.
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

/// Returns the deprecation message of the bundle. If the bundle has no message, returns the message
/// of its channel or package. Returns None if none of them is deprecated.
fn deprecation(package: &Package, channel: &ChannelName, bundle: &BundleName) -> Option<Arc<str>> {
    let said = &package.deprecations;
    let of_bundle = said.bundles.get(bundle);
    let of_channel = || said.channels.get(channel);
    of_bundle
        .or_else(of_channel)
        .or(said.package.as_ref())
        .cloned()
}

/// The heads of each channel of a package.
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

    /// Returns the positions of a bundle in the channels that contain it. The preferred channel
    /// comes first.
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
