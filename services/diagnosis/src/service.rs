//! The gRPC server of diagnosis.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use portolan_approval::Approval;
use portolan_core_approval::consent::Terms;
use portolan_core_diagnosis::{Cluster, OwnObjects, OwnQuestion};
use portolan_health::Health;
use portolan_health::probe::Pace;
use portolan_proto::diagnosis::v1 as pb;
use portolan_proto::diagnosis::v1::diagnosis_server::DiagnosisServer;
use portolan_resolver::source::{CatalogAt, ReadCatalogs, SourceAccess};
use portolan_resolver::{Following, Snapshot};
use portolan_shell::{BlockingPool, Holder, LabeledGauge};
use portolan_world::{AnyWorld, ResolvedWorld, World};
use tonic::{Request, Response, Status};

use crate::facts::{DiagnosisFacts, FactSources};
use crate::kubernetes::Kubernetes;
use crate::objects::Kinds;
use crate::own::OwnKinds;
use crate::packages::CatalogReader;
use crate::question::{AskedKind, Question, RequestError};
use crate::readiness::{AskedReadiness, Assessment, ReadinessServer, ReadinessSources};
use crate::telling::Telling;
use crate::wire;

/// Processes requests with the facts at the time of the request. Clones share the tasks that watch
/// the world. The tasks end when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct DiagnosisService {
    /// The opened sources. Unset until the service is opened.
    opened: Arc<OnceLock<Opened>>,
    /// Judges readiness. Unset if this service does not judge readiness.
    readiness: Arc<OnceLock<ReadinessServer>>,
    pool: BlockingPool,
}

/// The sources of the facts from which diagnoses are computed.
#[derive(Debug)]
struct Opened {
    own: OwnKinds,
    /// The sources of facts about operators of OLM. None if only Portolan's own objects are
    /// watched.
    olm: Option<OlmSources>,
    /// The catalogs. None if their content is not read.
    catalogs: Option<CatalogReader>,
    /// The only watched namespace. None for all namespaces.
    namespace: Option<String>,
}

/// The sources of facts about operators of OLM.
#[derive(Debug)]
struct OlmSources {
    options: Options,
    kinds: Kinds,
    kubernetes: Kubernetes,
    health: Health,
    approval: Approval,
    catalogs: Following,
}

/// The options of a [`DiagnosisService`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The only namespace whose operators are observed. None for all namespaces. Catalogs are
    /// always observed in all namespaces.
    pub namespace: Option<String>,
    /// The intervals for probing the registries of a cluster. None to disable probes.
    pub probes: Option<Pace>,
    /// The namespace of the global catalogs. None for OLM's default.
    pub global_namespace: Option<String>,
}

// === impl DiagnosisService ===

impl DiagnosisService {
    /// Creates the service and starts to watch a world. `catalogs` are already watched.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(world: impl World, catalogs: Following, options: Options) -> Self {
        let diagnosis = Self::unopened();
        diagnosis.follow(world, catalogs, options);
        diagnosis
    }

    /// Creates the service and starts to watch a world, the catalogs from flags, and the catalogs
    /// that objects of the world describe. If the world consists of files, its registries are not
    /// contacted, because they may belong to another cluster or to an earlier time.
    ///
    /// # Errors
    /// Returns an error if two catalogs have the same name, or if a folder is missing.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn over(
        world: AnyWorld,
        catalogs: (Vec<CatalogAt>, &SourceAccess),
        options: Options,
    ) -> Result<Self, ReadCatalogs> {
        let diagnosis = Self::unopened();
        diagnosis.open(world, catalogs, options)?;
        Ok(diagnosis)
    }

    /// Creates the service and watches only Portolan's own objects, in the whole world or in one
    /// namespace. The service rejects requests about operators of OLM.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of_own_objects(world: &impl World, namespace: Option<&str>) -> Self {
        Self::of_own(world, namespace, None)
    }

    /// Creates the service like [`DiagnosisService::of_own_objects`]. The service starts to read
    /// catalogs when a diagnosis needs their content for the first time.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of_own_objects_and_catalogs(
        world: AnyWorld,
        namespace: Option<&str>,
        (given, sources): (Vec<CatalogAt>, SourceAccess),
    ) -> Self {
        let all = world.clone();
        let open = move || Following::of(all.clone(), given.clone(), &sources).ok();
        let catalogs = CatalogReader::opening(open);
        Self::of_own(&ResolvedWorld::of(world), namespace, Some(catalogs))
    }

    fn of_own(
        world: &impl World,
        namespace: Option<&str>,
        catalogs: Option<CatalogReader>,
    ) -> Self {
        let diagnosis = Self::unopened();
        diagnosis.opened.get_or_init(|| Opened {
            own: OwnKinds::of(world, namespace),
            olm: None,
            catalogs,
            namespace: namespace.map(str::to_owned),
        });
        diagnosis
    }

    /// Creates a service that rejects requests until it is opened.
    pub(crate) fn unopened() -> Self {
        Self {
            opened: Arc::default(),
            readiness: Arc::default(),
            pool: BlockingPool::default(),
        }
    }

    /// Opens the sources like [`DiagnosisService::over`], and starts to process requests.
    pub(crate) fn open(
        &self,
        world: AnyWorld,
        (given, sources): (Vec<CatalogAt>, &SourceAccess),
        options: Options,
    ) -> Result<(), ReadCatalogs> {
        let catalogs = Following::of(world.clone(), given, sources)?;
        self.follow(ResolvedWorld::of(world), catalogs, options);
        Ok(())
    }

    /// Adds the judgment of readiness for cluster upgrades. `world` must be the world of the
    /// service.
    #[must_use]
    pub fn with_readiness(self, world: AnyWorld, sources: ReadinessSources) -> Self {
        self.judging(ReadinessServer::of(world, None, sources));
        self
    }

    pub(crate) fn judging(&self, readiness: ReadinessServer) {
        self.readiness.get_or_init(|| readiness);
    }

    pub(crate) fn follow(&self, world: impl World, catalogs: Following, options: Options) {
        let namespace = options.namespace.clone();
        let of_health = portolan_health::Options {
            namespace: namespace.clone(),
            probes: options.probes,
            keeps_grounds: true,
        };
        let of_approval = portolan_approval::Options {
            namespace: namespace.clone(),
            keeps_grounds: true,
            upgrades: Some(Terms::default()),
            ..portolan_approval::Options::default()
        };
        self.opened.get_or_init(|| Opened {
            own: OwnKinds::of(&world, namespace.as_deref()),
            catalogs: Some(CatalogReader::of(catalogs.clone())),
            olm: Some(OlmSources {
                kinds: Kinds::of(&world, namespace.as_deref()),
                kubernetes: Kubernetes::of(world.clone()),
                health: Health::of(world.clone(), of_health),
                approval: Approval::of(world, of_approval),
                catalogs,
                options,
            }),
            namespace,
        });
    }

    /// Waits until all kinds have been listed or cannot be listed. Also returns if the world ends.
    pub async fn settled(&self) {
        let Some(opened) = self.opened.get() else {
            return;
        };
        let of_olm = async {
            if let Some(olm) = &opened.olm {
                olm.settled().await;
            }
        };
        let of_readiness = async {
            if let Some(readiness) = self.readiness.get() {
                readiness.settled().await;
            }
        };
        // The service was opened before, so earlier requests get the response that the facts are
        // still unknown.
        let (_, (), ()) = tokio::join!(opened.own.settled(), of_olm, of_readiness);
    }

    /// Waits until the API server has responded and the objects of the world have been listed. Also
    /// returns if the world ends.
    pub(crate) async fn heard(&self) {
        if let Some(olm) = self.olm() {
            olm.health.heard().await;
        }
    }

    /// Waits until a source is no longer watched, because its world has ended or its task has
    /// panicked.
    pub(crate) async fn wait_for_end(&self) {
        if let Some(olm) = self.olm() {
            tokio::select! {
                () = olm.health.wait_for_end() => {}
                () = olm.approval.wait_for_end() => {}
                () = olm.catalogs.wait_for_end() => {}
            }
        }
    }

    /// Returns the current catalogs of the cluster. Returns None until the service is opened.
    pub(crate) fn catalogs(&self) -> Option<Arc<Snapshot>> {
        let catalogs = &self.olm()?.catalogs;
        Some(catalogs.watch().borrow().clone())
    }

    /// Judges the operators for a cluster upgrade.
    pub(crate) async fn readiness(
        &self,
        asked: AskedReadiness,
        caller: Holder,
    ) -> Result<Arc<Assessment>, RequestError> {
        let opened = self.opened.get().ok_or(RequestError::NotYet)?;
        let readiness = self.readiness.get().ok_or(RequestError::NoReadiness)?;
        let olm = opened.olm.as_ref().ok_or(RequestError::NoReadiness)?;
        if let Some(why) = olm.catalogs.unseen() {
            return Err(RequestError::Unseen(format!("cannot list catalogs: {why}")));
        }
        let current = olm.catalogs.watch().borrow().clone();
        readiness.assess(asked, current, caller).await
    }

    /// Measures the readiness for the target of the server, and repeats this regularly.
    pub(crate) async fn measure_readiness(&self, gauge: &LabeledGauge) -> Infallible {
        match self.readiness.get() {
            Some(readiness) => readiness.measure(gauge, || self.catalogs()).await,
            None => std::future::pending().await,
        }
    }

    fn olm(&self) -> Option<&OlmSources> {
        self.opened.get()?.olm.as_ref()
    }

    /// Returns the gRPC service, for use by a server or within this process.
    pub fn into_service(self) -> DiagnosisServer<Self> {
        // `portolan-shell` limits the message size for all services, and returns the correct gRPC
        // code.
        DiagnosisServer::new(self).max_decoding_message_size(usize::MAX)
    }

    /// Returns the current facts about one namespace or about all namespaces. They include the
    /// reviews of InstallPlans.
    pub(crate) async fn look(&self, asked: Option<&str>) -> Result<DiagnosisFacts, RequestError> {
        let OlmSources {
            options,
            kinds,
            kubernetes,
            health,
            approval,
            catalogs,
        } = self.olm().ok_or(RequestError::NotYet)?;
        let Options {
            namespace,
            probes: _,
            global_namespace,
        } = options.clone();
        let views = kinds.now().ok_or(RequestError::NotYet)?;
        let own = self.opened.get().map(|opened| &opened.own);
        let usual = || views.global_namespace().to_owned();
        Ok(DiagnosisFacts::of(FactSources {
            only: namespace,
            global: global_namespace.unwrap_or_else(usual),
            cluster: Cluster {
                kubernetes: kubernetes.now(),
                openshift: views.openshift(),
            },
            judged: health.grounds().ok_or(RequestError::NotYet)?,
            reviewed: approval.grounds(asked).await.ok_or(RequestError::NotYet)?,
            catalogs: catalogs.watch().borrow().clone(),
            removals: own.map_or_else(Vec::new, OwnKinds::removals),
            views,
        }))
    }

    /// Returns the replies to a request, computed from the current facts and Portolan's own
    /// objects.
    pub(crate) async fn telling(&self, question: Question) -> Result<Telling, RequestError> {
        let opened = self.opened.get().ok_or(RequestError::NotYet)?;
        opened.check(&question)?;
        let own = match question.own() {
            Some(asked) => opened.own(asked).await?,
            None => OwnObjects::default(),
        };
        let look = if question.is_about_olm() {
            Some(self.look(question.namespace.as_deref()).await?)
        } else {
            None
        };
        Ok(Telling::of(look, own, question, self.pool.clone()))
    }
}

// === impl Opened ===

impl Opened {
    /// Returns Portolan's own objects. If the request needs them, also reads the Pods of failing
    /// workloads.
    async fn own(&self, asked: OwnQuestion<'_>) -> Result<OwnObjects, RequestError> {
        let mut own = self.own.now().ok_or(RequestError::NotYet)?;
        if asked.needs_workloads() {
            let found = self.own.workloads().ok_or(RequestError::NotYet)?;
            own.workloads = found.read().await;
        }
        let nearby = owned(own.namespaces_to_inspect());
        let of_extensions = own.has_extensions() && asked.needs_extensions();
        own.workloads.nearby = self.own.nearby.read(nearby, of_extensions).await;
        let contested = owned(own.subscription_namespaces());
        own.subscriptions = self.own.nearby.subscriptions(contested).await;
        let packages = own.packages_to_read();
        if !packages.is_empty()
            && asked.needs_extensions()
            && let Some(catalogs) = &self.catalogs
        {
            own.packages = catalogs.packages(owned(packages)).await;
        }
        if asked.needs_components() {
            let found = self.own.of_portolan().ok_or(RequestError::NotYet)?;
            own.components.workloads = found.read().await;
        }
        Ok(own)
    }

    /// Returns an error if the request selects a kind that this service does not watch.
    fn check(&self, question: &Question) -> Result<(), RequestError> {
        match (question.kind, &self.namespace) {
            (Some(AskedKind::Own(kind)), Some(only)) if !kind.is_namespaced() => {
                Err(RequestError::Unseen(format!(
                    "{} is cluster-scoped, but this server observes only namespace {only}",
                    kind.as_str()
                )))
            }
            _ => Ok(()),
        }
    }
}

fn owned(names: BTreeSet<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

// === impl OlmSources ===

impl OlmSources {
    async fn settled(&self) {
        let (_, (), (), (), ()) = tokio::join!(
            self.kinds.settled(),
            self.kubernetes.settled(),
            self.health.settled(),
            self.approval.settled(),
            self.catalogs.settled()
        );
    }
}

#[tonic::async_trait]
impl pb::diagnosis_server::Diagnosis for DiagnosisService {
    type DiagnoseStream = BoxStream<'static, Result<pb::DiagnoseResponse, Status>>;

    async fn diagnose(
        &self,
        request: Request<pb::DiagnoseRequest>,
    ) -> Result<Response<Self::DiagnoseStream>, Status> {
        let question = wire::decode(request.get_ref())?;
        let telling = self.telling(question).await?;
        Ok(Response::new(telling.into_stream().boxed()))
    }

    type ListReadinessStream = BoxStream<'static, Result<pb::ListReadinessResponse, Status>>;

    async fn list_readiness(
        &self,
        request: Request<pb::ListReadinessRequest>,
    ) -> Result<Response<Self::ListReadinessStream>, Status> {
        let asked = wire::readiness::decode(request.get_ref())?;
        // A process that calls its own service is one caller.
        let caller = request.extensions().get::<Holder>().cloned();
        let caller = caller.unwrap_or(Holder::Address(None));
        let responses = self.readiness(asked, caller).await?.responses();
        let responses = stream::iter(responses.into_iter().map(Ok));
        Ok(Response::new(responses.boxed()))
    }
}
