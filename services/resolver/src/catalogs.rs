//! The catalogs of a process: where Snapshots are made.

mod library;

use std::sync::Arc;

use jiff::Timestamp;
use portolan_core_catalog::{Catalog, Fault};
use portolan_core_names::CatalogName;
use tokio::sync::watch;

use self::library::Library;
use crate::snapshot::{Content, Observed, Offer, Origin, Snapshot, Standing, Trouble};
use crate::source::registry::Budget;

/// The current Snapshot, and the only way to change it. Clones share it.
///
/// Each catalog has one task that tells about it; the tasks of several may do so at the same time.
#[derive(Debug, Clone)]
pub struct Catalogs {
    snapshot: watch::Sender<Arc<Snapshot>>,
    library: Arc<Library>,
    budget: Budget,
}

// === impl Catalogs ===

impl Catalogs {
    /// No catalogs.
    pub fn new() -> Self {
        Self::within(Budget::default())
    }

    /// No catalogs; those to come are read within this budget.
    pub fn within(budget: Budget) -> Self {
        Self {
            snapshot: watch::Sender::new(Arc::default()),
            library: Arc::default(),
            budget,
        }
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The Snapshots to come, and the current one.
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.snapshot.subscribe()
    }

    /// Adds a catalog, or tells something new about one that is there already. Its content stays.
    pub fn place(&self, name: &CatalogName, observed: Observed, priority: i32) {
        self.change(name, |offer| {
            let known = offer.map(|offer| &offer.standing);
            let next = Offer {
                observed,
                priority,
                standing: known.cloned().unwrap_or(Standing::Pending),
            };
            offer
                .is_none_or(|offer| !offer.is_placed_like(&next))
                .then_some(next)
        });
    }

    /// Tells the priority of a catalog that is there.
    pub fn rank(&self, name: &CatalogName, priority: i32) {
        self.change(name, |offer| {
            let offer = offer.filter(|offer| offer.priority != priority)?;
            Some(Offer {
                priority,
                ..offer.clone()
            })
        });
    }

    /// Takes a catalog away.
    pub fn remove(&self, name: &CatalogName) {
        self.snapshot.send_if_modified(|snapshot| {
            let is_there = snapshot.offers.contains_key(name);
            if is_there {
                *snapshot = Arc::new(snapshot.without(name));
                tracing::info!(catalog = %name, "catalog gone");
            }
            is_there
        });
    }

    /// The source of a catalog has been read.
    pub fn read(&self, name: &CatalogName, catalog: Catalog, origin: Origin) {
        self.turn(name, |standing| {
            let content = self.content(standing.content(), catalog, origin);
            standing.serves(Timestamp::now(), content)
        });
    }

    /// The source of a catalog has this content, which those of others may have as well.
    pub(crate) fn serves(&self, name: &CatalogName, content: Arc<Content>) {
        self.turn(name, |standing| standing.serves(Timestamp::now(), content));
    }

    /// The source of a catalog cannot be read, and had this content before, be it for another one.
    pub(crate) fn outdated(&self, name: &CatalogName, content: Arc<Content>, why: Trouble) {
        let now = Timestamp::now();
        self.turn(name, |standing| match standing.content() {
            Some(_) => standing.lost(now, why),
            None => standing.serves(now, content).lost(now, why),
        });
    }

    /// What was read, after an older content of the same source, if there is one. What equals it,
    /// or that of any other source, is held once.
    pub(crate) fn content(
        &self,
        older: Option<&Arc<Content>>,
        catalog: Catalog,
        origin: Origin,
    ) -> Arc<Content> {
        Arc::new(Content::of(self.library.text(older, catalog), origin))
    }

    /// The source of a catalog has the content that it had before.
    pub fn unchanged(&self, name: &CatalogName) {
        self.turn(name, |standing| standing.unchanged(Timestamp::now()));
    }

    /// The source of a catalog cannot be read.
    pub fn lost(&self, name: &CatalogName, why: Trouble) {
        self.turn(name, |standing| standing.lost(Timestamp::now(), why));
    }

    /// Where a catalog that is there stands now. What that is, is found out before anybody is made
    /// to wait: only the task of the catalog changes its standing.
    fn turn(&self, name: &CatalogName, next: impl FnOnce(&Standing) -> Standing) {
        let offer = self.snapshot.borrow().offers.get(name).cloned();
        let Some(offer) = offer else {
            return;
        };
        let standing = next(&offer.standing);
        if standing.is_same(&offer.standing) {
            if let (Some(content), Some(same)) = (offer.content(), standing.content()) {
                content.read_from(same);
            }
            return;
        }
        tell(name, &offer.standing, &standing);
        self.change(name, |offer| {
            offer.map(|offer| Offer {
                standing,
                ..Offer::clone(offer)
            })
        });
    }

    /// None changes nothing.
    fn change(&self, name: &CatalogName, next: impl FnOnce(Option<&Offer>) -> Option<Offer>) {
        self.snapshot.send_if_modified(|snapshot| {
            let offer = snapshot.offers.get(name).map(|offer| &**offer);
            let next = next(offer);
            let is_changed = next.is_some();
            if let Some(next) = next {
                *snapshot = Arc::new(snapshot.with(name.clone(), next));
            }
            is_changed
        });
    }
}

impl Default for Catalogs {
    fn default() -> Self {
        Self::new()
    }
}

/// One line says that there are faults, for there may be thousands; clients list them all.
fn tell_faults(name: &CatalogName, faults: &[Fault]) {
    if let [first, ..] = faults {
        let faults = faults.len();
        tracing::warn!(catalog = %name, faults, first = %first, "catalog has faults");
    }
    for fault in faults {
        tracing::debug!(catalog = %name, reason = %fault, "catalog fault");
    }
}

/// What an operator of this process wants to know of a catalog.
fn tell(name: &CatalogName, before: &Standing, now: &Standing) {
    match (before, now) {
        (_, Standing::Serving { content, .. }) => {
            let catalog = content.catalog();
            let (packages, faults) = (catalog.packages.len(), catalog.faults.len());
            let digest = catalog.digest;
            tracing::info!(catalog = %name, packages, faults, %digest, "catalog read");
            let was_told = before.content();
            if !was_told.is_some_and(|told| told.says_as(content)) {
                tell_faults(name, &catalog.faults);
            }
        }
        (Standing::Stale { .. }, Standing::Stale { why, .. })
        | (Standing::Failed { .. }, Standing::Failed { why, .. }) => {
            tracing::debug!(catalog = %name, reason = %why, "catalog still cannot be read");
        }
        (_, Standing::Stale { why, .. } | Standing::Failed { why, .. }) => {
            tracing::warn!(catalog = %name, reason = %why, "catalog cannot be read");
        }
        (_, Standing::Pending) => {}
    }
}
