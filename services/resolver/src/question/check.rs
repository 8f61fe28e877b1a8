//! What is wrong or odd with catalogs?

use portolan_core_catalog::Severity;
use portolan_core_graph::{Finding, findings};
use portolan_core_names::CatalogName;

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
    pub(crate) findings: Page<Finding>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) notes: usize,
}

// === impl CheckCatalogs ===

impl CheckCatalogs {
    /// Looks into all catalogs that there are, for what one requires another may have.
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<Checked<'a>, Refusal> {
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
