//! Observes if an updater exists. An updater exists if its ConfigMap exists.

use std::fmt;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::PartialObjectMeta;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, Event, watcher};
use kube::{Api, Client};
use portolan_api::operator::UPDATER;

type ConfigMapMetadata = PartialObjectMeta<ConfigMap>;

/// The watch of the ConfigMap that enables an updater. The watch ends when this value is dropped.
pub(crate) struct UpdaterWatch {
    events: BoxStream<'static, Event<ConfigMapMetadata>>,
    /// True if the list that is being read contains the ConfigMap.
    is_listed: bool,
    /// True if an updater exists. None if this is not known yet.
    is_there: Option<bool>,
}

// === impl UpdaterWatch ===

impl UpdaterWatch {
    /// Watches the ConfigMap in the namespace of the InstallPlans. A failed watch is restarted
    /// after a backoff.
    pub(crate) fn new(client: Client, namespace: &str) -> Self {
        let api: Api<ConfigMapMetadata> = Api::namespaced(client, namespace);
        let named = Config::default().fields(&format!("metadata.name={UPDATER}"));
        let events = watcher(api, named).default_backoff();
        let events = events.filter_map(async |event| event.ok());
        Self {
            // After the watch has ended, the stream must wait forever.
            events: events.chain(stream::pending()).boxed(),
            is_listed: false,
            is_there: None,
        }
    }

    /// Returns true if it is certain that no updater exists.
    pub(crate) fn is_gone(&self) -> bool {
        self.is_there == Some(false)
    }

    /// Waits until the updater appears or disappears.
    ///
    /// # Cancel safety
    /// This method is cancel safe: dropping the future early loses nothing.
    pub(crate) async fn changed(&mut self) {
        while let Some(event) = self.events.next().await {
            let before = self.is_there;
            self.take(&event);
            if self.is_there != before {
                return;
            }
        }
    }

    fn take(&mut self, event: &Event<ConfigMapMetadata>) {
        match event {
            Event::Init => self.is_listed = false,
            Event::InitApply(_) => self.is_listed = true,
            Event::InitDone => self.is_there = Some(self.is_listed),
            Event::Apply(_) => self.is_there = Some(true),
            Event::Delete(_) => self.is_there = Some(false),
        }
    }
}

impl fmt::Debug for UpdaterWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdaterWatch")
            .field("is_there", &self.is_there)
            .finish_non_exhaustive()
    }
}
