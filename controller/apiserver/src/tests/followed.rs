//! Tests of the Installed objects that result from changes of lists.

use std::fs;
use std::time::Duration;

use portolan_core_installed::{ResourceVersion, Snapshot};
use portolan_kit::TempFolder;
use portolan_world::{Files, RawObjects, RawView, State};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use crate::follow::Follower;
use crate::shown::Shown;

const HARBOR: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: harbor}
---
apiVersion: v1
kind: Namespace
metadata: {name: olm}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: all, namespace: olm}
spec: {}
status: {namespaces: ['']}
";

fn ferry(phase: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {{name: ferry.v1.0.0, namespace: olm}}
spec: {{version: 1.0.0}}
status: {{phase: {phase}}}
"
    )
}

fn lines(snapshot: &Snapshot) -> Vec<String> {
    let all = snapshot.all();
    all.map(|each| {
        format!(
            "{}/{} {}",
            each.namespace, each.name, each.operator.csv.phase
        )
    })
    .collect()
}

async fn until(shown: &Shown, wanted: &[&str]) {
    let mut turns = shown.turns();
    let seen = timeout(Duration::from_secs(30), async {
        loop {
            let now = shown.at(None).await.expect("it must be known");
            if lines(&now.snapshot) == wanted {
                return;
            }
            turns.changed().await.expect("more");
        }
    });
    seen.await.expect("it must come in time");
}

#[tokio::test]
async fn follower_serves_objects_and_their_changes() {
    let folder = TempFolder::empty();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write("harbor.yaml", HARBOR);
    write("ferry.yaml", &ferry("Installing"));
    let world = Files::at(&*folder);
    let shown = Shown::pending();
    assert!(!shown.is_complete());
    let follower = Follower::of(&world, shown.clone());
    let _running = AbortOnDropHandle::new(tokio::spawn(follower.run()));
    shown.complete().await;
    let installing = [
        "harbor/ferry.v1.0.0 Installing",
        "olm/ferry.v1.0.0 Installing",
    ];
    until(&shown, &installing).await;
    let before = shown.at(None).await.expect("it is known");

    write("ferry.yaml", &ferry("Succeeded"));
    let succeeded = [
        "harbor/ferry.v1.0.0 Succeeded",
        "olm/ferry.v1.0.0 Succeeded",
    ];
    until(&shown, &succeeded).await;
    let behind = shown.behind(before.place).expect("a place");
    let events: usize = behind
        .batches
        .iter()
        .map(|batch| batch.events().len())
        .sum();
    assert_eq!(events, 2);
    let version = before.snapshot.version();
    let since = shown
        .since(version, None)
        .await
        .expect("it goes on from there");
    assert_eq!(since.batches.len(), behind.batches.len());

    fs::remove_file(folder.join("ferry.yaml")).expect("a file");
    until(&shown, &[]).await;
}

fn list(version: u64) -> watch::Sender<RawView> {
    let mut view = RawView::default();
    (view.version, view.state) = (version, State::Synced);
    watch::Sender::new(view)
}

fn version(text: &str) -> ResourceVersion {
    text.parse().expect("a version")
}

/// Because of this delay, all other replicas know a version before one replica publishes it.
#[tokio::test(start_paused = true)]
async fn progress_of_an_unchanged_list_is_known_at_once_and_published_later() {
    let lists = [8, 5, 6, 3, 4, 7].map(list);
    let followed = lists
        .each_ref()
        .map(|it| RawObjects::from_views(it.subscribe(), ()));
    let shown = Shown::pending();
    let follower = Follower::of_lists(followed, shown.clone());
    let _running = AbortOnDropHandle::new(tokio::spawn(follower.run()));
    shown.complete().await;
    let printed = async || {
        let now = shown.at(None).await.expect("it is known");
        now.snapshot.version().clone()
    };
    let first = version(
        "clusterserviceversions:8,namespaces:5,operatorgroups:6,operators:3,resourcemanifests:4,subscriptions:7",
    );
    assert_eq!(printed().await, first);

    lists[1].send_modify(|view| view.version = 50);
    let later = version(
        "clusterserviceversions:8,namespaces:50,operatorgroups:6,operators:3,resourcemanifests:4,subscriptions:7",
    );
    let known = shown.at(Some(&later)).await;
    known.expect("the version must be known at once");
    sleep(Duration::from_secs(60)).await;
    assert_eq!(printed().await, first);
    sleep(Duration::from_secs(6)).await;
    assert_eq!(printed().await, later);
    // A watch can continue from the old and from the new version.
    for version in [&first, &later] {
        let since = shown.since(version, None).await.expect("it goes on");
        assert_eq!(since.batches.len(), 0);
    }
}
