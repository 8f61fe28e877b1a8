//! What watchers of catalogs are told.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;

use futures::Stream;
use portolan_core_names::CatalogName;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::watch_catalogs_response::{Event, Gone, Heartbeat, Synced};
use portolan_shell::{Epoch, HEARTBEAT};
use tokio::sync::watch;
use tonic::Status;

use crate::snapshot::Offer;
use crate::{Snapshot, wire};

/// What one watcher has been told, and what it is told next.
///
/// There is no queue of changes: a watcher is told how the current Snapshot differs from what it
/// knows, when it is ready to hear it. However slow it is, it costs no more than the names of the
/// catalogs, and the last state always arrives; it never has to be reset.
#[derive(Debug)]
pub(crate) struct News {
    snapshot: watch::Receiver<Arc<Snapshot>>,
    epoch: Epoch,
    known: BTreeMap<CatalogName, Arc<Offer>>,
    revision: u32,
    next: VecDeque<Event>,
    is_synced: bool,
}

// === impl News ===

impl News {
    pub(crate) fn of(mut snapshot: watch::Receiver<Arc<Snapshot>>, epoch: Epoch) -> Self {
        snapshot.mark_changed();
        Self {
            snapshot,
            epoch,
            known: BTreeMap::new(),
            revision: 0,
            next: VecDeque::new(),
            is_synced: false,
        }
    }

    pub(crate) fn into_stream(
        self,
    ) -> impl Stream<Item = Result<pb::WatchCatalogsResponse, Status>> {
        futures::stream::unfold(self, async |mut news| {
            let event = news.event().await?;
            let told = pb::WatchCatalogsResponse {
                epoch: news.epoch.to_string(),
                revision: news.revision,
                event: Some(event),
            };
            Some((Ok(told), news))
        })
    }

    /// None once there will be no more Snapshots.
    async fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.next.pop_front() {
                return Some(event);
            }
            match tokio::time::timeout(HEARTBEAT, self.snapshot.changed()).await {
                Ok(changed) => changed.ok()?,
                Err(_) => return Some(Event::Heartbeat(Heartbeat {})),
            }
            let snapshot = Arc::clone(&self.snapshot.borrow_and_update());
            self.compare(&snapshot);
        }
    }

    fn compare(&mut self, snapshot: &Snapshot) {
        self.revision = snapshot.revision;
        let is_gone = |name: &&CatalogName| !snapshot.offers.contains_key(*name);
        let gone: Vec<_> = self.known.keys().filter(is_gone).cloned().collect();
        for name in gone {
            self.known.remove(&name);
            let name = name.to_string();
            self.next.push_back(Event::Gone(Gone { name }));
        }
        for (name, offer) in &snapshot.offers {
            let known = self.known.get(name);
            if known.is_none_or(|known| !Arc::ptr_eq(known, offer)) {
                self.known.insert(name.clone(), Arc::clone(offer));
                let changed = wire::encode_catalog(name, offer);
                self.next.push_back(Event::Changed(changed));
            }
        }
        if !std::mem::replace(&mut self.is_synced, true) {
            self.next.push_back(Event::Synced(Synced {}));
        }
    }
}
