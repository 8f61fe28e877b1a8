use std::time::Duration;

use jiff::Timestamp;
use portolan_core_olm::CatalogSource;
use tokio::sync::watch;

use super::*;
use crate::Trouble;

fn objects(names: &[(&str, &Arc<u8>)]) -> BTreeMap<Key, Arc<u8>> {
    let objects = names.iter();
    objects
        .map(|(name, object)| (Key::new("a", name), Arc::clone(object)))
        .collect()
}

#[test]
fn changed_returns_added_removed_and_replaced_objects() {
    let [same, old, new, gone, come] = [1, 2, 2, 4, 5].map(Arc::new);
    let was = objects(&[("a", &gone), ("b", &same), ("c", &old), ("e", &gone)]);
    let is = objects(&[("b", &same), ("c", &new), ("d", &come)]);
    let keys = changed(&was, &is);
    let names: Vec<_> = keys.iter().map(|key| &*key.name).collect();
    assert_eq!(names, ["a", "c", "d", "e"]);
    assert_eq!(changed(&is, &is), []);
}

/// Returns a view of two CatalogSources. The second CatalogSource has a fault.
fn shops() -> View<CatalogSource> {
    let shops = ["blue", "red"].map(|name| (Key::new("olm", name), Arc::default()));
    let fault = WorldFault {
        place: FaultPlace::Object(Key::new("olm", "red")),
        why: "spec: odd".to_owned(),
    };
    View {
        state: State::Synced,
        objects: Arc::new(shops.into()),
        faults: Arc::new(vec![fault]),
    }
}

/// Returns the reasons for doubt about the first CatalogSource, the second CatalogSource, and all
/// CatalogSources.
fn doubts(followed: &Followed<CatalogSource>) -> [Option<String>; 3] {
    let of = |name| followed.doubt(|key| *key == Key::new("olm", name));
    [of("blue"), of("red"), followed.doubt_of_all()]
}

#[tokio::test]
async fn only_a_partly_read_object_is_uncertain() {
    let (shown, views) = watch::channel(shops());
    let notifier = Notifier::default();
    let mut followed = Followed::of(Objects::from_views(views, ()), &notifier);
    let turn = Turn {
        is_other_state: true,
        keys: vec![
            Key::new("olm", "blue"),
            Key::new("olm", "red"),
            Key::new("olm", "red"),
        ],
    };
    assert_eq!(followed.look(), turn);
    assert_eq!(followed.look(), Turn::default());
    let red = Some("olm/red: spec: odd".to_owned());
    assert_eq!(doubts(&followed), [None, red.clone(), None]);
    assert_eq!(followed.fault(&Key::new("olm", "red")), red.as_deref());
    assert_eq!(followed.fault(&Key::new("olm", "blue")), None);

    let stale = State::Stale {
        trouble: Trouble::Silent(Duration::from_secs(1)),
        since: Timestamp::UNIX_EPOCH,
    };
    shown.send_modify(|view| view.state = stale);
    notifier.notified().await.expect("the world must not end");
    let turn = Turn {
        is_other_state: true,
        keys: Vec::new(),
    };
    assert_eq!(followed.look(), turn);
    let stale = "as of 1970-01-01T00:00:00Z: the API server has not answered for 1s";
    assert_eq!(doubts(&followed), [(); 3].map(|()| Some(stale.to_owned())));

    drop(shown);
    assert_eq!(notifier.notified().await, Err(crate::Ended));
}

/// A partial world of files. Both an area and the whole world can be read.
#[derive(Clone)]
struct Folder {
    area: watch::Receiver<View<CatalogSource>>,
    whole: watch::Receiver<View<CatalogSource>>,
}

impl World for Folder {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        let views = if area == Area::everywhere() {
            self.whole.clone()
        } else {
            self.area.clone()
        };
        let views: Box<dyn std::any::Any> = Box::new(Objects::from_views(views, ()));
        *views.downcast().expect("only this kind is requested")
    }

    fn dialer(&self) -> crate::Dialer {
        crate::Dialer::default()
    }

    fn is_partial(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn kind_missing_in_all_files_is_uncertain_once_they_are_read() {
    let empty = View::<CatalogSource> {
        state: State::Synced,
        ..View::default()
    };
    let (_shown, area) = watch::channel(empty.clone());
    let (all, whole) = watch::channel(View::default());
    let (world, notifier) = (Folder { area, whole }, Notifier::default());
    let mut followed =
        Followed::<CatalogSource>::within_world(&world, Area::namespace("a"), &notifier);
    followed.look();
    assert!(followed.is_pending(), "the others are on their way");

    all.send_replace(empty);
    assert!(followed.look().is_other_state);
    assert!(!followed.is_pending());
    let why = "the files have no CatalogSource";
    assert_eq!(followed.doubt_of_all().as_deref(), Some(why));

    all.send_replace(shops());
    assert!(followed.look().is_other_state, "elsewhere there are some");
    assert_eq!(followed.doubt_of_all(), None);
    assert!(!followed.look().is_other_state);
}
