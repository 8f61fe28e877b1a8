//! Runs a complete resolver in this process, with the flags of its command line.

use std::path::Path;
use std::time::Duration;

use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::catalog::State;
use portolan_proto::resolver::v1::watch_catalogs_response::Event;
use portolan_resolver::listen;
use portolan_rig::{Cluster, Failure, PATIENCE};
use tokio::time::timeout;
use tonic::Streaming;

use super::questions::Client;
use crate::process::{Running, connection, on_free_ports};

/// A running resolver. Dropping this value stops it.
pub(crate) struct Serving {
    url: String,
    _running: Running,
}

/// A watcher of the catalogs of a resolver.
pub(crate) struct Watcher {
    news: Streaming<pb::WatchCatalogsResponse>,
}

/// Returns the flag for a catalog with this name.
pub(crate) fn given(name: &str, place: impl std::fmt::Display) -> String {
    format!("--catalog={name}={place}")
}

/// Returns the flag for a catalog in a folder.
pub(crate) fn folder(name: &str, path: &Path) -> String {
    given(name, path.display())
}

/// Returns the flag for a cluster. The resolver sends requests as this user, so that the test can
/// find them in the audit log.
pub(crate) fn cluster(cluster: &Cluster, user: &str) -> Result<String, Failure> {
    let kubeconfig = cluster.admit(user, Some("system:masters"))?;
    Ok(format!("--kubeconfig={}", kubeconfig.display()))
}

// === impl Serving ===

impl Serving {
    /// Runs a resolver with these flags on free ports.
    pub(crate) async fn under<const N: usize>(flags: [String; N]) -> Self {
        let listening = listen(on_free_ports("resolver", flags)).await;
        let listening = listening.expect("no free ports");
        let url = format!("http://{}", listening.grpc_address());
        Self {
            url,
            _running: Running::until_dropped(|stops| listening.run(stops)),
        }
    }

    /// Creates a client with a separate connection.
    pub(crate) fn client(&self) -> Client {
        Client::new(connection(&self.url, Duration::from_secs(30)))
    }

    pub(crate) async fn watch(&self) -> Watcher {
        let mut client = self.client();
        let news = client.watch_catalogs(pb::WatchCatalogsRequest {});
        Watcher {
            news: news.await.expect("a watch must begin").into_inner(),
        }
    }

    /// Returns the catalog in the response of ListCatalogs. Returns `None` if it is missing.
    pub(crate) async fn listed(&self, catalog: &str) -> Option<pb::Catalog> {
        let mut client = self.client();
        let listed = client.list_catalogs(pb::ListCatalogsRequest::default());
        let listed = listed.await.expect("catalogs must be listed").into_inner();
        let mut catalogs = listed.catalogs.into_iter();
        catalogs.find(|listed| listed.name == catalog)
    }

    /// Waits until the resolver serves a catalog. Returns the catalog.
    pub(crate) async fn serves(&self, catalog: &str) -> pb::Catalog {
        let mut watcher = self.watch().await;
        watcher.until_state(catalog, State::Serving).await
    }
}

// === impl Watcher ===

impl Watcher {
    pub(crate) async fn event(&mut self) -> Event {
        let news = timeout(PATIENCE, self.news.message()).await;
        let news = news.expect("no event in time").expect("the watch failed");
        news.and_then(|news| news.event)
            .expect("an event without a kind")
    }

    /// Waits until a catalog satisfies a condition. Returns the catalog.
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
            Err(_) => panic!("{catalog} did not reach the expected state; last state: {last:?}"),
        }
    }

    pub(crate) async fn until_state(&mut self, catalog: &str, state: State) -> pb::Catalog {
        self.until(catalog, |catalog| catalog.state() == state)
            .await
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
        assert!(gone.await.is_ok(), "{catalog} still exists");
    }
}
