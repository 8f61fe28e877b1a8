//! Creates Snapshots from objects: watches the objects that affect operators and catalogs, and
//! judges the affected operators and catalogs after each change.
//!
//! ```text
//! Kinds ------\                             /-> Copies, PodWatches: further watches
//! Installers -+
//! Copies ------> touched namespaces -> judge
//! PodWatches -/                             \-> operators --\
//! catalogs, Probes -----------------------> catalogs ----> Snapshot
//! ```
//!
//! If a verdict does not change, the new Snapshot shares the verdict with the previous Snapshot.

mod catalogs;
mod copies;
mod ground;
mod installers;
mod keep_alive;
mod kinds;
mod pods;
mod staleness;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::sync::Arc;

use portolan_core_health::{Namespace, judge};
use portolan_core_olm::CatalogSource;
use portolan_scaffold::{Cache, Rounds, SnapshotCell};
use portolan_world::{Changes, Ended, Informer, Notifier, World};
use tokio::time::Instant;

use self::catalogs::Catalogs;
use self::copies::Copies;
use self::ground::References;
use self::installers::Installers;
use self::kinds::Kinds;
use self::pods::PodWatches;
use self::verdicts::Verdicts;
use crate::snapshot::{Snapshot, Unseen};
use crate::{Grounds, Options};

/// The watched objects, and the verdicts that were computed from them.
#[derive(Debug)]
struct HealthCache<W> {
    world: W,
    notifier: Notifier,
    kinds: Kinds,
    installers: Installers,
    copies: Copies,
    pods: PodWatches,
    references: References,
    verdicts: Verdicts,
    catalogs: Catalogs,
    /// The facts with which each namespace was judged last. None if facts are not stored.
    grounds: Option<BTreeMap<Arc<str>, Arc<Namespace>>>,
}

/// Watches a world and publishes Snapshots until the world ends.
pub(crate) async fn follow(
    world: impl World,
    options: Options,
    cell: SnapshotCell<Snapshot>,
) -> Ended {
    let Options {
        namespace,
        probes,
        keeps_grounds,
    } = options;
    let notifier = Notifier::default();
    let cache = HealthCache {
        kinds: Kinds::of(&world, namespace.as_deref(), &notifier),
        installers: Installers::of(&world, namespace.as_deref(), &notifier),
        copies: Copies::default(),
        pods: PodWatches::default(),
        references: References::default(),
        verdicts: Verdicts::default(),
        catalogs: Catalogs::of(&world, probes, &notifier),
        grounds: keeps_grounds.then(BTreeMap::new),
        world,
        notifier: notifier.clone(),
    };
    Rounds::new(cache, notifier).run(cell).await
}

// === impl HealthCache ===

impl<W: World> Cache for HealthCache<W> {
    type Snapshot = Snapshot;

    fn kinds(&mut self) -> Vec<&mut dyn Informer> {
        let mut kinds = self.kinds.all();
        kinds.extend(self.installers.all());
        kinds
    }

    /// Applies changes. Returns the namespaces to judge: the namespaces of the changed objects, and
    /// the namespaces whose objects refer to a changed object.
    fn apply(&mut self, changes: &Changes) -> BTreeSet<Arc<str>> {
        let mut touched = self.kinds.touched(changes);
        touched.append(&mut self.installers.judge(changes));
        touched.append(&mut self.references.speaking_of(changes));
        touched.append(&mut self.copies.look());
        touched.append(&mut self.pods.look());
        touched
    }

    fn namespaces(&self) -> BTreeSet<Arc<str>> {
        let mut namespaces = self.kinds.namespaces();
        namespaces.append(&mut self.installers.namespaces());
        namespaces.append(&mut self.verdicts.namespaces());
        namespaces
    }

    fn judge(&mut self, name: &Arc<str>) -> bool {
        let (namespace, mentioned) = ground::namespace(name, &self.kinds, &self.copies, &self.pods);
        let mut operators = judge(&namespace);
        operators.extend_from_slice(self.installers.within(name));
        self.references.put(name, mentioned);
        self.copies.doubt(name, ground::is_in_doubt(&namespace));
        let failing = ground::failing(&namespace, &self.kinds);
        self.pods.fail(name, failing);
        let is_kept = self.keep(name, namespace);
        self.verdicts.put(name, operators) || is_kept
    }

    /// Starts and stops the watches of copied ClusterServiceVersions and of the objects below
    /// Deployments. Returns the namespaces that must be judged again because of this.
    fn follow_besides(&mut self) -> BTreeSet<Arc<str>> {
        let mut turned = self.copies.turn(&self.world, &self.notifier);
        turned.append(&mut self.pods.turn(&self.world, &self.notifier, Instant::now()));
        turned.append(&mut self.copies.look());
        turned.append(&mut self.pods.look());
        turned
    }

    /// Judges the catalogs. Returns true if a verdict has changed.
    fn judge_rest(&mut self, changes: &Changes) -> bool {
        let are_moved = changes.bear_on_all() || !changes.of::<CatalogSource>().is_empty();
        self.catalogs.judge(&self.kinds.catalogs, are_moved)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            operators: self.verdicts.all().clone(),
            catalogs: self.catalogs.all().clone(),
            unseen: self.unseen(),
            grounds: self.grounds(),
        }
    }

    fn is_settled(&self) -> bool {
        !self.copies.are_pending() && !self.pods.are_pending() && !self.catalogs.are_pending()
    }

    /// Waits until the probe of a registry has a new result, or until a watch must be closed.
    async fn changed(&mut self) {
        tokio::select! {
            () = self.catalogs.changed() => {}
            () = until(self.pods.next_end()) => {}
        }
    }
}

impl<W> HealthCache<W> {
    /// Stores the facts of a namespace, if facts are stored. Returns true if facts are stored.
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
            unseen: self.kinds.unseen().olm().next().cloned(),
        }
    }

    fn unseen(&self) -> Unseen {
        let mut unseen = self.kinds.unseen();
        self.installers.add_unseen(&mut unseen);
        unseen
    }
}

/// Waits until this time. Without a time, waits forever.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => pending().await,
    }
}
