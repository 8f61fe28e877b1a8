//! The catalogs for each stage of a cluster upgrade. A stage is the current release or a later
//! release.

use std::sync::Arc;

use portolan_core_catalog::Severity;
use portolan_core_names::{BundleName, CatalogName, PackageName};
use portolan_core_route::readiness::{Offer, Stage};

use super::ReleaseContent;
use crate::Snapshot;
use crate::snapshot::{CatalogState, Content};

/// The catalogs for all stages of a cluster upgrade.
#[derive(Debug)]
pub struct StagedCatalogs {
    /// The catalogs of the cluster, for the current release.
    current: Arc<Snapshot>,
    /// The catalogs of the later stages, beginning with the stage after the current stage. None if
    /// the user supplies no catalog for a stage.
    later: Vec<Option<ReleaseContent>>,
    stages: Vec<Stage>,
    given_by: GivenBy,
}

/// The kind of program to which the user supplies the catalogs of later releases. Messages name its
/// flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenBy {
    /// A command with `--catalog` and `--via`.
    Command,
    /// A server with `--readiness-catalog`.
    Server,
}

// === impl StagedCatalogs ===

impl StagedCatalogs {
    /// Selects the supplied catalogs of these stages. There must be at least two stages.
    pub fn new(
        stages: &[Stage],
        current: Arc<Snapshot>,
        given: &[ReleaseContent],
        given_by: GivenBy,
    ) -> Self {
        let later = stages.iter().skip(1).map(|stage| {
            let mut given = given.iter();
            given.find(|it| it.release == stage.release()).cloned()
        });
        Self {
            current,
            later: later.collect(),
            stages: stages.to_vec(),
            given_by,
        }
    }

    /// Returns the names of the current catalogs of the cluster.
    pub fn current_names(&self) -> impl Iterator<Item = &CatalogName> {
        self.current.offers.keys()
    }

    /// Returns the number of stages.
    pub fn stages(&self) -> usize {
        self.stages.len()
    }

    /// Returns the offers of a package, one for each stage. The operator uses the first catalog in
    /// `names` that contains the package. If one of the catalogs cannot be read, the package is
    /// unknown: a catalog of higher priority may contain it, and OLM v1 then upgrades nothing.
    pub fn offers(&self, names: &[CatalogName], package: &PackageName) -> Vec<Offer> {
        let stages = 0..self.stages.len();
        stages
            .map(|stage| self.offer(stage, names, package))
            .collect()
    }

    fn offer(&self, stage: usize, names: &[CatalogName], package: &PackageName) -> Offer {
        let mut offer = Offer::default();
        if names.is_empty() {
            offer.gap = Some("the cluster has no catalog for this operator".to_owned());
        }
        for name in names {
            let (found, gap) = match self.content(stage, name) {
                Ok((content, gap)) => {
                    let gap = gap.or_else(|| faulty(content, name, package));
                    (content.charted().get(package).cloned(), gap)
                }
                Err(why) => {
                    return Offer {
                        package: None,
                        gap: Some(why),
                    };
                }
            };
            offer.package = offer.package.or(found);
            offer.gap = offer.gap.or(gap);
        }
        offer
    }

    /// Returns the first catalog that contains a bundle, in the earliest stage, with its Snapshot
    /// and the image of the bundle. The image is empty if the catalog names no image.
    pub(super) fn containing<'n>(
        &self,
        names: &'n [CatalogName],
        package: &PackageName,
        bundle: &BundleName,
    ) -> Option<(&'n CatalogName, &Snapshot, String)> {
        let stages = 0..self.stages.len();
        let mut all = stages.flat_map(|stage| names.iter().map(move |name| (stage, name)));
        all.find_map(|(stage, name)| {
            let (content, _) = self.content(stage, name).ok()?;
            let charted = content.charted().get(package)?;
            let found = charted.package().bundles.get(bundle)?;
            let image = found.image.as_deref().unwrap_or_default().to_owned();
            Some((name, self.snapshot(stage, name).ok()?, image))
        })
    }

    /// Returns the content of a catalog. If the content may be outdated, also returns the reason.
    fn content(
        &self,
        stage: usize,
        name: &CatalogName,
    ) -> Result<(&Content, Option<String>), String> {
        let offer = self.snapshot(stage, name)?.offers.get(name);
        let offer = offer.ok_or_else(|| format!("the cluster has no catalog {name}"))?;
        match &offer.state {
            CatalogState::Serving { content, .. } => Ok((content, None)),
            CatalogState::Stale { content, why, .. } => {
                Ok((content, Some(format!("catalog {name} is stale: {why}"))))
            }
            CatalogState::Failed { why, .. } => Err(format!("catalog {name}: {why}")),
            CatalogState::Pending => Err(format!("catalog {name} was not read within the timeout")),
        }
    }

    fn snapshot(&self, stage: usize, name: &CatalogName) -> Result<&Snapshot, String> {
        let Some(later) = stage.checked_sub(1) else {
            return Ok(&self.current);
        };
        let given = self.later[later].as_ref();
        match given.and_then(|given| given.catalogs.get(name)) {
            Some(Ok(snapshot)) => Ok(snapshot),
            Some(Err(why)) => Err(format!("catalog {name}: {why}")),
            None => Err(self.not_given(stage, name)),
        }
    }

    fn not_given(&self, stage: usize, name: &CatalogName) -> String {
        let stage_name = self.stages[stage];
        let release = stage_name.release();
        let is_target = stage + 1 == self.stages.len();
        let flag = match self.given_by {
            GivenBy::Command if is_target => format!("use --catalog {name}=PLACE"),
            GivenBy::Command => format!("use --via {release}={name}=PLACE"),
            GivenBy::Server => {
                format!("start the server with --readiness-catalog {release}={name}=PLACE")
            }
        };
        format!("catalog {name} of {stage_name} is not given; {flag}")
    }
}

/// Returns a message if invalid documents may hide a part of the package.
fn faulty(content: &Content, name: &CatalogName, package: &PackageName) -> Option<String> {
    let mut faults = content.catalog().faults.iter();
    let fault = faults.find(|fault| {
        let of = fault.package.as_deref();
        fault.severity() == Severity::Error && of.is_none_or(|it| it == package.as_str())
    })?;
    Some(format!("catalog {name} has an invalid document: {fault}"))
}
