use kube::core::GroupVersionKind;
use portolan_kit::world;
use serde_json::{Value, json};

use super::*;

fn kind() -> ApiResource {
    let kind = GroupVersionKind::gvk("operators.coreos.com", "v1alpha1", "CatalogSource");
    ApiResource::from_gvk(&kind)
}

fn store() -> RawStore {
    RawStore::of(kind(), Area::everywhere())
}

/// Returns a CatalogSource with this version, as an API server lists it.
fn shop(name: &str, version: u64) -> String {
    let metadata = json!({
        "name": name,
        "namespace": "olm",
        "resourceVersion": version.to_string(),
        "annotations": {"kept": "yes"},
        "managedFields": [{"manager": "kubectl"}],
    });
    json!({"metadata": metadata, "spec": {"unknown": [version]}}).to_string()
}

fn list(store: &RawStore, shops: &[(&str, u64)], version: &str) {
    let mut batch = RawBatch::default();
    for (name, of) in shops {
        store.add(&mut batch, &shop(name, *of));
    }
    store.replace(batch, Some(version));
}

/// Returns the events since a version, with one word for each event. For example, `7+a` means that
/// `a` was added at version 7.
fn event_words(store: &RawStore, since: u64) -> String {
    let view = store.views().borrow().clone();
    let events = match view.since(since) {
        Ok(events) => events,
        Err(expired) => return expired.to_string(),
    };
    let words = events.map(|event| {
        let sign = match event.change {
            Change::Added => '+',
            Change::Modified => '~',
            Change::Deleted => '-',
        };
        format!("{}{sign}{}", event.version, event.object.key.name)
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn raw_object_keeps_all_fields_and_its_kind() {
    let store = store();
    list(&store, &[("a", 5)], "7");
    let view = store.views().borrow().clone();
    assert_eq!((view.state.clone(), view.version), (State::Synced, 7));
    let object = view.object("olm", "a").expect("the object");
    assert_eq!(object.resource_version.as_deref(), Some("5"));
    let found: Value = serde_json::from_str(&object.json).expect("JSON");
    let mut wanted: Value = serde_json::from_str(&shop("a", 5)).expect("JSON");
    wanted["apiVersion"] = json!("operators.coreos.com/v1alpha1");
    wanted["kind"] = json!("CatalogSource");
    assert_eq!(found, wanted);
}

#[test]
fn object_with_its_kind_is_kept_byte_for_byte() {
    let text = r#"{ "kind":"CatalogSource", "metadata":{"name":"a"}, "apiVersion":"v9" }"#;
    let object = RawObject::parse(&kind(), text).expect("an object");
    assert_eq!(&*object.json, text);
}

#[test]
fn events_are_returned_since_any_known_version() {
    let store = store();
    assert_eq!(
        event_words(&store, 3),
        "the changes since version 3 are unknown"
    );
    list(&store, &[("a", 5), ("b", 6)], "7");
    assert_eq!(event_words(&store, 7), "");
    assert_eq!(store.put(&shop("c", 8), true).as_deref(), Some("8"));
    store.put(&shop("a", 9), true);
    store.put(&shop("b", 10), false);
    store.passed("12");
    assert_eq!(event_words(&store, 7), "8+c 9~a 10-b");
    assert_eq!(event_words(&store, 8), "9~a 10-b");
    assert_eq!(event_words(&store, 12), "");
    assert_eq!(
        event_words(&store, 6),
        "the changes since version 6 are unknown"
    );
    assert_eq!(
        event_words(&store, 13),
        "the changes since version 13 are unknown"
    );
}

#[test]
fn missed_events_are_derived_from_the_next_list() {
    let store = store();
    list(&store, &[("a", 5), ("b", 6)], "7");
    store.fails(Trouble::Missing("gone".into()));
    list(&store, &[("b", 6), ("c", 8)], "20");
    assert_eq!(event_words(&store, 7), "20-a 20+c");
    store.not_served();
    assert_eq!(event_words(&store, 20), "21-b 21-c");
    list(&store, &[("b", 6)], "30");
    assert_eq!(event_words(&store, 7), "20-a 20+c 21-b 21-c 30+b");
}

#[test]
fn event_without_a_change_is_ignored() {
    let store = store();
    list(&store, &[("a", 5)], "7");
    store.put(&shop("a", 5), true);
    store.put(&shop("b", 8), false);
    assert_eq!(event_words(&store, 7), "");
    assert_eq!(store.put("{}", true), None);
}

#[test]
fn version_older_than_the_history_requires_a_new_list() {
    let store = store();
    list(&store, &[], "1");
    let last = 1 + EVENTS as u64 + 10;
    for version in 2..=last {
        store.put(&shop("a", version), true);
    }
    assert_eq!(
        event_words(&store, 10),
        "the changes since version 10 are unknown"
    );
    assert_eq!(event_words(&store, last - 1), format!("{last}~a"));
    let view = store.views().borrow().clone();
    assert_eq!(view.since(11).map(Iterator::count), Ok(EVENTS));
}

#[test]
fn large_objects_are_not_kept_only_for_events() {
    let store = store();
    list(&store, &[], "1");
    let large = "x".repeat(EVENT_BYTES / 4);
    for version in 2..12 {
        let metadata = json!({"name": "a", "resourceVersion": version.to_string()});
        let object = json!({"metadata": metadata, "spec": large});
        store.put(&object.to_string(), true);
    }
    let view = store.views().borrow().clone();
    assert!(view.events.bytes <= EVENT_BYTES, "{}", view.events.bytes);
    assert_eq!(view.since(11).map(Iterator::count), Ok(0));
    assert_eq!(view.since(8).map(Iterator::count), Ok(3));
    assert_eq!(view.since(5).map(Iterator::count), Err(Expired(5)));
}

/// The memory for the key and the map entry of an object must be small compared with a
/// ClusterServiceVersion.
#[test]
fn object_needs_little_memory_beyond_its_bytes() {
    let csvs = (0..200).map(|number| {
        world()
            .namespace("harbor")
            .csv(&format!("ferry.v1.0.{number}"), "Succeeded")
            .objects()[1]
            .to_string()
    });
    let store = store();
    let mut batch = RawBatch::default();
    csvs.for_each(|csv| store.add(&mut batch, &csv));
    store.replace(batch, Some("1"));
    let view = store.views().borrow().clone();
    let count = view.objects.len();
    let beside = size_of::<RawObject>() + 2 * size_of::<Key>() + 64;
    println!(
        "{count} objects: {} bytes each, and {beside}",
        view.bytes() / count
    );
    assert_eq!(count, 200);
    assert!(beside < 256, "{beside}");
    let texts = view.objects.values().map(|object| object.json.len());
    assert_eq!(view.bytes(), texts.sum::<usize>());
}
