//! The controller as a process.

use std::net::SocketAddr;
use std::sync::Arc;

use futures::Stream;
use jiff::Timestamp;
use kube::{Client, Config};
use portolan_certificates::{CertificateCache, CertificateReconciler};
use portolan_components::{ComponentCache, ComponentReconciler, ConversionService, Wish};
use portolan_core_operatorpolicy::READS;
use portolan_grants::{GrantCache, GrantReconciler};
use portolan_operators::{
    Home, OperatorCache, OperatorReconciler, PolicyStatusCache, PolicyStatusReconciler,
};
use portolan_plans::{PlanCache, PlanReconciler};
use portolan_runtime::lease::{Election, Fence, LeaseRef, Lost, Terms, identity};
use portolan_runtime::{Controllers, Driver, FencedClient, MetadataWatches, Stopped, Writes};
use portolan_shell::client::ConnectTo;
use portolan_shell::{ProbeServer, Readiness, Serve, signals};
use portolan_webhook::Watch;
use portolan_world::{
    AnyWorld, Area, Cluster, Ended, Files, Pace, ReachCluster, ResolvedWorld, WorldFlags,
};
use thiserror::Error;
use tokio_util::task::AbortOnDropHandle;

use crate::Flags;
use crate::ask::{Addresses, BundleImages, ComponentCatalogs, OperatorCatalogs, Services};
use crate::crd::schema_of;
use crate::flags::{
    CertificateFlags, ComponentFlags, InstallFlags, LeaseFlags, OperatorFlags, PlanFlags,
    PolicyFlags, ServiceName, WebhookFlags,
};
use crate::metrics::Metrics;
use crate::observe::{Informers, Rules};
use crate::reconcile::{
    AT_ONCE, ApprovalCheck, PolicyCache, Reconciler, StatusRenderer, service_changes,
};
use crate::write::Writer;

/// Set in every container of a Pod, and hardly anywhere else.
const IN_A_POD: &str = "KUBERNETES_SERVICE_HOST";

/// Why the controller does not run.
#[derive(Debug, Error)]
pub enum Start {
    /// It cannot listen.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// The system refuses signal handlers.
    #[error("wait for signals")]
    Signals(#[source] std::io::Error),
    /// In a Pod nobody reads what a controller would do: whether it writes must be said.
    #[error(
        "in a Pod `portolan controller` needs one of two flags: --enforce carries policies out, and \
         --read-only only looks"
    )]
    Unsaid,
    /// There is no cluster to look at.
    #[error("nothing to look at: say --world PATH, or which cluster")]
    NoCluster(#[source] ReachCluster),
    /// The cluster that was asked for cannot be looked at.
    #[error(transparent)]
    Reach(ReachCluster),
    /// A URL is none of a service.
    #[error("ask the services")]
    Services(#[from] ConnectTo),
    /// The objects of the world are watched no longer.
    #[error("follow the objects of the cluster")]
    Ended(#[from] Ended),
    /// Another replica writes now, or may.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// Our looking at policies panicked.
    #[error("look at policies in the background")]
    Join(#[from] tokio::task::JoinError),
}

/// A controller that answers probes once it runs.
#[derive(Debug)]
pub struct Listening {
    probe_server: ProbeServer,
    settled: Readiness,
    metrics: Arc<Metrics>,
    objects: WorldFlags,
    services: Arc<Services>,
    addresses: Addresses,
    policies: PolicyFlags,
    operators: OperatorFlags,
    components: ComponentFlags,
    installs: InstallFlags,
    webhook: WebhookFlags,
    others: Others,
    /// Why nothing is written, if the flags say so.
    read_only: Option<&'static str>,
    lease: LeaseFlags,
}

/// What the controller does besides policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Others {
    plans: bool,
    certificates: bool,
    operators: bool,
    components: bool,
}

/// Where policies are, and whom to write to, if anybody.
struct Environment {
    world: AnyWorld,
    client: Option<Client>,
    config: Option<Config>,
}

/// Runs the controller until this process is told to stop. It listens at once and is ready when
/// everything has been looked at; from then on, if it is the replica that writes, it keeps the
/// cluster as the policies want it.
///
/// # Errors
/// It cannot listen, there is nothing to look at, looking at it has ended, or another replica
/// leads where this one did.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    Listening::under(flags).await?.run(stops).await
}

// === impl Listening ===

impl Listening {
    /// Listens. Nothing is looked at or answered before [`Listening::run`].
    ///
    /// # Errors
    /// It cannot listen, a URL is none of a service, or it is not said in a Pod whether to write.
    pub async fn under(flags: Flags) -> Result<Self, Start> {
        let Flags {
            objects,
            services,
            policies,
            plans: PlanFlags { plans },
            certificates: CertificateFlags { certificates },
            operators,
            components,
            installs,
            webhook,
            lease,
            probes,
        } = flags;
        let others = Others {
            plans,
            certificates,
            operators: operators.operators,
            components: components.enable_v2alpha1 || components.remove_v2alpha1,
        };
        let addresses = services.addresses();
        let is_in_pod = std::env::var_os(IN_A_POD).is_some();
        let read_only = read_only(&policies, others, is_in_pod)?;
        let settled = Readiness::pending();
        let (metrics, registry) = Metrics::new();
        let named = ("controller", settled.clone());
        Ok(Self {
            probe_server: ProbeServer::bind(probes, named, registry).await?,
            services: Arc::new(Services::connect(&addresses)?),
            addresses,
            metrics: Arc::new(metrics),
            settled,
            objects,
            policies,
            operators,
            components,
            installs,
            webhook,
            others,
            read_only,
            lease,
        })
    }

    /// Where the probes are served.
    pub fn probes_address(&self) -> SocketAddr {
        self.probe_server.probes_address()
    }

    /// As [`serve`], until the first of `stops`: then nothing is begun any more, and what runs may
    /// end. The next of `stops` cuts that short.
    ///
    /// # Errors
    /// As [`serve`].
    pub async fn run(self, stops: impl Stream<Item = ()>) -> Result<(), Start> {
        let Self {
            probe_server,
            settled,
            metrics,
            objects,
            services,
            addresses,
            policies,
            operators,
            components,
            installs,
            webhook,
            others,
            read_only,
            lease,
        } = self;
        let _probes = AbortOnDropHandle::new(tokio::spawn(probe_server.run()));
        let environment = Environment::of(objects).await?;
        let rules = rules(&policies, read_only, &environment);
        let election = election(&lease, &rules, others, &environment);
        let fence = election.as_ref().map_or_else(Fence::open, Election::fence);
        let plans = environment.plans(others, &policies, &fence, &metrics)?;
        let certificates = environment.certificates(others, &policies, &fence, &metrics)?;
        let are_installs_made = installs.installs;
        let components = (&components, are_installs_made);
        let components = environment.components(components, &addresses, &fence, &metrics)?;
        let installs = environment.installs(&installs, &addresses, &fence, &metrics)?;
        let statuses = environment.policy_statuses(&operators, &fence, &metrics)?;
        let operators = environment.operators(operators, &addresses, &fence, &metrics)?;
        let is_silent = rules.read_only.is_some();
        let webhook = environment.webhook(webhook, &fence, is_silent, &metrics)?;
        let _webhook = webhook.map(|watch| AbortOnDropHandle::new(tokio::spawn(watch.run())));
        let config = environment.config.clone();
        let writer = config.map(|config| writer(config, fence, metrics.writes(), services.clone()));
        let writer = writer.transpose()?;
        let driver = Driver {
            cache: PolicyCache::new(
                Informers::of(&ResolvedWorld::of(environment.world.clone()), rules),
                service_changes(&services),
                schema_of(environment.client),
                metrics.clone(),
            ),
            reconciler: Arc::new(Reconciler {
                writer,
                services,
                metrics: metrics.clone(),
                is_silent,
                renderer: StatusRenderer {
                    history: policies.history.into(),
                    now: Timestamp::now,
                },
            }),
            at_once: AT_ONCE,
            ready: settled,
            metrics: metrics.reconciles(),
        };
        let mut controllers = Controllers::under(election);
        controllers.start(driver);
        plans.into_iter().for_each(|it| controllers.start(it));
        certificates
            .into_iter()
            .for_each(|it| controllers.start(it));
        operators.into_iter().for_each(|it| controllers.start(it));
        components.into_iter().for_each(|it| controllers.start(it));
        installs.into_iter().for_each(|it| controllers.start(it));
        statuses.into_iter().for_each(|it| controllers.start(it));
        controllers.run(stops, || metrics.leads()).await?;
        Ok(())
    }
}

impl Others {
    fn is_any(self) -> bool {
        self.plans || self.certificates || self.operators || self.components
    }
}

// === impl Environment ===

impl Environment {
    async fn of(objects: WorldFlags) -> Result<Self, Start> {
        let is_given = objects.is_given();
        let WorldFlags { world, access } = objects;
        if let Some(path) = world {
            return Ok(Self {
                world: AnyWorld::Files(Files::at(path).reading(READS)),
                client: None,
                config: None,
            });
        }
        let config = access.config().await;
        let config = config.map_err(|error| match (is_given, &error) {
            (false, ReachCluster::Nowhere(_)) => Start::NoCluster(error),
            _ => Start::Reach(error),
        })?;
        let client = Client::try_from(config.clone()).map_err(unusable)?;
        Ok(Self {
            world: AnyWorld::Cluster(Cluster::of(client.clone(), Pace::default()).reading(READS)),
            client: Some(client),
            config: Some(config),
        })
    }
}

impl Environment {
    /// The controller of plans, if there is to be one. Nobody waits for its first look: plans may not
    /// be served yet.
    fn plans(
        &self,
        others: Others,
        policies: &PolicyFlags,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<PlanReconciler>>, Start> {
        if !others.plans {
            return Ok(None);
        }
        let Some((client, writing)) = self.writing(fence, metrics.writes_of_plans())? else {
            return Ok(None);
        };
        let only = policies.only_namespace.as_deref();
        let area = only.map_or_else(Area::everywhere, Area::namespace);
        let watches = MetadataWatches::new(client, MetadataWatches::PACE);
        Ok(Some(Driver {
            cache: PlanCache::new(&self.world, area, watches),
            reconciler: Arc::new(PlanReconciler::new(writing, &identity(), metrics.plans())),
            at_once: AT_ONCE,
            ready: Readiness::pending(),
            metrics: metrics.reconciles_of_plans(),
        }))
    }

    /// The controller of certificates, if there is to be one. Nobody waits for its first look: it may
    /// not be allowed to look yet.
    fn certificates(
        &self,
        others: Others,
        policies: &PolicyFlags,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<CertificateReconciler>>, Start> {
        if !others.certificates {
            return Ok(None);
        }
        let Some((client, writing)) = self.writing(fence, metrics.writes_of_certificates())? else {
            return Ok(None);
        };
        let watches = MetadataWatches::new(client, CertificateCache::PACE);
        Ok(Some(Driver {
            cache: CertificateCache::new(watches, policies.only_namespace.as_deref()),
            reconciler: Arc::new(CertificateReconciler::new(&writing, &identity())),
            at_once: AT_ONCE,
            ready: Readiness::pending(),
            metrics: metrics.reconciles_of_certificates(),
        }))
    }

    /// The controller of Operators, if there is to be one. Nobody waits for its first look: they may
    /// not be served yet.
    fn operators(
        &self,
        flags: OperatorFlags,
        addresses: &Addresses,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<OperatorReconciler<OperatorCatalogs>>>, Start> {
        let OperatorFlags {
            operators,
            operators_namespace,
            installer,
            catalog_namespaces,
        } = flags;
        if !operators {
            return Ok(None);
        }
        let Some((client, writing)) = self.writing(fence, metrics.writes_of_operators())? else {
            return Ok(None);
        };
        let namespaces = catalog_namespaces.into_iter().collect();
        let catalogs = Arc::new(OperatorCatalogs::connect(addresses, namespaces)?);
        let home = Home {
            namespace: operators_namespace,
            service_account: installer,
            version: env!("CARGO_PKG_VERSION"),
        };
        Ok(Some(Driver {
            cache: OperatorCache::new(&self.world, client, &home.namespace, catalogs.clone()),
            reconciler: Arc::new(OperatorReconciler::new(
                writing,
                &identity(),
                catalogs,
                home,
            )),
            at_once: AT_ONCE,
            ready: Readiness::pending(),
            metrics: metrics.reconciles_of_operators(),
        }))
    }

    /// The controller of Operators v2alpha1, if there is to be one. Nobody waits for its first look: OLM
    /// may not be there yet.
    fn components(
        &self,
        (flags, are_installs_made): (&ComponentFlags, bool),
        addresses: &Addresses,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<ComponentReconciler<ComponentCatalogs>>>, Start> {
        let Some(wish) = wish(flags) else {
            return Ok(None);
        };
        let Some((client, writing)) = self.writing(fence, metrics.writes_of_components())? else {
            return Ok(None);
        };
        let watches = MetadataWatches::new(client, ComponentCache::<ComponentCatalogs>::PACE);
        let catalogs = Arc::new(ComponentCatalogs::connect(addresses)?);
        Ok(Some(Driver {
            cache: ComponentCache::new(&self.world, watches, catalogs.clone(), are_installs_made),
            reconciler: Arc::new(ComponentReconciler::new(
                writing,
                &identity(),
                catalogs,
                (wish, are_installs_made),
            )),
            at_once: AT_ONCE,
            ready: Readiness::pending(),
            metrics: metrics.reconciles_of_components(),
        }))
    }

    /// The controller of Installs, if there is to be one. Nobody waits for its first look: they may not be
    /// served yet.
    fn installs(
        &self,
        flags: &InstallFlags,
        addresses: &Addresses,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<GrantReconciler<BundleImages>>>, Start> {
        if !flags.installs {
            return Ok(None);
        }
        let Some((_, writing)) = self.writing(fence, metrics.writes_of_installs())? else {
            return Ok(None);
        };
        let home = &flags.installs_namespace;
        let images = BundleImages::connect(addresses)?;
        Ok(Some(Driver {
            cache: GrantCache::new(&self.world),
            reconciler: Arc::new(GrantReconciler::new(
                writing,
                &identity(),
                images,
                (home, flags.approvals.clone()),
            )),
            at_once: AT_ONCE,
            ready: Readiness::pending(),
            metrics: metrics.reconciles_of_installs(),
        }))
    }

    /// The controller of the statuses of Policies and PolicyBindings, which belongs to that of Operators.
    fn policy_statuses(
        &self,
        flags: &OperatorFlags,
        fence: &Fence,
        metrics: &Metrics,
    ) -> Result<Option<Driver<PolicyStatusReconciler>>, Start> {
        if !flags.operators {
            return Ok(None);
        }
        let Some((_, writing)) = self.writing(fence, metrics.writes_of_operators())? else {
            return Ok(None);
        };
        Ok(Some(Driver {
            cache: PolicyStatusCache::new(&self.world),
            reconciler: Arc::new(PolicyStatusReconciler::new(
                writing,
                &identity(),
                metrics.bindings(),
            )),
            at_once: AT_ONCE,
            ready: Readiness::pending(),
            metrics: metrics.reconciles_of_upgrade_policies(),
        }))
    }

    /// Whoever tells of the webhook, if somebody is to.
    fn webhook(
        &self,
        WebhookFlags { webhook }: WebhookFlags,
        fence: &Fence,
        is_silent: bool,
        metrics: &Metrics,
    ) -> Result<Option<Watch>, Start> {
        let (Some(name), Some((client, writing))) =
            (webhook, self.writing(fence, metrics.writes())?)
        else {
            return Ok(None);
        };
        let identity = identity();
        let events = (!is_silent).then_some((writing, &*identity));
        Ok(Some(Watch::new(client, &name, metrics.webhook(), events)))
    }

    /// A client that looks, and one that writes with nothing of it going on once this replica leads
    /// no more; None of files.
    fn writing(
        &self,
        fence: &Fence,
        writes: Writes,
    ) -> Result<Option<(Client, FencedClient)>, Start> {
        let (Some(client), Some(config)) = (&self.client, &self.config) else {
            return Ok(None);
        };
        let writing = fence.client(config.clone()).map_err(unusable)?;
        let writing = FencedClient::new(writing, fence.clone(), writes);
        Ok(Some((client.clone(), writing)))
    }
}

impl From<Stopped> for Start {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Ended(ended) => Self::Ended(ended),
            Stopped::Lost(lost) => Self::Lost(lost),
            Stopped::Join(error) => Self::Join(error),
        }
    }
}

/// What is to become of version v2alpha1; None if that is nobody's business.
fn wish(flags: &ComponentFlags) -> Option<Wish> {
    let ComponentFlags {
        enable_v2alpha1,
        keep_version,
        remove_v2alpha1,
        conversion_service,
    } = flags;
    let ServiceName {
        namespace,
        name,
        port,
    } = conversion_service.clone();
    let service = ConversionService {
        namespace,
        name,
        port,
    };
    let keep = *keep_version;
    let serve = enable_v2alpha1.then_some(Wish::Serve { service, keep });
    serve.or(remove_v2alpha1.then_some(Wish::Remove))
}

/// Why nothing is written, if the flags say so. Who says nothing looks on at a desk, where that can
/// be read, and is asked to say it in a Pod.
fn read_only(
    policies: &PolicyFlags,
    others: Others,
    is_in_pod: bool,
) -> Result<Option<&'static str>, Start> {
    let PolicyFlags {
        enforce, read_only, ..
    } = policies;
    if *enforce {
        Ok(None)
    } else if *read_only {
        Ok(Some("it runs with --read-only"))
    } else if is_in_pod && !others.is_any() {
        Err(Start::Unsaid)
    } else {
        Ok(Some("it runs without --enforce"))
    }
}

fn rules(
    policies: &PolicyFlags,
    read_only: Option<&'static str>,
    environment: &Environment,
) -> Rules {
    let PolicyFlags {
        enforce: _,
        read_only: _,
        take_over,
        default_namespace,
        only_namespace,
        history: _,
    } = policies;
    let of_files = environment
        .client
        .is_none()
        .then_some("its world is one of files");
    Rules {
        read_only: of_files.or(read_only),
        takes_over: *take_over,
        default_namespace: default_namespace.clone(),
        is_rehearsed: false,
        only_namespace: only_namespace.clone(),
    }
}

/// Leader election; None where nobody has to agree on who writes.
fn election(
    lease: &LeaseFlags,
    rules: &Rules,
    others: Others,
    environment: &Environment,
) -> Option<Election> {
    let LeaseFlags { lease, no_lease } = lease;
    let is_alone = *no_lease || (rules.read_only.is_some() && !others.is_any());
    let client = environment.client.clone().filter(|_| !is_alone)?;
    let lease = LeaseRef::of(&lease.namespace, &lease.name, &identity());
    Some(Election::start(client, lease, Terms::default()))
}

/// It has a client of its own, of which nothing goes on once this replica leads no more.
fn writer(
    config: Config,
    fence: Fence,
    writes: Writes,
    services: Arc<Services>,
) -> Result<Writer<ApprovalCheck>, Start> {
    let client = fence.client(config).map_err(unusable)?;
    let client = FencedClient::new(client, fence, writes);
    Ok(Writer::new(client, &identity(), ApprovalCheck(services)))
}

fn unusable(error: kube::Error) -> Start {
    Start::Reach(ReachCluster::Client(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const NEITHER: &str = "in a Pod `portolan controller` needs one of two flags: --enforce carries \
        policies out, and --read-only only looks";

    #[rstest]
    #[case::at_a_desk([false, false], false, Ok(Some("it runs without --enforce")))]
    #[case::in_a_pod([false, false], true, Err(NEITHER))]
    #[case::enforcing([true, false], true, Ok(None))]
    #[case::looking([false, true], true, Ok(Some("it runs with --read-only")))]
    fn whether_it_writes_must_be_said_in_a_pod(
        #[case] flags: [bool; 2],
        #[case] is_in_pod: bool,
        #[case] expected: Result<Option<&str>, &str>,
    ) {
        let [enforce, looks] = flags;
        let policies = PolicyFlags {
            enforce,
            read_only: looks,
            take_over: false,
            default_namespace: None,
            only_namespace: None,
            history: 1,
        };
        let others = Others {
            plans: false,
            certificates: false,
            operators: false,
            components: false,
        };
        let told = read_only(&policies, others, is_in_pod).map_err(|error| error.to_string());
        assert_eq!(told, expected.map_err(str::to_owned));
    }
}
