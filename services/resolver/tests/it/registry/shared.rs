//! Tests with several catalogs that are read from one registry.

use std::sync::Arc;
use std::time::Duration;

use portolan_core_names::CatalogName;
use portolan_resolver::Catalogs;
use portolan_resolver::snapshot::{CatalogState, Content, Snapshot};
use portolan_resolver::source::registry::{Address, Budget};
use portolan_resolver::source::{self, SourceAccess};
use tokio::time::timeout;

use crate::registry::fake::{Fake, Running, Then, property, row};

/// The timeout of a test. It is long for busy machines. The wait usually takes only a moment.
const SOON: Duration = Duration::from_secs(20);

fn name(text: &str) -> CatalogName {
    text.parse().expect("a name")
}

/// Watches catalogs with these names, all at the same address. The watch ends when the returned
/// value is dropped.
fn follow(catalogs: &Catalogs, at: &Address, names: &[&str]) -> tokio::task::JoinSet<()> {
    let flags = names.iter().map(|name| format!("{name}=grpc://{at}"));
    let given = flags.map(|flag| flag.parse().expect("the flag must parse"));
    let following = source::watch(given.collect(), &SourceAccess::default(), catalogs);
    following.expect("the names differ")
}

/// Waits until all catalogs have the wanted state.
async fn until(catalogs: &Catalogs, is_such: impl Fn(&CatalogState) -> bool) -> Arc<Snapshot> {
    let mut snapshots = catalogs.watch();
    let all = |snapshot: &Arc<Snapshot>| {
        let mut offers = snapshot.offers.values();
        !snapshot.offers.is_empty() && offers.all(|offer| is_such(&offer.state))
    };
    let reached = timeout(SOON, snapshots.wait_for(all)).await;
    let reached = reached.expect("it must come to that");
    Arc::clone(&reached.expect("the sender lives"))
}

fn content<'a>(snapshot: &'a Snapshot, called: &str) -> &'a Arc<Content> {
    let content = snapshot.offers[&name(called)].content();
    content.expect("it was read")
}

fn is_serving(state: &CatalogState) -> bool {
    matches!(state, CatalogState::Serving { .. })
}

fn is_stale(state: &CatalogState) -> bool {
    matches!(state, CatalogState::Stale { .. })
}

/// Returns the reason why a catalog cannot be read.
fn why(state: &CatalogState) -> Option<String> {
    match state {
        CatalogState::Stale { why, .. } | CatalogState::Failed { why, .. } => Some(why.to_string()),
        CatalogState::Pending | CatalogState::Serving { .. } => None,
    }
}

fn run(version: &str) -> Running {
    Fake::of([row("a", version)]).run()
}

#[tokio::test]
async fn shared_registry_is_read_once_and_its_loss_reaches_all_catalogs() {
    let fake = Fake::of([row("a", "1.0.0")]);
    let asked = Arc::clone(&fake.asked);
    let mut running = fake.run();
    let catalogs = Catalogs::new();
    let _following = follow(&catalogs, &running.address, &["one", "other"]);
    let snapshot = until(&catalogs, is_serving).await;
    let (one, other) = (content(&snapshot, "one"), content(&snapshot, "other"));
    assert!(Arc::ptr_eq(one, other), "they have one content");
    let lists = asked.lock().expect("the lock must not be poisoned").lists;
    assert_eq!(lists, 1);

    running.kill();
    let snapshot = until(&catalogs, is_stale).await;
    assert!(Arc::ptr_eq(
        content(&snapshot, "one"),
        content(&snapshot, "other")
    ));
}

#[tokio::test]
async fn equal_contents_share_memory_and_keep_their_origins() {
    let (one, other) = (run("1.0.0"), run("1.0.0"));
    let catalogs = Catalogs::new();
    let _one = follow(&catalogs, &one.address, &["one"]);
    let _other = follow(&catalogs, &other.address, &["other"]);
    let snapshot = until(&catalogs, is_serving).await;
    let (one, other) = (content(&snapshot, "one"), content(&snapshot, "other"));
    assert!(std::ptr::eq(one.catalog(), other.catalog()));
    assert!(!Arc::ptr_eq(one, other), "each is read from elsewhere");
}

/// One registry sends rows endlessly. The other registry sends a catalog of normal size.
#[tokio::test]
async fn registry_above_the_memory_limit_fails_without_affecting_others() {
    const MEBI: usize = 1 << 20;
    let mut heavy = row("a", "1.0.0");
    let value = format!("\"{}\"", "x".repeat(64 << 10));
    heavy.properties.push(property("x", &value));
    let greedy = Fake {
        then: Then::Repeat,
        ..Fake::of([heavy])
    };
    let asked = Arc::clone(&greedy.asked);
    let (greedy, modest) = (greedy.run(), run("1.0.0"));
    let budget = Budget::within(64 * MEBI as u64);
    let catalogs = Catalogs::within(budget.clone());
    let _greedy = follow(&catalogs, &greedy.address, &["greedy"]);
    let _modest = follow(&catalogs, &modest.address, &["modest"]);
    let is_told = |state: &CatalogState| is_serving(state) || why(state).is_some();
    let snapshot = until(&catalogs, is_told).await;

    let why = why(&snapshot.offers[&name("greedy")].state);
    let why = why.expect("it must be refused");
    assert!(
        why.ends_with(
            "cannot read the registry: it sends more than 8388608 bytes, the maximum for one \
             catalog; to allow more, increase --memory-limit of the resolver"
        ),
        "{why}"
    );
    assert!(is_serving(&snapshot.offers[&name("modest")].state));
    assert_eq!(budget.taken(), 0, "what was taken is given back");
    let asked = asked.lock().expect("the lock must not be poisoned");
    assert_eq!(asked.lists, 1, "it is left alone for a while");
    // The number includes data that was on the network when the read failed.
    assert!(asked.sent < 16 * MEBI, "{}", asked.sent);
}

#[tokio::test]
async fn row_above_the_size_limit_is_refused_with_the_limit() {
    let mut long = row("a", "1.0.0");
    let value = format!("\"{}\"", "x".repeat(5 << 20));
    long.properties.push(property("x", &value));
    let fake = Fake::of([long]).run();
    let catalogs = Catalogs::within(Budget::within(64 << 20));
    let _following = follow(&catalogs, &fake.address, &["demo"]);
    let snapshot = until(&catalogs, |state| why(state).is_some()).await;
    let why = why(&snapshot.offers[&name("demo")].state);
    let why = why.expect("it must be refused");
    assert!(why.contains("the limit is: 4194304 bytes"), "{why}");
    assert!(
        why.contains("increase --memory-limit of the resolver"),
        "{why}"
    );
}
