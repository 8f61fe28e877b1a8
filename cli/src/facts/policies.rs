//! The services in this process that commands about policies use, and the dry run of the policy
//! controller.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_approval::Approval;
use portolan_controller::{
    Connections, OperatorRehearsal, OperatorTerms, Proposed, READS, Rehearsal, Rehearsed, Terms,
};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_olm::{
    CatalogSource, ClusterServiceVersion, CustomResourceDefinition, Deployment, InstallPlan,
    Namespace, OperatorGroup, Subscription,
};
use portolan_diagnosis::DiagnosisService;
use portolan_health::Health;
use portolan_health::probe::Pace;
use portolan_resolver::bundles::{Asker, BundleFlags, Bundles};
use portolan_resolver::source::{CatalogAt, SourceAccess, SourceFlags};
use portolan_resolver::{Following, Readings, Resolver};
use portolan_shell::{Readiness, Server, client};
use portolan_world::{Access, AnyWorld, Cluster, Objects, ReachCluster, World as _};
use serde_json::Value;

use super::catalogs::{in_this_process, warn_of_strangers};
use super::objects::left_out;
use super::{ResolverConnection, WorldArgs, default_approval};
use crate::failure::Failure;
use crate::{print, progress};

/// The source of a rehearsal of policies: a cluster, or its files with their catalogs.
#[derive(Debug, Clone, Args)]
#[command(
    next_help_heading = "Data source (one of these options; default: the cluster of the kubeconfig)"
)]
pub(crate) struct PolicyArgs {
    #[command(flatten)]
    place: WorldArgs,

    /// Content of the CatalogSource NAMESPACE/NAME. PLACE is a folder (or file) of catalog files,
    /// the address of a registry as grpc://ADDRESS, the URL of a catalogd, or an image as
    /// oci://IMAGE. Use this option for unreachable catalogs. With --world, use this option for
    /// every catalog.
    #[arg(long = "catalog", value_name = "NAMESPACE/NAME=PLACE")]
    catalogs: Vec<CatalogAt>,

    #[command(flatten)]
    reach: SourceFlags,
}

/// A world, and the services in this process that watch the world. A clone shares the services.
#[derive(Clone)]
pub(crate) struct LocalServices {
    world: AnyWorld,
    proposed: Proposed<AnyWorld>,
    health: Health,
    approval: Approval,
    catalogs: Following,
}

/// The maximum time to wait for the other objects of a cluster after the policies are read.
const PATIENCE: Duration = Duration::from_secs(30);

// === impl PolicyArgs ===

impl PolicyArgs {
    /// Returns true if the user specified a cluster or a folder.
    pub(crate) fn is_given(&self) -> bool {
        self.place.is_given()
    }

    /// Returns the flags with this folder instead of a cluster.
    pub(crate) fn about_folder(mut self, folder: &Path) -> Self {
        let access = self.place.access().clone();
        self.place = WorldArgs::of(Some(folder.to_owned()), access);
        self
    }

    /// Returns the flags that select the cluster. Returns None if a folder is used instead.
    pub(crate) fn cluster(&self) -> Option<&Access> {
        self.folder().is_none().then_some(self.place.access())
    }

    /// Returns the cluster, with the permissions of a user's token.
    pub(crate) async fn as_bearer(&self, token: &str) -> Result<Cluster, ReachCluster> {
        Cluster::reach_as_bearer(self.place.access(), token).await
    }

    /// Returns the folder that is used instead of a cluster. Returns None for a cluster.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.place.folder()
    }

    /// Returns on whose behalf images are pulled, which determines the permitted registries. Files
    /// may be old or from another environment. Therefore, for the bundles of files, Portolan
    /// contacts only registries that a flag names.
    pub(crate) fn asker(&self) -> Asker {
        match self.folder() {
            Some(_) => Asker::Server,
            None => Asker::Person,
        }
    }

    /// Returns the sources of bundles: these flags, the folder, and registries.
    pub(crate) fn bundles(&self, flags: &BundleFlags, asker: Asker) -> Result<Bundles, Failure> {
        let flags = flags.or_brought(self.folder());
        let opened = flags.open(&self.reach.images, asker);
        opened.map_err(Failure::refused)
    }

    /// Returns the options that control the access to the sources of catalogs.
    pub(crate) fn access(&self, asker: Asker) -> SourceAccess {
        self.reach.of(asker)
    }

    /// Opens the services for a world in which these policies and Operators are already applied.
    pub(crate) async fn open(
        &self,
        policies: Vec<Objects<OperatorPolicy>>,
        operators: Vec<Objects<Operator>>,
        approval: portolan_approval::Options,
    ) -> Result<LocalServices, Failure> {
        let world = self.world().await?;
        let reach = self.reach.of(Asker::Person).with_pull_secrets(&world);
        let catalogs = Following::of(world.clone(), self.catalogs.clone(), &reach);
        let catalogs = catalogs.map_err(Failure::refused)?;
        Ok(LocalServices::on(
            world,
            (policies, operators),
            approval,
            catalogs,
        ))
    }

    /// Returns catalog sources that several users of a console share. Images are pulled without
    /// credentials, and only from registries that a flag names.
    pub(crate) fn readings(&self) -> Readings {
        Readings::new(self.reach.of(Asker::Server))
    }

    /// Opens the services with the permissions of a user's token. The token determines which
    /// catalogs the user can read. Portolan reads a catalog only once, even if several users can
    /// read it.
    pub(crate) fn open_as(
        &self,
        visitor: Cluster,
        readings: &Readings,
    ) -> Result<LocalServices, Failure> {
        let world = AnyWorld::Cluster(visitor.from_outside().reading(READS));
        let catalogs = Following::sharing(readings, world.clone(), self.catalogs.clone());
        let catalogs = catalogs.map_err(Failure::refused)?;
        let nothing = (Vec::new(), Vec::new());
        Ok(LocalServices::on(
            world,
            nothing,
            default_approval(),
            catalogs,
        ))
    }

    /// Waits until all services have read all readable objects. Returns an error if policies cannot
    /// be read.
    pub(crate) async fn settle(&self, services: &LocalServices) -> Result<(), Failure> {
        progress::show_while(&self.place.progress_text(), services.sees_policies()).await?;
        self.settle_without_policies(services).await
    }

    /// Waits until all services have read all readable objects, for queries that need no policies.
    pub(crate) async fn settle_without_policies(
        &self,
        services: &LocalServices,
    ) -> Result<(), Failure> {
        let what = self.place.progress_text();
        if !progress::show_while(&what, services.settled_within(PATIENCE)).await {
            print::warn(
                "some services or objects are unavailable; their state is reported as unknown",
            );
        }
        warn_of_strangers(&services.world, &self.catalogs).await;
        Ok(())
    }

    async fn world(&self) -> Result<AnyWorld, Failure> {
        let (world, _) = self.place.open().await?;
        Ok(match world {
            AnyWorld::Files(files) => AnyWorld::Files(files.reading(READS)),
            AnyWorld::Cluster(cluster) => AnyWorld::Cluster(cluster.reading(READS)),
        })
    }
}

// === impl LocalServices ===

impl LocalServices {
    fn on(
        world: AnyWorld,
        (policies, operators): (Vec<Objects<OperatorPolicy>>, Vec<Objects<Operator>>),
        approval: portolan_approval::Options,
        catalogs: Following,
    ) -> Self {
        let proposed = Proposed::to(world.clone(), policies, operators);
        let options = portolan_health::Options {
            probes: Some(Pace::default()),
            ..portolan_health::Options::default()
        };
        Self {
            health: Health::of(proposed.clone(), options),
            approval: Approval::of(proposed.clone(), approval),
            world,
            proposed,
            catalogs,
        }
    }

    /// Returns a dry run of the controller for all policies. The dry run queries these services.
    pub(crate) fn rehearse(&self, terms: &Terms) -> Rehearsal {
        Rehearsal::of(&self.proposed, self.connections(), terms)
    }

    /// Returns a dry run of the controller for all Operators. The dry run queries these services,
    /// and a resolver that reads these bundles.
    pub(crate) fn rehearse_operators(
        &self,
        bundles: Bundles,
        terms: OperatorTerms,
    ) -> OperatorRehearsal {
        let services = self.connections_with(bundles);
        OperatorRehearsal::of(&self.proposed, services, terms)
    }

    /// Waits until all services have read all objects. Returns false if this takes longer than
    /// `patience`.
    pub(crate) async fn settled_within(&self, patience: Duration) -> bool {
        let looking = async {
            let (health, approval) = (self.health.settled(), self.approval.settled());
            tokio::join!(health, approval, self.catalogs.settled());
        };
        tokio::time::timeout(patience, looking).await.is_ok()
    }

    /// Returns the connections that a controller needs, to the services in this process.
    pub(crate) fn connections(&self) -> Connections {
        self.connections_over(self.resolver())
    }

    /// Returns a connection to a resolver in this process that reads these bundles.
    pub(crate) fn resolver_connection(&self, bundles: Bundles) -> ResolverConnection {
        in_this_process(self.resolver().with_bundles(bundles))
    }

    /// Returns the connections that a controller needs, to the services in this process. The
    /// resolver reads these bundles.
    pub(crate) fn connections_with(&self, bundles: Bundles) -> Connections {
        self.connections_over(self.resolver().with_bundles(bundles))
    }

    fn connections_over(&self, resolver: Resolver) -> Connections {
        Connections {
            resolver: client::local(resolver.into_service()),
            health: client::local(self.health.clone().into_service()),
            approval: client::local(self.approval.clone().into_service()),
        }
    }

    /// Returns the connections that a console needs, to the services in this process and to this
    /// diagnosis service. The resolver reads these bundles.
    pub(crate) fn console_connections(
        &self,
        diagnosis: &DiagnosisService,
        bundles: Bundles,
    ) -> portolan_console::Connections {
        let resolver = self.resolver().with_bundles(bundles);
        portolan_console::Connections {
            resolver: client::local(resolver.into_service()),
            health: client::local(self.health.clone().into_service()),
            approval: client::local(self.approval.clone().into_service()),
            diagnosis: client::local(diagnosis.clone().into_service()),
        }
    }

    /// Returns the world that the services watch.
    pub(crate) fn world(&self) -> &AnyWorld {
        &self.world
    }

    /// Adds the services to a network server.
    pub(crate) fn host(&self, server: Server, ready: &Readiness) -> Server {
        server
            .host(self.resolver().into_service(), ready.clone())
            .host(self.health.clone().into_service(), ready.clone())
            .host(self.approval.clone().into_service(), ready.clone())
    }

    /// Returns a diagnosis service for the same world. The service starts to watch the world now.
    pub(crate) fn diagnosis(&self) -> DiagnosisService {
        let options = portolan_diagnosis::Options {
            probes: Some(Pace::default()),
            ..portolan_diagnosis::Options::default()
        };
        DiagnosisService::of(self.proposed.clone(), self.catalogs.clone(), options)
    }

    /// Waits until the policies are read. Returns an error if they cannot be read.
    async fn sees_policies(&self) -> Result<(), Failure> {
        let mut policies = self.proposed.objects::<OperatorPolicy>();
        let view = policies.known().await;
        let state = view.map(|view| view.state).unwrap_or_default();
        match state.trouble() {
            Some((trouble, _)) => Err(Failure::failed_to("cannot read OperatorPolicies", trouble)),
            None => Ok(()),
        }
    }

    /// Returns the catalogs that the services share.
    pub(crate) fn catalogs(&self) -> &Following {
        &self.catalogs
    }

    fn resolver(&self) -> Resolver {
        Resolver::following(self.catalogs.clone())
    }

    /// Reads objects as JSON values. Omits objects that cannot be read.
    pub(crate) async fn read_objects(
        &self,
        names: Vec<ObjectRef<Gvk>>,
    ) -> BTreeMap<ObjectRef<Gvk>, Value> {
        self.world.written(names).await
    }

    /// Returns a warning for each kind that is missing from the files, but may exist in the
    /// cluster.
    pub(crate) async fn left_out(&self) -> Vec<String> {
        let world = &self.world;
        let kinds = [
            left_out::<CatalogSource>(world).await,
            left_out::<ClusterServiceVersion>(world).await,
            left_out::<CustomResourceDefinition>(world).await,
            left_out::<Deployment>(world).await,
            left_out::<InstallPlan>(world).await,
            left_out::<Namespace>(world).await,
            left_out::<OperatorGroup>(world).await,
            left_out::<Subscription>(world).await,
        ];
        kinds.into_iter().flatten().collect()
    }

    /// Returns a sentence for each unreadable document and each unreadable policy. An unreadable
    /// document may contain an object of any kind, so it is always included.
    pub(crate) async fn unread(&self) -> Vec<String> {
        let mut policies = self.proposed.objects::<OperatorPolicy>();
        let view = policies.known().await;
        let faults = view.map_or_else(|_| Vec::new(), |view| view.faults.to_vec());
        faults.iter().map(ToString::to_string).collect()
    }
}

/// Waits until all objects are read. Then returns the predicted changes of each policy.
pub(crate) async fn decide_policies(rehearsal: &mut Rehearsal) -> Result<Vec<Rehearsed>, Failure> {
    let settled = progress::show_while("deciding", rehearsal.settled()).await;
    settled.map_err(|ended| Failure::failed_to("cannot watch the objects of policies", &ended))
}
