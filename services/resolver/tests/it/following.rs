//! Tests of the responses after a change of the catalogs.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use portolan_kit::{TempFolder, assert_same, catalog};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::catalog::State;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::watch_catalogs_response::Event;
use portolan_resolver::source::{self, SourceAccess};
use portolan_resolver::{Catalogs, Resolver};
use portolan_shell::client::{self, Connection};
use tokio::task::JoinSet;
use tonic::Streaming;

/// The maximum time to wait for an expected event.
const PATIENCE: Duration = Duration::from_secs(20);

/// A resolver that watches folders, and a client that watches the resolver.
struct Followed {
    catalogs: Catalogs,
    client: ResolverClient<Connection>,
    news: Streaming<pb::WatchCatalogsResponse>,
    _following: JoinSet<()>,
}

impl Followed {
    async fn at(folders: &[(&str, &Path)]) -> Self {
        let given = folders.iter().map(|(name, path)| {
            let flag = format!("{name}={}", path.display());
            flag.parse().expect("the flag must parse")
        });
        let catalogs = Catalogs::new();
        let following = source::watch(given.collect(), &SourceAccess::default(), &catalogs)
            .expect("the folders are there");
        let service = Resolver::new(catalogs.watch()).into_service();
        let mut client = ResolverClient::new(client::local(service));
        let news = client.watch_catalogs(pb::WatchCatalogsRequest {}).await;
        Self {
            catalogs,
            client,
            news: news.expect("a watch must begin").into_inner(),
            _following: following,
        }
    }

    async fn event(&mut self) -> Event {
        let message = tokio::time::timeout(PATIENCE, self.news.message()).await;
        let message = message
            .expect("there must be news")
            .expect("and no failure");
        message
            .and_then(|message| message.event)
            .expect("of some kind")
    }

    /// Waits until a catalog has an expected state.
    async fn until(&mut self, wanted: impl Fn(&pb::Catalog) -> bool) -> pb::Catalog {
        loop {
            if let Event::Changed(catalog) = self.event().await
                && wanted(&catalog)
            {
                return catalog;
            }
        }
    }

    async fn until_state(&mut self, state: State) -> pb::Catalog {
        self.until(|catalog| catalog.state() == state).await
    }

    async fn upgrades(&mut self, installed: &str) -> pb::ListUpgradesResponse {
        let request = pb::ListUpgradesRequest {
            package: "a".to_owned(),
            installed: installed.to_owned(),
            ..Default::default()
        };
        let answer = self.client.list_upgrades(request).await;
        answer.expect("there must be an answer").into_inner()
    }
}

fn successors(answer: &pb::ListUpgradesResponse) -> Vec<&str> {
    let successors = answer.successors.iter();
    successors
        .map(|successor| successor.name.as_str())
        .collect()
}

fn write(folder: &Path, text: &str) {
    catalog(text).write(folder);
}

#[tokio::test]
async fn changed_folder_updates_answers_and_notifies_watchers() {
    let folder = catalog("a: 1.0.0 -> 1.1.0; b: 1.0.0").temp();
    let mut followed = Followed::at(&[("demo", &folder)]).await;
    let before = followed.until_state(State::Serving).await;
    let snapshot = followed.catalogs.watch().borrow().clone();
    assert_same!(
        successors(&followed.upgrades("a.v1.1.0").await),
        Vec::<&str>::new()
    );

    write(&folder, "a: 1.0.0 -> 1.1.0 -> 1.2.0; b: 1.0.0");
    let after = followed
        .until(|catalog| catalog.digest != before.digest)
        .await;
    assert_eq!(after.state(), State::Serving);
    assert_eq!(after.bundles, before.bundles + 1);
    assert_same!(
        successors(&followed.upgrades("a.v1.1.0").await),
        ["a.v1.2.0"]
    );

    let now = followed.catalogs.watch().borrow().clone();
    let package = |snapshot: &portolan_resolver::Snapshot, name: &str| {
        let offer = snapshot.offers.values().next().expect("one catalog");
        let content = offer.content().expect("with content");
        Arc::clone(&content.catalog().packages[name])
    };
    let shared = |name| Arc::ptr_eq(&package(&snapshot, name), &package(&now, name));
    assert_eq!(
        [shared("a"), shared("b")],
        [false, true],
        "what did not change is shared"
    );
}

#[tokio::test]
async fn removed_folder_keeps_stale_content_with_a_reason() {
    let outer = TempFolder::empty();
    let folder = outer.join("demo");
    write(&folder, "a: 1.0.0 -> 1.1.0");
    let mut followed = Followed::at(&[("demo", &folder)]).await;
    followed.until_state(State::Serving).await;
    let fresh = followed.upgrades("a.v1.0.0").await;
    assert!(!fresh.catalogs[0].stale);

    fs::rename(&folder, outer.join("away")).expect("the folder must move");
    let stale = followed.until_state(State::Stale).await;
    assert_eq!(stale.reasons[0].code, "ReadFolder");
    assert!(!stale.since.is_empty());
    let mut answer = followed.upgrades("a.v1.0.0").await;
    assert!(answer.catalogs[0].stale);
    answer.catalogs[0].stale = false;
    assert_same!(answer, fresh);

    fs::rename(outer.join("away"), &folder).expect("the folder must move back");
    let back = followed.until_state(State::Serving).await;
    assert_eq!(back.digest, stale.digest);
    assert_same!(followed.upgrades("a.v1.0.0").await, fresh);
}

#[tokio::test]
async fn watch_sends_all_catalogs_and_then_synced() {
    let (one, two) = (catalog("a: 1.0.0").temp(), catalog("a: 1.0.0").temp());
    let mut followed = Followed::at(&[("one", &one), ("two", &two)]).await;
    let mut heard = Vec::new();
    loop {
        match followed.event().await {
            Event::Changed(catalog) => heard.push(catalog.name),
            Event::Synced(_) => break,
            other => panic!("nothing else may come: {other:?}"),
        }
    }
    assert_eq!(heard, ["one", "two"]);

    let one: portolan_core_names::CatalogName = "one".parse().expect("a name");
    followed.catalogs.remove(&one);
    loop {
        match followed.event().await {
            Event::Gone(gone) => break assert_eq!(gone.name, "one"),
            Event::Changed(_) => {}
            other => panic!("nothing else may come: {other:?}"),
        }
    }
}

#[tokio::test]
async fn failed_catalog_does_not_affect_other_catalogs() {
    let outer = TempFolder::empty();
    let dead = outer.join("dead");
    write(&dead, "b: 1.0.0");
    let alive = catalog("a: 1.0.0 -> 1.1.0").temp();
    let mut followed = Followed::at(&[("alive", &alive), ("dead", &dead)]).await;
    for _ in 0..2 {
        followed.until_state(State::Serving).await;
    }
    let before = followed.upgrades("a.v1.0.0").await;
    fs::remove_dir_all(&dead).expect("the folder must go");
    followed.until_state(State::Stale).await;
    assert_same!(followed.upgrades("a.v1.0.0").await, before);
}

#[tokio::test]
async fn empty_folder_is_served_when_files_appear() {
    let folder = TempFolder::empty();
    let mut followed = Followed::at(&[("demo", &folder)]).await;
    let empty = followed.until_state(State::Serving).await;
    assert_eq!(empty.packages, 0);
    write(&folder, "a: 1.0.0");
    followed.until(|catalog| catalog.packages == 1).await;
}

#[tokio::test]
async fn emptied_folder_keeps_its_content() {
    let folder = catalog("a: 1.0.0 -> 1.1.0").temp();
    let mut followed = Followed::at(&[("demo", &folder)]).await;
    let before = followed.until_state(State::Serving).await;
    fs::remove_dir_all(folder.join("a")).expect("the files must go");
    let stale = followed.until_state(State::Stale).await;
    assert!(
        stale.reasons[0]
            .message
            .contains("no longer contains packages"),
        "{stale:?}"
    );
    assert_eq!(stale.digest, before.digest);
    write(&folder, "a: 1.0.0 -> 1.1.0");
    let back = followed.until_state(State::Serving).await;
    assert_eq!(back.digest, before.digest);
}

/// The writer pauses in the middle of a file. The pause is longer than the time without changes
/// that a folder needs.
#[tokio::test]
async fn partly_written_file_is_never_served() {
    let folder = catalog("a: 1.0.0 -> 1.1.0").temp();
    let mut followed = Followed::at(&[("demo", &folder)]).await;
    let before = followed.until_state(State::Serving).await;

    let text = catalog("a: 1.0.0 -> 1.1.0 -> 1.2.0").to_yaml();
    let file = folder.join("a/catalog.yaml");
    fs::write(&file, &text[..text.len() / 2]).expect("a half");
    tokio::time::sleep(Duration::from_millis(700)).await;
    fs::write(&file, &text).expect("the whole");

    let after = followed
        .until(|catalog| catalog.digest != before.digest)
        .await;
    assert_eq!((after.bundles, after.fault_count), (3, 0));
}

#[tokio::test]
async fn files_outside_the_catalog_neither_block_nor_delay_reading() {
    let folder = catalog("a: 1.0.0 -> 1.1.0").temp();
    std::os::unix::fs::symlink("/", folder.join("everything")).expect("a link");
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        folder.join("pipe.yaml"),
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
    )
    .expect("a pipe");
    let log = folder.join("access.log");
    let noise = tokio::spawn(async move {
        loop {
            fs::write(&log, "a line").expect("a log");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let mut followed = Followed::at(&[("demo", &folder)]).await;
    let served = followed.until_state(State::Serving).await;
    assert_eq!((served.packages, served.fault_count), (1, 1), "{served:?}");
    assert!(served.faults[0].message.contains("not a regular file"));
    write(&folder, "a: 1.0.0 -> 1.1.0 -> 1.2.0");
    followed.until(|catalog| catalog.bundles == 3).await;
    noise.abort();
}
