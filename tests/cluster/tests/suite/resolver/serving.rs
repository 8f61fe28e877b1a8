//! A whole resolver under the flags of its command line, in this process.

use std::path::Path;
use std::time::Duration;

use futures::stream;
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::catalog::State;
use portolan_proto::resolver::v1::watch_catalogs_response::Event;
use portolan_resolver::Listening;
use portolan_rig::{Cluster, Failure, PATIENCE};
use portolan_shell::client::{Retry, Terms, remote};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::Streaming;

use super::questions::Client;

/// A resolver that runs until this is dropped.
pub(crate) struct Serving {
    url: String,
    _stop: oneshot::Sender<()>,
    _running: JoinHandle<()>,
}

/// One who watches the catalogs of a resolver.
pub(crate) struct Watcher {
    news: Streaming<pb::WatchCatalogsResponse>,
}

#[derive(Debug, clap::Parser)]
struct Process {
    #[command(flatten)]
    flags: portolan_resolver::Flags,
}

/// The flag for a catalog.
pub(crate) fn given(name: &str, place: impl std::fmt::Display) -> String {
    format!("--catalog={name}={place}")
}

/// The flag for a catalog in a folder.
pub(crate) fn folder(name: &str, path: &Path) -> String {
    given(name, path.display())
}

/// The flag for the cluster of a kubeconfig, as a user of its own, by whom the audit knows it.
pub(crate) fn cluster(cluster: &Cluster, user: &str) -> Result<String, Failure> {
    let kubeconfig = cluster.admit(user, Some("system:masters"))?;
    Ok(format!("--kubeconfig={}", kubeconfig.display()))
}

// === impl Serving ===

impl Serving {
    /// Runs a resolver on free ports.
    pub(crate) async fn under<const N: usize>(flags: [String; N]) -> Self {
        let own = [
            "resolver",
            "--listen=127.0.0.1:0",
            "--probes-listen=127.0.0.1:0",
        ];
        let line = own.map(str::to_owned).into_iter().chain(flags);
        let Process { flags } = clap::Parser::parse_from(line);
        let listening = Listening::under(flags).await;
        let listening = listening.expect("free ports must be there");
        let url = format!("http://{}", listening.grpc_address());
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(async move {
            let stopped = stream::once(async { stopped.await.unwrap_or_default() });
            let ended = listening.run(Box::pin(stopped)).await;
            ended.expect("the resolver must run until it is stopped");
        });
        Self {
            url,
            _stop: stop,
            _running: running,
        }
    }

    /// Over a connection of its own.
    pub(crate) fn client(&self) -> Client {
        // A resolver that never pauses needs no second try, and a test must see a first that fails.
        let terms = Terms {
            retry: Retry::Unprocessed,
            ..Terms::queries(DESCRIPTORS, Duration::from_secs(30))
        };
        Client::new(remote(&self.url, terms).expect("the URL must be one"))
    }

    pub(crate) async fn watch(&self) -> Watcher {
        let mut client = self.client();
        let news = client.watch_catalogs(pb::WatchCatalogsRequest {});
        Watcher {
            news: news.await.expect("a watch must begin").into_inner(),
        }
    }

    /// The catalog as ListCatalogs tells it; none of that name is none.
    pub(crate) async fn listed(&self, catalog: &str) -> Option<pb::Catalog> {
        let mut client = self.client();
        let listed = client.list_catalogs(pb::ListCatalogsRequest::default());
        let listed = listed.await.expect("catalogs must be listed").into_inner();
        let mut catalogs = listed.catalogs.into_iter();
        catalogs.find(|listed| listed.name == catalog)
    }

    /// Waits until a catalog is served, which must happen soon.
    pub(crate) async fn serves(&self, catalog: &str) -> pb::Catalog {
        let mut watcher = self.watch().await;
        watcher.until_state(catalog, State::Serving).await
    }
}

// === impl Watcher ===

impl Watcher {
    pub(crate) async fn event(&mut self) -> Event {
        let told = timeout(PATIENCE, self.news.message()).await;
        let told = told.expect("there must be news").expect("and no failure");
        told.and_then(|told| told.event).expect("of some kind")
    }

    /// Waits until a catalog is as wanted.
    pub(crate) async fn until(
        &mut self,
        catalog: &str,
        is_wanted: impl Fn(&pb::Catalog) -> bool,
    ) -> pb::Catalog {
        let mut last = None;
        let wanted = timeout(PATIENCE, async {
            loop {
                if let Event::Changed(changed) = self.event().await
                    && changed.name == catalog
                {
                    if is_wanted(&changed) {
                        return changed;
                    }
                    last = Some(changed);
                }
            }
        });
        match wanted.await {
            Ok(wanted) => wanted,
            Err(_) => panic!("{catalog} must become as wanted; it was {last:?}"),
        }
    }

    pub(crate) async fn until_state(&mut self, catalog: &str, state: State) -> pb::Catalog {
        self.until(catalog, |told| told.state() == state).await
    }

    pub(crate) async fn until_gone(&mut self, catalog: &str) {
        let gone = timeout(PATIENCE, async {
            loop {
                if let Event::Gone(gone) = self.event().await
                    && gone.name == catalog
                {
                    return;
                }
            }
        });
        assert!(gone.await.is_ok(), "{catalog} must go");
    }
}
