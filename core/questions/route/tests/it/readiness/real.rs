//! Tests real catalogs. The new catalog is the old catalog without the older half of each channel.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_catalog::Package;
use portolan_core_graph::{Charted, Installed};
use portolan_core_names::{BundleName, ChannelName};
use portolan_core_route::readiness::{
    Installer, Offer, Question, ReadinessVerdict, Subject, judge,
};
use rstest::rstest;

use super::cluster::stages;
use super::reference::Reference;
use super::worlds::compare;
use crate::real::packages;

/// The maximum number of entries of a channel that is compared with the slow reference.
const MOST_ENTRIES: usize = 20;

#[rstest]
#[case::of_openshift("community-v4.20")]
#[case::of_operatorhub("operatorhub")]
fn every_path_of_real_catalogs_is_shortest(#[case] name: &str) {
    let Some(packages) = packages(name) else {
        return;
    };
    let mut counts = BTreeMap::<ReadinessVerdict, usize>::new();
    for charted in packages.values() {
        let package = charted.package();
        let small = package.channels.values();
        let small = small.filter(|channel| (2..=MOST_ENTRIES).contains(&channel.entries.len()));
        for channel in small {
            let new = Arc::new(without_tail(package, &channel.name));
            for start in channel
                .entries
                .keys()
                .filter(|it| package.bundles.contains_key(*it))
            {
                let verdict = one(package, &new, &channel.name, start);
                *counts.entry(verdict).or_default() += 1;
            }
        }
    }
    for expected in [ReadinessVerdict::Ready, ReadinessVerdict::UpdateFirst] {
        assert!(counts.contains_key(&expected), "{counts:?}");
    }
}

fn one(
    old: &Arc<Package>,
    new: &Arc<Package>,
    channel: &ChannelName,
    start: &BundleName,
) -> ReadinessVerdict {
    let stages = stages("4.21 4.22");
    let start = Installed {
        name: start.clone(),
        version: None,
    };
    let offers = [old, new].map(|package| Offer {
        package: Some(Arc::new(Charted::new(Arc::clone(package)))),
        gap: None,
    });
    let subject = Subject {
        installer: Installer::OlmV1,
        namespace: String::new(),
        installed: Some(start.clone()),
        is_followed: true,
        channels: BTreeSet::from([channel.clone()]),
        allowed: None,
        limit: None,
        contents: BTreeMap::new(),
        restraints: Vec::new(),
        requests: Vec::new(),
        offers: offers.to_vec(),
    };
    let question = Question {
        stages,
        operators: vec![subject],
    };
    let answer = judge(&question).remove(0);
    let reference = Reference {
        stages: vec![((4, 21), (1, 34), Some(old)), ((4, 22), (1, 35), Some(new))],
        channels: BTreeSet::from([channel.clone()]),
    };
    compare(&reference, &start, &answer);
    answer.verdict
}

/// Returns the package with only the newer half of a channel.
fn without_tail(package: &Package, channel: &ChannelName) -> Package {
    let mut new = package.clone();
    let kept = &package.channels[channel];
    let mut names: Vec<_> = kept.entries.keys().collect();
    names.sort_by_key(|name| package.bundles.get(*name).map(|bundle| &bundle.version));
    let gone: BTreeSet<_> = names[..names.len() / 2].iter().copied().collect();
    let mut channel = (**kept).clone();
    channel.entries.retain(|name, _| !gone.contains(name));
    new.bundles.retain(|name, _| !gone.contains(name));
    new.channels = BTreeMap::from([(channel.name.clone(), Arc::new(channel))]);
    new
}
