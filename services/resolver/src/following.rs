//! Catalogs for another service in the same process that needs their content.

use std::convert::Infallible;
use std::sync::Arc;

use portolan_world::{Ended, World};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use crate::Snapshot;
use crate::budget::Budget;
use crate::catalogs::Catalogs;
use crate::mirrors::Mirrors;
use crate::source::{
    self, CatalogAt, ClusterCatalogs, Follower, ReadCatalogs, Readings, SourceAccess, Visibility,
};

/// Catalogs that are followed as long as this, or a clone of it, is held.
#[derive(Debug, Clone)]
pub struct Following {
    catalogs: Catalogs,
    known: watch::Receiver<Visibility>,
    /// Never changes; closes when the task that follows ends.
    alive: watch::Receiver<()>,
    mirrors: Option<Mirrors>,
    _following: Arc<AbortOnDropHandle<()>>,
}

// === impl Following ===

impl Following {
    /// Follows the given catalogs, and those that the objects of a world name. Registries in files
    /// belong to another cluster or time, so they are not contacted.
    ///
    /// # Errors
    /// Returns an error if two catalogs have the same name, or if a folder is missing.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub fn of(
        world: impl World,
        given: Vec<CatalogAt>,
        reach: &SourceAccess,
    ) -> Result<Self, ReadCatalogs> {
        let catalogs = Catalogs::within(Budget::of_process(None));
        let follower = || Follower::new(&catalogs, reach);
        Self::by((follower(), follower()), world, given)
    }

    /// Follows catalogs for one of several users of the same sources, each with its own world.
    /// Sources that do not depend on the world are read once for all of them.
    ///
    /// # Errors
    /// Returns the same errors as [`Following::of`].
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub fn sharing(
        readings: &Readings,
        world: impl World,
        given: Vec<CatalogAt>,
    ) -> Result<Self, ReadCatalogs> {
        let catalogs = readings.catalogs();
        let follower = || Follower::sharing(&catalogs, readings);
        Self::by((follower(), follower()), world, given)
    }

    /// Follows the given catalogs, and those of the world. Only the latter use the dialer of the
    /// world.
    fn by(
        (of_given, of_world): (Follower, Follower),
        world: impl World,
        given: Vec<CatalogAt>,
    ) -> Result<Self, ReadCatalogs> {
        let catalogs = of_given.catalogs().clone();
        let names: Vec<_> = given.iter().map(|at| at.name.clone()).collect();
        let given = source::watch_by(&of_given, given)?;
        let (telling, known) = watch::channel(Visibility::default());
        // Those of files are of another place.
        let is_here = world.folder().is_none();
        let mirrors = is_here.then(|| Mirrors::of(&world));
        let cluster = ClusterCatalogs::new(of_world.through(mirrors.clone()), names);
        let cluster = match world.folder() {
            None => cluster,
            Some(folder) => cluster.of_folder(folder).unread(),
        };
        let named = cluster.follow(world, telling);
        let (living, alive) = watch::channel(());
        let following = async move {
            follow(given, named).await;
            drop(living);
        };
        Ok(Self {
            catalogs,
            known,
            alive,
            mirrors,
            _following: Arc::new(AbortOnDropHandle::new(tokio::spawn(following))),
        })
    }

    /// Returns the mirrors of the world, if it is a cluster.
    pub(crate) fn mirrors(&self) -> Option<Mirrors> {
        self.mirrors.clone()
    }

    /// Returns the current and future Snapshots.
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.catalogs.watch()
    }

    /// Waits until it is known which catalogs there are, and each was read or failed to be; or that
    /// it cannot be known. If the world ends before, it returns as well.
    pub async fn settled(&self) {
        let (mut known, mut snapshot) = (self.known.clone(), self.watch());
        let is_answered = known.wait_for(|known| *known != Visibility::Pending).await;
        if is_answered.is_ok_and(|known| *known == Visibility::Seen) {
            // The sender lives as long as this does.
            let _ = snapshot.wait_for(|snapshot| snapshot.is_settled()).await;
        }
    }

    /// Waits until it is known which catalogs there are, and each was read or failed to be, however
    /// long that cannot be known. If the world ends before, it returns as well.
    pub async fn wait_until_read(&self) {
        let mut known = self.known.clone();
        // The end of the world ends the wait, too.
        let _ = known.wait_for(|known| *known == Visibility::Seen).await;
        self.settled().await;
    }

    /// Returns the reason why the set of catalogs is unknown, if it is.
    pub fn unseen(&self) -> Option<String> {
        match &*self.known.borrow() {
            Visibility::Unseen(why) => Some(why.clone()),
            Visibility::Pending | Visibility::Seen => None,
        }
    }

    /// Waits until some catalog is followed no longer, as the world has ended or following it has
    /// panicked.
    pub async fn wait_for_end(&self) {
        let mut alive = self.alive.clone();
        while alive.changed().await.is_ok() {}
    }
}

/// Follows catalogs until one of the tasks ends.
async fn follow(mut given: JoinSet<()>, named: impl Future<Output = Result<Infallible, Ended>>) {
    tokio::select! {
        Some(Err(_)) = given.join_next() => {}
        _ = named => {}
    }
}
