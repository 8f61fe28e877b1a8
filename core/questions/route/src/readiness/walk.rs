//! Finds the shortest path of an operator through the catalogs of several stages.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use portolan_core_graph::{Installed, Node};
use portolan_core_names::{BundleName, ChannelName, VersionRange};

use super::judge::to_installed;
use super::position::followed;
use super::{Contents, Leg, Offer, Stage, removed};

/// The updates that an operator may use in each stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct StagedWalk<'a> {
    pub(super) stages: &'a [Stage],
    pub(super) offers: &'a [Offer],
    /// The followed channels. Empty for all channels.
    pub(super) channels: &'a BTreeSet<ChannelName>,
    /// The allowed versions. None permits all versions.
    pub(super) allowed: Option<&'a VersionRange>,
    /// The removed APIs that bundles use. None permits bundles with removed APIs.
    pub(super) contents: Option<&'a Contents>,
    /// True to permit bundles that need a newer Kubernetes than the cluster has.
    pub(super) ignores_kubernetes: bool,
}

/// A bundle in a stage, with the previous place on its path.
#[derive(Debug)]
struct Place {
    stage: usize,
    bundle: Installed,
    /// The bundle in the catalog, if an update led to this place. None for the start, and after an
    /// upgrade of the cluster.
    hop: Option<Node>,
    from: Option<usize>,
}

// === impl StagedWalk ===

impl StagedWalk<'_> {
    /// Returns the path with the fewest hops from `start` to a goal. Returns None if no goal is
    /// reachable. If several goals have the same distance, a goal that is not deprecated comes
    /// first, then the highest version. `may_enter` returns true if the cluster may be upgraded to
    /// a stage while a bundle is installed.
    pub(super) fn shortest(
        &self,
        start: &Installed,
        within: RangeInclusive<usize>,
        may_enter: &dyn Fn(usize, &Installed) -> bool,
        is_goal: &dyn Fn(usize, &Installed) -> bool,
    ) -> Option<Vec<Leg>> {
        let (first, last) = (*within.start(), *within.end());
        let mut places = vec![Place {
            stage: first,
            bundle: start.clone(),
            hop: None,
            from: None,
        }];
        let mut seen = BTreeSet::from([(first, start.name.clone())]);
        let mut border = 0;
        while border < places.len() {
            // An upgrade of the cluster does not count as a hop, so the next stage is added at the
            // same distance.
            let mut at = border;
            while at < places.len() {
                let next = places[at].stage + 1;
                if next <= last && may_enter(next, &places[at].bundle) {
                    let bundle = places[at].bundle.clone();
                    if seen.insert((next, bundle.name.clone())) {
                        places.push(Place {
                            stage: next,
                            bundle,
                            hop: None,
                            from: Some(at),
                        });
                    }
                }
                at += 1;
            }
            let goals = (border..places.len()).filter(|at| {
                let place = &places[*at];
                is_goal(place.stage, &place.bundle)
            });
            if let Some(best) = goals.max_by_key(|at| worth(&places[*at])) {
                return Some(legs(&places, best));
            }
            let until = places.len();
            for at in border..until {
                self.spread(at, &mut places, &mut seen);
            }
            border = until;
        }
        None
    }

    /// Adds the bundles that are one update away from a place.
    fn spread(&self, at: usize, places: &mut Vec<Place>, seen: &mut BTreeSet<(usize, BundleName)>) {
        let stage = places[at].stage;
        for node in self.updates(stage, &places[at].bundle) {
            if seen.insert((stage, node.name.clone())) {
                places.push(Place {
                    stage,
                    bundle: to_installed(&node),
                    hop: Some(node),
                    from: Some(at),
                });
            }
        }
    }

    /// Returns the permitted updates of a bundle in a stage, newest first.
    fn updates(&self, stage: usize, bundle: &Installed) -> Vec<Node> {
        let Some(charted) = &self.offers[stage].package else {
            return Vec::new();
        };
        let channels = followed(charted, self.channels);
        if channels.is_empty() {
            return Vec::new();
        }
        let updates = charted.graph().updates_from(bundle, &channels);
        let updates = updates.unwrap_or_default().into_iter();
        let updates = updates.map(|(node, _)| node);
        let permitted = updates.filter(|node| self.permits(stage, node));
        permitted.cloned().collect()
    }

    /// Returns true if a bundle may be installed in a stage.
    pub(super) fn permits(&self, stage: usize, node: &Node) -> bool {
        let package = self.offers[stage].package.as_ref();
        let bundle = package.and_then(|it| it.package().bundles.get(&node.name));
        let is_offered = bundle.is_some_and(|bundle| !bundle.is_prohibited);
        let is_allowed = match (self.allowed, &node.version) {
            (None, _) => true,
            (Some(range), Some(version)) => range.matches(version),
            (Some(_), None) => false,
        };
        let is_above = self.ignores_kubernetes || self.missing_kubernetes(stage, node).is_none();
        is_offered && is_allowed && is_above && self.is_installable(stage, node)
    }

    /// Returns true if the stage serves the APIs of all known objects of the bundle.
    fn is_installable(&self, stage: usize, node: &Node) -> bool {
        let content = self
            .contents
            .and_then(|it| it.get(&node.name)?.as_ref().ok());
        let mut objects = content.into_iter().flat_map(|content| &content.objects);
        !objects.any(|usage| removed::is_removed(usage, self.stages[stage]))
    }

    /// Returns the minimum Kubernetes version of a bundle if the stage has an older version.
    /// Returns None otherwise.
    pub(super) fn missing_kubernetes(&self, stage: usize, node: &Node) -> Option<String> {
        let package = self.offers[stage].package.as_ref()?;
        let bundle = package.package().bundles.get(&node.name)?;
        let minimum = bundle.display.min_kube_version.as_deref()?;
        let is_missing = self.stages[stage].is_below(minimum);
        is_missing.then(|| minimum.to_owned())
    }
}

/// Returns the key that ranks goals with the same distance. The best goal has the greatest key.
fn worth(place: &Place) -> impl Ord + use<> {
    let is_deprecated = place
        .hop
        .as_ref()
        .is_some_and(|hop| hop.deprecation.is_some());
    (
        !is_deprecated,
        place.bundle.version.clone(),
        Reverse(place.stage),
        Reverse(place.bundle.name.clone()),
    )
}

/// Returns the updates on the path to a place, stage by stage.
fn legs(places: &[Place], to: usize) -> Vec<Leg> {
    let way = std::iter::successors(Some(&places[to]), |place| Some(&places[place.from?]));
    let mut legs: Vec<Leg> = Vec::new();
    for (stage, hop) in way.filter_map(|place| Some((place.stage, place.hop.clone()?))) {
        match legs.last_mut() {
            Some(leg) if leg.stage == stage => leg.hops.push(hop),
            Some(_) | None => legs.push(Leg {
                stage,
                hops: vec![hop],
            }),
        }
    }
    legs.reverse();
    for leg in &mut legs {
        leg.hops.reverse();
    }
    legs
}
