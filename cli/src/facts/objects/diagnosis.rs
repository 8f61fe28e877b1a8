//! The flags of commands that diagnose objects, and the connection to the diagnosis service.

use clap::Args;
use portolan_api::OperatorPolicy;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan;
use portolan_api::policy::{Policy, PolicyBinding};
use portolan_core_olm::{AnyDeployment, ClusterCatalog, ComponentOperator};
use portolan_diagnosis::DiagnosisService;
use portolan_health::probe::Pace;
use portolan_proto::diagnosis::v1::diagnose_request::Kind as DiagnosedKind;
use portolan_proto::diagnosis::v1::diagnosis_client::DiagnosisClient;
use portolan_resolver::bundles::Asker;
use portolan_resolver::source::{CatalogAt, SourceFlags};
use portolan_shell::client::{self, Connection};
use portolan_world::{Access, AnyWorld};

use super::{Diagnosed, Local, ObjectArgs};
use crate::facts::catalogs::warn_of_strangers;
use crate::facts::{DiagnosisConnection, Endpoint};
use crate::failure::Failure;
use crate::print;

/// The source of a diagnosis: a cluster, its files with their catalogs, or a running service.
#[derive(Debug, Args)]
pub(crate) struct DiagnosisArgs {
    #[command(flatten)]
    objects: ObjectArgs,

    /// Content of the CatalogSource NAMESPACE/NAME, read from a place such as a folder.
    ///
    /// A place is a folder (or file) of catalog files, the address of a registry as grpc://ADDRESS,
    /// the URL of a catalogd, or an image as oci://IMAGE. Use this option for unreachable catalogs.
    /// With --world, use this option for every catalog.
    #[arg(
        long = "catalog",
        value_name = "NAMESPACE/NAME=PLACE",
        conflicts_with = "server"
    )]
    catalogs: Vec<CatalogAt>,

    /// Namespace whose catalogs are visible in all namespaces. Default: the namespace of OLM.
    #[arg(long, value_name = "NAMESPACE", conflicts_with = "server")]
    global_namespace: Option<String>,

    #[command(flatten)]
    reach: SourceFlags,
}

// === impl ObjectArgs ===

impl ObjectArgs {
    /// Returns the flags that select the cluster. Returns an error if the facts come from files or
    /// from a server.
    fn cluster(&self) -> Result<&Access, Failure> {
        let are_facts_given = self.world.is_some() || self.access.is_given();
        let endpoint = Endpoint::of::<DiagnosisClient<Connection>>(
            self.server.as_deref(),
            &self.trust,
            are_facts_given,
        );
        match (&self.world, endpoint) {
            (Some(_), _) => Err(Failure::usage(
                "--apply requires a cluster, but --world reads files; run the printed commands \
                 manually",
            )),
            (None, Endpoint::Server(url, _)) => Err(Failure::usage(format!(
                "--apply requires a cluster, but {url} may serve another cluster; select the \
                 cluster with --context"
            ))),
            (None, Endpoint::Local) => Ok(&self.access),
        }
    }
}

// === impl DiagnosisArgs ===

impl DiagnosisArgs {
    /// Returns the flags that select the cluster. Returns an error if the facts come from files or
    /// from a server.
    pub(crate) fn cluster(&self) -> Result<&Access, Failure> {
        self.objects.cluster()
    }

    /// Connects to the diagnosis service, for a query about objects of this kind. A service in this
    /// process watches only the objects that this query needs.
    pub(crate) async fn diagnosis(
        &self,
        namespace: &str,
        kind: DiagnosedKind,
    ) -> Result<DiagnosisConnection, Failure> {
        let objects = &self.objects;
        match kind {
            DiagnosedKind::Unspecified
            | DiagnosedKind::Subscription
            | DiagnosedKind::ClusterServiceVersion
            | DiagnosedKind::Package => self.whole_diagnosis(namespace).await,
            DiagnosedKind::Operator => objects.own_diagnosis::<Operator>(namespace).await,
            DiagnosedKind::InstallPlan => {
                objects.own_diagnosis::<plan::InstallPlan>(namespace).await
            }
            DiagnosedKind::Install => objects.own_diagnosis::<Install>(namespace).await,
            DiagnosedKind::OperatorPolicy => {
                objects.own_diagnosis::<OperatorPolicy>(namespace).await
            }
            DiagnosedKind::Policy => objects.own_diagnosis::<Policy>(namespace).await,
            DiagnosedKind::PolicyBinding => objects.own_diagnosis::<PolicyBinding>(namespace).await,
            DiagnosedKind::ComponentOperator => {
                objects.own_diagnosis::<ComponentOperator>(namespace).await
            }
            DiagnosedKind::ClusterExtension => {
                let sources = self.reach.of(Asker::Person);
                let catalogs = (self.catalogs.clone(), sources);
                objects.extension_diagnosis(namespace, catalogs).await
            }
            DiagnosedKind::ClusterCatalog => {
                objects.own_diagnosis::<ClusterCatalog>(namespace).await
            }
            DiagnosedKind::Component => objects.own_diagnosis::<AnyDeployment>(namespace).await,
        }
    }

    async fn whole_diagnosis(&self, namespace: &str) -> Result<DiagnosisConnection, Failure> {
        let mut looked_at = None;
        let open = |world: AnyWorld, namespace: Option<&str>| {
            looked_at = Some(world.clone());
            let options = portolan_diagnosis::Options {
                namespace: namespace.map(str::to_owned),
                probes: Some(Pace::default()),
                global_namespace: self.global_namespace.clone(),
            };
            let catalogs = (self.catalogs.clone(), &self.reach.of(Asker::Person));
            let diagnosis =
                DiagnosisService::over(world, catalogs, options).map_err(Failure::refused)?;
            Ok(local_diagnosis(diagnosis))
        };
        let diagnosis = self
            .objects
            .connect::<Diagnosed, _>(namespace, open)
            .await?;
        if let Some(world) = &looked_at {
            warn_of_strangers(world, &self.catalogs).await;
            warn_of_the_webhook(world).await;
        }
        Ok(diagnosis)
    }
}

pub(super) fn local_diagnosis(diagnosis: DiagnosisService) -> Local {
    Local {
        connection: client::local(diagnosis.clone().into_service()),
        settled: Box::pin(async move { diagnosis.settled().await }),
    }
}

/// Prints a warning if the cluster does not validate objects of Portolan with the webhook. The
/// warning is separate, because it concerns no single operator.
async fn warn_of_the_webhook(world: &AnyWorld) {
    if let AnyWorld::Cluster(cluster) = world
        && let Some(why) = portolan_webhook::absence(cluster, portolan_webhook::CONFIGURATION).await
    {
        print::warn(&why);
    }
}
