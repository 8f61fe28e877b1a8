//! What only shows when all documents of a package are there.
//!
//! Heads, cycles and stranded entries are not looked for: they are questions about the graph, and
//! a package that has them answers everything else.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::BundleName;

use super::fault;
use crate::fault::{Fault, Trouble};
use crate::model::Package;
use crate::place::Place;

pub(super) fn audit(package: &Package, faults: &mut Vec<Fault>) {
    let mut report = |place: &Place, trouble| faults.push(fault(place, &package.name, trouble));
    channels(package, &mut report);
    bundles(package, &mut report);
}

fn channels(package: &Package, report: &mut impl FnMut(&Place, Trouble)) {
    if package.channels.is_empty() {
        report(&package.place, Trouble::NoChannel(package.name.clone()));
    }
    if let Some(default) = &package.default_channel
        && !package.channels.contains_key(default)
    {
        report(&package.place, Trouble::UnknownDefault(default.clone()));
    }
    for channel in package.channels.values() {
        if channel.entries.is_empty() {
            report(&channel.place, Trouble::NoEntries(channel.name.clone()));
        }
        for entry in channel.entries.keys() {
            if !package.bundles.contains_key(entry) {
                let trouble = Trouble::NoBundle {
                    channel: channel.name.clone(),
                    entry: entry.clone(),
                };
                report(&channel.place, trouble);
            }
        }
    }
}

fn bundles(package: &Package, report: &mut impl FnMut(&Place, Trouble)) {
    let listed: BTreeSet<&BundleName> = package
        .channels
        .values()
        .flat_map(|channel| channel.entries.keys())
        .collect();
    // Compared as texts: `1.0.0` and `1.0.0+1` are equal in precedence and still two versions.
    let mut versions: BTreeMap<(String, _), Vec<BundleName>> = BTreeMap::new();
    for bundle in package.bundles.values() {
        if !listed.contains(&bundle.name) {
            report(&bundle.place, Trouble::Unlisted(bundle.name.clone()));
        }
        let version = (bundle.version.to_string(), bundle.release.as_ref());
        let same = versions.entry(version).or_default();
        same.push(bundle.name.clone());
    }
    for ((version, _), bundles) in versions {
        if let [_, .., last] = bundles.as_slice() {
            let place = &package.bundles[last].place;
            report(place, Trouble::SameVersion { version, bundles });
        }
    }
}
