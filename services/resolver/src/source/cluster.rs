//! Catalogs that objects of a cluster describe: CatalogSources and ClusterCatalogs.

mod named;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;

use portolan_core_names::CatalogName;
use portolan_core_olm::{CatalogSource, ClusterCatalog};
use portolan_world::{Dump, Ended, Objects, State, View, World};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use self::named::{ContentAt, NamedCatalog};
use super::follow::Follower;
use super::secrets::NamedImage;
use super::{CatalogAt, Location};
use crate::catalogs::Catalogs;
use crate::snapshot::SourceFailure;

/// The catalogs of a cluster. They are watched while their objects exist.
#[derive(Debug)]
pub(crate) struct ClusterCatalogs {
    follower: Follower,
    /// The catalogs whose content comes from flags. For these catalogs, the cluster determines only
    /// the priority.
    given: Vec<CatalogName>,
    /// The catalogs whose content is stored in the folder of the objects.
    brought: Vec<CatalogAt>,
    /// The catalogs whose content is missing in the dump, with the reasons.
    unread: BTreeMap<CatalogName, SourceFailure>,
    /// True if the other catalogs are read from the sources that their objects name. False for
    /// objects in files, because their sources belong to another cluster or to an earlier time.
    reads: bool,
    followed: BTreeMap<CatalogName, Followed>,
}

/// Shows if the set of catalogs is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// The objects have not been listed yet.
    #[default]
    Pending,
    /// The objects cannot be listed. Contains the reason.
    Unseen(String),
    Seen,
}

/// A catalog that is watched until this value is dropped.
#[derive(Debug)]
struct Followed {
    source: ContentAt,
    image: NamedImage,
    task: Option<AbortOnDropHandle<()>>,
}

// === impl ClusterCatalogs ===

impl ClusterCatalogs {
    pub(crate) fn new(follower: Follower, given: Vec<CatalogName>) -> Self {
        Self {
            follower,
            given,
            brought: Vec::new(),
            unread: BTreeMap::new(),
            reads: true,
            followed: BTreeMap::new(),
        }
    }

    /// Uses the objects in a folder. The folder may also contain the content of catalogs.
    pub(crate) fn of_folder(self, folder: &Path) -> Self {
        // Another component reports errors in this file, together with errors in the objects.
        let dump = Dump::of(folder).ok().flatten();
        let brought = CatalogAt::brought(folder).into_iter();
        let brought = brought.map(|at| match &dump {
            Some(dump) => at.with_dump(dump),
            None => at,
        });
        let brought = brought.collect();
        let unread = dump.iter().flat_map(|dump| &dump.not_read);
        let unread = unread.filter_map(|unread| {
            let name = CatalogName::parse(&unread.catalog).ok()?;
            Some((name, named::failure(unread)))
        });
        Self {
            brought,
            unread: unread.collect(),
            ..self
        }
    }

    /// Reads only the catalogs from flags and from the dump. The content of other catalogs is
    /// unknown.
    pub(crate) fn unread(self) -> Self {
        Self {
            reads: false,
            ..self
        }
    }

    /// Watches the catalogs of the world forever. Sets `known` when the set of catalogs is known.
    /// Once known, the set stays known.
    pub(crate) async fn follow(
        mut self,
        world: impl World,
        known: watch::Sender<Visibility>,
    ) -> Result<Infallible, Ended> {
        self.follower = self.follower.by(world.dialer());
        let mut sources = world.objects::<CatalogSource>();
        let mut clusters = world.objects::<ClusterCatalog>();
        let (mut odd_sources, mut odd_clusters) = (BTreeSet::new(), BTreeSet::new());
        loop {
            let (source_view, cluster_view) = (sources.now(), clusters.now());
            warn(&source_view, &mut odd_sources);
            warn(&cluster_view, &mut odd_clusters);
            let wanted = named::named(&source_view, &cluster_view);
            self.turn_to(named::brought(wanted, &self.brought)).await;
            let has_others = !(self.given.is_empty() && self.brought.is_empty());
            let now = Visibility::by(&source_view.state, &cluster_view.state, has_others);
            known.send_if_modified(|known| known.turn_to(now));
            changed(&mut sources, &mut clusters).await?;
        }
    }

    fn catalogs(&self) -> &Catalogs {
        self.follower.catalogs()
    }

    async fn turn_to(&mut self, wanted: BTreeMap<CatalogName, NamedCatalog>) {
        let gone: Vec<_> = self.followed.keys().cloned().collect();
        for name in gone.iter().filter(|name| !wanted.contains_key(*name)) {
            self.end(name).await;
            self.catalogs().remove(name);
        }
        for (name, wanted) in wanted {
            if self.given.contains(&name) {
                self.catalogs().rank(&name, wanted.rank);
                continue;
            }
            let NamedCatalog {
                observed,
                rank,
                source,
                mut image,
            } = wanted;
            self.catalogs().place(&name, observed, rank);
            let is_off = matches!(source, ContentAt::Off(_));
            let source = if self.reads || is_off || source.is_in_folder() {
                source
            } else {
                image = NamedImage::default();
                match self.unread.get(&name) {
                    Some(why) => ContentAt::Nowhere(why.clone()),
                    None => ContentAt::unread(&name),
                }
            };
            let followed = self.followed.get(&name);
            if followed.is_none_or(|it| it.source != source || it.image != image) {
                if followed.is_some_and(|it| matches!(it.source, ContentAt::Off(_))) && !is_off {
                    self.catalogs().switched_on(&name);
                }
                self.end(&name).await;
                let followed = self.begin(&name, source, image);
                self.followed.insert(name, followed);
            }
        }
    }

    /// Stops watching a catalog. Returns when its task has ended, so the catalog is not updated
    /// after that.
    async fn end(&mut self, name: &CatalogName) {
        let followed = self.followed.remove(name);
        if let Some(task) = followed.and_then(|followed| followed.task) {
            task.abort();
            // The task was aborted, so its result is ignored.
            let _ = task.await;
        }
    }

    fn begin(&self, name: &CatalogName, source: ContentAt, image: NamedImage) -> Followed {
        let otherwise = self.follower.otherwise(&image);
        let task = match &source {
            ContentAt::At { location, edition } => {
                let follower = self.follower.clone();
                let at = (location.clone(), edition.clone());
                let follow = follower.follow_or(at, name.clone(), otherwise);
                Some(AbortOnDropHandle::new(tokio::spawn(follow)))
            }
            ContentAt::Off(why) => {
                self.catalogs().switched_off(name, why.clone());
                None
            }
            ContentAt::Nowhere(why) => {
                let follower = self.follower.clone();
                let tell = follower.lost(name.clone(), why.clone(), otherwise);
                tell.map(|tell| AbortOnDropHandle::new(tokio::spawn(tell)))
            }
        };
        Followed {
            source,
            image,
            task,
        }
    }
}

/// Returns the location of each catalog's content according to its object, and the image with the
/// same content.
pub(super) fn locations(
    sources: &View<CatalogSource>,
    clusters: &View<ClusterCatalog>,
) -> BTreeMap<CatalogName, (Result<Location, SourceFailure>, NamedImage)> {
    let wanted = named::named(sources, clusters).into_iter();
    let located = wanted.map(|(name, wanted)| {
        let at = match wanted.source {
            ContentAt::At { location, .. } => Ok(location),
            ContentAt::Nowhere(why) | ContentAt::Off(why) => Err(why),
        };
        (name, (at, wanted.image))
    });
    located.collect()
}

// === impl Visibility ===

impl Visibility {
    /// Returns the visibility. The set of catalogs is known if both kinds were listed, and at least
    /// one kind that the cluster serves can be observed. If there are catalogs from other sources,
    /// no kind has to be observed.
    fn by(sources: &State, clusters: &State, has_others: bool) -> Self {
        use State::{NotServed, Pending, Unknown};
        let unseen = |kind: &str, state: &State| Self::Unseen(format!("{kind}s are {state}"));
        match (sources, clusters) {
            (Pending, _) | (_, Pending) => Self::Pending,
            _ if has_others => Self::Seen,
            (Unknown { .. }, Unknown { .. } | NotServed) => unseen("CatalogSource", sources),
            (NotServed, Unknown { .. }) => unseen("ClusterCatalog", clusters),
            _ => Self::Seen,
        }
    }

    /// Sets the state and returns true if it has changed. Once the set of catalogs is known, it
    /// stays known.
    fn turn_to(&mut self, now: Self) -> bool {
        let is_other = *self != Self::Seen && *self != now;
        if is_other {
            *self = now;
        }
        is_other
    }
}

/// Logs the errors of objects that have not been logged yet.
fn warn<K>(view: &View<K>, told: &mut BTreeSet<String>) {
    let odd: BTreeSet<_> = view.faults.iter().map(ToString::to_string).collect();
    for reason in odd.difference(told) {
        tracing::warn!(reason, "an object cannot be read");
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

#[cfg(test)]
mod tests;
