//! The catalogs of a process. This module creates the Snapshots.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use jiff::Timestamp;
use portolan_core_catalog::{Catalog, Digest, Fault};
use portolan_core_names::CatalogName;
use tokio::sync::watch;

use crate::budget::Budget;
use crate::snapshot::{
    CatalogState, Content, ContentOrigin, Offer, Rank, Snapshot, SourceFailure, SourceObject, Text,
};

/// The current Snapshot. It is replaced when a catalog changes. Clones share the Snapshot.
///
/// Each catalog has one task that updates it. The tasks of different catalogs may run at the same
/// time.
#[derive(Debug, Clone)]
pub struct Catalogs {
    snapshot: watch::Sender<Arc<Snapshot>>,
    texts: Arc<SharedTexts>,
    budget: Budget,
}

// === impl Catalogs ===

impl Catalogs {
    /// Creates an empty set of catalogs.
    pub fn new() -> Self {
        Self::within(Budget::default())
    }

    /// Creates an empty set of catalogs. The catalogs are read within the memory limits of
    /// `budget`.
    pub fn within(budget: Budget) -> Self {
        Self {
            snapshot: watch::Sender::new(Arc::default()),
            texts: Arc::default(),
            budget,
        }
    }

    /// Creates an empty set of catalogs. The catalogs are read within the memory limits of
    /// `budget`. If a catalog has the same content as a catalog of another set, the content is
    /// stored only once.
    pub(crate) fn sharing(texts: &Arc<SharedTexts>, budget: Budget) -> Self {
        Self {
            texts: Arc::clone(texts),
            ..Self::within(budget)
        }
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    pub(crate) fn texts(&self) -> &Arc<SharedTexts> {
        &self.texts
    }

    /// Returns the current and future Snapshots.
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.snapshot.subscribe()
    }

    /// Adds a catalog, or updates the object and the rank of an existing catalog. An existing
    /// catalog keeps its content.
    pub fn place(&self, name: &CatalogName, observed: SourceObject, rank: Rank) {
        self.change(name, |offer| {
            let known = offer.map(|offer| &offer.state);
            let next = Offer {
                observed,
                rank,
                state: known.cloned().unwrap_or(CatalogState::Pending),
            };
            offer
                .is_none_or(|offer| !offer.is_placed_like(&next))
                .then_some(next)
        });
    }

    /// Sets the rank of an existing catalog.
    pub fn rank(&self, name: &CatalogName, rank: Rank) {
        self.change(name, |offer| {
            let offer = offer.filter(|offer| offer.rank != rank)?;
            Some(Offer {
                rank,
                ..offer.clone()
            })
        });
    }

    /// Removes a catalog.
    pub fn remove(&self, name: &CatalogName) {
        self.snapshot.send_if_modified(|snapshot| {
            let is_there = snapshot.offers.contains_key(name);
            if is_there {
                *snapshot = Arc::new(snapshot.without(name));
                tracing::info!(catalog = %name, "catalog removed");
            }
            is_there
        });
    }

    /// Records the content that was read from the source of a catalog.
    pub fn read(&self, name: &CatalogName, catalog: Catalog, origin: ContentOrigin) {
        self.turn(name, |state| {
            let content = self.texts.content(state.content(), catalog, origin);
            state.serves(Timestamp::now(), content)
        });
    }

    /// Records that the source of a catalog has this content. Other catalogs may share the content.
    pub(crate) fn serves(&self, name: &CatalogName, content: Arc<Content>) {
        self.turn(name, |state| state.serves(Timestamp::now(), content));
    }

    /// Records that the source of a catalog cannot be read and that the previous content is used.
    /// Other catalogs may share the content.
    pub(crate) fn outdated(&self, name: &CatalogName, content: Arc<Content>, why: SourceFailure) {
        let now = Timestamp::now();
        self.turn(name, |state| match state.content() {
            Some(_) => state.lost(now, why),
            None => state.serves(now, content).lost(now, why),
        });
    }

    /// Records that the source of a catalog was read again and has the same content.
    pub fn unchanged(&self, name: &CatalogName) {
        self.turn(name, |state| state.unchanged(Timestamp::now()));
    }

    /// Records that the source of a catalog cannot be read.
    pub fn lost(&self, name: &CatalogName, why: SourceFailure) {
        self.turn(name, |state| state.lost(Timestamp::now(), why));
    }

    /// Records that a catalog was disabled, and removes its content.
    pub(crate) fn switched_off(&self, name: &CatalogName, why: SourceFailure) {
        let since = Timestamp::now();
        self.turn(name, |_| CatalogState::Failed { since, why });
    }

    /// Records that a catalog was enabled again.
    pub(crate) fn switched_on(&self, name: &CatalogName) {
        self.turn(name, |_| CatalogState::Pending);
    }

    /// Sets the next state of a catalog. The state is computed without holding the lock, because
    /// only the task of the catalog changes its state.
    fn turn(&self, name: &CatalogName, next: impl FnOnce(&CatalogState) -> CatalogState) {
        let offer = self.snapshot.borrow().offers.get(name).cloned();
        let Some(offer) = offer else {
            return;
        };
        let state = next(&offer.state);
        if state.is_same(&offer.state) {
            if let (Some(content), Some(same)) = (offer.content(), state.content()) {
                content.read_from(same);
            }
            return;
        }
        log_change(name, &offer.state, &state);
        self.change(name, |offer| {
            offer.map(|offer| Offer {
                state,
                ..Offer::clone(offer)
            })
        });
    }

    /// Replaces an offer, unless `next` returns None. Receivers of the Snapshot are notified only
    /// of changes that clients can see.
    fn change(&self, name: &CatalogName, next: impl FnOnce(Option<&Offer>) -> Option<Offer>) {
        self.snapshot.send_if_modified(|snapshot| {
            let offer = snapshot.offers.get(name).map(|offer| &**offer);
            let Some(next) = next(offer) else {
                return false;
            };
            let is_news = offer.is_none_or(|offer| !offer.says_as(&next));
            *snapshot = Arc::new(snapshot.with(name.clone(), next));
            is_news
        });
    }
}

impl Default for Catalogs {
    fn default() -> Self {
        Self::new()
    }
}

/// Logs one line about all faults, because there may be thousands of faults. Clients can list the
/// faults.
fn log_faults(name: &CatalogName, faults: &[Fault]) {
    if let [first, ..] = faults {
        let faults = faults.len();
        tracing::warn!(catalog = %name, faults, first = %first, "catalog has faults");
    }
    for fault in faults {
        tracing::debug!(catalog = %name, reason = %fault, "catalog fault");
    }
}

/// Logs a change of state, for the administrator of this process.
fn log_change(name: &CatalogName, before: &CatalogState, now: &CatalogState) {
    match (before, now) {
        (_, CatalogState::Serving { content, .. }) => {
            let catalog = content.catalog();
            let (packages, faults) = (catalog.packages.len(), catalog.faults.len());
            let digest = catalog.digest;
            tracing::info!(catalog = %name, packages, faults, %digest, "catalog read");
            let was_told = before.content();
            if !was_told.is_some_and(|told| told.says_as(content)) {
                log_faults(name, &catalog.faults);
            }
        }
        (CatalogState::Stale { .. }, CatalogState::Stale { why, .. })
        | (CatalogState::Failed { .. }, CatalogState::Failed { why, .. }) => {
            tracing::debug!(catalog = %name, reason = %why, "catalog still cannot be read");
        }
        (_, CatalogState::Stale { why, .. } | CatalogState::Failed { why, .. }) => {
            tracing::warn!(catalog = %name, reason = %why, "catalog cannot be read");
        }
        (_, CatalogState::Pending) => {}
    }
}

/// The catalog contents ("texts") that are in use. Several namespaces may have a CatalogSource of
/// the same image, each with a separate registry. Such catalogs share one text.
#[derive(Debug, Default)]
pub(crate) struct SharedTexts(Mutex<BTreeMap<TextKey, Weak<Text>>>);

/// A key that is equal for equal texts, and almost never equal for different texts.
type TextKey = [Digest; 3];

// === impl SharedTexts ===

impl SharedTexts {
    /// Returns the content of a catalog that was read. The content shares equal parts with the
    /// older content of the source and with the content of other sources.
    pub(crate) fn content(
        &self,
        older: Option<&Arc<Content>>,
        catalog: Catalog,
        origin: ContentOrigin,
    ) -> Arc<Content> {
        Arc::new(Content::of(self.text(older, catalog), origin))
    }

    /// Returns the text of a catalog. If a text in use is equal, returns that text. Otherwise, the
    /// new text shares equal parts with the older content of the source.
    fn text(&self, older: Option<&Arc<Content>>, catalog: Catalog) -> Arc<Text> {
        let key = key(&catalog);
        let mut texts = self.lock();
        let known = texts.get(&key).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| *known.catalog() == catalog) {
            return known;
        }
        let text = match older {
            Some(older) => Text::after(older.text(), catalog),
            None => Arc::new(Text::new(catalog)),
        };
        texts.retain(|_, text| text.strong_count() > 0);
        texts.insert(key, Arc::downgrade(&text));
        text
    }

    /// Locks the map. A panic in another thread leaves the map consistent, so a poisoned lock is
    /// ignored.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<TextKey, Weak<Text>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(catalog: &Catalog) -> TextKey {
    [catalog.digest, catalog.display_digest, catalog.fault_digest]
}

#[cfg(test)]
mod tests {
    use portolan_core_catalog::Reading;

    use super::*;
    use crate::snapshot::ContentOrigin;

    fn catalog(package: &str) -> Catalog {
        let document = format!("{{\"schema\": \"olm.package\", \"name\": \"{package}\"}}");
        Catalog::of([Reading::of("catalog.json", document.as_bytes())])
    }

    #[test]
    fn immaterial_write_keeps_answers_and_wakes_no_watcher() {
        let (catalogs, name) = (Catalogs::new(), "olm/demo".parse().expect("a name"));
        let place = |version: &str, uid: &str, priority: i32| {
            let observed = SourceObject {
                uid: Some(uid.to_owned()),
                resource_version: Some(version.to_owned()),
                ..SourceObject::local("CatalogSource", "demo".to_owned())
            };
            catalogs.place(&name, observed, priority.into());
        };
        place("1", "a", 0);
        catalogs.read(&name, catalog("a"), ContentOrigin::folder("demo".into()));
        let mut watch = catalogs.watch();
        let before = watch.borrow_and_update().clone();
        before.universe();

        place("2", "a", 0);
        assert!(!watch.has_changed().expect("it goes on"));
        let after = watch.borrow_and_update().clone();
        let version = after.offers[&name].observed.resource_version.as_deref();
        assert_eq!(version, Some("2"), "a read must return the new version");
        assert!(Arc::ptr_eq(&before.kept, &after.kept));
        assert!(std::ptr::eq(before.universe(), after.universe()));
        assert!(after.since(&before.offers).is_empty());

        for (uid, priority) in [("a", 1), ("b", 1)] {
            place("3", uid, priority);
            assert!(watch.has_changed().expect("it goes on"), "{uid} {priority}");
            let next = watch.borrow_and_update().clone();
            assert!(!Arc::ptr_eq(&after.kept, &next.kept));
            assert_eq!(next.since(&after.offers).len(), 1);
        }
    }

    #[test]
    fn equal_content_is_shared_while_a_source_holds_it() {
        let texts = SharedTexts::default();
        let one = texts.text(None, catalog("a"));
        let other = texts.text(None, catalog("b"));
        assert!(!Arc::ptr_eq(&one, &other));
        assert!(Arc::ptr_eq(&one, &texts.text(None, catalog("a"))));

        let content = Arc::new(Content::of(other, ContentOrigin::folder("b".into())));
        let turned = texts.text(Some(&content), catalog("a"));
        assert!(Arc::ptr_eq(&one, &turned), "another source says it already");

        drop((one, turned, content));
        texts.text(None, catalog("c"));
        let known: Vec<_> = texts.lock().keys().copied().collect();
        assert_eq!(known, [key(&catalog("c"))]);
    }

    #[test]
    fn different_contents_with_equal_digests_are_not_shared() {
        let texts = SharedTexts::default();
        let one = texts.text(None, catalog("a"));
        let elsewhere = || {
            let document = b"\n{\"schema\": \"olm.package\", \"name\": \"a\"}";
            Catalog::of([Reading::of("other.json", document)])
        };
        let other = texts.text(None, elsewhere());
        assert_eq!(*other.catalog(), elsewhere());
        assert_eq!(*one.catalog(), catalog("a"));
    }
}
