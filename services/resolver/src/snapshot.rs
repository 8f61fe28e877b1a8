//! What the resolver answers from.

mod content;
mod standing;
mod universe;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use portolan_core_names::CatalogName;
use portolan_core_solver::Universe;

use crate::swift::Kept;

pub use self::content::Content;
pub(crate) use self::content::Text;
pub use self::standing::{Standing, Trouble};
pub use crate::source::Origin;

/// All catalogs, as they are known together. It never changes; a newer one takes its place and
/// shares what did not change.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The catalogs.
    pub offers: BTreeMap<CatalogName, Arc<Offer>>,
    /// Grows with every change.
    pub revision: u32,
    /// What it was asked before.
    pub(crate) kept: Arc<Kept>,
    /// All bundles together, once somebody asked about more than one package.
    universe: Arc<OnceLock<Universe>>,
}

/// One catalog, as it is known.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Where it comes from.
    pub observed: Observed,
    /// Of catalogs with the same package, the one with the highest priority answers.
    pub priority: i32,
    /// How well it is known, and its content.
    pub standing: Standing,
}

/// One catalog that is not as it was.
#[derive(Debug)]
pub(crate) enum Change {
    /// It is new, or something of it is.
    Catalog(CatalogName, Arc<Offer>),
    /// It is no longer there.
    Gone(CatalogName),
}

/// The thing that a catalog comes from: a folder, an address, an object of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// Its kind.
    pub kind: &'static str,
    /// Its namespace, if it is in one.
    pub namespace: Option<String>,
    /// Its name; the path of a folder, the address of a registry.
    pub name: String,
    /// Its uid, if it is an object of a cluster.
    pub uid: Option<String>,
    /// Its resource version, if it is an object of a cluster.
    pub resource_version: Option<String>,
}

// === impl Snapshot ===

impl Snapshot {
    pub(crate) fn each(&self) -> impl Iterator<Item = (&CatalogName, &Offer)> {
        self.offers.iter().map(|(name, offer)| (name, &**offer))
    }

    /// What has changed since the catalogs were these: which are gone, then which are not as they
    /// were.
    pub(crate) fn since(&self, known: &BTreeMap<CatalogName, Arc<Offer>>) -> Vec<Change> {
        let gone = known.keys().filter(|name| !self.offers.contains_key(*name));
        let is_news = |(name, offer): &(&CatalogName, &Arc<Offer>)| {
            let known = known.get(*name);
            known.is_none_or(|known| !Arc::ptr_eq(known, offer))
        };
        let gone = gone.map(|name| Change::Gone(name.clone()));
        let changed = self.offers.iter().filter(is_news);
        let changed = changed.map(|(name, offer)| Change::Catalog(name.clone(), offer.clone()));
        gone.chain(changed).collect()
    }

    /// Whether every catalog has been read, or failed to be.
    pub fn is_settled(&self) -> bool {
        self.offers
            .values()
            .all(|offer| !matches!(offer.standing, Standing::Pending))
    }

    /// Whether a question may be about a package that is answered about in a thread of its own.
    pub(crate) fn has_large_packages(&self) -> bool {
        let mut contents = self.offers.values().filter_map(|offer| offer.content());
        contents.any(|content| content.text().has_large_packages())
    }

    /// The next Snapshot, with this catalog as it is known now.
    #[must_use]
    pub fn with(&self, name: CatalogName, offer: Offer) -> Self {
        let mut next = self.next();
        next.offers.insert(name, Arc::new(offer));
        next
    }

    /// The next Snapshot, without this catalog.
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
    /// The content, if any was ever read.
    pub fn content(&self) -> Option<&Arc<Content>> {
        self.standing.content()
    }

    pub(crate) fn is_placed_like(&self, other: &Self) -> bool {
        self.observed == other.observed && self.priority == other.priority
    }
}

// === impl Observed ===

impl Observed {
    /// Something that is no object of a cluster.
    pub fn local(kind: &'static str, name: String) -> Self {
        Self {
            kind,
            namespace: None,
            name,
            uid: None,
            resource_version: None,
        }
    }
}
