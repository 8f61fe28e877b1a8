//! Compares results for random small packages with the reference implementation.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::Package;
use portolan_core_names::{BundleName, Version};
use proptest::prelude::*;
use proptest::sample::select;

use crate::tests::packages::{
    VERSIONS, catalogs, installations, name, queries, scopes, steady_queries,
};
use crate::tests::reference::{Reference, age};
use crate::tests::{channel, package};
use crate::{Destination, Edges, Graph, Installed, PathAnswer, Query, Reason, Suggestion, Walk};

fn asked(graph: &Graph, query: &Query) -> PathAnswer {
    graph.find_path(query).expect("the channel must be there")
}

fn reference<'a>(package: &'a Package, query: &'a Query) -> Reference<'a> {
    Reference {
        package,
        channel: query.channel.as_ref(),
    }
}

/// Returns the bundles of the requested channels that a requested version matches.
pub(crate) fn meant<'a>(
    package: &'a Package,
    query: &Query,
    asked: &Version,
) -> BTreeSet<&'a BundleName> {
    let channels = package.channels.values();
    let channels = channels.filter(|c| query.channel.as_ref().is_none_or(|name| *name == c.name));
    let listed: BTreeSet<_> = channels
        .flat_map(|channel| channel.entries.keys())
        .collect();
    let bundles = package.bundles.values();
    let all = bundles.filter(|bundle| bundle.version == *asked && listed.contains(&bundle.name));
    let all: Vec<_> = all.collect();
    let is_exact = |build: &str| !asked.build().is_empty() && build == asked.build();
    let mut same = package
        .bundles
        .values()
        .filter(|bundle| bundle.version == *asked);
    let exact = same.any(|bundle| is_exact(bundle.version.build()));
    let meant = all
        .iter()
        .filter(|bundle| !exact || is_exact(bundle.version.build()));
    meant.map(|bundle| &bundle.name).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn successors_equal_the_reference(
        catalog in catalogs(), installed in installations(), scope in scopes()
    ) {
        let package = package(&catalog);
        let channel = scope.map(channel);
        let answer = Graph::new(package.clone()).list_upgrades(&installed, channel.as_ref());
        let answer = answer.expect("the channel must be there");
        let reference = Reference { package: &package, channel: channel.as_ref() };
        let found: BTreeMap<_, BTreeSet<_>> = answer.successors.iter().map(|successor| {
            let edges = successor.permits.iter();
            let edges = edges.flat_map(|p| p.edges.iter().map(|edge| (&p.channel, edge)));
            (&successor.bundle.name, edges.collect())
        }).collect();
        prop_assert_eq!(found, reference.successors(&installed));
    }

    #[test]
    fn updates_from_a_bundle_equal_its_successors(
        catalog in catalogs(), installed in installations(), scope in scopes()
    ) {
        let graph = Graph::new(package(&catalog));
        let channel = scope.map(channel);
        let listed = graph.list_upgrades(&installed, channel.as_ref());
        let listed = listed.expect("the channel must be there").successors;
        let listed: Vec<_> = listed.iter().filter(|one| one.bundle.version.is_some()).map(|one| {
            let edges = one.permits.iter().map(|permit| permit.edges);
            (&one.bundle, edges.fold(Edges::NONE, Edges::union))
        }).collect();
        let channels = channel.into_iter().collect();
        let updates = graph.updates_from(&installed, &channels);
        prop_assert_eq!(updates.expect("the channel must be there"), listed);
    }

    #[test]
    fn reachable_bundles_have_the_fewest_hops(
        catalog in catalogs(), installed in installations(), scope in scopes()
    ) {
        let package = package(&catalog);
        let channel = scope.map(channel);
        let answer = Graph::new(package.clone()).list_upgrades(&installed, channel.as_ref());
        let answer = answer.expect("the channel must be there");
        let reference = Reference { package: &package, channel: channel.as_ref() };
        let hops = reference.hops(&installed);
        let found: BTreeMap<_, _> =
            answer.reachable.iter().map(|r| (&r.bundle.name, r.hops)).collect();
        prop_assert_eq!(&found, &hops);
        for missed in &answer.unreachable {
            prop_assert!(!hops.contains_key(&missed.bundle.name));
        }
    }

    #[test]
    fn heads_equal_the_reference(catalog in catalogs()) {
        let package = package(&catalog);
        let graph = Graph::new(package.clone());
        let reference = Reference { package: &package, channel: None };
        let heads = graph.heads();
        for channel in package.channels.keys() {
            let of_channel = heads.iter().filter(|head| head.channel == *channel);
            let found: BTreeSet<_> = of_channel.map(|head| &head.bundle).collect();
            prop_assert_eq!(found, reference.heads(channel));
        }
    }

    #[test]
    fn updates_equal_the_edges_of_the_reference(catalog in catalogs(), scope in scopes()) {
        let package = package(&catalog);
        let graph = Graph::new(package.clone());
        let asked = scope.map(channel);
        let reference = Reference { package: &package, channel: asked.as_ref() };
        let edges = graph.nodes().iter().flat_map(|node| {
            let from = Installed { name: node.name.clone(), version: None };
            let successors = reference.successors(&from).into_iter();
            let edges = successors.flat_map(|(to, edges)| edges.into_iter().map(move |e| (to, e)));
            edges.map(|(to, (channel, edge))| (channel, node.name.clone(), to, edge))
        });
        let edges: BTreeSet<_> = edges.collect();
        let updates: Vec<_> = graph.updates(asked.as_ref()).collect();
        prop_assert_eq!(graph.count_updates(asked.as_ref()), updates.len() as u64);
        let updates = updates.iter().flat_map(|update| {
            let edges = update.edges.iter();
            edges.map(|edge| (update.channel, update.from.name.clone(), &update.to.name, edge))
        });
        prop_assert_eq!(updates.collect::<BTreeSet<_>>(), edges);
    }

    #[test]
    fn version_is_reachable_if_and_only_if_the_reference_reaches_it(
        catalog in catalogs(),
        installed in installations(),
        scope in scopes(),
        to in select(VERSIONS.to_vec()),
    ) {
        let package = package(&catalog);
        let version: Version = to.parse().expect("a version");
        let query = Query {
            channel: scope.map(channel),
            allow_downgrade: true,
            ..Query::new(installed, Destination::Version(version.clone()))
        };
        let hops = reference(&package, &query).hops(&query.installed);
        let meant = meant(&package, &query, &version);
        let fewest = meant.iter().filter_map(|name| hops.get(*name)).min();
        match asked(&Graph::new(package.clone()), &query) {
            PathAnswer::Reached(path) => {
                prop_assert_eq!(Some(path.hops.len()), fewest.map(|n| *n as usize));
            }
            PathAnswer::Blocked(_) => prop_assert_eq!(fewest, None),
            PathAnswer::AlreadyThere(there) => prop_assert_eq!(there.version, Some(version)),
        }
    }

    #[test]
    fn path_is_the_best_of_all_shortest_paths(
        catalog in catalogs(),
        installed in installations(),
        scope in scopes(),
    ) {
        let package = package(&catalog);
        let graph = Graph::new(package.clone());
        for bundle in package.bundles.values() {
            let destination = Destination::Version(bundle.version.clone());
            let query = Query {
                channel: scope.map(channel),
                allow_downgrade: true,
                ..Query::new(installed.clone(), destination)
            };
            let PathAnswer::Reached(path) = asked(&graph, &query) else {
                continue;
            };
            let found: Vec<_> = path.hops.iter().map(|hop| &hop.to.name).collect();
            let reference = reference(&package, &query);
            let mut ways: Vec<_> = meant(&package, &query, &bundle.version)
                .into_iter()
                .flat_map(|to| reference.ways(&installed, to))
                .collect();
            let rank = |name: &BundleName| {
                let version = reference.version(name).expect("a step has a bundle");
                (Reverse(age(version)), name.clone())
            };
            ways.sort_by_cached_key(|way| (
                way.len(),
                way.iter().filter(|name| package.deprecations.bundles.contains_key(**name)).count(),
                way.iter().map(|name| rank(name)).collect::<Vec<_>>(),
            ));
            prop_assert_eq!(Some(&found), ways.first());
        }
    }

    #[test]
    fn every_hop_is_an_edge_or_an_allowed_jump(catalog in catalogs(), query in queries()) {
        let package = package(&catalog);
        if let PathAnswer::Reached(path) = asked(&Graph::new(package.clone()), &query) {
            let reference = reference(&package, &query);
            let mut at = query.installed.clone();
            prop_assert!(!path.hops.is_empty());
            for hop in &path.hops {
                let edges = hop.permits.iter();
                let found: BTreeSet<_> =
                    edges.flat_map(|p| p.edges.iter().map(|edge| (&p.channel, edge))).collect();
                let successors = reference.successors(&at);
                if found.is_empty() {
                    prop_assert!(query.allow_unconnected && path.hops.len() == 1);
                } else if query.walk == Walk::Catalog {
                    prop_assert_eq!(Some(&found), successors.get(&hop.to.name));
                }
                at = Installed { name: hop.to.name.clone(), version: None };
            }
        }
    }

    #[test]
    fn only_an_allowed_path_ends_at_an_older_version(catalog in catalogs(), query in queries()) {
        let package = package(&catalog);
        if let PathAnswer::Reached(path) = asked(&Graph::new(package.clone()), &query) {
            let reference = reference(&package, &query);
            let catalogued = reference.version(&query.installed.name);
            let from = catalogued.or(query.installed.version.as_ref());
            let last = path.hops.last().and_then(|hop| hop.to.version.as_ref());
            let is_below = from.zip(last).is_some_and(|(from, to)| to < from);
            prop_assert!(query.allow_downgrade || !is_below);
        }
    }

    #[test]
    fn recommended_bundle_is_the_first_hop_to_the_head(
        catalog in catalogs(),
        installed in installations(),
        scope in scopes(),
    ) {
        let graph = Graph::new(package(&catalog));
        let query = Query {
            channel: scope.map(channel),
            ..Query::new(installed.clone(), Destination::Head)
        };
        let listed = graph.list_upgrades(&installed, query.channel.as_ref());
        let recommended = listed.expect("the channel must be there").recommended;
        let first = match asked(&graph, &query) {
            PathAnswer::Reached(path) => Some(path.hops[0].to.name.clone()),
            PathAnswer::AlreadyThere(_) | PathAnswer::Blocked(_) => None,
        };
        prop_assert_eq!(recommended, first);
    }

    #[test]
    fn additional_edge_blocks_no_reachable_bundle(
        catalog in catalogs(),
        query in steady_queries(),
        at in any::<prop::sample::Index>(),
        skipped in select(VERSIONS.to_vec()),
    ) {
        let before = asked(&Graph::new(package(&catalog)), &query);
        let mut more = catalog;
        let entries = &mut more.packages[0].channels[0].entries;
        let at = at.index(entries.len());
        entries[at].skips.push(name(skipped));
        let after = asked(&Graph::new(package(&more)), &query);
        match (before, after) {
            (PathAnswer::Reached(before), PathAnswer::Reached(after)) => {
                // A jump without an edge has only one hop, so a real path may have more hops. A
                // real path always takes precedence over a jump.
                let is_path = before.hops.iter().all(|hop| !hop.permits.is_empty());
                if is_path && matches!(query.destination, Destination::Version(_)) {
                    prop_assert!(after.hops.len() <= before.hops.len());
                }
            }
            (PathAnswer::Reached(_), other) => prop_assert!(false, "was reached, now {other:?}"),
            (PathAnswer::AlreadyThere(_) | PathAnswer::Blocked(_), _) => {}
        }
    }

    #[test]
    fn adding_the_missing_edge_unblocks_the_path(catalog in catalogs(), query in steady_queries()) {
        let before = asked(&Graph::new(package(&catalog)), &query);
        let PathAnswer::Blocked(blockage) = before else {
            return Ok(());
        };
        // If a blockage has two obstacles, one suggestion alone is not sufficient.
        let is_below = |reason: &Reason| matches!(reason, Reason::Below { .. });
        if blockage.reasons.len() > 1 && blockage.reasons.iter().any(is_below) {
            return Ok(());
        }
        for suggestion in &blockage.suggestions {
            let (mut catalog, mut query) = (catalog.clone(), query.clone());
            match suggestion {
                Suggestion::InChannel(name) => query.channel = Some(name.clone()),
                Suggestion::OverAllChannels => query.channel = None,
                Suggestion::Skip { entry, bundle } => {
                    let channels = catalog.packages[0].channels.iter_mut();
                    let asked = channels.filter(|channel| {
                        query.channel.as_ref().is_none_or(|name| name.as_str() == channel.name)
                    });
                    let entries = asked.flat_map(|channel| &mut channel.entries);
                    for entry in entries.filter(|other| other.name == entry.as_str()) {
                        entry.skips.push(bundle.to_string());
                    }
                }
                Suggestion::AllowDowngrade => query.allow_downgrade = true,
                Suggestion::AllowUnconnected => query.allow_unconnected = true,
                Suggestion::AllowUnconnectedDowngrade => {
                    (query.allow_downgrade, query.allow_unconnected) = (true, true);
                }
                Suggestion::SayVersion(_) | Suggestion::HopByHop => continue,
            }
            // Another channel may have another newest bundle with the same major or minor version,
            // so this suggestion may not help.
            let is_stream = query.destination == Destination::NewestPatch
                || query.destination == Destination::NewestMinor;
            let after = asked(&Graph::new(package(&catalog)), &query);
            let helped = matches!(after, PathAnswer::Reached(_));
            prop_assert!(helped || is_stream, "{:?} did not help: {:?}", suggestion, after);
        }
    }

    #[test]
    fn blocked_olm_walk_reports_the_action_of_olm(catalog in catalogs(), query in queries()) {
        let query = Query { walk: Walk::OlmV0, allow_unconnected: false, ..query };
        if let PathAnswer::Blocked(blockage) = asked(&Graph::new(package(&catalog)), &query) {
            prop_assert_eq!(blockage.missing, None);
            prop_assert!(!blockage.reasons.is_empty());
            let invents_edges = |reason: &Reason| matches!(reason, Reason::NoEdge { .. });
            prop_assert!(!blockage.reasons.iter().any(invents_edges));
        }
    }

    #[test]
    fn order_of_documents_has_no_effect(
        (catalog, shuffled) in catalogs().prop_flat_map(|catalog| {
            let package = catalog.packages[0].clone();
            let entries = |at: usize| Just(package.channels[at].entries.clone()).prop_shuffle();
            let parts = (entries(0), entries(1), Just(package.bundles.clone()).prop_shuffle());
            (Just(catalog), parts)
        }),
        query in queries(),
    ) {
        let (fast, slow, bundles) = shuffled;
        let mut other = catalog.clone();
        let package_of = &mut other.packages[0];
        package_of.bundles = bundles;
        package_of.channels[0].entries = fast;
        package_of.channels[1].entries = slow;
        package_of.channels.reverse();
        let (one, other) = (Graph::new(package(&catalog)), Graph::new(package(&other)));
        prop_assert_eq!(one.faults(), other.faults());
        prop_assert_eq!(one.nodes(), other.nodes());
        prop_assert!(one.updates(None).eq(other.updates(None)));
        prop_assert_eq!(asked(&one, &query), asked(&other, &query));
        let listed = |graph: &Graph| graph.list_upgrades(&query.installed, query.channel.as_ref());
        prop_assert_eq!(listed(&one), listed(&other));
    }
}
