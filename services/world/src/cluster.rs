//! Objects of a cluster, from its API server.

mod access;
mod ask;
mod item;
mod reflect;
mod rest;

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio_util::task::AbortOnDropHandle;

pub use self::access::{Access, ReachCluster};
use self::ask::Ask;
use self::reflect::reflect;
use crate::shelf::Shelves;
use crate::{Area, Kind, Objects, World};

/// How long an API server is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How long an answer may take: a page of a list, or the beginning of a watch.
    pub answer: Duration,
    /// How long a watch may be silent before it is opened anew. API servers send a bookmark about
    /// once a minute, so that only one that is frozen or cut off is silent for longer.
    pub silence: Duration,
    /// How long it takes to look again for a kind that is not served, where CRDs may not be
    /// watched.
    pub missing: Duration,
}

/// The objects of one cluster. Clones are the same world, which ends with the last of them.
#[derive(Debug, Clone)]
pub struct Cluster(Arc<Inner>);

struct Inner {
    client: Client,
    pace: Pace,
    shelves: Shelves,
}

// === impl Pace ===

impl Default for Pace {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(15),
            silence: Duration::from_secs(100),
            missing: Duration::from_secs(60),
        }
    }
}

// === impl Cluster ===

impl Cluster {
    /// What `client` may see. Its read timeout had better be longer than [`Pace::silence`], or
    /// none at all as kube has it: a shorter one opens quiet watches anew more often.
    ///
    /// Watches run on the runtime on which objects are first asked for.
    pub fn of(client: Client, pace: Pace) -> Self {
        Self(Arc::new(Inner {
            client,
            pace,
            shelves: Shelves::default(),
        }))
    }
}

impl World for Cluster {
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        let Inner {
            client,
            pace,
            shelves,
        } = &*self.0;
        shelves.open(area, |shelf| {
            let reflecting = reflect(
                Ask::<K>::of(client.clone(), *pace, shelf.area().clone()),
                shelf,
            );
            let ended = shelves.ended();
            let until_the_end = async move { ended.run_until_cancelled(reflecting).await };
            AbortOnDropHandle::new(tokio::spawn(until_the_end))
        })
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cluster")
            .field("pace", &self.pace)
            .finish_non_exhaustive()
    }
}
