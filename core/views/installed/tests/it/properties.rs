//! After any sequence of changes, the index must equal the reference implementation, and a client
//! that applies the events must have the same objects.

use std::collections::BTreeMap;
use std::time::Duration;

use portolan_core_installed::{
    Batch, Event, Filter, History, Installed, Limits, ResourceVersion, Snapshot, SubscriptionDetail,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::reference;
use crate::world::{World, csv, group, namespace, of, operator, stored, subscription};

const NAMESPACES: [&str; 4] = ["a", "b", "c", "d"];
const NAMES: [&str; 3] = ["ferry.v1.0.0", "ferry.v1.1.0", "tug.v2.0.0"];
const CREATED: [&str; 2] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];

#[derive(Debug, Clone)]
enum Change {
    Put(Value),
    Delete(Value),
    /// Changes several objects of one kind, and deletes the last of them.
    Apply(Vec<Value>),
    /// Replaces all objects that have the kind of the first object. Does nothing if there are no
    /// objects.
    Replace(Vec<Value>),
}

const UNLIMITED: Limits = Limits {
    age: Duration::MAX,
    bytes: usize::MAX,
};

type Objects = BTreeMap<(String, String), Installed>;

fn csvs() -> impl Strategy<Value = Value> {
    let texts = (
        select(&NAMESPACES[..]),
        select(&NAMES[..]),
        select(&CREATED[..]),
    );
    let targets = select(vec![None, Some(""), Some("a,c"), Some("b")]);
    let replaces = select(vec!["", NAMES[0], NAMES[1]]);
    let phase = select(vec![
        ("", ""),
        ("Succeeded", ""),
        ("Succeeded", "InstallSucceeded"),
        ("Replacing", ""),
        ("Failed", "NoOperatorGroup"),
        ("Failed", "UnsupportedOperatorGroup"),
    ]);
    let is_copy = prop::bool::weighted(0.2);
    (texts, targets, replaces, phase, is_copy).prop_map(
        |((home, name, created), targets, replaces, (phase, reason), is_copy)| {
            let mut csv = csv(home, name, created);
            csv["metadata"]["managedFields"] = json!([{"manager": "olm"}]);
            csv["metadata"]["labels"] = json!({"olm.managed": "true", "of": "csv"});
            if let Some(targets) = targets {
                csv["metadata"]["annotations"] =
                    json!({"olm.targetNamespaces": targets, "olm.operatorGroup": "g"});
            }
            if is_copy {
                csv["metadata"]["labels"]["olm.copiedFrom"] = json!("elsewhere");
            }
            csv["spec"]["replaces"] = json!(replaces);
            csv["spec"]["icon"] = json!([{"base64data": "aaaa"}]);
            csv["status"] = json!({"phase": phase, "reason": reason});
            csv
        },
    )
}

fn subscriptions() -> impl Strategy<Value = Value> {
    let bundles = || select(vec!["", NAMES[0], NAMES[1], NAMES[2]]);
    let texts = (select(&NAMESPACES[..]), select(vec!["ferry", "tug"]));
    let from = (select(&CREATED[..]), select(&NAMESPACES[..2]));
    (texts, bundles(), bundles(), from).prop_map(
        |((home, name), installed, current, (created, catalog_namespace))| {
            let mut subscription = subscription(home, name, installed, current);
            subscription["metadata"]["creationTimestamp"] = json!(created);
            subscription["spec"]["sourceNamespace"] = json!(catalog_namespace);
            subscription["metadata"]["labels"] = json!({"of": "sub", "more": name});
            subscription
        },
    )
}

fn groups() -> impl Strategy<Value = Value> {
    let names = || {
        let names = prop::collection::vec(select(&NAMESPACES[..]), 0..3);
        prop_oneof![3 => names, 1 => Just(vec![""])]
    };
    let selector = select(vec![None, Some("red"), Some("blue")]);
    let texts = (select(&NAMESPACES[..]), select(vec!["g", "h"]));
    (texts, selector, names(), names()).prop_map(|((home, name), selector, wished, written)| {
        let wished: Vec<_> = wished.into_iter().filter(|name| !name.is_empty()).collect();
        let mut spec = json!({"targetNamespaces": wished});
        if let Some(color) = selector {
            spec["selector"] = json!({"matchLabels": {"color": color}});
        }
        group(home, name, spec, json!(written))
    })
}

fn namespaces() -> impl Strategy<Value = Value> {
    let labels = select(vec![
        json!({}),
        json!({"color": "red"}),
        json!({"color": "blue"}),
    ]);
    (select(&NAMESPACES[..]), labels).prop_map(|(name, labels)| namespace(name, labels))
}

fn operators() -> impl Strategy<Value = Value> {
    let texts = (
        select(vec!["one", "two"]),
        select(vec!["m", "n"]),
        select(vec!["True", "False"]),
    );
    texts.prop_map(|(name, csv, is_ready)| operator(name, csv, is_ready))
}

fn stored_csvs() -> impl Strategy<Value = Value> {
    let texts = (
        select(vec!["m", "n"]),
        select(&NAMESPACES[..]),
        select(&NAMES[..]),
    );
    let targets = select(vec!["", "a,c", "b"]);
    (texts, targets).prop_map(|((name, home, bundle), targets)| stored(name, home, bundle, targets))
}

fn changes() -> impl Strategy<Value = Change> {
    fn of(objects: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Change> {
        let objects = objects.boxed();
        prop_oneof![
            6 => objects.clone().prop_map(Change::Put),
            2 => objects.clone().prop_map(Change::Delete),
            1 => prop::collection::vec(objects.clone(), 1..5).prop_map(Change::Apply),
            1 => prop::collection::vec(objects, 1..5).prop_map(Change::Replace),
        ]
    }
    prop_oneof![
        3 => of(csvs()),
        2 => of(subscriptions()),
        2 => of(groups()),
        2 => of(namespaces()),
        2 => of(operators()),
        2 => of(stored_csvs()),
    ]
}

fn carry_out(world: &mut World, change: Change) -> Batch {
    match change {
        Change::Put(object) => world.put(object),
        Change::Delete(object) => world.delete(&object),
        Change::Apply(objects) => world.apply(&objects),
        Change::Replace(objects) => {
            // If several objects have the same name, the last one is used.
            let mut by_name = BTreeMap::new();
            for object in objects {
                let metadata = &object["metadata"];
                let key = (
                    metadata["namespace"].to_string(),
                    metadata["name"].to_string(),
                );
                by_name.insert(key, object);
            }
            let objects: Vec<_> = by_name.into_values().collect();
            world.replace(of(&objects[0]), objects)
        }
    }
}

fn objects(snapshot: &Snapshot) -> Objects {
    let all = snapshot.all();
    all.map(|each| (key(each), each.clone())).collect()
}

fn key(installed: &Installed) -> (String, String) {
    (installed.namespace.to_string(), installed.name.to_string())
}

/// Returns an object without its version and uid, because the reference implementation has none.
fn plain(installed: &Installed) -> Value {
    let json = installed.to_json(SubscriptionDetail::Full);
    let mut object: Value = serde_json::from_str(&json).expect("JSON");
    let metadata = object["metadata"].as_object_mut().expect("metadata");
    metadata.remove("resourceVersion").expect("a version");
    metadata.remove("uid").expect("a uid");
    let labels = &metadata["labels"];
    if labels.get("operators.portolan.dev/operator").is_some() {
        let csv = &mut object["status"]["clusterServiceVersion"]["metadata"];
        let csv = csv.as_object_mut().expect("metadata");
        csv.remove("uid").expect("a generated uid");
    }
    object
}

/// Applies events to the objects of a client. If `is_strict` is true, each event must fit the
/// object that the client has.
fn follow(objects: &mut Objects, events: Vec<Event>, is_strict: bool) {
    for event in events {
        let was = match &event {
            Event::Added(is) => objects.insert(key(is), is.clone()),
            Event::Modified { is, .. } => objects.insert(key(is), is.clone()),
            Event::Deleted(was) => objects.remove(&key(was)),
        };
        if is_strict {
            match event {
                Event::Added(_) => assert_eq!(was, None),
                Event::Modified { was: object, .. } => {
                    assert!(was.is_some_and(|was| was.is_like(&object)))
                }
                Event::Deleted(object) => assert!(was.is_some_and(|was| was.is_like(&object))),
            }
        }
    }
}

proptest! {
    #[test]
    fn index_equals_the_reference_after_any_changes(
        changes in prop::collection::vec(changes(), 1..40),
    ) {
        let mut world = World::empty();
        let mut followed = Objects::new();
        for change in changes {
            let before = world.index.snapshot().clone();
            let batch = carry_out(&mut world, change);
            let now = world.index.snapshot();
            let found = objects(now);
            let shown = found.iter().map(|(key, each)| (key.clone(), plain(each)));
            prop_assert_eq!(shown.collect::<BTreeMap<_, _>>(), reference::installed(&world.objects));
            follow(&mut followed, batch.events(), true);
            prop_assert_eq!(&followed, &found);
            prop_assert_eq!(&batch.version, now.version());
            prop_assert!(before.version() <= now.version());
            prop_assert!(batch.events().is_sorted_by_key(|event| key(event.object())));
            // If a client resumes from the version of an object, it already has this object.
            for (key, was) in objects(&before) {
                if let Some(is) = found.get(&key) {
                    prop_assert_eq!(was.version == is.version, was.is_like(is));
                }
            }
        }
    }

    /// A watch resumes from the version of a list or an object, after any number of events.
    #[test]
    fn resumed_watch_receives_every_change(
        changes in prop::collection::vec(changes(), 1..25),
        at in any::<prop::sample::Index>(),
        read in any::<prop::sample::Index>(),
    ) {
        let mut world = World::empty();
        let start = world.index.snapshot().version().clone();
        let mut history = History::since(start, UNLIMITED);
        let at = at.index(changes.len());
        let mut client = Objects::new();
        let mut from = ResourceVersion::default();
        for (turn, change) in changes.into_iter().enumerate() {
            let batch = carry_out(&mut world, change);
            history.push(batch.clone(), Duration::ZERO);
            if turn < at {
                client = objects(world.index.snapshot());
                from = world.index.snapshot().version().clone();
            } else if turn == at {
                let mut events = batch.events();
                events.truncate(read.index(events.len() + 1));
                follow(&mut client, events.clone(), false);
                if let Some(last) = events.last() {
                    from = (*last.object().version).clone();
                }
            }
        }
        let held = world.index.snapshot();
        prop_assume!(from != ResourceVersion::default());
        for batch in history.batches_since(&from, held.version(), None).expect("all is known") {
            follow(&mut client, batch.events(), false);
        }
        prop_assert_eq!(client, objects(held));
    }

    /// Regardless of the batches that the history has dropped, a watch either gets every event or
    /// is rejected. If a watch of all namespaces can resume, a watch of one namespace can also
    /// resume.
    #[test]
    fn resumed_watch_misses_nothing_or_is_rejected(
        changes in prop::collection::vec(changes(), 1..25),
        at in any::<prop::sample::Index>(),
        bytes in 0_usize..20_000,
        here in select(&NAMESPACES[..]),
    ) {
        let mut world = World::empty();
        let start = world.index.snapshot().version().clone();
        let limits = Limits { bytes, ..UNLIMITED };
        let mut history = History::since(start.clone(), limits);
        let at = at.index(changes.len());
        let (mut client, mut from) = (objects(world.index.snapshot()), start);
        for (turn, change) in changes.into_iter().enumerate() {
            history.push(carry_out(&mut world, change), Duration::ZERO);
            if turn == at {
                client = objects(world.index.snapshot());
                from = world.index.snapshot().version().clone();
            }
        }
        let held = world.index.snapshot();
        let [of_all, of_one] = [None, Some(here)].map(|namespace| {
            let batches = history.batches_since(&from, held.version(), namespace).ok()?;
            Some(batches.cloned().collect::<Vec<_>>())
        });
        prop_assert!(of_all.is_none() || of_one == of_all);
        for (batches, here) in [(of_all, None), (of_one, Some(here))] {
            let Some(batches) = batches else { continue };
            let (mut client, mut wanted) = (client.clone(), objects(held));
            for batch in batches {
                let events = here.map_or_else(|| batch.events(), |here| batch.in_namespace(here));
                follow(&mut client, events, false);
            }
            for objects in [&mut client, &mut wanted] {
                objects.retain(|key, _| here.is_none_or(|here| key.0 == here));
            }
            prop_assert_eq!(client, wanted);
        }
    }

    /// An object that exists during the whole paged list is on exactly one page. A watch that
    /// starts at the version of the first page gets all later changes.
    #[test]
    fn pages_miss_and_repeat_no_object_while_the_state_changes(
        before in prop::collection::vec(changes(), 10..30),
        between in prop::collection::vec(prop::collection::vec(changes(), 0..4), 1..8),
        limit in 1_usize..4,
        here in select(vec![None, Some("a"), Some("b")]),
    ) {
        let mut world = World::empty();
        for change in before {
            carry_out(&mut world, change);
        }
        let first = world.index.snapshot().version().clone();
        let mut history = History::since(first.clone(), UNLIMITED);
        let mut throughout = objects(world.index.snapshot());
        let mut client = Objects::new();
        let mut behind = None;
        let mut between = between.into_iter();
        loop {
            let page = world.index.snapshot().page(here, &Filter::default(), behind.as_ref(), limit);
            for installed in page.items {
                let key = key(&installed);
                prop_assert!(client.insert(key.clone(), installed).is_none(), "{:?} twice", key);
            }
            let Some(next) = page.next else { break };
            prop_assert_eq!(&next.version, &first);
            behind = Some(next);
            for change in between.next().unwrap_or_default() {
                history.push(carry_out(&mut world, change), Duration::ZERO);
                let now = objects(world.index.snapshot());
                throughout.retain(|key, _| now.contains_key(key));
            }
        }
        let is_here = |key: &(String, String)| here.is_none_or(|here| key.0 == here);
        for key in throughout.keys().filter(|key| is_here(key)) {
            prop_assert!(client.contains_key(key), "{:?} is missing", key);
        }
        let held = world.index.snapshot();
        for batch in history.batches_since(&first, held.version(), here).expect("all is known") {
            let events = here.map_or_else(|| batch.events(), |here| batch.in_namespace(here));
            follow(&mut client, events, false);
        }
        let mut wanted = objects(held);
        wanted.retain(|key, _| is_here(key));
        prop_assert_eq!(client, wanted);
    }
}
