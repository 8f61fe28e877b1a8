//! Checks the readiness of a cluster in this process. The objects come from the cluster or from a
//! folder.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use portolan_approval::ReviewTerms;
use portolan_controller::READS;
use portolan_diagnosis::readiness::{
    AssessedWorld, Assessment, CannotPass, TargetRelease, WatchedObjects, assess, stages,
};
use portolan_proto::diagnosis::v1::ListReadinessResponse;
use portolan_resolver::bundles::{Asker, BundleFlags, Bundles, UseBundles};
use portolan_resolver::readiness::{
    BundleContents, FollowedReleases, GivenBy, Minor, ReleaseCatalog, ReleaseContent, Stage,
    StagedCatalogs, read_given,
};
use portolan_resolver::source::SourceFlags;
use portolan_resolver::{Following, Mirrors, Snapshot};
use portolan_world::AnyWorld;

use crate::facts::WorldArgs;
use crate::failure::Failure;
use crate::print;
use crate::progress;
use crate::subscribed;

/// The maximum time to wait for the catalogs of a cluster.
const PATIENCE: Duration = Duration::from_secs(30);

/// The parameters of a readiness check.
#[derive(Debug)]
pub(super) struct LocalQuestion<'a> {
    pub(super) target: TargetRelease,
    /// The current release that the user specified. Required if the cluster does not report its
    /// release.
    pub(super) from: Option<Minor>,
    /// The only namespace that is checked. Empty for all namespaces.
    pub(super) namespace: &'a str,
    pub(super) given: &'a [ReleaseCatalog],
    pub(super) reach: &'a SourceFlags,
    pub(super) bundles: &'a BundleFlags,
    pub(super) terms: ReviewTerms,
    /// True if the check is repeated, as for `--watch`.
    pub(super) is_watched: bool,
}

/// The open sources of facts about one cluster.
pub(super) struct LocalReadiness<'a> {
    question: &'a LocalQuestion<'a>,
    world: AnyWorld,
    doing: String,
    current: Following,
    later: LaterCatalogs,
    bundles: BundleContents,
    _watched: Option<WatchedObjects>,
    /// True if the warnings about unreadable kinds were already printed.
    is_warned: Cell<bool>,
}

/// The catalogs that the user specified for later releases.
enum LaterCatalogs {
    Read(Vec<ReleaseContent>),
    Followed(FollowedReleases),
}

// === impl LocalReadiness ===

impl<'a> LocalReadiness<'a> {
    /// Opens the sources. A folder of a flag must exist. Other sources may be unreachable.
    pub(super) async fn open(
        facts: &WorldArgs,
        question: &'a LocalQuestion<'a>,
    ) -> Result<Self, Failure> {
        let (world, doing) = facts.open().await?;
        let world = match world {
            AnyWorld::Files(files) => AnyWorld::Files(files.reading(READS)),
            AnyWorld::Cluster(cluster) => AnyWorld::Cluster(cluster.reading(READS)),
        };
        let access = question.reach.of(Asker::Person);
        let later = if question.is_watched {
            let followed = FollowedReleases::of(question.given, &access);
            LaterCatalogs::Followed(followed.map_err(Failure::refused)?)
        } else {
            let reading = read_given(question.given, &access);
            let read = progress::show_while(&doing, reading).await;
            LaterCatalogs::Read(read.map_err(Failure::refused)?)
        };
        let access = access.with_pull_secrets(&world);
        let current =
            Following::of(world.clone(), Vec::new(), &access).map_err(Failure::refused)?;
        let watched = question.is_watched;
        Ok(Self {
            bundles: bundles(&world, facts, question)
                .map_err(Failure::refused)?
                .into(),
            _watched: watched.then(|| WatchedObjects::of(&world, question.namespace)),
            question,
            world,
            doing,
            current,
            later,
            is_warned: Cell::new(false),
        })
    }

    /// Returns the current release, the releases in between, and the target release.
    pub(super) async fn stages(&self) -> Result<Vec<Stage>, Failure> {
        let LocalQuestion {
            target,
            from,
            given,
            ..
        } = self.question;
        let releases: Vec<_> = given.iter().map(|it| it.release).collect();
        let stages = stages(&self.world, *target, *from, &releases).await;
        stages.map_err(cannot_pass)
    }

    /// Checks the operators, and returns the responses.
    pub(super) async fn responses(&self) -> Result<Vec<ListReadinessResponse>, Failure> {
        let judging = self.assess();
        let assessment = progress::show_while(&self.doing, judging).await?;
        assessment.faults.iter().for_each(print::warn_of_unread);
        if !self.is_warned.replace(true) {
            subscribed::warn_of_gaps(&assessment.gaps);
        }
        Ok(assessment.responses())
    }

    async fn assess(&self) -> Result<Assessment, Failure> {
        let stages = self.stages().await?;
        let (current, given) = (self.current().await?, self.later.now().await);
        let catalogs = StagedCatalogs::new(&stages, current, &given, GivenBy::Command);
        let assessed = assess(AssessedWorld {
            world: &self.world,
            namespace: self.question.namespace,
            stages: &stages,
            catalogs: &catalogs,
            bundles: &self.bundles,
            terms: self.question.terms,
        });
        assessed.await.map_err(Failure::unknown)
    }

    /// Returns the current catalogs of the cluster. Waits until each catalog has been read or has
    /// failed.
    async fn current(&self) -> Result<Arc<Snapshot>, Failure> {
        // Catalogs that have not responded within this time count as unread.
        let _ = tokio::time::timeout(PATIENCE, self.current.settled()).await;
        if let Some(why) = self.current.unseen() {
            return Err(Failure::unknown(format!("cannot list catalogs: {why}")));
        }
        Ok(self.current.watch().borrow().clone())
    }
}

// === impl LaterCatalogs ===

impl LaterCatalogs {
    async fn now(&self) -> Vec<ReleaseContent> {
        match self {
            Self::Read(read) => read.clone(),
            Self::Followed(followed) => {
                let _ = tokio::time::timeout(PATIENCE, followed.settled()).await;
                followed.now()
            }
        }
    }
}

/// Returns the sources of bundles: the flags, the folder of files, and registries. Files may be old
/// or from another environment. Therefore, for the bundles of files, Portolan contacts only
/// registries that a flag names.
fn bundles(
    world: &AnyWorld,
    facts: &WorldArgs,
    question: &LocalQuestion<'_>,
) -> Result<Bundles, UseBundles> {
    let flags = question.bundles.or_brought(facts.folder());
    let open = |asker| flags.open(&question.reach.images, asker);
    match world {
        AnyWorld::Files(_) => open(Asker::Server),
        AnyWorld::Cluster(cluster) => {
            open(Asker::Person).map(|bundles| bundles.through(Mirrors::of(cluster)))
        }
    }
}

/// Returns the error, with its remedy, for a cluster that cannot be upgraded to the target release.
fn cannot_pass(error: CannotPass) -> Failure {
    let remedy = match error {
        CannotPass::NoClusterVersion => "; use --from RELEASE, such as --from 4.20",
        CannotPass::NoKubernetesVersion => "; use --from RELEASE, such as --from 1.34",
        CannotPass::IsOpenshift => "; use --openshift RELEASE",
        CannotPass::NotAfter { .. } => "; use a newer target, or --from RELEASE",
        CannotPass::UnknownOpenshift(_) => "",
    };
    Failure::usage(format!("{error}{remedy}"))
}
