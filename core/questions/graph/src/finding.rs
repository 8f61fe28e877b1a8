//! Finds all problems of catalogs.

use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Catalog, CatalogPlace, Defect, Severity, Unmet};
use portolan_core_names::{CatalogName, PackageName};

use crate::{ChannelFault, Graph};

/// One problem, for the maintainer of a catalog. Programs use [`code`](Self::code), and users read
/// `Display`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A document that is invalid or contradicts other documents.
    Document {
        catalog: CatalogName,
        fault: catalog::Fault,
    },
    /// A channel with a fault.
    Channel {
        catalog: CatalogName,
        package: PackageName,
        /// The location of the `olm.channel` document.
        place: CatalogPlace,
        fault: ChannelFault,
    },
    /// A requirement that no bundle of any catalog satisfies.
    Requirement(Unmet),
}

/// Checks all catalogs that are used together, such as the catalogs of one cluster. The result is
/// sorted by severity, and then by catalog. The worst findings come first. The result contains no
/// duplicates.
pub fn findings<'a>(
    catalogs: impl IntoIterator<Item = (&'a CatalogName, &'a Catalog)>,
) -> Vec<Finding> {
    let catalogs: Vec<_> = catalogs.into_iter().collect();
    let mut findings = Vec::new();
    for (name, catalog) in &catalogs {
        findings.extend(documents(name, catalog));
        findings.extend(channels(name, catalog));
    }
    let unmet = catalog::unmet(catalogs.iter().copied());
    findings.extend(unmet.into_iter().map(Finding::Requirement));
    // The sort is stable, so the findings of one catalog with equal severity remain sorted by
    // location and name.
    findings.sort_by(|left, right| {
        let rank = |finding: &Finding| (finding.severity(), finding.catalog().clone());
        rank(left).cmp(&rank(right))
    });
    findings
}

fn documents(name: &CatalogName, catalog: &Catalog) -> impl Iterator<Item = Finding> {
    catalog.faults.iter().map(|fault| Finding::Document {
        catalog: name.clone(),
        fault: fault.clone(),
    })
}

fn channels(name: &CatalogName, catalog: &Catalog) -> impl Iterator<Item = Finding> {
    catalog.packages.values().flat_map(|package| {
        let graph = Graph::new(Arc::clone(package));
        // The document of an entry without a bundle already has a finding with the line number.
        // Therefore this fault of the channel is omitted.
        let faults = graph.faults().iter();
        let faults = faults.filter(|fault| fault.missing_bundle().is_none());
        let found = faults.filter_map(|fault| {
            let channel = package.channels.get(fault.channel())?;
            Some(Finding::Channel {
                catalog: name.clone(),
                package: package.name.clone(),
                place: channel.place.clone(),
                fault: fault.clone(),
            })
        });
        found.collect::<Vec<_>>()
    })
}

// === impl Finding ===

impl Finding {
    /// Iterates over the codes of documents, channels and requirements, each with its meaning.
    pub fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
        let of_channels = ChannelFault::CODES.iter();
        // This fault is reported for the document, so its code does not appear for channels.
        let of_channels = of_channels.filter(|(code, _)| *code != "NoBundle");
        let codes = Defect::CODES.iter().chain(of_channels).chain(Unmet::CODES);
        codes.copied()
    }

    pub fn severity(&self) -> Severity {
        match self {
            Self::Document { fault, .. } => fault.severity(),
            Self::Channel { fault, .. } => fault.severity(),
            Self::Requirement(unmet) => unmet.severity(),
        }
    }

    pub fn code(&self) -> &'static str {
        match self {
            Self::Document { fault, .. } => fault.defect.code(),
            Self::Channel { fault, .. } => fault.code(),
            Self::Requirement(unmet) => unmet.code(),
        }
    }

    pub fn catalog(&self) -> &CatalogName {
        match self {
            Self::Document { catalog, .. }
            | Self::Channel { catalog, .. }
            | Self::Requirement(Unmet { catalog, .. }) => catalog,
        }
    }

    /// Returns the package. Returns None if the package is unknown. If the document cannot be read,
    /// the name may be invalid.
    pub fn package(&self) -> Option<&str> {
        match self {
            Self::Document { fault, .. } => fault.package.as_deref(),
            Self::Channel { package, .. } | Self::Requirement(Unmet { package, .. }) => {
                Some(package.as_str())
            }
        }
    }
}

/// Formats the problem in one line, without the catalog and the severity.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document { fault, .. } => write!(f, "{fault}"),
            Self::Channel { package, fault, .. } => write!(f, "package {package}, {fault}"),
            Self::Requirement(unmet) => write!(f, "{unmet}"),
        }
    }
}
