//! The content of a catalog, prepared for queries.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use portolan_core_catalog::{Bundle, Catalog, Fault, Package};
use portolan_core_graph::Charted;
use portolan_core_names::{BundleName, PackageName};

use super::SourceFailure;
use crate::source::ContentOrigin;

/// The content of a catalog with its graphs.
#[derive(Debug)]
pub struct Content {
    text: Arc<Text>,
    /// The origin of the details that are not kept in memory. All other fields are immutable. A new
    /// connection to the same source replaces a lost origin. Clients of a watch are not notified of
    /// this.
    origin: RwLock<ContentOrigin>,
}

/// The packages and faults of a catalog, without their origin. Several catalogs may share a text.
#[derive(Debug)]
pub(crate) struct Text {
    catalog: Catalog,
    charts: BTreeMap<PackageName, Arc<Charted>>,
    /// The indexes of faults, by the package that each fault names.
    faults: BTreeMap<Box<str>, Vec<usize>>,
    /// The indexes of faults that may affect any package.
    unclaimed: Vec<usize>,
    /// True if a package has at least [`MANY_ENTRIES`] entries, so that queries run on another
    /// thread.
    has_large_packages: bool,
}

/// The minimum number of entries of a large package. Real packages have at most half as many
/// entries. Queries about smaller packages take less time than starting another thread.
const MANY_ENTRIES: usize = 1000;

// === impl Content ===

impl Content {
    /// Creates the content after the source was read for the first time.
    pub fn new(catalog: Catalog, origin: ContentOrigin) -> Self {
        Self::of(Arc::new(Text::new(catalog)), origin)
    }

    /// Creates the content after the source was read again. The new content shares unchanged
    /// packages with the older content. This saves memory, and the graphs of these packages do not
    /// have to be built again.
    pub fn after(older: &Self, catalog: Catalog, origin: ContentOrigin) -> Self {
        Self::of(Text::after(&older.text, catalog), origin)
    }

    pub(crate) fn of(text: Arc<Text>, origin: ContentOrigin) -> Self {
        let origin = RwLock::new(origin);
        Self { text, origin }
    }

    pub fn catalog(&self) -> &Catalog {
        &self.text.catalog
    }

    pub(crate) fn text(&self) -> &Arc<Text> {
        &self.text
    }

    /// Returns the origin of the details that are not kept in memory.
    pub fn origin(&self) -> ContentOrigin {
        let origin = self.origin.read();
        origin.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns true if the source returns some details of a bundle only when this bundle is
    /// requested, as registries do.
    pub fn tells_if_asked(&self) -> bool {
        matches!(self.origin(), ContentOrigin::Registry(_))
    }

    /// Requests all details of a bundle from its origin. Returns None if the bundle does not exist,
    /// or if all details are known.
    ///
    /// # Errors
    /// Returns an error if there is no valid result.
    pub async fn whole(
        &self,
        package: &PackageName,
        bundle: &BundleName,
    ) -> Result<Option<Arc<Bundle>>, SourceFailure> {
        let package = self.text.catalog.packages.get(package);
        let found = package.and_then(|package| Some((package, package.bundles.get(bundle)?)));
        let Some((package, bundle)) = found else {
            return Ok(None);
        };
        let channel = package.channels_of(&bundle.name).next();
        let rest = self.origin().bundle(package, bundle, channel).await;
        let rest = rest.map_err(|error| SourceFailure::new("ReadOrigin", &error))?;
        Ok(rest.whole)
    }

    /// Uses the origin of another value with equal content for details from now on.
    pub(crate) fn read_from(&self, same: &Self) {
        let origin = same.origin();
        *self.origin.write().unwrap_or_else(PoisonError::into_inner) = origin;
    }

    /// Returns true if the content is equal and the origins return the same details. The
    /// connections may differ.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.says_as(other) && self.origin().is_same(&other.origin())
    }

    /// Returns true if the packages and faults are equal. Ignores the origin of details.
    pub(crate) fn says_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.text, &other.text) || self.text.catalog == other.text.catalog
    }

    pub(crate) fn packages(&self) -> impl Iterator<Item = &Arc<Charted>> {
        self.text.charts.values()
    }

    pub fn charted(&self) -> &BTreeMap<PackageName, Arc<Charted>> {
        &self.text.charts
    }

    pub(crate) fn charts(&self) -> impl Iterator<Item = (&PackageName, &Charted)> {
        self.text
            .charts
            .iter()
            .map(|(name, chart)| (name, &**chart))
    }

    pub(crate) fn chart(&self, package: &PackageName) -> Option<&Charted> {
        self.text.charts.get(package).map(|chart| &**chart)
    }

    /// Returns the faults that may concern a package: the faults that name the package, and the
    /// faults of documents whose package is unknown.
    pub(crate) fn faults_about(&self, package: &PackageName) -> impl Iterator<Item = &Fault> {
        let own = self.text.faults.get(package.as_str()).into_iter().flatten();
        let places = own.chain(&self.text.unclaimed);
        places.map(|at| &self.text.catalog.faults[*at])
    }
}

// === impl Text ===

impl Text {
    pub(crate) fn new(catalog: Catalog) -> Self {
        Self::with_charts(catalog, |package| {
            Arc::new(Charted::new(Arc::clone(package)))
        })
    }

    /// Creates a newer text. It shares unchanged packages with the older text.
    pub(crate) fn after(older: &Arc<Self>, mut catalog: Catalog) -> Arc<Self> {
        if older.catalog == catalog {
            return Arc::clone(older);
        }
        catalog.share(&older.catalog);
        Arc::new(Self::with_charts(catalog, |package| {
            let known = older.charts.get(&package.name);
            let same = known.filter(|chart| Arc::ptr_eq(chart.package(), package));
            same.map_or_else(|| Arc::new(Charted::new(Arc::clone(package))), Arc::clone)
        }))
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(crate) fn has_large_packages(&self) -> bool {
        self.has_large_packages
    }

    fn with_charts(catalog: Catalog, chart: impl Fn(&Arc<Package>) -> Arc<Charted>) -> Self {
        let charts = catalog.packages.iter();
        let charts = charts
            .map(|(name, package)| (name.clone(), chart(package)))
            .collect();
        let (mut faults, mut unclaimed) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
        for (at, fault) in catalog.faults.iter().enumerate() {
            match &fault.package {
                Some(package) => faults.entry(package.as_str().into()).or_default().push(at),
                None => unclaimed.push(at),
            }
        }
        Self {
            has_large_packages: catalog.packages.values().any(|package| is_large(package)),
            catalog,
            charts,
            faults,
            unclaimed,
        }
    }
}

fn is_large(package: &Package) -> bool {
    let channels = package.channels.values();
    let entries: usize = channels.map(|channel| channel.entries.len()).sum();
    entries >= MANY_ENTRIES
}
