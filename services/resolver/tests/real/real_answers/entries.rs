//! Compares the result for every entry of every channel with the reference implementation.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_catalog::Package;
use portolan_core_graph::{Destination, Graph, Installed, PathAnswer, Query, Upgrades};
use portolan_core_names::{BundleName, ChannelName};
use portolan_kit::assert_same;
use rstest::rstest;

use crate::real_answers::real;
use crate::real_answers::reference::{Permits, Reference};

/// A result of the resolver, reduced to the fields that the reference computes.
#[derive(Debug, PartialEq)]
struct KnownAnswer<'a> {
    /// The successors: the name, true for a downgrade, and the edges that permit the upgrade.
    successors: Vec<(&'a BundleName, bool, Permits<'a>)>,
    reachable: Vec<(&'a BundleName, u32)>,
    unreachable: Vec<&'a BundleName>,
    heads: Vec<(&'a ChannelName, &'a BundleName)>,
}

fn permits_of(upgrades: &Upgrades) -> KnownAnswer<'_> {
    let successors = upgrades.successors.iter().map(|successor| {
        let permits = successor.permits.iter();
        let permits = permits.map(|permit| (&permit.channel, permit.edges.iter().collect()));
        (
            &successor.bundle.name,
            successor.is_downgrade,
            permits.collect(),
        )
    });
    let reachable = upgrades.reachable.iter();
    let unreachable = upgrades.unreachable.iter();
    let heads = upgrades.heads.iter();
    KnownAnswer {
        successors: successors.collect(),
        reachable: reachable
            .map(|reached| (&reached.bundle.name, reached.hops))
            .collect(),
        unreachable: unreachable.map(|missed| &missed.bundle.name).collect(),
        heads: heads.map(|head| (&head.channel, &head.bundle)).collect(),
    }
}

fn expected<'a>(reference: &Reference<'a>, from: &'a BundleName) -> KnownAnswer<'a> {
    let hops = reference.hops(from);
    let successors = reference.successors(from);
    let is_downgrade = |to: &BundleName| reference.age(to) < reference.age(from);
    let newest = reference
        .newest_first(successors.keys().copied())
        .into_iter();
    KnownAnswer {
        successors: newest
            .map(|to| (to, is_downgrade(to), successors[to].clone()))
            .collect(),
        unreachable: reference.missed(from, &hops),
        reachable: reference
            .newest_first(hops.keys().copied())
            .into_iter()
            .map(|to| (to, hops[to]))
            .collect(),
        heads: reference.heads(),
    }
}

#[rstest]
fn answers_match_reference_implementation(
    #[values("community-v4.20", "operatorhub", "operatorhub-csv-edges")] name: &str,
) {
    let Some(catalog) = real::catalog(name) else {
        return;
    };
    let mut asked = 0;
    for package in catalog.packages.values() {
        let graph = Graph::new(Arc::clone(package));
        for channel in package.channels.values() {
            let entries = channel.entries.keys();
            asked += ask(package, &graph, Some(&channel.name), entries);
        }
        ask(package, &graph, None, package.bundles.keys());
    }
    // The description of the catalogs contains these numbers of entries.
    assert_eq!(asked, if name == "community-v4.20" { 929 } else { 9025 });
}

/// Queries every bundle of a package, in one channel or in all channels.
fn ask<'a>(
    package: &'a Package,
    graph: &Graph,
    channel: Option<&ChannelName>,
    bundles: impl Iterator<Item = &'a BundleName>,
) -> usize {
    let reference = Reference::new(package, channel);
    bundles
        .map(|name| {
            let installed = Installed {
                name: name.clone(),
                version: None,
            };
            let upgrades = graph.list_upgrades(&installed, channel);
            let upgrades = upgrades.expect("the channel must be there");
            let asked = (name, channel);
            let (found, expected) = (permits_of(&upgrades), expected(&reference, name));
            if found != expected {
                assert_same!((asked, found), (asked, expected));
            }
            assert_path(package, graph, channel, name, &reference);
        })
        .count()
}

/// Asserts two properties of the path to the newest reachable version. The path is no longer than
/// in the reference, and each hop is an edge of the reference.
fn assert_path<'a>(
    package: &'a Package,
    graph: &Graph,
    channel: Option<&ChannelName>,
    from: &'a BundleName,
    reference: &Reference<'a>,
) {
    let hops = reference.hops(from);
    let Some(newest) = reference
        .newest_first(hops.keys().copied())
        .first()
        .copied()
    else {
        return;
    };
    let version = &package.bundles[newest].version;
    if *version == package.bundles[from].version {
        return;
    }
    let query = Query {
        channel: channel.cloned(),
        allow_downgrade: true,
        ..Query::new(
            Installed {
                name: from.clone(),
                version: None,
            },
            Destination::Version(version.clone()),
        )
    };
    let answer = graph.find_path(&query).expect("the channel must be there");
    let PathAnswer::Reached(path) = answer else {
        panic!("{from} must lead to {newest} in {channel:?}: {answer:?}");
    };
    let mut at = from;
    for hop in &path.hops {
        let permits: Permits<'_> = hop
            .permits
            .iter()
            .map(|permit| (&permit.channel, permit.edges.iter().collect()))
            .collect();
        assert_eq!(
            reference.successors(at).get(&hop.to.name),
            Some(&permits),
            "{at}"
        );
        at = package
            .bundles
            .get_key_value(&hop.to.name)
            .expect("a hop has a bundle")
            .0;
    }
    let same = |name: &&BundleName| package.bundles[*name].version == *version;
    let fewest: BTreeMap<_, _> = hops.iter().filter(|(name, _)| same(name)).collect();
    assert_eq!(
        fewest.values().min().map(|hops| **hops as usize),
        Some(path.hops.len()),
        "{from} to {version} in {channel:?}"
    );
}
