//! Finds the objects that a query names in a Snapshot.

use std::sync::Arc;

use portolan_core_catalog::{Bundle, Defect, Severity};
use portolan_core_graph::{Charted, UnknownChannel};
use portolan_core_names::{BundleName, CatalogName, PackageName, nearest};

use super::{RequestError, meant, names};
use crate::Snapshot;
use crate::snapshot::{Content, Offer};

/// A catalog with content, which answers a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answering<'a> {
    pub(crate) name: &'a CatalogName,
    pub(crate) offer: &'a Offer,
    pub(crate) content: &'a Content,
}

/// A package, and the catalog that contains it.
#[derive(Debug, Clone)]
pub(crate) struct FoundPackage<'a> {
    pub(crate) catalog: Answering<'a>,
    pub(crate) chart: &'a Charted,
    /// The catalogs without content. They might contain the package.
    pub(crate) unread: Vec<(&'a CatalogName, &'a Offer)>,
}

// === impl Snapshot ===

impl Snapshot {
    /// Returns the catalogs for a query: the named catalog, or all catalogs with content if the
    /// query names no catalog.
    pub(crate) fn answering(
        &self,
        catalog: Option<&CatalogName>,
    ) -> Result<Vec<Answering<'_>>, RequestError> {
        match catalog {
            Some(name) => Ok(vec![self.named(name)?]),
            None => self.readable(),
        }
    }

    /// Returns a package from the named catalog. Without a name, returns the package from the best
    /// catalog that contains it.
    pub(crate) fn find(
        &self,
        catalog: Option<&CatalogName>,
        package: &PackageName,
    ) -> Result<FoundPackage<'_>, RequestError> {
        let answering = self.answering(catalog)?;
        let having = answering.iter().filter_map(|catalog| {
            let chart = catalog.content.chart(package)?;
            Some((*catalog, chart))
        });
        let mut best: Vec<_> = having.collect();
        let priority = |(catalog, _): &(Answering<'_>, _)| catalog.offer.rank.priority;
        let highest = best.iter().map(priority).max();
        best.retain(|found| Some(priority(found)) == highest);
        match best.as_slice() {
            [] => Err(self.unknown(package, &answering)),
            [(only, chart)] => Ok(FoundPackage {
                catalog: *only,
                chart,
                unread: match catalog {
                    Some(_) => Vec::new(),
                    None => self.unread().collect(),
                },
            }),
            several => Err(several_catalogs(package, several)),
        }
    }

    /// Returns a catalog. The catalog may have no content.
    pub(crate) fn offer(&self, name: &CatalogName) -> Result<(&CatalogName, &Offer), RequestError> {
        let found = self.offers.get_key_value(name);
        let found = found.map(|(name, offer)| (name, &**offer));
        found.ok_or_else(|| RequestError::UnknownCatalog {
            name: name.clone(),
            known: self.offers.keys().cloned().collect(),
        })
    }

    /// Returns the catalogs without content.
    pub(crate) fn unread(&self) -> impl Iterator<Item = (&CatalogName, &Offer)> {
        self.each().filter(|(_, offer)| offer.content().is_none())
    }

    fn named(&self, name: &CatalogName) -> Result<Answering<'_>, RequestError> {
        let (name, offer) = self.offer(name)?;
        let answering = Answering::of(name, offer);
        answering.ok_or_else(|| RequestError::NoContent(offer.excuse(name)))
    }

    /// Returns all catalogs with content. Returns an error if there are catalogs and none of them
    /// has content.
    fn readable(&self) -> Result<Vec<Answering<'_>>, RequestError> {
        let readable: Vec<_> = self.with_content().collect();
        if readable.is_empty() && !self.offers.is_empty() {
            let excuses = self.each().map(|(name, offer)| offer.excuse(name));
            let excuses: Vec<_> = excuses.collect();
            return Err(RequestError::NoContent(excuses.join("; ")));
        }
        Ok(readable)
    }

    pub(crate) fn with_content(&self) -> impl Iterator<Item = Answering<'_>> {
        let offers = self.each();
        offers.filter_map(|(name, offer)| Answering::of(name, offer))
    }

    fn unknown(&self, package: &PackageName, looked_in: &[Answering<'_>]) -> RequestError {
        RequestError::UnknownPackage {
            name: package.clone(),
            message: match looked_in {
                [] => format!("package  not found, because no catalog is available{package}"),
                [only] if only.is_empty() => format!(
                    "catalog {} has no packages; check the location of the catalog",
                    only.name
                ),
                [only] => format!("catalog {} has no package {package}", only.name),
                several => {
                    let looked_in: Vec<_> = several.iter().map(|c| c.name.clone()).collect();
                    format!(
                        "no catalog has package {package}; searched catalogs: {}",
                        names(&looked_in)
                    )
                }
            } + &hint(package, looked_in)
                + &self.unread_hint(looked_in),
        }
    }

    fn unread_hint(&self, looked_in: &[Answering<'_>]) -> String {
        if looked_in.len() < 2 && self.offers.len() < 2 {
            return String::new();
        }
        self.unread()
            .map(|(name, offer)| format!(" ({})", offer.excuse(name)))
            .collect()
    }
}

// === impl FoundPackage ===

impl<'a> FoundPackage<'a> {
    /// Returns a bundle of the package.
    pub(crate) fn bundle(&self, name: &BundleName) -> Result<&'a Arc<Bundle>, RequestError> {
        let package = self.chart.package();
        let bundle = package.bundles.get(name);
        bundle.ok_or_else(|| RequestError::UnknownBundle {
            name: name.clone(),
            package: package.name.clone(),
            near: nearest(name.as_str(), package.bundles.keys()).cloned(),
        })
    }

    /// Returns the error for a channel that the package does not contain. If the package has no
    /// channels at all, the error contains the fault that may be the reason.
    pub(crate) fn unknown_channel(&self, unknown: UnknownChannel) -> RequestError {
        let UnknownChannel {
            package,
            channel,
            known,
        } = &unknown;
        if !known.is_empty() {
            return unknown.into();
        }
        let mut faults = self.catalog.content.faults_about(package);
        let fault = faults.find(|fault| {
            fault.severity() == Severity::Error && !matches!(fault.defect, Defect::NoChannel(_))
        });
        let fault = fault.map_or_else(String::new, |fault| format!(" ({fault})"));
        RequestError::NoChannels {
            channel: channel.clone(),
            message: format!("package {package} has no channels, so no channel {channel}{fault}"),
        }
    }
}

// === impl Answering ===

impl<'a> Answering<'a> {
    /// Returns the catalog for queries. Returns None if it has no content.
    fn of(name: &'a CatalogName, offer: &'a Offer) -> Option<Self> {
        let content = offer.content()?;
        Some(Self {
            name,
            offer,
            content,
        })
    }

    fn is_empty(&self) -> bool {
        let catalog = self.content.catalog();
        catalog.packages.is_empty() && catalog.faults.is_empty()
    }
}

// === impl Offer ===

impl Offer {
    /// Returns the reason why the catalog has no content.
    pub(crate) fn excuse(&self, name: &CatalogName) -> String {
        match self.state.why() {
            Some(why) => format!("catalog {name} could not be read: {why}"),
            None => format!("catalog {name} has not been read yet; retry in a moment"),
        }
    }
}

fn several_catalogs(package: &PackageName, having: &[(Answering<'_>, &Charted)]) -> RequestError {
    let having: Vec<_> = having
        .iter()
        .map(|(catalog, _)| catalog.name.clone())
        .collect();
    RequestError::Field {
        field: "catalog".into(),
        message: format!(
            "package {package} is in several catalogs of the same priority; select one catalog: {}",
            names(&having)
        ),
    }
}

/// Returns a hint about a missing package: a package with a similar name, and the fault that may
/// hide the requested package.
fn hint(package: &PackageName, looked_in: &[Answering<'_>]) -> String {
    let known = looked_in
        .iter()
        .flat_map(|catalog| catalog.content.catalog().packages.keys());
    let near = meant(nearest(package.as_str(), known));
    let mut faults = looked_in
        .iter()
        .flat_map(|catalog| catalog.content.faults_about(package));
    let hidden = faults
        .next()
        .map(|fault| format!(" (it may be hidden by: {fault})"));
    near + &hidden.unwrap_or_default()
}
