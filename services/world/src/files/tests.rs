//! Tests with a world of manifests whose files change.

use std::fs;
use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::core::{GroupVersionKind, Selector};
use portolan_core_olm::{
    CatalogSource, ClusterCatalog, ClusterServiceVersion, CopiedCsv, Deployment, Event, Namespace,
    OperatorGroup, Pod,
};
use portolan_kit::{TempFolder, world as kit};
use serde_json::json;
use tokio::time::timeout;

use super::*;
use crate::projection::KeptFields;
use crate::{Change, RawView, State, View};

const PATIENCE: Duration = Duration::from_secs(20);
const PACE: Pace = Pace {
    quiet: Duration::from_millis(40),
    look: Duration::from_secs(3600),
};

/// Returns a view as text. The objects with their addresses come first, followed by the faults, one
/// fault per line.
fn shown(view: &View<CatalogSource>) -> String {
    let objects = view.objects.iter();
    let objects = objects.map(|(key, object)| format!("{key}={}", object.spec.address));
    let faults = view.faults.iter().map(|fault| match &fault.place {
        FaultPlace::File { file, line, .. } => {
            let name = file.file_name().expect("a file must have a name");
            format!("!{}:{line}", name.display())
        }
        FaultPlace::Object(key) => panic!("a fault of a file, not of {key}"),
    });
    objects.chain(faults).collect::<Vec<_>>().join(" ")
}

async fn until_shown(sources: &mut Objects<CatalogSource>, wanted: &str) -> View<CatalogSource> {
    let is_wanted = |view: &View<_>| view.state == State::Synced && shown(view) == wanted;
    let seen = timeout(PATIENCE, sources.until(is_wanted)).await;
    let seen = seen.unwrap_or_else(|_| panic!("not {wanted:?} but {:?}", sources.now()));
    seen.expect("the world must not end")
}

fn shop(address: &str) -> portolan_kit::World {
    kit().namespace("olm").catalog_source("shop", address)
}

#[tokio::test]
async fn objects_follow_the_changes_of_their_files() {
    let folder = shop("a:1").temp();
    let world = Files::with_pace(&folder, PACE);
    let mut sources = world.objects::<CatalogSource>();
    assert_eq!(sources.now(), View::default());
    until_shown(&mut sources, "olm/shop=a:1").await;

    shop("b:2").write(&folder);
    until_shown(&mut sources, "olm/shop=b:2").await;
    kit().catalog_source("mine", "c:3").write(&folder);
    until_shown(&mut sources, "default/mine=c:3 olm/shop=b:2").await;

    let file = folder.join("olm/catalogsource-shop.yaml");
    fs::rename(&file, folder.join("aside")).expect("a file to rename");
    until_shown(&mut sources, "default/mine=c:3").await;
    fs::rename(folder.join("aside"), &file).expect("a file to rename");
    until_shown(&mut sources, "default/mine=c:3 olm/shop=b:2").await;
}

#[tokio::test]
async fn partly_written_file_is_never_shown() {
    let folder = shop("a:1").temp();
    let file = folder.join("olm/catalogsource-shop.yaml");
    let whole = fs::read_to_string(&file).expect("a file");
    let world = Files::with_pace(&folder, PACE);
    let mut sources = world.objects::<CatalogSource>();
    until_shown(&mut sources, "olm/shop=a:1").await;

    let changed = whole.replace("a:1", "b:2");
    for end in [1, changed.len() / 2, changed.len()] {
        fs::write(&file, &changed[..end]).expect("a file to write");
        tokio::time::sleep(PACE.quiet / 8).await;
    }
    let next = timeout(PATIENCE, sources.changed()).await;
    next.expect("a change must be seen")
        .expect("the world must not end");
    assert_eq!(shown(&sources.now()), "olm/shop=b:2");
}

#[tokio::test]
async fn broken_document_hides_no_other_document() {
    let folder = TempFolder::empty();
    let first = shop("a:1").to_yaml();
    let broken = "kind: [\n";
    let last = kit().catalog_source("mine", "c:3").to_yaml();
    let dump = folder.join("dump.yaml");
    fs::write(&dump, format!("{first}---\n{broken}{last}")).expect("a file to write");
    let world = Files::with_pace(&dump, PACE);

    let mut sources = world.objects::<CatalogSource>();
    let view = sources.until(|view| view.state == State::Synced).await;
    let view = view.expect("the world must not end");
    assert_eq!(view.objects.len(), 2, "{view:?}");
    assert_eq!(view.faults.len(), 1, "{view:?}");
    let line = 2 + first.lines().count() as u64;
    let FaultPlace::File { file, line: at, .. } = &view.faults[0].place else {
        panic!("not in a file: {view:?}");
    };
    assert_eq!(*file, dump);
    assert!((line..=line + 2).contains(at), "{view:?}");

    fs::write(&dump, format!("{first}{last}")).expect("a file to write");
    until_shown(&mut sources, "default/mine=c:3 olm/shop=a:1").await;
}

#[tokio::test]
async fn device_file_is_a_fault_and_other_files_are_read() {
    let folder = shop("a:1").temp();
    let link = folder.join("endless.yaml");
    std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
    let world = Files::with_pace(&folder, PACE);
    let mut sources = world.objects::<CatalogSource>();
    let view = until_shown(&mut sources, "olm/shop=a:1 !endless.yaml:1").await;
    let faults: Vec<_> = view.faults.iter().map(ToString::to_string).collect();
    let reported = format!("{}:1: it is not a regular file", link.display());
    assert_eq!(faults, [reported]);
}

#[tokio::test]
async fn deleted_folder_keeps_its_last_objects_as_stale() {
    let outer = TempFolder::empty();
    let root = outer.join("dump");
    let world = Files::with_pace(&root, PACE);
    let mut sources = world.objects::<CatalogSource>();
    let missing = Trouble::Missing(root.clone());
    let is_unknown = |view: &View<_>| match &view.state {
        State::Unknown { trouble, .. } => *trouble == missing,
        _ => false,
    };
    let unknown = timeout(PATIENCE, sources.until(is_unknown)).await;
    unknown
        .expect("the change must be reported")
        .expect("the world must not end");

    shop("a:1").write(&root);
    until_shown(&mut sources, "olm/shop=a:1").await;
    fs::remove_dir_all(&root).expect("a folder to delete");
    let is_stale =
        |view: &View<_>| matches!(&view.state, State::Stale { trouble, .. } if *trouble == missing);
    let stale = timeout(PATIENCE, sources.until(is_stale)).await;
    let stale = stale
        .expect("the change must be reported")
        .expect("the world must not end");
    assert_eq!(shown(&stale), "olm/shop=a:1");
    shop("b:2").write(&root);
    until_shown(&mut sources, "olm/shop=b:2").await;
}

#[tokio::test]
async fn lists_and_json_are_read_as_printed_by_kubectl() {
    let folder = TempFolder::empty();
    let both = shop("a:1").catalog_source("other", "b:2");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": both.objects()});
    fs::write(folder.join("list.json"), list.to_string()).expect("a file to write");
    let typed = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSourceList",
        "items": kit().catalog_source("mine", "c:3").objects(),
    });
    fs::write(folder.join("typed.yml"), typed.to_string()).expect("a file to write");
    fs::write(folder.join("notes.txt"), "no: [manifest").expect("a file to write");

    let world = Files::with_pace(&folder, PACE);
    let mut sources = world.objects::<CatalogSource>();
    until_shown(&mut sources, "default/mine=c:3 olm/other=b:2 olm/shop=a:1").await;
}

#[tokio::test]
async fn invalid_objects_of_a_kind_are_reported() {
    let folder = TempFolder::empty();
    let catalog = |version: &str, name: &str| {
        format!("apiVersion: olm.operatorframework.io/{version}\nkind: ClusterCatalog\n{name}")
    };
    let named = "metadata: {name: shop}\n";
    let texts = [
        ("a", catalog("v1", named)),
        ("b", catalog("v1", named)),
        ("c", catalog("v1alpha1", named)),
        ("d", catalog("v1", "metadata: {}\n")),
        ("e", "some: text\n".to_owned()),
        (
            "f",
            catalog("v1", "metadata: {name: odd}\nspec: {priority: high}\n"),
        ),
    ];
    for (name, text) in texts {
        fs::write(folder.join(format!("{name}.yaml")), text).expect("a file to write");
    }
    let world = Files::with_pace(&folder, PACE);
    let mut catalogs = world.objects::<ClusterCatalog>();
    let view = catalogs.until(|view| view.state == State::Synced).await;
    let view = view.expect("the world must not end");

    let keys: Vec<_> = view.objects.keys().map(ToString::to_string).collect();
    assert_eq!(keys, ["odd", "shop"]);
    let root = format!("{}/", folder.display());
    let reported = view
        .faults
        .iter()
        .map(|fault| fault.to_string().replace(&root, ""));
    let expected = [
        "b.yaml:1: shop: the object is already in a.yaml:1; the first object is used",
        "c.yaml:1: its version is v1alpha1; only v1 is supported",
        "d.yaml:1: it has no name",
        "e.yaml:1: it has no apiVersion and kind, which every object must have",
        r#"f.yaml:1: odd: spec.priority: invalid type: string "high", expected i32"#,
    ];
    assert_eq!(reported.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn files_are_read_only_while_a_watch_is_open() {
    let folder = shop("a:1").temp();
    let world = Files::with_pace(&folder, PACE);
    let mut sources = world.objects::<CatalogSource>();
    until_shown(&mut sources, "olm/shop=a:1").await;
    let mut catalogs = world.objects::<ClusterCatalog>();
    let none = timeout(PATIENCE, catalogs.until(|view| view.state == State::Synced)).await;
    assert!(none.is_ok(), "a later watch must be served too");

    drop((sources, catalogs));
    assert_eq!(world.0.readers.held().len(), 0);
    shop("b:2").write(&folder);
    let mut again = world.objects::<CatalogSource>();
    until_shown(&mut again, "olm/shop=b:2").await;
    drop(world);
    assert_eq!(again.changed().await, Err(crate::Ended));
}

/// Waits until the files have been read. Returns the keys of the objects.
async fn keys<K: Kind>(objects: &mut Objects<K>) -> Vec<String> {
    let read = timeout(PATIENCE, objects.until(|view| view.state == State::Synced)).await;
    let view = read
        .expect("files must be read")
        .expect("the world must not end");
    view.objects.keys().map(ToString::to_string).collect()
}

fn selecting(selector: serde_json::Value) -> Selector {
    let selector: LabelSelector = serde_json::from_value(selector).expect("a selector");
    selector.try_into().expect("a selector that can be used")
}

#[tokio::test]
async fn holders_of_several_areas_see_their_objects() {
    let shops = kit()
        .namespace("olm")
        .catalog_source("blue", "a:1")
        .edit(|shop| shop["metadata"]["labels"] = json!({"color": "blue"}))
        .catalog_source("red", "b:2")
        .edit(|shop| shop["metadata"]["labels"] = json!({"color": "red", "old": ""}))
        .namespace("pier")
        .catalog_source("blue", "c:3")
        .edit(|shop| shop["metadata"]["labels"] = json!({"color": "blue"}));
    let folder = shops.temp();
    let world = Files::with_pace(&folder, PACE);
    let blue = || selecting(json!({"matchLabels": {"color": "blue"}}));
    let colors = json!({"key": "color", "operator": "In", "values": ["red", "green"]});
    let odd = selecting(json!({
        "matchExpressions": [colors, {"key": "old", "operator": "Exists"}],
    }));
    let mut all = world.objects::<CatalogSource>();
    let mut olm = world.objects_in::<CatalogSource>(Area::namespace("olm"));
    let mut blues = world.objects_in(Area::everywhere().with_labels(blue()));
    let mut both = world.objects_in(Area::namespace("pier").with_labels(blue()));
    let mut odds = world.objects_in(Area::everywhere().with_labels(odd));
    assert_eq!(keys(&mut all).await, ["olm/blue", "olm/red", "pier/blue"]);
    assert_eq!(keys(&mut olm).await, ["olm/blue", "olm/red"]);
    assert_eq!(
        keys::<CatalogSource>(&mut blues).await,
        ["olm/blue", "pier/blue"]
    );
    assert_eq!(keys::<CatalogSource>(&mut both).await, ["pier/blue"]);
    assert_eq!(keys::<CatalogSource>(&mut odds).await, ["olm/red"]);

    drop((all, olm, blues, odds));
    assert_eq!(world.0.readers.held().len(), 1);
    fs::remove_file(folder.join("pier/catalogsource-blue.yaml")).expect("a file to delete");
    until_shown(&mut both, "").await;
}

#[tokio::test]
async fn objects_that_the_filter_of_a_kind_excludes_are_omitted() {
    let folder = kit()
        .namespace("harbor")
        .csv("ferry.v1.0.0", "Succeeded")
        .edit(|csv| csv["metadata"]["annotations"]["alm-examples"] = json!("[]"))
        .deployment("ferry", 0, 1)
        .replica_set("ferry-6f", 1, 1)
        .pod("ferry-6f-x")
        .event("FailedMount", "no such volume")
        .event("Pulled", "the image is here")
        .edit(|event| event["type"] = json!("Normal"))
        .object(json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "shop", "namespace": "harbor"},
        }))
        .namespace("tenant")
        .copied_csv("ferry.v1.0.0", "harbor")
        .temp();
    let world = Files::with_pace(&folder, PACE);
    let mut originals = world.objects::<ClusterServiceVersion>();
    let mut copies = world.objects::<CopiedCsv>();
    let mut deployments = world.objects::<Deployment>();
    let mut events = world.objects::<Event>();
    let pods = selecting(json!({"matchLabels": {"operator": "ferry"}}));
    let mut pods = world.objects_in::<Pod>(Area::namespace("harbor").with_labels(pods));
    assert_eq!(keys(&mut originals).await, ["harbor/ferry.v1.0.0"]);
    assert_eq!(keys(&mut copies).await, ["tenant/ferry.v1.0.0"]);
    assert_eq!(keys(&mut deployments).await, ["harbor/ferry"]);
    assert_eq!(keys(&mut pods).await, ["harbor/ferry-6f-x"]);
    assert_eq!(keys(&mut events).await.len(), 1);
    let csv = originals.now().object("harbor", "ferry.v1.0.0").cloned();
    let csv = csv.expect("the operator");
    assert_eq!(csv.metadata.annotations, None);
    let pod = pods.now().object("harbor", "ferry-6f-x").cloned();
    let pod = pod.expect("the Pod");
    assert_eq!(
        pod.metadata.labels, None,
        "it was selected before they went"
    );
}

/// A later reader gets the objects of its area, and the faults of all files.
#[tokio::test]
async fn later_watch_sees_existing_objects_and_faults() {
    let world = shop("a:1")
        .namespace("quay")
        .csv("ferry.v1.0.0", "Succeeded")
        .deployment("ferry", 0, 1)
        .replica_set("ferry-6f", 1, 1)
        .pod("ferry-6f-x");
    let folder = world.temp();
    fs::write(folder.join("broken.yaml"), "kind: [\n").expect("a file");
    let files = Files::with_pace(&folder, PACE);
    let mut sources = files.objects::<CatalogSource>();
    until_shown(&mut sources, "olm/shop=a:1 !broken.yaml:1").await;
    let mut pods = files.objects::<Pod>();
    assert_eq!(keys(&mut pods).await, ["quay/ferry-6f-x"]);
    assert_eq!(*pods.now().faults, *sources.now().faults);
    let mut none = files.objects::<Event>();
    assert_eq!(keys(&mut none).await, Vec::<String>::new());

    // Every reader receives the change.
    shop("b:2").write(&folder);
    until_shown(&mut sources, "olm/shop=b:2 !broken.yaml:1").await;
    fs::remove_file(folder.join("quay/pod-ferry-6f-x.yaml")).expect("it must be there");
    let gone = pods.until(|view| view.objects.is_empty());
    let gone = timeout(PATIENCE, gone).await;
    gone.expect("it must go").expect("the world must not end");
}

#[test]
fn files_are_indexed_by_kind() {
    let object = |group: &str, kind: &str| Object {
        group: group.to_owned(),
        version: "v1".to_owned(),
        kind: kind.to_owned(),
        value: json!({}),
    };
    let mut contents = Contents::default();
    contents.add(0, &object("", "Pod"));
    contents.add(1, &object("apps", "Deployment"));
    contents.add(2, &object("", "Event"));
    contents.add(2, &object("", "Pod"));
    let gatherer = |store: Arc<dyn Gather>| store.gatherer();
    let pods = gatherer(Arc::new(crate::store::Store::<Pod>::of(
        Area::everywhere(),
        KeptFields::default(),
    )));
    let deployments =
        crate::store::Store::<Deployment>::of(Area::everywhere(), KeptFields::default());
    assert_eq!(contents.files_for(&[]), [].into());
    assert_eq!(contents.files_for(&[pods]), [0, 2].into());
    let deployments = gatherer(Arc::new(deployments));
    assert_eq!(contents.files_for(&[deployments]), [1].into());
}

#[tokio::test]
async fn dump_reports_unserved_unread_and_unrequested_kinds() {
    let folder = shop("a:1").temp();
    let world = Files::with_pace(&folder, PACE);
    assert!(world.is_partial(), "anything may have been left out");
    let name = |group: &str, kind: &str| json!({"group": group, "kind": kind});
    let pods = json!({"group": "", "kind": "Pod", "why": "forbidden: not yours"});
    let dump = json!({
        "apiVersion": "portolan.dev/v1",
        "kind": "Dump",
        "taken": "1970-01-01T00:00:00Z",
        "by": "a test",
        "kubernetes": "v1.34.1",
        "notServed": [name("olm.operatorframework.io", "ClusterCatalog")],
        "notSeen": [pods],
    });
    fs::write(folder.join("dump.json"), dump.to_string()).expect("a file to write");

    assert!(!world.is_partial());
    assert_eq!(world.kubernetes().await.as_deref(), Some("v1.34.1"));
    let mut sources = world.objects::<CatalogSource>();
    until_shown(&mut sources, "olm/shop=a:1").await;
    let mut catalogs = world.objects::<ClusterCatalog>();
    let reported = catalogs.known().await;
    assert_eq!(reported.expect("a view").state, State::NotServed);
    let mut pods = world.objects::<Pod>();
    let reported = pods.known().await;
    let state = reported.expect("a view").state;
    let trouble = state.trouble().expect("trouble").0;
    assert_eq!(
        *trouble,
        Trouble::NotDumped("forbidden: not yours".to_owned())
    );

    // The program that wrote the dump supported fewer kinds, so the dump has no list of these
    // objects.
    let mut groups = world.objects::<OperatorGroup>();
    let reported = groups.known().await;
    let state = reported.expect("a view").state;
    let by = "a test".to_owned();
    assert_eq!(
        state.trouble().map(|(trouble, _)| trouble),
        Some(&Trouble::NotAsked { by })
    );
    let list = folder.join("objects/operatorgroups.operators.coreos.com.json");
    fs::create_dir(folder.join("objects")).expect("a folder");
    fs::write(list, r#"{"apiVersion": "v1", "kind": "List", "items": []}"#).expect("a file");
    let is_known = groups.until(|view| view.state == State::Synced);
    assert!(timeout(PATIENCE, is_known).await.is_ok_and(|it| it.is_ok()));

    fs::write(folder.join("dump.json"), "{}").expect("a file to write");
    until_shown(&mut sources, "olm/shop=a:1 !dump.json:1 !dump.json:1").await;
}

#[tokio::test]
async fn whole_objects_follow_the_changes_of_their_files() {
    let shop = |address: &str| {
        let shop = shop(address);
        shop.edit(|shop| shop["metadata"]["annotations"] = json!({"kept": "yes"}))
    };
    let folder = shop("a:1").temp();
    fs::write(folder.join("broken.yaml"), "kind: [\n").expect("a file");
    let world = Files::with_pace(&folder, PACE);
    let kind = GroupVersionKind::gvk("operators.coreos.com", "v1alpha1", "CatalogSource");
    let kind = ApiResource::from_gvk(&kind);
    let mut raw = world.raw(&kind, Area::namespace("olm"));
    let mut elsewhere = world.raw(&kind, Area::namespace("pier"));
    let mut until = async |is_wanted: &dyn Fn(&RawView) -> bool| {
        let view = timeout(PATIENCE, raw.until(is_wanted)).await;
        view.expect("it must be seen")
            .expect("the world must not end")
    };
    let address = |view: &RawView| {
        let object = view.object("olm", "shop")?;
        let value: Value = serde_json::from_str(&object.json).expect("JSON");
        Some((value["spec"]["address"].clone(), value["metadata"].clone()))
    };

    let first = until(&|view| view.state == State::Synced).await;
    let (at, metadata) = address(&first).expect("the shop");
    assert_eq!(at, "a:1");
    assert_eq!(metadata["annotations"], json!({"kept": "yes"}));
    assert_eq!(first.faults.len(), 1, "{:?}", first.faults);
    assert!(elsewhere.now().objects.is_empty());

    shop("b:2").write(&folder);
    let second = until(&|view| view.version > first.version).await;
    assert_eq!(address(&second).expect("the shop").0, "b:2");
    fs::remove_file(folder.join("olm/catalogsource-shop.yaml")).expect("a file");
    let third = until(&|view| view.objects.is_empty()).await;
    let events = third.since(first.version).expect("all is known");
    let changes: Vec<_> = events.map(|event| event.change).collect();
    assert_eq!(changes, [Change::Modified, Change::Deleted]);
    assert!(third.since(first.version - 1).is_err());
}

#[tokio::test]
async fn whole_objects_are_filtered_like_typed_objects() {
    let folder = kit()
        .namespace("harbor")
        .csv("ferry.v1.0.0", "Succeeded")
        .copied_csv("tug.v1.0.0", "olm")
        .temp();
    let files = Files::with_pace(&folder, PACE);
    let mut csvs = files.raw_of::<ClusterServiceVersion>(Area::everywhere());
    let mut namespaces = files.raw_of::<Namespace>(Area::namespace("elsewhere"));
    let names = async |objects: &mut RawObjects| {
        let synced = objects.until(|view| view.state == State::Synced);
        let view = timeout(PATIENCE, synced).await.expect("it must be seen");
        let keys = view.expect("the world must not end").objects;
        let keys: Vec<_> = keys.keys().map(ToString::to_string).collect();
        keys
    };
    assert_eq!(names(&mut csvs).await, ["harbor/ferry.v1.0.0"]);
    assert_eq!(names(&mut namespaces).await, ["harbor"]);
}
