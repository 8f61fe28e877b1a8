//! The content of a catalog, ready to be asked.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use portolan_catalog::{Catalog, Fault, Package};
use portolan_graph::Charted;
use portolan_names::PackageName;

use crate::source::Origin;

/// A catalog with its graphs.
#[derive(Debug)]
pub struct Content {
    /// What was read.
    pub catalog: Catalog,
    /// Where that is read from which was not kept of it. All else here stays as it is; a connection
    /// may be lost and another take its place, which is no news to anybody.
    origin: RwLock<Origin>,
    charts: BTreeMap<PackageName, Arc<Charted>>,
    /// The places of faults, by the package that they name.
    faults: BTreeMap<Box<str>, Vec<usize>>,
    /// The places of faults that may be anybody's.
    unclaimed: Vec<usize>,
}

// === impl Content ===

impl Content {
    /// The content that was read first.
    pub fn new(catalog: Catalog, origin: Origin) -> Self {
        Self::with_charts(catalog, origin, |package| {
            Arc::new(Charted::new(Arc::clone(package)))
        })
    }

    /// The content that was read later. What did not change is shared with the older one: who
    /// holds both holds it once, and graphs are not charted again.
    pub fn after(older: &Self, mut catalog: Catalog, origin: Origin) -> Self {
        catalog.share(&older.catalog);
        Self::with_charts(catalog, origin, |package| {
            let known = older.charts.get(&package.name);
            let same = known.filter(|chart| Arc::ptr_eq(chart.package(), package));
            same.map_or_else(|| Arc::new(Charted::new(Arc::clone(package))), Arc::clone)
        })
    }

    fn with_charts(
        catalog: Catalog,
        origin: Origin,
        chart: impl Fn(&Arc<Package>) -> Arc<Charted>,
    ) -> Self {
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
            catalog,
            origin: RwLock::new(origin),
            charts,
            faults,
            unclaimed,
        }
    }

    /// Where that is read from now which was not kept of it.
    pub fn origin(&self) -> Origin {
        let origin = self.origin.read();
        origin.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on reads what was not kept from where the other, which is the same, reads it.
    pub(crate) fn read_from(&self, same: &Self) {
        let origin = same.origin();
        *self.origin.write().unwrap_or_else(PoisonError::into_inner) = origin;
    }

    /// Whether both say the same, and what was not kept is read from the same place, be it over
    /// another connection.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.catalog == other.catalog && self.origin().is_same(&other.origin())
    }

    pub(crate) fn packages(&self) -> impl Iterator<Item = &Arc<Charted>> {
        self.charts.values()
    }

    pub(crate) fn charts(&self) -> impl Iterator<Item = (&PackageName, &Charted)> {
        self.charts.iter().map(|(name, chart)| (name, &**chart))
    }

    pub(crate) fn chart(&self, package: &PackageName) -> Option<&Charted> {
        self.charts.get(package).map(|chart| &**chart)
    }

    /// The faults that may bear on a package: its own, and those of documents that could be
    /// anybody's.
    pub(crate) fn faults_about(&self, package: &PackageName) -> impl Iterator<Item = &Fault> {
        let own = self.faults.get(package.as_str()).into_iter().flatten();
        let places = own.chain(&self.unclaimed);
        places.map(|at| &self.catalog.faults[*at])
    }
}
