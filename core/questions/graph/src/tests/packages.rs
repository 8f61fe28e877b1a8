//! Generates random small packages, and queries about these packages.

use portolan_kit::catalog::{self, Bundle, Catalog, Channel, Entry};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::tests::{channel, installed};
use crate::{Destination, Installed, Query, Walk};

/// The versions in generated packages: releases, a prerelease, rebuilds that differ only in their
/// release, and two equal versions.
pub(crate) const VERSIONS: [&str; 9] = [
    "1.0.0",
    "1.0.1",
    "1.1.0-rc.1",
    "1.1.0",
    "1.1.0+1",
    "1.1.0+001",
    "1.2.0",
    "2.0.0",
    "2.1.0",
];

const RANGES: [&str; 7] = [
    ">=1.0.0 <1.1.0",
    ">=1.0.0",
    "<2.0.0",
    ">=1.1.0-rc.1 <1.2.0",
    "=1.0.1",
    "!=1.1.0",
    ">=2.0.x",
];

pub(crate) fn name(version: &str) -> String {
    format!("a.v{version}")
}

fn entry(version: &'static str) -> impl Strategy<Value = Entry> {
    let replaces = prop::option::weighted(0.6, select(VERSIONS.to_vec()));
    let skips = prop_oneof![3 => Just(Vec::new()), 1 => subsequence(VERSIONS.to_vec(), 1..3)];
    let skip_range = prop::option::weighted(0.3, select(RANGES.to_vec()));
    (replaces, skips, skip_range).prop_map(move |(replaces, skips, skip_range)| Entry {
        name: name(version),
        replaces: replaces.map(name),
        skips: skips.into_iter().map(name).collect(),
        skip_range: skip_range.map(str::to_owned),
    })
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    subsequence(VERSIONS.to_vec(), 1..VERSIONS.len())
        .prop_flat_map(|versions| versions.into_iter().map(entry).collect::<Vec<_>>())
        .prop_shuffle()
}

/// Generates two channels with some of the bundles. One or two bundles may be missing, and some
/// bundles are in no channel.
pub(crate) fn catalogs() -> impl Strategy<Value = Catalog> {
    let bundles = subsequence(VERSIONS.to_vec(), VERSIONS.len() - 2..=VERSIONS.len());
    let old = prop::collection::vec(prop::bool::weighted(0.2), VERSIONS.len());
    let parts = (entries(), entries(), bundles.prop_shuffle(), old);
    parts.prop_map(|(fast, slow, bundles, old)| {
        let channels = [("fast", fast), ("slow", slow)];
        let channels = channels.map(|(name, entries)| Channel {
            name: name.to_owned(),
            entries,
            ..Channel::default()
        });
        let bundle = |(version, is_old): (&str, bool)| Bundle {
            name: name(version),
            version: version.to_owned(),
            image: "registry.test/a:1".to_owned(),
            deprecated: is_old.then(|| "it is old".to_owned()),
            ..Bundle::default()
        };
        Catalog {
            packages: vec![catalog::Package {
                name: "a".to_owned(),
                default_channel: Some("fast".to_owned()),
                channels: channels.to_vec(),
                bundles: bundles.into_iter().zip(old).map(bundle).collect(),
                ..catalog::Package::default()
            }],
        }
    })
}

/// Generates an installed bundle: a bundle of the package, or an unknown bundle, with or without a
/// version.
pub(crate) fn installations() -> impl Strategy<Value = Installed> {
    let stranger = prop::option::of(select(VERSIONS.to_vec()));
    prop_oneof![
        4 => select(VERSIONS.to_vec()).prop_map(installed),
        1 => stranger.prop_map(|version| Installed {
            name: "stranger".parse().expect("a name"),
            version: version.map(|text| text.parse().expect("a version")),
        }),
    ]
}

pub(crate) fn scopes() -> impl Strategy<Value = Option<&'static str>> {
    select(vec![None, Some("fast"), Some("slow")])
}

pub(crate) fn destinations() -> impl Strategy<Value = Destination> {
    let version = |text: &str| Destination::Version(text.parse().expect("a version"));
    let range = |text: &str| Destination::Range(text.parse().expect("a range"));
    prop_oneof![
        select(VERSIONS.to_vec()).prop_map(version),
        select(RANGES.to_vec()).prop_map(range),
        Just(Destination::Head),
        Just(Destination::NewestPatch),
        Just(Destination::NewestMinor),
    ]
}

pub(crate) fn queries() -> impl Strategy<Value = Query> {
    let options = (
        any::<bool>(),
        any::<bool>(),
        select(vec![Walk::Catalog, Walk::OlmV0]),
    );
    (installations(), destinations(), scopes(), options).prop_map(
        |(installed, destination, scope, (allow_downgrade, allow_unconnected, walk))| Query {
            channel: scope.map(channel),
            walk,
            allow_downgrade,
            allow_unconnected,
            ..Query::new(installed, destination)
        },
    )
}

/// Generates queries whose result an additional edge does not change. Queries for a head or with
/// OLM's choices are excluded: a skip can remove the head of a channel, and any edge can change
/// what OLM selects.
pub(crate) fn steady_queries() -> impl Strategy<Value = Query> {
    queries().prop_map(|query| Query {
        walk: Walk::Catalog,
        destination: if query.destination == Destination::Head {
            Destination::NewestPatch
        } else {
            query.destination
        },
        ..query
    })
}
