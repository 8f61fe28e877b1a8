//! How several catalogs come from one registry.

use std::sync::Arc;
use std::time::Duration;

use portolan_names::CatalogName;
use portolan_resolver::Catalogs;
use portolan_resolver::snapshot::{Content, Snapshot, Standing};
use portolan_resolver::source::registry::Address;
use portolan_resolver::source::{self, Reach};
use tokio::time::timeout;

use crate::fake::{Fake, Running, row};

/// Long, for a machine that is busy; what is waited for takes a moment.
const SOON: Duration = Duration::from_secs(20);

fn name(text: &str) -> CatalogName {
    text.parse().expect("a name")
}

/// Follows catalogs of these names, all of them at the address, for as long as what comes lives.
fn follow(catalogs: &Catalogs, at: &Address, names: &[&str]) -> tokio::task::JoinSet<()> {
    let flags = names.iter().map(|name| format!("{name}=grpc://{at}"));
    let given = flags.map(|flag| flag.parse().expect("the flag must parse"));
    let following = source::watch(given.collect(), &Reach::default(), catalogs);
    following.expect("the names differ")
}

/// Waits until all catalogs are as wanted.
async fn until(catalogs: &Catalogs, is_such: impl Fn(&Standing) -> bool) -> Arc<Snapshot> {
    let mut snapshots = catalogs.watch();
    let all = |snapshot: &Arc<Snapshot>| {
        let mut offers = snapshot.offers.values();
        !snapshot.offers.is_empty() && offers.all(|offer| is_such(&offer.standing))
    };
    let reached = timeout(SOON, snapshots.wait_for(all)).await;
    let reached = reached.expect("it must come to that");
    Arc::clone(&reached.expect("the sender lives"))
}

fn content<'a>(snapshot: &'a Snapshot, called: &str) -> &'a Arc<Content> {
    let content = snapshot.offers[&name(called)].content();
    content.expect("it was read")
}

fn is_serving(standing: &Standing) -> bool {
    matches!(standing, Standing::Serving { .. })
}

fn is_stale(standing: &Standing) -> bool {
    matches!(standing, Standing::Stale { .. })
}

fn run(version: &str) -> Running {
    Fake::of([row("a", version)]).run()
}

#[tokio::test]
async fn a_registry_that_many_catalogs_come_from_is_read_once_and_its_loss_is_told_to_all() {
    let fake = Fake::of([row("a", "1.0.0")]);
    let asked = Arc::clone(&fake.asked);
    let mut running = fake.run();
    let catalogs = Catalogs::new();
    let _following = follow(&catalogs, &running.address, &["one", "other"]);
    let snapshot = until(&catalogs, is_serving).await;
    let (one, other) = (content(&snapshot, "one"), content(&snapshot, "other"));
    assert!(Arc::ptr_eq(one, other), "they have one content");
    let lists = asked.lock().expect("nobody must panic with it").lists;
    assert_eq!(lists, 1);

    running.kill();
    let snapshot = until(&catalogs, is_stale).await;
    assert!(Arc::ptr_eq(
        content(&snapshot, "one"),
        content(&snapshot, "other")
    ));
}

#[tokio::test]
async fn equal_contents_of_different_registries_are_held_once_and_each_has_its_origin() {
    let (one, other) = (run("1.0.0"), run("1.0.0"));
    let catalogs = Catalogs::new();
    let _one = follow(&catalogs, &one.address, &["one"]);
    let _other = follow(&catalogs, &other.address, &["other"]);
    let snapshot = until(&catalogs, is_serving).await;
    let (one, other) = (content(&snapshot, "one"), content(&snapshot, "other"));
    assert!(std::ptr::eq(one.catalog(), other.catalog()));
    assert!(!Arc::ptr_eq(one, other), "each is read from elsewhere");
}
