//! The part of the diagnosis service that judges readiness for cluster upgrades.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use portolan_approval::ReviewTerms;
use portolan_core_approval::consent::Terms;
use portolan_resolver::bundles::{Asker, BundleFlags, Bundles, UseBundles};
use portolan_resolver::readiness::{
    BundleContents, FollowedReleases, GivenBy, Minor, ReleaseCatalog, StagedCatalogs,
};
use portolan_resolver::source::{ReadCatalogs, SourceAccess, SourceFlags};
use portolan_resolver::{Mirrors, Snapshot};
use portolan_shell::LabeledGauge;
use portolan_world::{AnyWorld, World as _};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::{AssessedWorld, Assessment, CannotPass, TargetRelease, assess, stages};
use crate::question::RequestError;

/// The maximum number of concurrent assessments. Each of them reads the objects of the whole
/// cluster, and possibly the files of bundles.
const AT_ONCE: usize = 2;

/// The metric with the number of operators that are not ready for the target of the server.
const BLOCKED: &str = "portolan_readiness_blocked";

/// The interval between two measurements. Catalogs and operators rarely change more often.
const LATER: Duration = Duration::from_secs(300);

/// The flags about cluster upgrades.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Cluster upgrade")]
pub struct ReadinessFlags {
    /// Release to which the cluster is to be upgraded: openshift=RELEASE or kubernetes=RELEASE.
    #[arg(
        long,
        env = "PORTOLAN_READINESS_TARGET",
        value_name = "KIND=RELEASE",
        hide_short_help = true
    )]
    pub readiness_target: Option<TargetRelease>,

    /// Content of a catalog in the target release, or in a release in between. NAME is the name of a catalog of the cluster, and PLACE is a place as for --catalog. Can be
    /// repeated, or given as a comma-separated list.
    #[arg(
        long = "readiness-catalog",
        env = "PORTOLAN_READINESS_CATALOG",
        value_name = "RELEASE=NAME=PLACE",
        value_delimiter = ',',
        hide_short_help = true
    )]
    pub readiness_catalogs: Vec<ReleaseCatalog>,
}

/// The reason why the flags about cluster upgrades are invalid.
#[derive(Debug, Error)]
pub(crate) enum OpenReadiness {
    #[error(transparent)]
    Catalogs(#[from] ReadCatalogs),
    #[error(transparent)]
    Bundles(#[from] UseBundles),
}

/// The target and the catalogs from the flags. Clones share the catalogs, so that several services
/// watch them only once.
#[derive(Debug, Clone)]
pub struct ReadinessSources {
    target: Option<TargetRelease>,
    /// The releases for which the flags contain catalogs.
    releases: Vec<Minor>,
    catalogs: FollowedReleases,
    bundles: Bundles,
}

/// A request for the readiness of operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AskedReadiness {
    /// The only namespace. None for all namespaces.
    pub(crate) namespace: Option<String>,
    /// The target release. None for the target of the server.
    pub(crate) target: Option<TargetRelease>,
    /// The current release. None for the release that the cluster reports.
    pub(crate) from: Option<Minor>,
}

/// Judges readiness for requests. Clones share the world and the watched catalogs.
#[derive(Clone)]
pub(crate) struct ReadinessServer(Arc<Inner>);

struct Inner {
    world: AnyWorld,
    /// The only observed namespace. None for all namespaces.
    only: Option<String>,
    sources: ReadinessSources,
    bundles: BundleContents,
    places: Arc<Semaphore>,
}

// === impl ReadinessSources ===

impl ReadinessSources {
    /// Starts to watch the catalogs from the flags. Files of bundles are searched in `bundles`.
    ///
    /// # Errors
    /// Returns an error if a release has two catalogs with the same name, or if a folder is missing.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(
        flags: ReadinessFlags,
        access: &SourceAccess,
        bundles: Bundles,
    ) -> Result<Self, ReadCatalogs> {
        let ReadinessFlags {
            readiness_target,
            readiness_catalogs,
        } = flags;
        Ok(Self {
            target: readiness_target,
            releases: readiness_catalogs.iter().map(|it| it.release).collect(),
            catalogs: FollowedReleases::of(&readiness_catalogs, access)?,
            bundles,
        })
    }

    /// Starts to watch the catalogs from the flags of a server. Files of bundles are searched in
    /// the folder of the server's world.
    pub(crate) fn of_server(
        flags: ReadinessFlags,
        sources: &SourceFlags,
        world: &AnyWorld,
    ) -> Result<Self, OpenReadiness> {
        let bundles = BundleFlags::default().or_brought(world.folder());
        let bundles = bundles.open(&sources.images, Asker::Server)?;
        Ok(Self::of(flags, &sources.of(Asker::Server), bundles)?)
    }

    /// Returns true if the flags name a target.
    pub fn has_target(&self) -> bool {
        self.target.is_some()
    }
}

// === impl ReadinessServer ===

impl ReadinessServer {
    pub(crate) fn of(world: AnyWorld, only: Option<String>, sources: ReadinessSources) -> Self {
        let bundles = sources.bundles.clone();
        let bundles = match &world {
            AnyWorld::Cluster(cluster) => bundles.through(Mirrors::of(cluster)),
            AnyWorld::Files(_) => bundles,
        };
        Self(Arc::new(Inner {
            world,
            only,
            sources,
            bundles: bundles.into(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }))
    }

    /// Waits until each catalog from the flags was read or has failed.
    pub(crate) async fn settled(&self) {
        self.0.sources.catalogs.settled().await;
    }

    /// Judges the operators. `current` contains the catalogs of the cluster. Assessments run on
    /// other threads, and only a few run at the same time. An assessment that has started runs to
    /// its end.
    pub(crate) async fn assess(
        &self,
        asked: AskedReadiness,
        current: Arc<Snapshot>,
    ) -> Result<Assessment, RequestError> {
        let places = Arc::clone(&self.0.places);
        let place = places.acquire_owned().await;
        let (inner, handle) = (Arc::clone(&self.0), Handle::current());
        let judging = spawn_blocking(move || {
            let _place = place;
            handle.block_on(inner.assess(asked, current))
        });
        let judged = judging.await;
        judged.unwrap_or_else(|error| Err(RequestError::Failed(error.to_string())))
    }

    /// Returns the metric with the number of operators that are not ready, by target.
    pub(crate) fn gauge() -> LabeledGauge {
        let help = "Number of operators that are not ready for the upgrade of the cluster";
        LabeledGauge::new(BLOCKED, help, "target")
    }

    /// Measures the number of operators that are not ready for the target of the flags, and repeats
    /// this regularly. Does nothing without a target.
    pub(crate) async fn measure(
        &self,
        gauge: &LabeledGauge,
        current: impl Fn() -> Option<Arc<Snapshot>>,
    ) -> Infallible {
        let Some(target) = self.0.sources.target else {
            return std::future::pending().await;
        };
        loop {
            let label = target.to_string();
            match self.count(AskedReadiness::default(), current()).await {
                Some(blocked) => gauge.set(&label, blocked),
                None => gauge.remove(&label),
            }
            tokio::time::sleep(LATER).await;
        }
    }

    /// Returns the number of operators that are not ready. Returns None if the number is unknown.
    pub(crate) async fn count(
        &self,
        asked: AskedReadiness,
        current: Option<Arc<Snapshot>>,
    ) -> Option<usize> {
        let judged = self.assess(asked, current?).await;
        judged.ok()?.blocked()
    }
}

impl fmt::Debug for ReadinessServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = &self.0.sources.target;
        f.debug_struct("ReadinessServer")
            .field("target", target)
            .finish_non_exhaustive()
    }
}

// === impl Inner ===

impl Inner {
    async fn assess(
        &self,
        asked: AskedReadiness,
        current: Arc<Snapshot>,
    ) -> Result<Assessment, RequestError> {
        let AskedReadiness {
            namespace,
            target,
            from,
        } = asked;
        let namespace = match (namespace, &self.only) {
            (Some(asked), Some(only)) if asked != *only => {
                return Err(RequestError::Unseen(format!(
                    "this server observes only namespace {only}"
                )));
            }
            (asked, only) => asked.or_else(|| only.clone()).unwrap_or_default(),
        };
        let target = target
            .or(self.sources.target)
            .ok_or_else(|| RequestError::Field {
                field: "openshift",
                message: "the server has no target; set openshift or kubernetes".to_owned(),
            })?;
        let stages = stages(&self.world, target, from, &self.sources.releases).await?;
        let given = self.sources.catalogs.now();
        let catalogs = StagedCatalogs::new(&stages, current, &given, GivenBy::Server);
        let assessed = assess(AssessedWorld {
            world: &self.world,
            namespace: &namespace,
            stages: &stages,
            catalogs: &catalogs,
            bundles: &self.bundles,
            terms: ReviewTerms::now(Terms::default()),
        });
        assessed.await.map_err(RequestError::Unseen)
    }
}

impl From<CannotPass> for RequestError {
    fn from(error: CannotPass) -> Self {
        let field = match error {
            CannotPass::NoClusterVersion | CannotPass::NoKubernetesVersion => {
                return Self::Precondition(format!("{error}; set from to the current release"));
            }
            CannotPass::IsOpenshift => "kubernetes",
            CannotPass::NotAfter { .. } | CannotPass::UnknownOpenshift(_) => "openshift",
        };
        Self::Field {
            field,
            message: error.to_string(),
        }
    }
}
