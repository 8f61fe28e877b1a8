use portolan_core_olm::CatalogSource;

use super::*;
use crate::FaultPlace;
use crate::key::key_of;

fn shop(version: &str) -> (Key, Arc<CatalogSource>) {
    let mut shop = CatalogSource::default();
    shop.metadata.name = Some("shop".into());
    shop.metadata.resource_version = Some(version.into());
    (key_of(&shop.metadata), Arc::new(shop))
}

fn batch(version: &str) -> Batch<CatalogSource> {
    Batch {
        objects: BTreeMap::from([shop(version)]),
        faults: Vec::new(),
    }
}

fn fault(key: &Key) -> WorldFault {
    WorldFault {
        place: FaultPlace::Object(key.clone()),
        why: "spec: odd".into(),
    }
}

/// Returns a store with one reader that has already read the current view.
fn store() -> (Arc<Store<CatalogSource>>, Objects<CatalogSource>, Stores) {
    let stores = Stores::of(Projection::default());
    let mut filled = None;
    let objects = stores.objects(Area::everywhere(), |store| filled = Some(store));
    (filled.expect("a new store must be filled"), objects, stores)
}

fn is_woken(objects: &mut Objects<CatalogSource>) -> bool {
    let woken = objects.views.has_changed().expect("the store is there");
    objects.now();
    woken
}

#[test]
fn first_objects_and_their_state_are_published_together() {
    let (store, mut objects, _shelves) = store();
    assert_eq!(objects.now(), View::default());
    store.replace(batch("1"));
    let view = View {
        state: State::Synced,
        objects: Arc::new(BTreeMap::from([shop("1")])),
        faults: Arc::default(),
    };
    assert_eq!(objects.now(), view);
}

#[test]
fn equal_content_wakes_no_watcher_and_keeps_the_object() {
    let (store, mut objects, _shelves) = store();
    store.replace(batch("1"));
    let before = objects.now();
    store.replace(batch("1"));
    store.synced();
    assert!(!is_woken(&mut objects));

    store.fails(Trouble::Unreachable("gone".into()));
    store.replace(batch("1"));
    let after = objects.now();
    assert_eq!(after, before);
    let object = |view: &View<CatalogSource>| view.object("", "shop").cloned();
    let [before, after] = [before, after].map(|view| object(&view).expect("the shop"));
    assert!(Arc::ptr_eq(&before, &after));
}

#[test]
fn held_view_is_immutable() {
    let (store, mut objects, _shelves) = store();
    store.replace(batch("1"));
    let held = objects.now();
    let (key, newer) = shop("2");
    store.put(key.clone(), Some(newer), Vec::new());
    assert!(is_woken(&mut objects));
    assert_eq!(*held.objects, BTreeMap::from([shop("1")]));
    assert_eq!(*objects.now().objects, BTreeMap::from([shop("2")]));
    store.put(key, None, Vec::new());
    assert_eq!(objects.now().objects.len(), 0);
}

#[test]
fn new_version_of_an_object_replaces_its_faults() {
    let (store, mut objects, _shelves) = store();
    let (key, object) = shop("1");
    store.put(key.clone(), Some(object.clone()), vec![fault(&key)]);
    assert_eq!(*objects.now().faults, [fault(&key)]);
    store.put(key.clone(), Some(object), Vec::new());
    assert_eq!(*objects.now().faults, []);
}

#[test]
fn objects_are_kept_in_trouble_and_removed_with_their_kind() {
    let (store, mut objects, _shelves) = store();
    store.replace(batch("1"));
    store.fails(Trouble::Forbidden("no".into()));
    let view = objects.now();
    assert!(matches!(view.state, State::Stale { .. }), "{view:?}");
    assert_eq!(view.objects.len(), 1);
    store.not_served();
    let view = objects.now();
    assert_eq!((view.state, view.objects.len()), (State::NotServed, 0));
}

#[tokio::test]
async fn store_is_filled_once_and_only_while_it_is_held() {
    let stores = Stores::of(Projection::default());
    let filled = Arc::new(());
    let open = || stores.objects::<CatalogSource, _>(Area::everywhere(), |_| filled.clone());
    let (one, other) = (open(), open());
    assert_eq!(Arc::strong_count(&filled), 2, "one filling for both");
    drop(one);
    assert_eq!(Arc::strong_count(&filled), 2, "the other still holds it");
    drop(other);
    assert_eq!(Arc::strong_count(&filled), 1);
    let mut again = open();
    assert_eq!(Arc::strong_count(&filled), 2);

    drop(stores);
    assert_eq!(again.changed().await, Err(crate::Ended));
}

#[tokio::test]
async fn area_has_its_own_store_until_its_last_holder_drops() {
    let stores = Stores::of(Projection::default());
    let filled = Arc::new(());
    let open = |area| stores.objects::<CatalogSource, _>(area, |_| filled.clone());
    let all = open(Area::everywhere());
    let (one, other) = (
        open(Area::namespace("harbor")),
        open(Area::namespace("harbor")),
    );
    assert_eq!(
        Arc::strong_count(&filled),
        3,
        "one filling for both of an area"
    );
    drop(one);
    assert_eq!(Arc::strong_count(&filled), 3, "the other still holds it");
    drop(other);
    assert_eq!(Arc::strong_count(&filled), 2, "the other area is held");

    let _again = open(Area::everywhere());
    let known = || stores.open.lock().expect("no panic before").len();
    assert_eq!(known(), 1, "stores that went leave nothing behind");
    drop(all);
    assert_eq!(Arc::strong_count(&filled), 2);
}
