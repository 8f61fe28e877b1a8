//! Watches catalogs for another service in this process that needs their content.

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

/// Catalogs that are watched until this value and its clones are dropped.
#[derive(Debug, Clone)]
pub struct Following {
    catalogs: Catalogs,
    known: watch::Receiver<Visibility>,
    /// A channel that never gets a value. It closes when the task that watches the catalogs ends.
    alive: watch::Receiver<()>,
    mirrors: Option<Mirrors>,
    _following: Arc<AbortOnDropHandle<()>>,
}

// === impl Following ===

impl Following {
    /// Watches the catalogs from flags, and the catalogs that the objects of a world describe. A
    /// world is a cluster or a set of files. If the world consists of files, its registries are not
    /// contacted, because they may belong to another cluster or to an earlier time.
    ///
    /// # Errors
    /// Returns an error if two catalogs have the same name, or if a folder is missing.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(
        world: impl World,
        given: Vec<CatalogAt>,
        reach: &SourceAccess,
    ) -> Result<Self, ReadCatalogs> {
        let catalogs = Catalogs::within(Budget::of_process(None));
        let follower = || Follower::new(&catalogs, reach);
        Self::by((follower(), follower()), world, given)
    }

    /// Watches catalogs like [`Following::of`], for one of several users of the same sources. Each
    /// user has a separate world. Sources that do not depend on the world are read once for all
    /// users.
    ///
    /// # Errors
    /// Returns the same errors as [`Following::of`].
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn sharing(
        readings: &Readings,
        world: impl World,
        given: Vec<CatalogAt>,
    ) -> Result<Self, ReadCatalogs> {
        let catalogs = readings.catalogs();
        let follower = || Follower::sharing(&catalogs, readings);
        Self::by((follower(), follower()), world, given)
    }

    /// Watches the catalogs from flags and the catalogs of the world. Only the catalogs of the
    /// world are contacted through the dialer of the world.
    fn by(
        (of_given, of_world): (Follower, Follower),
        world: impl World,
        given: Vec<CatalogAt>,
    ) -> Result<Self, ReadCatalogs> {
        let catalogs = of_given.catalogs().clone();
        let names: Vec<_> = given.iter().map(|at| at.name.clone()).collect();
        let given = source::watch_by(&of_given, given)?;
        let (telling, known) = watch::channel(Visibility::default());
        // The objects of a folder may belong to another cluster, so their registries are not
        // contacted.
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

    /// Returns the image mirrors of the world. Returns None if the world is not a cluster.
    pub(crate) fn mirrors(&self) -> Option<Mirrors> {
        self.mirrors.clone()
    }

    /// Returns the current and future Snapshots.
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.catalogs.watch()
    }

    /// Waits until the set of catalogs is known and each catalog was read or has failed. Also
    /// returns if the set of catalogs cannot be determined, or if the world ends.
    pub async fn settled(&self) {
        let (mut known, mut snapshot) = (self.known.clone(), self.watch());
        let is_answered = known.wait_for(|known| *known != Visibility::Pending).await;
        if is_answered.is_ok_and(|known| *known == Visibility::Seen) {
            // This value owns the sender, so the wait cannot fail.
            let _ = snapshot.wait_for(|snapshot| snapshot.is_settled()).await;
        }
    }

    /// Waits until the set of catalogs is known and each catalog was read or has failed, without a
    /// time limit. Also returns if the world ends.
    pub async fn wait_until_read(&self) {
        let mut known = self.known.clone();
        // The wait also ends when the world ends.
        let _ = known.wait_for(|known| *known == Visibility::Seen).await;
        self.settled().await;
    }

    /// Returns the reason why the set of catalogs is unknown. Returns None if the set is known.
    pub fn unseen(&self) -> Option<String> {
        match &*self.known.borrow() {
            Visibility::Unseen(why) => Some(why.clone()),
            Visibility::Pending | Visibility::Seen => None,
        }
    }

    /// Waits until a catalog is no longer watched: its objects can no longer be watched, or a task
    /// has panicked.
    pub async fn wait_for_end(&self) {
        let mut alive = self.alive.clone();
        while alive.changed().await.is_ok() {}
    }
}

/// Watches catalogs until one of the tasks ends.
async fn follow(mut given: JoinSet<()>, named: impl Future<Output = Result<Infallible, Ended>>) {
    tokio::select! {
        Some(Err(_)) = given.join_next() => {}
        _ = named => {}
    }
}
