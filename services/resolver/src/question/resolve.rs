//! Which operators grant a set of wishes?

use portolan_core_names::CatalogName;
use portolan_core_solver::{Answer, Question, resolve};

use super::{Answering, Refusal};
use crate::Snapshot;
use crate::snapshot::Offer;

/// Which operators grant a set of wishes.
#[derive(Debug, Clone)]
pub(crate) struct Resolve(pub(crate) Question);

/// The answer, and what it was made from.
#[derive(Debug)]
pub(crate) struct Resolved<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) catalogs: Vec<Answering<'a>>,
    /// The catalogs that took no part, as they have no content.
    pub(crate) unread: Vec<(&'a CatalogName, &'a Offer)>,
    pub(crate) answer: Answer,
}

// === impl Resolve ===

impl Resolve {
    /// Searches all catalogs. A hard question takes about a second.
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<Resolved<'a>, Refusal> {
        let catalogs = snapshot.answering(None)?;
        let answer = resolve(snapshot.universe(), &self.0)?;
        Ok(Resolved {
            snapshot,
            catalogs,
            unread: snapshot.unread().collect(),
            answer,
        })
    }
}
