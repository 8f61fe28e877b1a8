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
use portolan_shell::{Holder, LabeledGauge, NoPlace, Shares};
use portolan_world::{AnyWorld, World as _};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::kept::{KeptAnswer, KeptAnswers};
use super::{AssessedWorld, Assessment, CannotPass, TargetRelease, WatchedObjects, assess, stages};
use crate::question::RequestError;

/// The maximum number of concurrent assessments. Each of them reads the objects of the whole
/// cluster, and possibly the files of bundles.
const AT_ONCE: usize = 2;

/// The maximum number of callers whose assessments run or wait. Each caller has at most one
/// assessment.
const MOST_CALLERS: usize = 16;

/// The caller of measurements.
const OWN: &str = "portolan";

/// The number of operators that are not ready for the target of the server.
const BLOCKED: &str = "portolan_readiness_blocked";

/// The interval between two measurements. Catalogs and operators rarely change more often.
const LATER: Duration = Duration::from_secs(300);

/// The flags about cluster upgrades.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Cluster upgrade")]
pub struct ReadinessFlags {
    /// Target release of the next cluster upgrade: openshift=RELEASE or kubernetes=RELEASE.
    #[arg(
        long,
        env = "PORTOLAN_READINESS_TARGET",
        value_name = "KIND=RELEASE",
        hide_short_help = true
    )]
    pub readiness_target: Option<TargetRelease>,

    /// Content of a catalog in the target release, or in a release between the current release and
    /// the target. NAME is the name of a catalog of the cluster, and PLACE is a place as for
    /// --catalog. Can be repeated, or given as a comma-separated list.
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
    /// The places of running assessments. All services with these sources share them.
    places: Arc<Semaphore>,
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
    /// The callers whose assessments run or wait.
    callers: Shares,
    kept: KeptAnswers,
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
            places: Arc::new(Semaphore::new(AT_ONCE)),
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
            callers: Shares::in_parts(MOST_CALLERS, MOST_CALLERS),
            kept: KeptAnswers::default(),
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
        caller: Holder,
    ) -> Result<Arc<Assessment>, RequestError> {
        let entry = self.0.kept.entry(&asked);
        // Requests with the same question wait for one assessment.
        let mut kept = entry.lock().await;
        let mut catalogs = self.0.sources.catalogs.snapshots();
        catalogs.push(Arc::clone(&current));
        if let Some(answer) = kept
            .as_mut()
            .and_then(|it| it.current(&catalogs, Instant::now()))
        {
            return Ok(answer);
        }
        *kept = None;
        let share = self.0.callers.take(caller, 1).map_err(busy)?;
        let mut watched = WatchedObjects::of(&self.0.world, &self.0.namespace(&asked)?);
        watched.known().await;
        let places = Arc::clone(&self.0.sources.places);
        let place = places.acquire_owned().await;
        let at = Instant::now();
        let (inner, handle) = (Arc::clone(&self.0), Handle::current());
        let judging = spawn_blocking(move || {
            let _held = (place, share);
            handle.block_on(inner.assess(asked, current))
        });
        let judged = judging.await;
        let judged = judged.unwrap_or_else(|error| Err(RequestError::Failed(error.to_string())))?;
        let answer = Arc::new(judged);
        *kept = Some(KeptAnswer {
            watched,
            catalogs,
            at,
            answer: Arc::clone(&answer),
        });
        Ok(answer)
    }

    /// Returns the metric with the number of operators that are not ready, by target.
    pub(crate) fn gauge() -> LabeledGauge {
        let help = "Number of operators that are not ready for the cluster upgrade";
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
                Ok(blocked) => gauge.set(&label, blocked),
                Err(why) => gauge.set_unknown(&label, &why),
            }
            tokio::time::sleep(LATER).await;
        }
    }

    /// Returns the number of operators that are not ready. Returns None if the number is unknown.
    pub(crate) async fn count(
        &self,
        asked: AskedReadiness,
        current: Option<Arc<Snapshot>>,
    ) -> Result<usize, String> {
        let current = current.ok_or_else(|| RequestError::NotYet.to_string())?;
        let judged = self.assess(asked, current, Holder::User(OWN.into())).await;
        judged.map_err(|error| error.to_string())?.blocked()
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
    /// Returns the only namespace of a question. Empty for all namespaces.
    fn namespace(&self, asked: &AskedReadiness) -> Result<String, RequestError> {
        match (&asked.namespace, &self.only) {
            (Some(asked), Some(only)) if asked != only => Err(RequestError::Unseen(format!(
                "this server observes only namespace {only}"
            ))),
            (asked, only) => Ok(asked.clone().or_else(|| only.clone()).unwrap_or_default()),
        }
    }

    async fn assess(
        &self,
        asked: AskedReadiness,
        current: Arc<Snapshot>,
    ) -> Result<Assessment, RequestError> {
        let namespace = self.namespace(&asked)?;
        let target = asked
            .target
            .or(self.sources.target)
            .ok_or_else(|| RequestError::Field {
                field: "openshift",
                message: "the server has no target; set openshift or kubernetes".to_owned(),
            })?;
        let stages = stages(&self.world, target, asked.from, &self.sources.releases).await?;
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

/// Returns the error of a caller whose assessment cannot wait.
fn busy(why: NoPlace) -> RequestError {
    RequestError::Busy(match why {
        NoPlace::Own => {
            "this caller already has a readiness assessment that is not finished; wait for its \
             answer"
        }
        NoPlace::All => "too many callers wait for readiness assessments; retry in a moment",
    })
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

#[cfg(test)]
mod tests {
    use portolan_kit::TempFolder;
    use portolan_world::Files;

    use super::*;

    fn asked(namespace: &str) -> AskedReadiness {
        AskedReadiness {
            namespace: Some(namespace.to_owned()),
            target: "kubernetes=1.35".parse().ok(),
            from: Some(Minor::new(1, 34)),
        }
    }

    /// A caller with many questions leaves a place for the next caller.
    #[tokio::test]
    async fn each_caller_has_one_assessment() {
        let folder = TempFolder::empty();
        let world = AnyWorld::Files(Files::at(&folder));
        let flags = ReadinessFlags::default();
        let sources = ReadinessSources::of_server(flags, &SourceFlags::default(), &world);
        let server = ReadinessServer::of(world, None, sources.expect("no folders"));
        let places = Arc::clone(&server.0.sources.places);
        let running = places.acquire_many_owned(2).await.expect("all places");
        let begin = |caller: &str, namespace: &str| {
            let (server, caller) = (server.clone(), Holder::User(caller.into()));
            let asked = asked(namespace);
            tokio::spawn(async move { server.assess(asked, Arc::default(), caller).await })
        };
        let until_waiting = async |count: usize| {
            while server.0.callers.free() != MOST_CALLERS - count {
                tokio::task::yield_now().await;
            }
        };
        let first = begin("ann", "a");
        until_waiting(1).await;
        let refused = begin("ann", "b").await.expect("no panic");
        assert!(matches!(refused, Err(RequestError::Busy(_))), "{refused:?}");
        let other = begin("bob", "b");
        until_waiting(2).await;
        drop(running);
        for waiting in [first, other] {
            let answer = waiting.await.expect("no panic");
            assert!(!matches!(answer, Err(RequestError::Busy(_))), "{answer:?}");
        }
        assert_eq!(server.0.callers.free(), MOST_CALLERS);
    }
}
