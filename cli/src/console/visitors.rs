//! The users of a hosted console. Each user sees the cluster with the permissions of their own
//! token.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use portolan_console::{NotAdmitted, Services, Source, Visitors};
use portolan_diagnosis::readiness::{ReadinessFlags, ReadinessSources};
use portolan_resolver::Readings;
use portolan_resolver::bundles::{Asker, BundleFlags, Bundles};
use portolan_world::{Cluster, UnknownUser};

use super::rehearsal::PreviewRehearsal;
use crate::facts::PolicyArgs;
use crate::failure::Failure;

/// The maximum time that a user waits for the first page. If an object is not read within this
/// time, its state is shown as unknown.
const PATIENCE: Duration = Duration::from_secs(15);

/// The users who sign in to the console with a token of the cluster.
pub(super) struct TokenVisitors {
    facts: PolicyArgs,
    /// The catalogs that at least one of these users can read.
    readings: Readings,
    /// The sources of bundles. Portolan contacts only the registries that a flag names.
    bundles: Bundles,
    /// True if these users may apply changes.
    may_apply: bool,
    /// The target of a cluster upgrade, and its catalogs.
    target: ReadinessSources,
}

// === impl TokenVisitors ===

impl TokenVisitors {
    /// Creates the users of the cluster that the flags select. Does not contact the cluster yet,
    /// but starts to follow the catalogs of the upgrade target.
    pub(super) async fn of(
        facts: PolicyArgs,
        may_apply: bool,
        readiness: ReadinessFlags,
    ) -> Result<Self, Failure> {
        facts.as_bearer("").await.map_err(Failure::refused)?;
        let bundles = facts.bundles(&BundleFlags::default(), Asker::Server)?;
        let access = facts.access(Asker::Server);
        let target = ReadinessSources::of(readiness, &access, bundles.clone());
        Ok(Self {
            readings: facts.readings(),
            target: target.map_err(Failure::refused)?,
            bundles,
            facts,
            may_apply,
        })
    }

    async fn cluster(&self, token: &str) -> Result<Cluster, NotAdmitted> {
        let cluster = self.facts.as_bearer(token).await;
        cluster.map_err(|error| NotAdmitted::Unanswered(error.to_string()))
    }

    async fn source(&self, token: &str, namespace: &str) -> Result<Arc<dyn Source>, NotAdmitted> {
        let cluster = self.cluster(token).await?.or_within(namespace);
        let services = self.facts.open_as(cluster, &self.readings);
        let services =
            services.map_err(|error| NotAdmitted::Unanswered(error.message().to_owned()))?;
        let (world, target) = (services.world().clone(), self.target.clone());
        let diagnosis = services.diagnosis().with_readiness(world, target);
        let connections = services.console_connections(&diagnosis, self.bundles.clone());
        let _ = services.settled_within(PATIENCE).await;
        let source = Services::new(connections, services.world().clone());
        let source = source
            .with_rehearsal(PreviewRehearsal::of(&services, self.bundles.clone()))
            .with_target(self.target.has_target());
        Ok(Arc::new(source.allowing_apply(self.may_apply)))
    }
}

impl Visitors for TokenVisitors {
    fn know<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<String, NotAdmitted>> {
        let knowing = async move {
            let cluster = self.cluster(token).await?;
            cluster.user().await.map_err(|error| match error {
                UnknownUser::Unauthorized => NotAdmitted::Unknown,
                UnknownUser::Unanswered(why) => NotAdmitted::Unanswered(why),
            })
        };
        knowing.boxed()
    }

    fn open<'a>(
        &'a self,
        token: &'a str,
        namespace: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Source>, NotAdmitted>> {
        self.source(token, namespace).boxed()
    }
}
