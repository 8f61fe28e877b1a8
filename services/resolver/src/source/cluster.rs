//! Catalogs that the objects of a cluster name: CatalogSources and ClusterCatalogs.

mod wanted;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use portolan_names::CatalogName;
use portolan_olm::{CatalogSource, ClusterCatalog};
use portolan_world::{Ended, Objects, State, View, World};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use self::wanted::{Source, Wanted};
use super::{Reach, follow};
use crate::catalogs::Catalogs;

/// The catalogs of a cluster, followed as its objects come and go.
#[derive(Debug)]
pub(crate) struct ClusterCatalogs {
    catalogs: Catalogs,
    reach: Reach,
    /// Catalogs whose content is given otherwise: the cluster says no more than their priority.
    given: Vec<CatalogName>,
    followed: BTreeMap<CatalogName, Followed>,
}

/// A catalog that is followed, until this is dropped.
#[derive(Debug)]
struct Followed {
    source: Source,
    task: Option<AbortOnDropHandle<()>>,
}

// === impl ClusterCatalogs ===

impl ClusterCatalogs {
    pub(crate) fn new(catalogs: Catalogs, reach: Reach, given: Vec<CatalogName>) -> Self {
        Self {
            catalogs,
            reach,
            given,
            followed: BTreeMap::new(),
        }
    }

    /// Follows what the world has, for ever; `known` turns true when it first is known what that
    /// is.
    pub(crate) async fn follow(
        mut self,
        world: impl World,
        known: watch::Sender<bool>,
    ) -> Result<Infallible, Ended> {
        let mut sources = world.objects::<CatalogSource>();
        let mut clusters = world.objects::<ClusterCatalog>();
        let (mut odd_sources, mut odd_clusters) = (BTreeSet::new(), BTreeSet::new());
        loop {
            let (source_view, cluster_view) = (sources.now(), clusters.now());
            warn(&source_view, &mut odd_sources);
            warn(&cluster_view, &mut odd_clusters);
            self.turn_to(wanted::wanted(&source_view, &cluster_view))
                .await;
            let has_others = !self.given.is_empty();
            if is_known(&source_view.state, &cluster_view.state, has_others) {
                known.send_replace(true);
            }
            changed(&mut sources, &mut clusters).await?;
        }
    }

    async fn turn_to(&mut self, wanted: BTreeMap<CatalogName, Wanted>) {
        let gone: Vec<_> = self.followed.keys().cloned().collect();
        for name in gone.iter().filter(|name| !wanted.contains_key(*name)) {
            self.end(name).await;
            self.catalogs.remove(name);
        }
        for (name, wanted) in wanted {
            if self.given.contains(&name) {
                self.catalogs.rank(&name, wanted.priority);
                continue;
            }
            let Wanted {
                observed,
                priority,
                source,
            } = wanted;
            self.catalogs.place(&name, observed, priority);
            let followed = self.followed.get(&name);
            if followed.is_none_or(|followed| followed.source != source) {
                self.end(&name).await;
                let followed = self.begin(&name, source);
                self.followed.insert(name, followed);
            }
        }
    }

    /// Returns when nothing more is told of the catalog.
    async fn end(&mut self, name: &CatalogName) {
        let followed = self.followed.remove(name);
        if let Some(task) = followed.and_then(|followed| followed.task) {
            task.abort();
            // It was told to end; how it did is of no interest.
            let _ = task.await;
        }
    }

    fn begin(&self, name: &CatalogName, source: Source) -> Followed {
        let task = match &source {
            Source::At { location, .. } => {
                let (name, catalogs) = (name.clone(), self.catalogs.clone());
                let follow = follow::follow(location.clone(), self.reach.clone(), name, catalogs);
                Some(AbortOnDropHandle::new(tokio::spawn(follow)))
            }
            Source::Nowhere(why) => {
                self.catalogs.lost(name, why.clone());
                None
            }
        };
        Followed { source, task }
    }
}

/// Whether it is known which catalogs there are: neither kind is still being asked for, and not
/// both are out of reach, unless there are other catalogs to answer from.
fn is_known(sources: &State, clusters: &State, has_others: bool) -> bool {
    let is_unknown = |state: &State| matches!(state, State::Unknown { .. });
    *sources != State::Pending
        && *clusters != State::Pending
        && (has_others || !(is_unknown(sources) && is_unknown(clusters)))
}

/// Tells what is wrong with objects and was not told of the last view.
fn warn<K>(view: &View<K>, told: &mut BTreeSet<String>) {
    let odd: BTreeSet<_> = view.faults.iter().map(ToString::to_string).collect();
    for reason in odd.difference(told) {
        tracing::warn!(reason, "an object of a catalog is odd");
    }
    *told = odd;
}

async fn changed(
    sources: &mut Objects<CatalogSource>,
    clusters: &mut Objects<ClusterCatalog>,
) -> Result<(), Ended> {
    tokio::select! {
        changed = sources.changed() => changed,
        changed = clusters.changed() => changed,
    }
}
