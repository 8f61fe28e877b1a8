//! The queries about catalogs: their names, their faults and their packages.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_catalog::{Bundle, Package, Severity};
use portolan_core_graph::{Charted, Finding, Graph, findings};
use portolan_core_names::{BundleName, CatalogName, PackageName};

use super::{Answering, FoundPackage, Page, PageRequest, RequestError};
use crate::Snapshot;
use crate::snapshot::Offer;
use crate::source::{BundleRest, PackageRest, ReadOrigin};

/// Lists packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListPackages {
    /// The catalog. None for all catalogs.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) page: PageRequest,
}

#[derive(Debug)]
pub(crate) struct ListedPackages<'a> {
    pub(crate) catalogs: Vec<Answering<'a>>,
    pub(crate) packages: Page<(&'a CatalogName, &'a Charted)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GetPackage {
    /// The catalog. None for the best catalog that contains the package.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    pub(crate) wants_icon: bool,
}

#[derive(Debug)]
pub(crate) struct DescribedPackage<'a> {
    pub(crate) found: FoundPackage<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GetBundle {
    /// The catalog. None for the best catalog that contains the package.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) package: PackageName,
    pub(crate) bundle: BundleName,
    pub(crate) wants_objects: bool,
}

/// A query for a bundle by its name. The package may be omitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameBundle {
    pub(crate) catalog: Option<CatalogName>,
    /// The package. None to find the package that contains a bundle with this name.
    pub(crate) package: Option<PackageName>,
    pub(crate) bundle: BundleName,
    pub(crate) wants_objects: bool,
}

#[derive(Debug)]
pub(crate) struct DescribedBundle<'a> {
    pub(crate) found: FoundPackage<'a>,
    pub(crate) bundle: &'a Arc<Bundle>,
}

// === impl ListPackages ===

impl ListPackages {
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
    ) -> Result<ListedPackages<'a>, RequestError> {
        let catalogs = snapshot.answering(self.catalog.as_ref())?;
        let charts = |catalog: &Answering<'a>| {
            let name = catalog.name;
            catalog
                .content
                .charts()
                .map(move |(_, chart)| (name, chart))
        };
        let packages: Vec<_> = catalogs.iter().flat_map(charts).collect();
        Ok(ListedPackages {
            packages: self.page.cut(&catalogs, packages.into_iter())?,
            catalogs,
        })
    }
}

// === impl GetPackage ===

impl GetPackage {
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
    ) -> Result<DescribedPackage<'a>, RequestError> {
        let found = snapshot.find(self.catalog.as_ref(), &self.package)?;
        Ok(DescribedPackage { found })
    }
}

// === impl DescribedPackage ===

impl<'a> DescribedPackage<'a> {
    pub(crate) fn package(&self) -> &'a Package {
        self.found.chart.package()
    }

    pub(crate) fn graph(&self) -> &'a Graph {
        self.found.chart.graph()
    }

    /// Reads the details of the package that are not kept in memory.
    pub(crate) async fn rest(&self) -> Result<PackageRest, ReadOrigin> {
        let origin = self.found.catalog.content.origin();
        origin.package(self.package()).await
    }
}

// === impl GetBundle ===

impl GetBundle {
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
    ) -> Result<DescribedBundle<'a>, RequestError> {
        let found = snapshot.find(self.catalog.as_ref(), &self.package)?;
        let bundle = found.bundle(&self.bundle)?;
        Ok(DescribedBundle { found, bundle })
    }
}

// === impl NameBundle ===

impl NameBundle {
    /// Returns the query for the bundle with its package.
    pub(crate) fn find(self, snapshot: &Snapshot) -> Result<GetBundle, RequestError> {
        let Self {
            catalog,
            package,
            bundle,
            wants_objects,
        } = self;
        let package = match package {
            Some(package) => package,
            None => package_of(snapshot, catalog.as_ref(), &bundle)?,
        };
        Ok(GetBundle {
            catalog,
            package,
            bundle,
            wants_objects,
        })
    }
}

/// Returns the only package that contains a bundle with this name.
fn package_of(
    snapshot: &Snapshot,
    catalog: Option<&CatalogName>,
    bundle: &BundleName,
) -> Result<PackageName, RequestError> {
    let answering = snapshot.answering(catalog)?;
    let charts = answering.iter().flat_map(|it| it.content.charts());
    let having = charts.filter(|(_, chart)| chart.package().bundles.contains_key(bundle));
    let packages: BTreeSet<_> = having.map(|(_, chart)| &chart.package().name).collect();
    let mut packages = packages.into_iter();
    let refusal = |message: String| RequestError::Field {
        field: "package".into(),
        message,
    };
    match (packages.next(), packages.next()) {
        (Some(only), None) => Ok(only.clone()),
        (None, _) => Err(refusal(format!(
            "no package has a bundle {bundle}; select the package, or another bundle"
        ))),
        (Some(one), Some(other)) => Err(refusal(format!(
            "packages {one} and {other} have a bundle {bundle}; select one of these packages"
        ))),
    }
}

// === impl DescribedBundle ===

impl DescribedBundle<'_> {
    /// Reads the details of the bundle that are not kept in memory.
    pub(crate) async fn rest(&self) -> Result<BundleRest, ReadOrigin> {
        let origin = self.found.catalog.content.origin();
        let package = self.found.chart.package();
        let channel = package.channels_of(&self.bundle.name).next();
        origin.bundle(package, self.bundle, channel).await
    }
}

/// Lists catalogs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListCatalogs {
    /// The catalog. None for all catalogs.
    pub(crate) catalog: Option<CatalogName>,
}

// === impl ListCatalogs ===

impl ListCatalogs {
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
    ) -> Result<Vec<(&'a CatalogName, &'a Offer)>, RequestError> {
        match &self.catalog {
            Some(name) => Ok(vec![snapshot.offer(name)?]),
            None => Ok(snapshot.each().collect()),
        }
    }
}

/// Lists faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckCatalogs {
    /// The catalog. None for all catalogs.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) page: PageRequest,
}

#[derive(Debug)]
pub(crate) struct Checked<'a> {
    pub(crate) catalogs: Vec<Answering<'a>>,
    pub(crate) findings: Page<Finding>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) notes: usize,
}

// === impl CheckCatalogs ===

impl CheckCatalogs {
    /// Searches all catalogs, because a bundle of another catalog may satisfy the requirement of a
    /// bundle.
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<Checked<'a>, RequestError> {
        let asked = snapshot.answering(self.catalog.as_ref())?;
        let all = snapshot.answering(None)?;
        let mut findings = findings(all.iter().map(|each| (each.name, each.content.catalog())));
        findings.retain(|finding| asked.iter().any(|each| each.name == finding.catalog()));
        let count = |severity| findings.iter().filter(|f| f.severity() == severity).count();
        Ok(Checked {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Note),
            findings: self.page.cut(&all, findings.into_iter())?,
            catalogs: all,
        })
    }
}
