//! What is wrong or odd with catalogs?

use portolan_catalog::{Fault, Severity};
use portolan_graph as graph;
use portolan_names::{CatalogName, PackageName};

use super::{Answering, Page, PageRequest, Refusal};
use crate::Snapshot;

/// What is wrong or odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckCatalogs {
    /// None for all.
    pub(crate) catalog: Option<CatalogName>,
    pub(crate) page: PageRequest,
}

/// The answer, and what it was made from.
#[derive(Debug)]
pub(crate) struct Checked<'a> {
    pub(crate) catalogs: Vec<Answering<'a>>,
    pub(crate) findings: Page<Finding<'a>>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
}

/// One thing that is wrong or odd.
#[derive(Debug, Clone)]
pub(crate) enum Finding<'a> {
    /// Found while reading.
    Reading(&'a CatalogName, &'a Fault),
    /// Found in a graph.
    Graph(&'a CatalogName, &'a PackageName, graph::Fault),
}

// === impl CheckCatalogs ===

impl CheckCatalogs {
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<Checked<'a>, Refusal> {
        let catalogs = snapshot.answering(self.catalog.as_ref())?;
        let mut findings: Vec<_> = catalogs.iter().flat_map(findings).collect();
        // Within a catalog the errors come first; a stable sort keeps the rest in order.
        findings.sort_by_key(|finding| (finding.catalog().clone(), finding.severity()));
        let count = |severity| findings.iter().filter(|f| f.severity() == severity).count();
        Ok(Checked {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            findings: self.page.cut(&catalogs, findings.into_iter())?,
            catalogs,
        })
    }
}

// === impl Finding ===

impl Finding<'_> {
    fn catalog(&self) -> &CatalogName {
        match self {
            Self::Reading(catalog, _) | Self::Graph(catalog, ..) => catalog,
        }
    }

    fn severity(&self) -> Severity {
        match self {
            Self::Reading(_, fault) => fault.severity(),
            Self::Graph(_, _, fault) if fault.is_error() => Severity::Error,
            Self::Graph(..) => Severity::Warning,
        }
    }
}

fn findings<'a>(catalog: &Answering<'a>) -> Vec<Finding<'a>> {
    let Answering { name, content, .. } = *catalog;
    let reading = content.catalog.faults.iter();
    let reading = reading.map(|fault| Finding::Reading(name, fault));
    let graphs = content.charts().flat_map(|(package, chart)| {
        // What reading has told is not told again.
        let news = |fault: &graph::Fault| fault.missing_bundle().is_none();
        let faults = chart.glance(|graph| graph.faults().to_vec());
        let faults = faults.into_iter().filter(news);
        faults.map(|fault| Finding::Graph(name, package, fault))
    });
    reading.chain(graphs).collect()
}
