//! A slow and simple reference implementation of readiness. It works directly on the entries of
//! catalogs, without a graph.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::Package;
use portolan_core_names::{BundleName, ChannelName, Version};

/// A release, as its major and its minor number.
pub(crate) type Release = (u64, u64);

/// The stages of a cluster upgrade. Each stage has the OpenShift release, the Kubernetes release,
/// and the package.
pub(crate) struct Reference<'p> {
    pub(crate) stages: Vec<(Release, Release, Option<&'p Package>)>,
    pub(crate) channels: BTreeSet<ChannelName>,
}

/// The number of hops to each bundle, by stage and bundle.
type Distances = BTreeMap<(usize, BundleName), usize>;

impl Reference<'_> {
    pub(crate) fn target(&self) -> usize {
        self.stages.len() - 1
    }

    /// Returns true if the catalog of a stage permits the update from one bundle to another bundle.
    pub(crate) fn is_update(&self, stage: usize, from: &BundleName, to: &BundleName) -> bool {
        let (_, kubernetes, Some(package)) = self.stages[stage] else {
            return false;
        };
        let Some(bundle) = package.bundles.get(to) else {
            return false;
        };
        let minimum = bundle.display.min_kube_version.as_deref();
        let minimum = minimum.and_then(|text| Version::parse(text).ok());
        let is_too_new = minimum.is_some_and(|it| (it.major(), it.minor()) > kubernetes);
        let entries = self
            .followed(package)
            .filter_map(|channel| channel.entries.get(to));
        let mut entries = entries;
        let version = self.version(from);
        !bundle.is_prohibited
            && !is_too_new
            && entries.any(|entry| {
                let is_named = entry.replaces.as_ref() == Some(from) || entry.skips.contains(from);
                let range = entry.skip_range.as_ref().zip(version.as_ref());
                let is_covered = range.is_some_and(|(range, version)| {
                    range.matches(version) && bundle.version > *version
                });
                is_named || is_covered
            })
    }

    fn followed<'p>(
        &'p self,
        package: &'p Package,
    ) -> impl Iterator<Item = &'p portolan_core_catalog::Channel> {
        let all = package.channels.values();
        let all = all.filter(|it| self.channels.is_empty() || self.channels.contains(&it.name));
        all.map(|channel| &**channel)
    }

    fn version(&self, bundle: &BundleName) -> Option<Version> {
        let packages = self.stages.iter().filter_map(|(_, _, package)| *package);
        let mut found = packages.filter_map(|package| package.bundles.get(bundle));
        found.next().map(|bundle| bundle.version.clone())
    }

    /// Returns true if the target catalog contains the bundle in any channel.
    pub(crate) fn offers(&self, bundle: &BundleName) -> bool {
        self.bundles(self.target()).any(|it| it == bundle)
    }

    /// Returns the bundles of a stage.
    fn bundles(&self, stage: usize) -> impl Iterator<Item = &BundleName> {
        let package = self.stages[stage].2;
        package
            .into_iter()
            .flat_map(|package| package.bundles.keys())
    }

    /// Returns true if the limit of the bundle permits a stage. All limits in these tests are
    /// valid.
    fn supports(&self, bundle: &BundleName, stage: usize) -> bool {
        let packages = self.stages.iter().filter_map(|(_, _, package)| *package);
        let mut found = packages.filter_map(|package| package.bundles.get(bundle));
        let limit = found
            .next()
            .and_then(|bundle| bundle.max_openshift_version.as_deref());
        limit.is_none_or(|text| {
            let (major, minor) = text.split_once('.').expect("a release");
            let last = (
                major.parse().expect("a number"),
                minor.parse().expect("a number"),
            );
            last >= self.stages[stage].0
        })
    }

    /// Returns true if a bundle of this stage needs no update before the target.
    pub(crate) fn fits(&self, stage: usize, bundle: &BundleName) -> bool {
        let target = self.target();
        let (_, _, Some(package)) = self.stages[target] else {
            return false;
        };
        let is_entry = self
            .followed(package)
            .any(|it| it.entries.contains_key(bundle));
        let bundles: Vec<_> = self.bundles(target).collect();
        let is_updated = || {
            // OLM chooses the successor after the upgrade, so the minimum Kubernetes version of the
            // successor does not matter yet.
            let unchecked = Self {
                stages: self
                    .stages
                    .iter()
                    .map(|(openshift, _, it)| (*openshift, (9, 0), *it))
                    .collect(),
                channels: self.channels.clone(),
            };
            bundles
                .iter()
                .any(|to| unchecked.is_update(target, bundle, to))
        };
        (stage + 1..=target).all(|later| self.supports(bundle, later)) && (is_entry || is_updated())
    }

    /// Returns the number of hops to the nearest bundle that needs no further update. Uses updates
    /// in the stages up to `last`. Returns None if no such bundle is reachable.
    pub(crate) fn nearest(&self, start: &BundleName, last: usize) -> Option<usize> {
        let distances = self.distances(start, 0, last);
        let fitting = distances
            .iter()
            .filter(|((stage, bundle), _)| self.fits(*stage, bundle));
        fitting.map(|(_, hops)| *hops).min()
    }

    /// Returns the number of hops from one bundle to another after the upgrade. Returns None if no
    /// path exists.
    pub(crate) fn hops_after(&self, start: &BundleName, to: &BundleName) -> Option<usize> {
        let target = self.target();
        let distances = self.distances(start, target, target);
        distances.get(&(target, to.clone())).copied()
    }

    /// Computes the distances in rounds, until a round changes no distance.
    fn distances(&self, start: &BundleName, first: usize, last: usize) -> Distances {
        let mut distances = Distances::from([((first, start.clone()), 0)]);
        loop {
            let mut shorter = Vec::new();
            for ((stage, from), hops) in &distances {
                let mut relax = |place: (usize, BundleName), hops: usize| {
                    if distances.get(&place).is_none_or(|known| *known > hops) {
                        shorter.push((place, hops));
                    }
                };
                if *stage < last && self.supports(from, stage + 1) {
                    relax((stage + 1, from.clone()), *hops);
                }
                for to in self.bundles(*stage) {
                    if to != from && self.is_update(*stage, from, to) {
                        relax((*stage, to.clone()), hops + 1);
                    }
                }
            }
            if shorter.is_empty() {
                return distances;
            }
            for (place, hops) in shorter {
                let known = distances.entry(place).or_insert(hops);
                *known = hops.min(*known);
            }
        }
    }
}
