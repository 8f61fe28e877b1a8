//! The state with which the resolver processes queries.

mod content;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use portolan_core_catalog::{Fault, Severity};
use portolan_core_names::CatalogName;
use portolan_core_olm::CATALOG_NAME;
use portolan_core_solver::{CatalogOffer, Freshness, Universe};

use crate::cached::AnswerCache;

pub use self::content::Content;
pub(crate) use self::content::Text;
pub use self::state::{CatalogState, SourceFailure};
pub use crate::source::ContentOrigin;

/// The catalogs at one point in time. A Snapshot is immutable. A newer Snapshot replaces it and
/// shares its unchanged content.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub offers: BTreeMap<CatalogName, Arc<Offer>>,
    /// A number that increases with every change that is sent to clients of a watch.
    pub revision: u32,
    /// The cached responses of this Snapshot.
    pub(crate) kept: Arc<AnswerCache>,
    /// The bundles of all catalogs, prepared for the solver. They are prepared when a request about
    /// several packages first needs them.
    universe: Arc<OnceLock<Universe>>,
}

/// A catalog of a Snapshot, with its state and its source.
#[derive(Debug, Clone)]
pub struct Offer {
    pub observed: SourceObject,
    pub rank: Rank,
    pub state: CatalogState,
}

/// The properties of a catalog by which it is selected among several catalogs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rank {
    /// The priority. If several catalogs contain a package, queries use the catalog with the
    /// highest priority.
    pub priority: i32,
    /// The labels of the catalog's object.
    pub labels: BTreeMap<String, String>,
    /// True if the catalog's object is a ClusterCatalog, even if a flag sets the source of its
    /// content. OLM v0 never uses such a catalog.
    pub is_of_olm_v1: bool,
}

impl From<i32> for Rank {
    /// Creates the rank of a catalog without labels.
    fn from(priority: i32) -> Self {
        Self {
            priority,
            ..Self::default()
        }
    }
}

impl Rank {
    /// Returns the labels by which Operators select the catalog: the labels of its object, and a
    /// label with the catalog's name. With this additional label, an Operator can select every kind
    /// of catalog by name.
    pub(crate) fn labels_with_name(&self, name: &CatalogName) -> BTreeMap<String, String> {
        let mut labels = self.labels.clone();
        labels.insert(CATALOG_NAME.to_owned(), name.object().to_owned());
        labels
    }
}

/// A change of one catalog, for clients of a watch.
#[derive(Debug)]
pub(crate) enum CatalogChange {
    /// The catalog was added or modified.
    Catalog(CatalogName, Arc<Offer>),
    /// The catalog was deleted.
    Gone(CatalogName),
}

/// The source of a catalog: a folder, an address or an object of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceObject {
    pub kind: &'static str,
    pub namespace: Option<String>,
    /// The path of a folder, the address of a registry, or the name of an object.
    pub name: String,
    pub uid: Option<String>,
    pub resource_version: Option<String>,
}

// === impl Snapshot ===

impl Snapshot {
    pub(crate) fn each(&self) -> impl Iterator<Item = (&CatalogName, &Offer)> {
        self.offers.iter().map(|(name, offer)| (name, &**offer))
    }

    /// Returns the changes since these catalogs were known. Removals come first.
    pub(crate) fn since(&self, known: &BTreeMap<CatalogName, Arc<Offer>>) -> Vec<CatalogChange> {
        let gone = known.keys().filter(|name| !self.offers.contains_key(*name));
        let is_news = |(name, offer): &(&CatalogName, &Arc<Offer>)| {
            let known = known.get(*name);
            known.is_none_or(|known| !Arc::ptr_eq(known, offer) && !known.says_as(offer))
        };
        let gone = gone.map(|name| CatalogChange::Gone(name.clone()));
        let changed = self.offers.iter().filter(is_news);
        let changed =
            changed.map(|(name, offer)| CatalogChange::Catalog(name.clone(), offer.clone()));
        gone.chain(changed).collect()
    }

    /// Returns true if every catalog has been read or has failed.
    pub fn is_settled(&self) -> bool {
        self.offers
            .values()
            .all(|offer| !matches!(offer.state, CatalogState::Pending))
    }

    /// Returns true if a package is so large that queries about it must run on another thread.
    pub(crate) fn has_large_packages(&self) -> bool {
        let mut contents = self.offers.values().filter_map(|offer| offer.content());
        contents.any(|content| content.text().has_large_packages())
    }

    /// Returns the next Snapshot, with this catalog added or replaced. If the content is unchanged,
    /// the next Snapshot keeps the cached responses and the prepared data.
    #[must_use]
    pub fn with(&self, name: CatalogName, offer: Offer) -> Self {
        let known = self.offers.get(&name);
        let mut next = if known.is_some_and(|known| known.says_as(&offer)) {
            self.clone()
        } else {
            self.next()
        };
        next.offers.insert(name, Arc::new(offer));
        next
    }

    /// Returns a Snapshot that contains only the cluster-scoped catalogs and the catalogs of these
    /// namespaces.
    pub(crate) fn within(&self, namespaces: &BTreeSet<String>) -> Self {
        let is_elsewhere = |name: &&CatalogName| {
            let name = name.to_string();
            let namespace = name.split_once('/');
            namespace.is_some_and(|(namespace, _)| !namespaces.contains(namespace))
        };
        let others = self.offers.keys().filter(is_elsewhere);
        others.fold(self.clone(), |rest, name| rest.without(name))
    }

    /// Returns the next Snapshot, without this catalog.
    #[must_use]
    pub fn without(&self, name: &CatalogName) -> Self {
        let mut next = self.next();
        next.offers.remove(name);
        next
    }

    fn next(&self) -> Self {
        Self {
            offers: self.offers.clone(),
            revision: self.revision.wrapping_add(1),
            kept: Arc::default(),
            universe: Arc::default(),
        }
    }
}

// === impl Offer ===

impl Offer {
    pub fn content(&self) -> Option<&Arc<Content>> {
        self.state.content()
    }

    pub(crate) fn is_placed_like(&self, other: &Self) -> bool {
        self.observed == other.observed && self.rank == other.rank
    }

    /// Returns true if clients see no difference between both offers. Ignores the resource version
    /// of their object, which changes with every write.
    pub(crate) fn says_as(&self, other: &Self) -> bool {
        let Self {
            observed,
            rank,
            state,
        } = self;
        observed.is_same(&other.observed) && *rank == other.rank && state.is_same(&other.state)
    }
}

// === impl SourceObject ===

impl SourceObject {
    /// Creates the identity of a source outside of a cluster.
    pub fn local(kind: &'static str, name: String) -> Self {
        Self {
            kind,
            namespace: None,
            name,
            uid: None,
            resource_version: None,
        }
    }

    /// Returns true if both values identify the same object. The versions of the object may differ.
    fn is_same(&self, other: &Self) -> bool {
        let Self {
            kind,
            namespace,
            name,
            uid,
            resource_version: _,
        } = self;
        *kind == other.kind
            && *namespace == other.namespace
            && *name == other.name
            && *uid == other.uid
    }
}

// === impl Snapshot ===

impl Snapshot {
    /// Returns the prepared bundles of all catalogs. The first caller waits until they are
    /// prepared. The time depends on the number of bundles.
    pub(crate) fn universe(&self) -> &Universe {
        self.universe
            .get_or_init(|| Universe::of(self.each().map(|(name, offer)| source(name, offer))))
    }
}

fn source(name: &CatalogName, offer: &Offer) -> CatalogOffer {
    let packages = offer.content().into_iter();
    let packages = packages.flat_map(|content| content.packages().cloned());
    CatalogOffer {
        name: name.clone(),
        priority: offer.rank.priority,
        freshness: freshness(&offer.state),
        errors: errors(offer),
        packages: packages.collect(),
    }
}

fn errors(offer: &Offer) -> Vec<Fault> {
    let content = offer.content().into_iter();
    let faults = content.flat_map(|content| &content.catalog().faults);
    let errors = faults.filter(|fault| fault.severity() == Severity::Error);
    errors.cloned().collect()
}

fn freshness(state: &CatalogState) -> Freshness {
    match state {
        CatalogState::Pending => Freshness::Unread("it has not been read yet".to_owned()),
        CatalogState::Serving { .. } => Freshness::Serving,
        CatalogState::Stale { since, why, .. } => {
            Freshness::Stale(format!("{why} (since {since})"))
        }
        CatalogState::Failed { since, why } => Freshness::Unread(format!("{why} (since {since})")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use portolan_core_catalog::{Catalog, Reading};

    use super::*;
    use crate::snapshot::{ContentOrigin, SourceFailure, SourceObject};

    fn failure() -> SourceFailure {
        SourceFailure {
            code: "ReadFolder",
            message: "the disk is gone".to_owned(),
        }
    }

    #[test]
    fn freshness_is_a_clause_with_time_and_reason() {
        let at = Timestamp::UNIX_EPOCH;
        let pending = CatalogState::Pending;
        let origin = ContentOrigin::folder("demo".into());
        let serving = pending.read(at, Catalog::of::<Reading>([]), origin);
        let clauses = [
            pending.clone(),
            serving.clone(),
            serving.lost(at, failure()),
            pending.lost(at, failure()),
        ];
        assert_eq!(
            clauses.map(|known| freshness(&known)),
            [
                Freshness::Unread("it has not been read yet".to_owned()),
                Freshness::Serving,
                Freshness::Stale("the disk is gone (since 1970-01-01T00:00:00Z)".to_owned()),
                Freshness::Unread("the disk is gone (since 1970-01-01T00:00:00Z)".to_owned()),
            ]
        );
    }

    #[test]
    fn universe_is_prepared_once_per_snapshot_and_its_clones() {
        let snapshot = Snapshot::default();
        let first: *const Universe = snapshot.clone().universe();
        assert!(std::ptr::eq(first, snapshot.universe()));
        let offer = Offer {
            observed: SourceObject::local("Folder", "demo".to_owned()),
            rank: Rank::default(),
            state: CatalogState::Pending,
        };
        let name = CatalogName::parse("demo").expect("a name");
        let next = snapshot.with(name, offer);
        assert!(!Arc::ptr_eq(&next.universe, &snapshot.universe));
        assert!(next.universe.get().is_none());
    }
}
