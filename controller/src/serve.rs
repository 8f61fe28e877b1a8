//! The controller as a process.

use std::net::SocketAddr;
use std::sync::Arc;

use futures::Stream;
use jiff::Timestamp;
use kube::Config;
use portolan_runtime::lease::{Election, Fence, LeaseLost, LeaseRef, Terms, identity};
use portolan_runtime::{Controllers, Driver, FencedClient, Stopped, Writes};
use portolan_shell::client::ConnectTo;
use portolan_shell::{Bound, ProbeServer, Readiness, Serve, signals};
use portolan_world::{Ended, ReachCluster, ResolvedWorld, WorldFlags};
use prometheus_client::registry::Registry;
use thiserror::Error;
use tokio_util::task::AbortOnDropHandle;

use crate::Flags;
use crate::ask::{Addresses, Services};
use crate::crd::schema_of;
use crate::environment::{Environment, unusable};
use crate::flags::{
    CertificateFlags, ComponentFlags, InstallFlags, LeaseFlags, OperatorFlags, PlanFlags,
    PolicyFlags, WebhookFlags,
};
use crate::metrics::Metrics;
use crate::observe::{Informers, Rules};
use crate::reconcile::{
    AT_ONCE, ApprovalCheck, PolicyCache, Reconciler, StatusRenderer, service_changes,
};
use crate::write::Writer;

/// Set in every container of a Pod, and hardly anywhere else.
const IN_A_POD: &str = "KUBERNETES_SERVICE_HOST";

/// The name under which it is not ready.
const NAME: &str = "controller";

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
    Lost(#[from] LeaseLost),
    /// Our looking at policies panicked.
    #[error("look at policies in the background")]
    Join(#[from] tokio::task::JoinError),
}

/// A controller that answers probes once it runs.
#[derive(Debug)]
pub struct Listening {
    /// None if a server of the same process answers probes.
    probe_server: Option<ProbeServer>,
    settled: Readiness,
    metrics: Arc<Metrics>,
    objects: WorldFlags,
    services: Arc<Services>,
    addresses: Addresses,
    policies: PolicyFlags,
    besides: BesidesPolicies,
    webhook: WebhookFlags,
    /// Why nothing is written, if the flags say so.
    read_only: Option<&'static str>,
    lease: LeaseFlags,
}

/// The controllers that this process may have besides the one of policies, each by its flags. One that is not here
/// gets no Lease where policies are only looked at.
#[derive(Debug, Default)]
struct BesidesPolicies {
    plans: PlanFlags,
    certificates: CertificateFlags,
    operators: OperatorFlags,
    components: ComponentFlags,
    installs: InstallFlags,
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
        let probes = flags.probes.clone();
        let (listening, metrics) = Self::of(flags)?;
        let named = (NAME, listening.settled.clone());
        Ok(Self {
            probe_server: Some(ProbeServer::bind(probes, named, metrics).await?),
            ..listening
        })
    }

    /// Returns a controller that listens nowhere itself: the server of the same process answers
    /// probes and scrapers for it.
    ///
    /// # Errors
    /// The URL of a service is invalid, or a flag is missing in a Pod.
    pub fn beside(flags: Flags, server: &mut Bound) -> Result<Self, Start> {
        let (listening, metrics) = Self::of(flags)?;
        server.answer_for((NAME, listening.settled.clone()), metrics);
        Ok(listening)
    }

    /// A controller that does not listen, and its metrics.
    fn of(flags: Flags) -> Result<(Self, Registry), Start> {
        let Flags {
            objects,
            services,
            policies,
            plans,
            certificates,
            operators,
            components,
            installs,
            webhook,
            lease,
            probes: _,
        } = flags;
        let besides = BesidesPolicies {
            plans,
            certificates,
            operators,
            components,
            installs,
        };
        let addresses = services.addresses();
        let is_in_pod = std::env::var_os(IN_A_POD).is_some();
        let read_only = read_only(&policies, &besides, is_in_pod)?;
        let settled = Readiness::pending();
        let (metrics, registry) = Metrics::new();
        let listening = Self {
            probe_server: None,
            services: Arc::new(Services::connect(&addresses)?),
            addresses,
            metrics: Arc::new(metrics),
            settled,
            objects,
            policies,
            besides,
            webhook,
            read_only,
            lease,
        };
        Ok((listening, registry))
    }

    /// The address at which the probes are served; None if another server serves them.
    pub fn probes_address(&self) -> Option<SocketAddr> {
        self.probe_server.as_ref().map(ProbeServer::probes_address)
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
            besides,
            webhook,
            read_only,
            lease,
        } = self;
        let _probes = probe_server.map(|it| AbortOnDropHandle::new(tokio::spawn(it.run())));
        let environment = Environment::of(objects).await?;
        let rules = rules(&policies, read_only, &environment);
        let election = election(&lease, &rules, &besides, &environment);
        let fence = election.as_ref().map_or_else(Fence::open, Election::fence);
        let BesidesPolicies {
            plans,
            certificates,
            operators,
            components,
            installs,
        } = besides;
        let plans = environment.plans(plans, &policies, &fence, &metrics)?;
        let certificates = environment.certificates(certificates, &policies, &fence, &metrics)?;
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

// === impl BesidesPolicies ===

impl BesidesPolicies {
    fn is_any(&self) -> bool {
        let Self {
            plans,
            certificates,
            operators,
            components,
            installs,
        } = self;
        plans.plans
            || certificates.certificates
            || operators.operators
            || components.enable_v2alpha1
            || components.remove_v2alpha1
            || installs.installs
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

/// Why nothing is written, if the flags say so. Who says nothing looks on at a desk, where that can
/// be read, and is asked to say it in a Pod.
fn read_only(
    policies: &PolicyFlags,
    besides: &BesidesPolicies,
    is_in_pod: bool,
) -> Result<Option<&'static str>, Start> {
    let PolicyFlags {
        enforce, read_only, ..
    } = policies;
    if *enforce {
        Ok(None)
    } else if *read_only {
        Ok(Some("it runs with --read-only"))
    } else if is_in_pod && !besides.is_any() {
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
    besides: &BesidesPolicies,
    environment: &Environment,
) -> Option<Election> {
    let LeaseFlags { lease, no_lease } = lease;
    let is_alone = *no_lease || (rules.read_only.is_some() && !besides.is_any());
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
        let told = read_only(&policies, &BesidesPolicies::default(), is_in_pod)
            .map_err(|error| error.to_string());
        assert_eq!(told, expected.map_err(str::to_owned));
    }
}
