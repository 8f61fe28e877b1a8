//! The catalogs of each release.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use portolan_core_catalog::Severity;
use portolan_core_names::{BundleName, CatalogName, PackageName};
use portolan_core_route::readiness::{Offer, Stage};
use portolan_resolver::bundles::Asker;
use portolan_resolver::snapshot::{CatalogState, Content};
use portolan_resolver::source::{self, CatalogAt, ReadCatalogs, ReadSource, SourceFlags};
use portolan_resolver::{Following, Snapshot};
use portolan_shell::with_causes;
use portolan_world::AnyWorld;

use super::releases::{Via, is};
use crate::failure::Failure;

/// The maximum time to wait for the catalogs of a cluster.
const PATIENCE: Duration = Duration::from_secs(30);

/// The catalogs on the command line.
pub(super) struct Given<'a> {
    pub(super) target: &'a [CatalogAt],
    pub(super) via: &'a [Via],
    pub(super) access: &'a SourceFlags,
}

/// The catalogs of all stages.
pub(super) struct StagedCatalogs {
    /// The catalogs of the cluster now.
    pub(super) current: Snapshot,
    /// The given catalogs of the later stages, the first one after the current stage.
    later: Vec<BTreeMap<CatalogName, Read>>,
    stages: Vec<Stage>,
}

/// The content of a given catalog, or the reason why it cannot be read.
type Read = Result<Snapshot, String>;

/// Reads the catalogs of the cluster and of the command line. A given folder must exist, but other
/// places may be unreachable.
pub(super) async fn read(
    world: &AnyWorld,
    stages: &[Stage],
    given: &Given<'_>,
) -> Result<StagedCatalogs, Failure> {
    let later = stages[1..].iter().enumerate().map(|(at, stage)| {
        let is_target = at + 2 == stages.len();
        let via = given.via.iter().filter(|via| is(*stage, via.release));
        let via = via.map(|via| via.catalog.clone());
        let all: Vec<_> = if is_target {
            given.target.to_vec()
        } else {
            via.collect()
        };
        read_given(all, given.access)
    });
    let later: Result<Vec<_>, _> = join_all(later).await.into_iter().collect();
    Ok(StagedCatalogs {
        current: current(world, given.access).await?,
        later: later?,
        stages: stages.to_vec(),
    })
}

async fn read_given(
    all: Vec<CatalogAt>,
    access: &SourceFlags,
) -> Result<BTreeMap<CatalogName, Read>, Failure> {
    source::check(&all).map_err(Failure::refused)?;
    let access = &access.of(Asker::Person);
    let reading = all.into_iter().map(|at| async move {
        let read = source::read(std::slice::from_ref(&at), access).await;
        let read = match read {
            Ok(snapshot) => Ok(snapshot),
            Err(ReadCatalogs::Read {
                source: error @ ReadSource::Folder(_),
                ..
            }) => return Err(Failure::refused(error)),
            Err(error) => Err(with_causes(&error)),
        };
        Ok((at.name, read))
    });
    join_all(reading).await.into_iter().collect()
}

/// Returns the catalogs of the cluster, each read or failed.
async fn current(world: &AnyWorld, access: &SourceFlags) -> Result<Snapshot, Failure> {
    let access = access.of(Asker::Person).with_pull_secrets(world);
    let following = Following::of(world.clone(), Vec::new(), &access).map_err(Failure::refused)?;
    // Catalogs that have not answered within this time count as unread.
    let _ = tokio::time::timeout(PATIENCE, following.settled()).await;
    if let Some(why) = following.unseen() {
        return Err(Failure::unknown(format!("cannot list catalogs: {why}")));
    }
    let snapshot = following.watch().borrow().clone();
    Ok((*snapshot).clone())
}

// === impl StagedCatalogs ===

impl StagedCatalogs {
    pub(super) fn stages(&self) -> usize {
        self.stages.len()
    }

    /// Returns the offers of a package, one for each stage. The operator uses the first of these
    /// catalogs that contains the package. If one of the catalogs cannot be read, nothing is known
    /// about the package: a catalog of higher priority may contain it, and OLM v1 updates nothing.
    pub(super) fn offers(&self, names: &[CatalogName], package: &PackageName) -> Vec<Offer> {
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

    /// Returns the first catalog that contains a bundle, in the earliest stage.
    pub(super) fn containing<'n>(
        &self,
        names: &'n [CatalogName],
        package: &PackageName,
        bundle: &BundleName,
    ) -> Option<(&'n CatalogName, &Snapshot)> {
        let stages = 0..self.stages.len();
        let mut all = stages.flat_map(|stage| names.iter().map(move |name| (stage, name)));
        all.find_map(|(stage, name)| {
            let (content, _) = self.content(stage, name).ok()?;
            let charted = content.charted().get(package)?;
            charted.package().bundles.get(bundle)?;
            Some((name, self.snapshot(stage, name).ok()?))
        })
    }

    /// Returns the content of a catalog, with the reason why it may be outdated.
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
        match stage.checked_sub(1) {
            None => Ok(&self.current),
            Some(later) => match self.later[later].get(name) {
                Some(Ok(snapshot)) => Ok(snapshot),
                Some(Err(why)) => Err(format!("catalog {name}: {why}")),
                None => Err(self.not_given(stage, name)),
            },
        }
    }

    fn not_given(&self, stage: usize, name: &CatalogName) -> String {
        let stage_name = self.stages[stage];
        let release = stage_name.openshift.unwrap_or(stage_name.kubernetes);
        let flag = if stage + 1 == self.stages.len() {
            format!("--catalog {name}=PLACE")
        } else {
            format!("--via {release}={name}=PLACE")
        };
        format!("catalog {name} of {stage_name} is not given; use {flag}")
    }
}

/// Returns a gap if invalid documents may hide a part of the package.
fn faulty(content: &Content, name: &CatalogName, package: &PackageName) -> Option<String> {
    let mut faults = content.catalog().faults.iter();
    let fault = faults.find(|fault| {
        let of = fault.package.as_deref();
        fault.severity() == Severity::Error && of.is_none_or(|it| it == package.as_str())
    })?;
    Some(format!("catalog {name} has an invalid document: {fault}"))
}
