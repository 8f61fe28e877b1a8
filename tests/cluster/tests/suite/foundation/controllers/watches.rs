//! Tests the watches of controllers: watches of metadata as several users, and watches of whole
//! objects.

use std::collections::BTreeSet;
use std::time::Duration;

use kube::api::{DeleteParams, DynamicObject, GetParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, Expression, Request};
use kube::{Api, Resource as _};
use portolan_rig::{Failure, Kind, PATIENCE};
use portolan_runtime::{MetadataChange, MetadataOf, MetadataWatch, MetadataWatches, User};
use portolan_world::{
    Area, Change, Cluster, Expired, Key, Pace, RawView, RawWorld as _, State, Trouble,
};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::ferry::{Port, ferries, port};
use crate::detour;

/// A time that is longer than each watch is without events.
const NEVER: Duration = Duration::from_secs(600);
/// The time in which no requests may be sent.
const QUIET: Duration = Duration::from_secs(2);

/// Returns the view of the members among the ConfigMaps.
fn members(port: &Port, user: Option<User>) -> MetadataOf {
    let is_member = Expression::Equal("member".to_owned(), "yes".to_owned());
    MetadataOf {
        user,
        kind: Kind::ConfigMap.resource(),
        area: Area::namespace(&port.namespace).with_labels(is_member.into()),
    }
}

async fn load(port: &Port, name: &str) -> Result<(), Failure> {
    let body = json!({"metadata": {"labels": {"member": "yes"}}, "data": {"of": "hull"}});
    let object = Kind::ConfigMap.object(name, body)?;
    let maps = Kind::ConfigMap.within(&port.client, &port.namespace);
    maps.create(&PostParams::default(), &object).await?;
    Ok(())
}

/// Waits until a watch contains these objects. Returns the keys that all watches have reported as
/// changed meanwhile.
async fn shows(
    watches: &mut MetadataWatches,
    watch: &MetadataWatch,
    is_so: impl Fn(&RawView) -> bool,
) -> Vec<MetadataChange> {
    let mut changes = Vec::new();
    let seen = timeout(PATIENCE, async {
        loop {
            let is_so = is_so(&watch.now());
            changes.append(&mut watches.take_changes());
            if is_so {
                return;
            }
            watches.changed().await.expect("the watches go on");
        }
    });
    if seen.await.is_err() {
        panic!("timed out: {:?}", watch.now());
    }
    changes
}

fn is_synced(view: &RawView) -> bool {
    view.state == State::Synced
}

#[tokio::test]
async fn metadata_is_watched_as_each_permitted_user() -> Result<(), Failure> {
    let Some(port) = port("watched").await? else {
        return Ok(());
    };
    let proxy = detour::proxy(&port.cluster).await?;
    let pace = Pace {
        forbidden: Duration::from_millis(100),
        ..MetadataWatches::PACE
    };
    let mut watches = MetadataWatches::new(detour::client(&proxy, NEVER)?, pace);
    let mate = User::service_account(&port.namespace, "mate");
    let watch = |watches: &mut MetadataWatches, user| {
        let watch = watches.watch(members(&port, user));
        watch.expect("a name of a user")
    };
    let ours = watch(&mut watches, None);
    let theirs = watch(&mut watches, Some(mate.clone()));
    shows(&mut watches, &ours, is_synced).await;
    shows(&mut watches, &theirs, |view| {
        let trouble = view.state.trouble();
        trouble.is_some_and(
            |(trouble, _)| matches!(trouble, Trouble::Forbidden(why) if why.contains(&mate.name)),
        )
    })
    .await;

    // The watch starts automatically when the user gets the permission.
    port.grant("mate", &["list", "watch"]).await?;
    shows(&mut watches, &theirs, is_synced).await;
    load(&port, "coal").await?;
    let coal = Key::new(&port.namespace, "coal");
    let is_there = |view: &RawView| view.objects.contains_key(&coal);
    let mut changes = shows(&mut watches, &ours, is_there).await;
    changes.append(&mut shows(&mut watches, &theirs, is_there).await);
    for watch in [&ours, &theirs] {
        let of_it = changes.iter().filter(|change| change.of == *watch.of());
        let keys: BTreeSet<_> = of_it.flat_map(|change| &change.keys).collect();
        assert_eq!(keys, BTreeSet::from([&coal]));
        let view = watch.now();
        let object: Value = serde_json::from_str(&view.objects[&coal].json).expect("JSON");
        assert_eq!(object["kind"], "PartialObjectMetadata");
        assert_eq!(object["data"], Value::Null, "nothing but metadata");
        let metadata = view.objects[&coal].metadata().expect("metadata");
        assert!(metadata.managed_fields.is_some(), "all of metadata");
    }

    // Users who see the same objects share a watch. A watch that is interrupted resumes.
    let path = format!("GET /api/v1/namespaces/{}/configmaps", &*port.namespace);
    let open = format!("{path}?watch=true");
    let asked = proxy.count(path.as_str());
    let again = watch(&mut watches, Some(mate));
    assert_eq!(again.now().objects.len(), 1);
    assert_eq!(proxy.count(path.as_str()), asked);
    assert_eq!(proxy.cut(open.as_str()), 2, "{:?}", proxy.requests());
    load(&port, "bricks").await?;
    for watch in [&ours, &theirs] {
        shows(&mut watches, watch, |view| view.objects.len() == 2).await;
    }

    // If an object loses its label, it disappears from the watch, although it still exists.
    let maps = Kind::ConfigMap.within(&port.client, &port.namespace);
    let unlabeled = Patch::Merge(json!({"metadata": {"labels": null}}));
    maps.patch("coal", &PatchParams::default(), &unlabeled)
        .await?;
    for watch in [&ours, &theirs] {
        shows(&mut watches, watch, |view| {
            !view.objects.contains_key(&coal)
        })
        .await;
    }
    maps.get("coal").await?;

    // While nothing changes, an open watch sends no requests. It ends when its last user drops it.
    drop(theirs);
    sleep(QUIET).await;
    let asked = proxy.requests().len();
    drop((ours, again));
    sleep(QUIET).await;
    assert_eq!(proxy.requests().len(), asked, "{:?}", proxy.requests());
    assert_eq!(proxy.cut(open.as_str()), 0, "no watch is open");
    Ok(())
}

/// Returns the events since a version, by the name of the object.
fn events(view: &RawView, since: u64) -> Vec<(Change, String)> {
    let events = view.since(since).expect("nothing is forgotten");
    let events = events.map(|event| (event.change, event.object.key.name.to_string()));
    events.collect()
}

/// Returns an object in the form in which the API server stores it.
async fn written(port: &Port, kind: &ApiResource, name: &str) -> Result<Value, Failure> {
    let path = DynamicObject::url_path(kind, Some(&port.namespace));
    let request = Request::new(path).get(name, &GetParams::default());
    Ok(port.client.request(request.expect("a request")).await?)
}

#[tokio::test]
async fn world_has_whole_objects_and_the_events_since_a_version() -> Result<(), Failure> {
    let Some(port) = port("whole").await? else {
        return Ok(());
    };
    let kind = ferries();
    let world = Cluster::of(port.client.clone(), Pace::default());
    let mut whole = world.raw(&kind, Area::namespace(&port.namespace));
    let mut until = async |is_so: &dyn Fn(&RawView) -> bool| {
        let view = timeout(PATIENCE, whole.until(is_so)).await;
        let view = view.expect("the view timed out");
        view.expect("the world goes on")
    };
    let first = until(&is_synced).await;
    let hull = Key::new(&port.namespace, "hull");

    port.launch(&["coal"]).await?;
    let added = until(&|view| view.objects.contains_key(&hull)).await;
    let json: Value = serde_json::from_str(&added.objects[&hull].json).expect("JSON");
    assert_eq!(json, written(&port, &kind, "hull").await?);
    assert!(json["metadata"]["managedFields"].is_array(), "{json}");
    let hull_is = |change| (change, "hull".to_owned());
    assert_eq!(events(&added, first.version), [hull_is(Change::Added)]);

    let ferries: Api<DynamicObject> = port.ferries();
    let change = Patch::Merge(json!({"spec": {"cargo": ["bricks"]}}));
    let params = PatchParams::default();
    let changed = ferries.patch("hull", &params, &change).await?;
    let version = changed.metadata.resource_version;
    let modified = until(&|view| {
        let hull = view.objects.get(&hull);
        hull.is_some_and(|hull| hull.resource_version == version)
    })
    .await;
    assert_eq!(
        events(&modified, added.version),
        [hull_is(Change::Modified)]
    );

    ferries.delete("hull", &DeleteParams::default()).await?;
    let deleted = until(&|view| view.objects.is_empty()).await;
    let all = [Change::Added, Change::Modified, Change::Deleted].map(hull_is);
    assert_eq!(events(&deleted, first.version), all);
    assert_eq!(events(&deleted, deleted.version), []);
    let too_old = first.version - 1;
    assert_eq!(deleted.since(too_old).err(), Some(Expired(too_old)));
    let ahead = deleted.version + 1;
    assert_eq!(deleted.since(ahead).err(), Some(Expired(ahead)));
    Ok(())
}
