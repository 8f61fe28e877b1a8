//! From objects to Snapshots: follows what bears on operators and catalogs, and has judged what
//! changed.
//!
//! ```text
//! Kinds ---\                             /-> Copies, Depths: what more to look at
//! Copies ---> touched namespaces -> judge
//! Depths --/                             \-> operators --\
//! catalogs, Probes -----------------------> catalogs ----> Snapshot
//! ```
//!
//! What is judged as before stays the same value.

mod below;
mod catalogs;
mod copies;
mod ground;
mod kinds;
mod linger;
mod residents;
mod sight;

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::sync::Arc;

use portolan_core_health::{Namespace, judge};
use portolan_core_olm::CatalogSource;
use portolan_scaffold::{Cache, Changes, Informer, Rounds, SnapshotCell};
use portolan_world::{Bell, Ended, World};
use tokio::time::Instant;

use self::below::Depths;
use self::catalogs::Catalogs;
use self::copies::Copies;
use self::ground::Spoken;
use self::kinds::Kinds;
use self::residents::Residence;
use crate::snapshot::Snapshot;
use crate::{Grounds, Reach};

/// Everything that is followed, and what was made of it.
#[derive(Debug)]
struct HealthCache<W> {
    world: W,
    bell: Bell,
    kinds: Kinds,
    copies: Copies,
    depths: Depths,
    spoken: Spoken,
    residence: Residence,
    catalogs: Catalogs,
    /// What each namespace was judged by last; None where nobody wants to know.
    grounds: Option<BTreeMap<Arc<str>, Arc<Namespace>>>,
}

/// Follows a world and publishes what becomes of it, until the world ends.
pub(crate) async fn follow(world: impl World, reach: Reach, cell: SnapshotCell<Snapshot>) -> Ended {
    let Reach {
        namespace,
        probes,
        keeps_grounds,
    } = reach;
    let bell = Bell::default();
    let cache = HealthCache {
        kinds: Kinds::of(&world, namespace.as_deref(), &bell),
        copies: Copies::default(),
        depths: Depths::default(),
        spoken: Spoken::default(),
        residence: Residence::default(),
        catalogs: Catalogs::of(&world, probes, &bell),
        grounds: keeps_grounds.then(BTreeMap::new),
        world,
        bell: bell.clone(),
    };
    Rounds::new(cache, bell).run(cell).await
}

// === impl HealthCache ===

impl<W: World> Cache for HealthCache<W> {
    type Snapshot = Snapshot;

    fn kinds(&mut self) -> Vec<&mut dyn Informer> {
        self.kinds.all()
    }

    /// The namespaces in which a change is, and those that speak of it.
    fn apply(&mut self, changes: &Changes) -> BTreeSet<Arc<str>> {
        let mut touched = Kinds::touched(changes);
        touched.append(&mut self.spoken.speaking_of(changes));
        touched.append(&mut self.copies.look());
        touched.append(&mut self.depths.look());
        touched
    }

    fn namespaces(&self) -> BTreeSet<Arc<str>> {
        let mut namespaces = self.kinds.namespaces();
        namespaces.append(&mut self.residence.namespaces());
        namespaces
    }

    fn judge(&mut self, name: &Arc<str>) -> bool {
        let (namespace, mentioned) =
            ground::namespace(name, &self.kinds, &self.copies, &self.depths);
        let operators = judge(&namespace);
        self.spoken.put(name, mentioned);
        self.copies.doubt(name, ground::is_in_doubt(&namespace));
        let failing = ground::failing(&namespace, &self.kinds);
        self.depths.fail(name, failing);
        let is_kept = self.keep(name, namespace);
        self.residence.put(name, operators) || is_kept
    }

    /// Copies and what is below Deployments, with what of it is there already.
    fn follow_besides(&mut self) -> BTreeSet<Arc<str>> {
        let mut turned = self.copies.turn(&self.world, &self.bell);
        turned.append(&mut self.depths.turn(&self.world, &self.bell, Instant::now()));
        turned.append(&mut self.copies.look());
        turned.append(&mut self.depths.look());
        turned
    }

    /// The catalogs.
    fn judge_rest(&mut self, changes: &Changes) -> bool {
        let are_moved = changes.bear_on_all() || !changes.of::<CatalogSource>().is_empty();
        self.catalogs.judge(&self.kinds.catalogs, are_moved)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            operators: self.residence.all().clone(),
            catalogs: self.catalogs.all().clone(),
            unseen: self.kinds.unseen(),
            grounds: self.grounds(),
        }
    }

    fn is_settled(&self) -> bool {
        !self.copies.are_pending() && !self.depths.are_pending() && !self.catalogs.are_pending()
    }

    /// A registry has something new to say, or something is to be closed.
    async fn changed(&mut self) {
        tokio::select! {
            () = self.catalogs.changed() => {}
            () = until(self.depths.next_end()) => {}
        }
    }
}

impl<W> HealthCache<W> {
    /// Keeps what a namespace was judged by, where somebody wants to know. Says whether so.
    fn keep(&mut self, name: &Arc<str>, namespace: Namespace) -> bool {
        let Some(grounds) = &mut self.grounds else {
            return false;
        };
        if namespace.subscriptions.objects.is_empty() && namespace.csvs.objects.is_empty() {
            grounds.remove(name);
        } else {
            grounds.insert(name.clone(), Arc::new(namespace));
        }
        true
    }

    fn grounds(&self) -> Grounds {
        let Some(namespaces) = &self.grounds else {
            return Grounds::default();
        };
        Grounds {
            namespaces: namespaces.clone(),
            catalogs: self.catalogs.asked_of(&self.kinds.catalogs),
            unseen: self.kinds.unseen().operators().cloned(),
        }
    }
}

/// Waits until that moment; for ever if there is none.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => pending().await,
    }
}
