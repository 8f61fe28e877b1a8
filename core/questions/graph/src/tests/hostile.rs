//! Tests malicious packages. The tests count operations instead of measuring time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use portolan_core_catalog::{Channel, Entry, Package};
use portolan_core_names::{BundleName, Version};
use rstest::rstest;

use crate::tests::{bundle, installed};
use crate::{ChannelFault, Destination, Graph, PathAnswer, Query, Walk};

/// A stack size that is far below the size of a normal thread. A recursive call for each entry
/// would need several times this size.
const STACK: usize = 256 << 10;

/// A number of entries that is far above the limit of the catalog reader.
const LONG: usize = 30_000;

fn version(at: usize) -> Version {
    Version::new(1, at as u64, 0)
}

fn name(at: usize) -> BundleName {
    bundle(&version(at).to_string())
}

/// Returns a package with one channel of `length` entries. The function `entry` creates each entry.
fn package(length: usize, entry: impl Fn(usize) -> Entry) -> Arc<Package> {
    let small = super::package(&portolan_kit::catalog("a: 1.0.0"));
    let mut package = (*small).clone();
    let template = (*package.bundles[&name(0)]).clone();
    let place = package.place.clone();
    let bundles = (0..length).map(|at| {
        let mut bundle = template.clone();
        (bundle.name, bundle.version) = (name(at), version(at));
        (name(at), Arc::new(bundle))
    });
    package.bundles = bundles.collect();
    let entries: BTreeMap<_, _> = (0..length).map(|at| (name(at), entry(at))).collect();
    for channel in package.channels.values_mut() {
        *channel = Arc::new(Channel {
            name: channel.name.clone(),
            entries: entries.clone(),
            place: place.clone(),
        });
    }
    Arc::new(package)
}

fn entry(at: usize, replaces: Option<usize>, skip_range: Option<&str>) -> Entry {
    Entry {
        name: name(at),
        replaces: replaces.map(name),
        skips: Default::default(),
        skip_range: skip_range.map(|text| text.parse().expect("a range")),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "only a thread of its own has a stack of another size"
)]
fn with_little_stack(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK);
    let running = thread.spawn(work).expect("a thread must start");
    running.join().expect("the work must end well");
}

fn all_entries_follow_one_another(graph: &Graph) -> bool {
    let circles = graph.faults().iter().filter_map(|fault| {
        let ChannelFault::Cycle { bundles, .. } = fault else {
            return None;
        };
        Some(bundles.len())
    });
    circles.collect::<Vec<_>>() == [LONG]
}

#[rstest]
#[case::cycle(true)]
#[case::chain(false)]
fn long_chain_of_entries_does_not_overflow_the_stack(#[case] is_circle: bool) {
    let package = package(LONG, |at| match at {
        0 => entry(0, is_circle.then_some(LONG - 1), None),
        at => entry(at, Some(at - 1), None),
    });
    with_little_stack(move || {
        let graph = Graph::new(package);
        assert_eq!(all_entries_follow_one_another(&graph), is_circle);
        let listed = graph.list_upgrades(&installed("1.0.0"), None);
        let listed = listed.expect("all channels are there");
        assert_eq!(listed.reachable.len(), LONG - 1);
        for walk in [Walk::Catalog, Walk::OlmV0] {
            let last = Destination::Version(version(LONG - 1));
            let query = Query {
                walk,
                ..Query::new(installed("1.0.0"), last)
            };
            let hops = match graph.find_path(&query).expect("all channels are there") {
                PathAnswer::Reached(path) => Some(path.hops.len()),
                PathAnswer::AlreadyThere(_) | PathAnswer::Blocked(_) => None,
            };
            // OLM refuses a channel without a head.
            let is_walked = walk == Walk::Catalog || !is_circle;
            assert_eq!(hops, is_walked.then_some(LONG - 1), "{walk:?}");
        }
    });
}

#[test]
fn ranges_that_contain_everything_are_not_stored_edge_by_edge() {
    const COUNT: usize = 3000;
    let graph = Graph::new(package(COUNT, |at| entry(at, None, Some(">=0.0.0"))));
    let chart = &graph.channels[0].chart;
    assert_eq!(chart.named().count(), 0);
    assert_eq!(chart.bands().len(), COUNT - 1);
    let pairs = COUNT * (COUNT - 1) / 2;
    assert_eq!(graph.count_updates(None), pairs as u64);
    let listed = graph.list_upgrades(&installed("1.0.0"), None);
    let successors = listed.expect("all channels are there").successors;
    assert_eq!(successors.len(), COUNT - 1);
}

#[test]
fn blocked_entries_share_one_list_of_faults() {
    const COUNT: usize = 2000;
    let graph = Graph::new(package(COUNT, |at| entry(at, Some(at), None)));
    let listed = graph.list_upgrades(&installed("1.0.0"), None);
    let listed = listed.expect("all channels are there");
    assert_eq!(listed.faults.len(), COUNT + 1);
    let blockages = listed.unreachable.iter().map(|missed| &missed.blockage);
    let faults: Vec<_> = blockages.map(|blockage| &blockage.faults).collect();
    assert_eq!(faults.len(), COUNT - 1);
    assert!(faults.iter().all(|each| Arc::ptr_eq(each, faults[0])));
    assert_eq!(faults[0].len(), 100);
}
