//! Requests that need a solver: resolving requirements, and predicting OLM v0.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portolan_core_forecast::{Forecast, Namespace, Source, forecast};
use portolan_core_names::CatalogName;
use portolan_core_solver::{Question, Resolution, resolve_unless};

use super::{Answering, RequestError};
use crate::Snapshot;
use crate::snapshot::{CatalogState, Offer};

/// Resolves a set of requirements.
#[derive(Debug, Clone)]
pub(crate) struct Resolve(pub(crate) Question);

#[derive(Debug)]
pub(crate) struct Resolved<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) catalogs: Vec<Answering<'a>>,
    /// The catalogs that were not searched because they have no content.
    pub(crate) unread: Vec<(&'a CatalogName, &'a Offer)>,
    pub(crate) answer: Resolution,
}

// === impl Resolve ===

impl Resolve {
    /// Resolves the requirements with all catalogs. A difficult request needs about a second. A
    /// catalog that was designed to be difficult can need more time. The search ends when the
    /// caller stops waiting.
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
        abandoned: Arc<AtomicBool>,
    ) -> Result<Resolved<'a>, RequestError> {
        let catalogs = snapshot.answering(None)?;
        let answer = resolve_unless(snapshot.universe(), &self.0, abandoned.clone())?;
        if abandoned.load(Ordering::Relaxed) {
            return Err(RequestError::Abandoned);
        }
        Ok(Resolved {
            snapshot,
            catalogs,
            unread: snapshot.unread().collect(),
            answer,
        })
    }
}

/// Predicts the actions of OLM v0 in a namespace.
#[derive(Debug, Clone)]
pub(crate) struct PredictOlm {
    pub(crate) namespace: Namespace,
    /// The namespace of the global catalogs.
    pub(crate) global: String,
}

#[derive(Debug)]
pub(crate) struct Predicted<'a> {
    pub(crate) catalogs: Vec<Answering<'a>>,
    /// The visible catalogs without content. OLM may use them, but the prediction cannot.
    pub(crate) unread: Vec<(&'a CatalogName, &'a Offer)>,
    /// The visible catalogs with content that may be outdated.
    pub(crate) stale: Vec<(&'a CatalogName, &'a Offer)>,
    pub(crate) forecast: Forecast,
}

// === impl PredictOlm ===

impl PredictOlm {
    /// Simulates the resolution passes of OLM. A difficult namespace needs about a second.
    pub(crate) fn ask<'a>(&self, snapshot: &'a Snapshot) -> Result<Predicted<'a>, RequestError> {
        let (mut unread, mut stale) = (Vec::new(), Vec::new());
        for (name, offer) in of_olm_v0(snapshot).filter(|(name, _)| self.may_see(name)) {
            match &offer.state {
                // The catalog has not been read yet, so it is unknown if OLM can query this
                // catalog.
                CatalogState::Pending => return Err(RequestError::NoContent(offer.excuse(name))),
                CatalogState::Serving { .. } => {}
                CatalogState::Stale { .. } => stale.push((name, offer)),
                CatalogState::Failed { .. } => unread.push((name, offer)),
            }
        }
        let sources = self.sources(snapshot)?;
        let catalogs = snapshot.with_content();
        Ok(Predicted {
            catalogs: catalogs.filter(|it| !it.offer.rank.is_of_olm_v1).collect(),
            unread,
            stale,
            forecast: forecast(&self.namespace, &sources, &self.global),
        })
    }

    fn may_see(&self, catalog: &CatalogName) -> bool {
        let place = catalog.namespace().unwrap_or(&self.global);
        place == self.global || place == self.namespace.name
    }

    /// Returns all catalogs that are visible in the namespace, by the names of their
    /// CatalogSources.
    fn sources<'a>(&self, snapshot: &'a Snapshot) -> Result<Vec<Source<'a>>, RequestError> {
        let sources = of_olm_v0(snapshot).map(|(name, offer)| {
            Ok(Source {
                name: placed(name, &self.global)?,
                priority: offer.rank.priority.into(),
                content: match offer.content() {
                    Some(content) => Ok(content.catalog()),
                    None => Err(offer.excuse(name)),
                },
            })
        });
        let sources: Vec<_> = sources.collect::<Result<_, RequestError>>()?;
        let mut seen = BTreeSet::new();
        match sources.iter().find(|source| !seen.insert(&source.name)) {
            Some(Source { name, .. }) => Err(RequestError::Field {
                field: "global_namespace".into(),
                message: format!(
                    "the catalogs {name} and {} would have the same name; omit one of these \
                     catalogs",
                    name.object()
                ),
            }),
            None => Ok(sources),
        }
    }
}

/// Returns the catalogs that OLM v0 may use in any namespace.
fn of_olm_v0(snapshot: &Snapshot) -> impl Iterator<Item = (&CatalogName, &Offer)> {
    snapshot
        .each()
        .filter(|(_, offer)| !offer.rank.is_of_olm_v1)
}

/// Returns the name of a catalog with this namespace, if the name has no namespace.
pub(crate) fn placed(catalog: &CatalogName, namespace: &str) -> Result<CatalogName, RequestError> {
    if catalog.namespace().is_some() {
        return Ok(catalog.clone());
    }
    let placed = CatalogName::parse(&format!("{namespace}/{catalog}"));
    placed.map_err(|refusal| RequestError::Field {
        field: "global_namespace".into(),
        message: refusal.to_string(),
    })
}
