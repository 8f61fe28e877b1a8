//! Tests of the history, from which watches resume.

use std::time::Duration;

use portolan_core_installed::{
    Batch, Filter, History, Limits, NotKnown, Resource, ResourceVersion, Revision,
};
use serde_json::json;

use crate::world::{World, csv, group, namespace};

const EARLY: &str = "2026-01-01T00:00:00Z";
const NOW: Duration = Duration::ZERO;

fn limited_to(bytes: usize) -> Limits {
    Limits {
        age: Duration::from_secs(60),
        bytes,
    }
}

/// Returns a world with this number of namespaces, and an OperatorGroup in `olm` for all
/// namespaces.
fn cluster(namespaces: usize) -> World {
    let names = (0..namespaces).map(|at| namespace(&format!("n{at:03}"), json!({})));
    let all = group("olm", "g", json!({}), json!([""]));
    World::of(names.chain([all]))
}

/// Changes an operator that watches all namespaces. Returns the batch.
fn changed(world: &mut World, name: &str, turn: usize) -> Batch {
    let mut csv = csv("olm", name, EARLY);
    csv["status"]["message"] = json!(format!("{turn}"));
    world.put(csv)
}

fn version(world: &World) -> ResourceVersion {
    world.index.snapshot().version().clone()
}

#[test]
fn history_is_limited_by_its_size() {
    let mut world = cluster(3);
    let mut versions = vec![version(&world)];
    // The same operator changes twice. After the second change, only the history still uses the
    // text from before the first change.
    let mut history = History::since(versions[0].clone(), limited_to(1800));
    for turn in 1..=3 {
        let batch = changed(&mut world, "tug.v1.0.0", turn);
        versions.push(batch.version.clone());
        history.push(batch, NOW);
    }
    assert!(history.bytes() <= 1800, "{}", history.bytes());
    let held = version(&world);
    let since = |asked: &ResourceVersion| {
        let batches = history.batches_since(asked, &held, None);
        batches.map(Iterator::count)
    };
    let expired = |asked: &ResourceVersion| {
        Err(NotKnown::Expired {
            asked: asked.clone(),
            since: versions[1].clone(),
        })
    };
    assert_eq!(since(&versions[3]), Ok(0));
    assert_eq!(since(&versions[1]), Ok(2));
    assert_eq!(since(&versions[0]), expired(&versions[0]));
    let ahead = held
        .clone()
        .with(Resource::Subscriptions, Revision::from(1000));
    let refused = since(&ahead).expect_err("the version is in the future");
    let wanted = format!(
        "resourceVersion {ahead} is ahead of {held} in subscriptions; ask again in a second"
    );
    assert_eq!(refused.to_string(), wanted);
    let of_others = "namespaces:1000".parse().expect("a version");
    assert_eq!(since(&of_others), expired(&of_others));
}

#[test]
fn history_is_limited_by_its_age() {
    let mut world = cluster(3);
    let first = version(&world);
    let mut history = History::since(first.clone(), limited_to(usize::MAX));
    for (turn, minute) in [(1, 0), (2, 1), (3, 2)] {
        let batch = changed(&mut world, "tug.v1.0.0", turn);
        history.push(batch, Duration::from_secs(60 * minute));
    }
    assert_eq!(history.place(), 3);
    let behind = |place| history.batches_behind(place).map(Iterator::count);
    assert_eq!(behind(3), Some(0));
    assert_eq!(behind(1), Some(2));
    assert_eq!(behind(0), None, "the version is two minutes old");
    assert_eq!(behind(4), None, "the version is in the future");
}

#[test]
fn slow_watch_expires_after_the_history_limit() {
    let mut world = cluster(3);
    let mut history = History::since(version(&world), limited_to(0));
    for turn in 1..=3 {
        history.push(changed(&mut world, "tug.v1.0.0", turn), NOW);
    }
    let behind = |place| history.batches_behind(place).map(Iterator::count);
    assert_eq!(behind(2), Some(1), "the last batch is always kept");
    assert_eq!(behind(1), None);
}

#[test]
fn size_of_a_history_does_not_grow_with_the_number_of_namespaces() {
    let sizes = [10, 520].map(|namespaces| {
        let mut world = cluster(namespaces);
        let mut history = History::since(version(&world), limited_to(usize::MAX));
        for turn in 0..200 {
            let name = format!("tug-{}.v1.0.0", turn % 5);
            history.push(changed(&mut world, &name, turn), NOW);
        }
        history.bytes()
    });
    let names = 520 * size_of::<std::sync::Arc<str>>();
    assert!(sizes[1] < sizes[0] + names, "{sizes:?}");
}

#[test]
fn watch_of_unchanged_namespace_survives_other_changes() {
    let mut world = World::of([
        namespace("quiet", json!({})),
        namespace("busy", json!({})),
        group("quiet", "g", json!({}), json!(["quiet"])),
        group("busy", "g", json!({}), json!(["busy"])),
        csv("quiet", "ferry.v1.0.0", EARLY),
    ]);
    let first = version(&world);
    let mut history = History::since(first.clone(), limited_to(20_000));
    for turn in 0..1000 {
        let mut csv = csv("busy", "tug.v1.0.0", EARLY);
        csv["status"]["message"] = json!(format!("{turn}"));
        history.push(world.put(csv), NOW);
    }
    let held = version(&world);
    let since = |namespace| {
        let batches = history.batches_since(&first, &held, namespace).ok()?;
        let here = batches.flat_map(|batch| batch.in_namespace(namespace.unwrap_or_default()));
        Some(here.count())
    };
    assert_eq!(since(Some("quiet")), Some(0));
    assert_eq!(since(Some("busy")), None);
    assert_eq!(since(None), None);

    let last = csv("quiet", "ferry.v1.1.0", EARLY);
    history.push(world.put(last), NOW);
    let held = version(&world);
    let batches = history.batches_since(&first, &held, Some("quiet"));
    let here = batches.expect("an available version");
    assert_eq!(
        here.flat_map(|batch| batch.in_namespace("quiet")).count(),
        1
    );
}

#[test]
fn list_of_a_large_cluster_is_complete_while_operators_change() {
    let mut world = cluster(520);
    let name = |at: usize| format!("tug-{at}.v1.0.0");
    for at in 0..5 {
        changed(&mut world, &name(at), 0);
    }
    let first = version(&world);
    let mut history = History::since(first.clone(), limited_to(1 << 20));
    let mut listed = Vec::new();
    let mut behind = None;
    loop {
        let snapshot = world.index.snapshot();
        let page = snapshot.page(None, &Filter::default(), behind.as_ref(), 100);
        listed.extend(
            page.items
                .iter()
                .map(|it| (it.namespace.clone(), it.name.clone())),
        );
        let Some(next) = page.next else { break };
        assert_eq!(next.version, first);
        behind = Some(next);
        for at in 0..10 {
            let batch = changed(&mut world, &name(at % 5), listed.len() + at);
            history.push(batch, NOW);
        }
    }
    assert_eq!(listed.len(), 520 * 5);
    assert!(
        listed.is_sorted_by(|one, other| one < other),
        "an object is listed twice"
    );
    let held = version(&world);
    let batches = history.batches_since(&first, &held, None);
    let batches = batches.expect("250 changes take less than 1 MiB").count();
    assert_eq!(batches, 250);
}
