//! Runs the controller as a process.

use std::sync::Arc;

use futures::FutureExt;
use futures::stream::BoxStream;
use portolan_core_operatorpolicy::READS;
use portolan_runtime::lease::identity;
use portolan_runtime::{ControllerMetrics, Controllers, LeaseName, Process, Replica, Start};
use portolan_shell::{Bound, ProbeServer, Readiness};
use portolan_webhook::Watch;
use portolan_world::{AnyWorld, Cluster, Files, Pace};
use prometheus_client::registry::Registry;
use tokio_util::task::AbortOnDropHandle;

use crate::ask::{Connections, Services};
use crate::controllers::{POLICIES, Shared, has_others, running};
use crate::flags::{ControllerConfig, Flags, PolicyFlags};
use crate::metrics::Metrics;
use crate::observe::Rules;

/// An environment variable that Kubernetes sets in every container. It is usually not set
/// elsewhere.
const IN_A_POD: &str = "KUBERNETES_SERVICE_HOST";

/// The error for a Pod without the flag --enforce or --read-only. Without the error, the controller
/// would only log changes, and users would not notice this.
const UNSAID: &str = "in a Pod `portolan serve controller` needs one of two flags: --enforce to \
 enforce policies, or --read-only to only observe";

/// The name of the process in its probes.
const NAME: &str = "controller";

/// Runs the controllers until SIGTERM or Ctrl-C. The process listens immediately, and becomes ready
/// when all policies were read. If this replica is the leader, it then keeps the cluster in the
/// state that the policies require.
///
/// # Errors
/// Returns an error if the process cannot listen, if the flags select no cluster or files, if
/// objects can no longer be watched, or if this replica is no longer the leader.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    portolan_runtime::serve(listen(flags)).await
}

/// Listens for probes. Objects are read and probes are answered after [`Process::run`] is called.
///
/// # Errors
/// Returns an error if the process cannot listen, if the URL of a service is invalid, or if a flag
/// is missing in a Pod.
pub async fn listen(flags: Flags) -> Result<Process, Start> {
    let (config, services, probes) = flags.split();
    let connections = Connections::remote(&services)?;
    let objects = config.objects.clone();
    let ((process, ready, registry), _) = process(config, connections)?;
    // The kubeconfig is checked first, so that an error is reported before the process listens.
    objects.config().await?;
    Ok(process.probed(ProbeServer::bind(probes, (NAME, ready), registry).await?))
}

/// Returns a controller that calls these services. The services may be in the same process.
/// `server` serves the probes and metrics of the controller. Other controllers of the process use
/// the returned metrics.
///
/// # Errors
/// Returns an error if a flag is missing in a Pod.
pub fn beside(
    config: ControllerConfig,
    connections: Connections,
    server: &mut Bound,
) -> Result<(Process, ControllerMetrics), Start> {
    let (parts, metrics) = process(config, connections)?;
    let (process, ready, registry) = parts;
    server.answer_for((NAME, ready), registry);
    Ok((process, metrics))
}

/// A process, its readiness, and the registry of its metrics.
type Parts = (Process, Readiness, Registry);

/// Creates the process. Also returns the metrics of its controllers.
fn process(
    config: ControllerConfig,
    connections: Connections,
) -> Result<(Parts, ControllerMetrics), Start> {
    let is_in_pod = std::env::var_os(IN_A_POD).is_some();
    let read_only = read_only(&config.policies, has_others(&config), is_in_pod)?;
    let services = Arc::new(Services::of(connections.clone()));
    let (metrics, registry) = Metrics::new();
    let counted = metrics.controllers.clone();
    let ready = Readiness::pending();
    let controller = Controller {
        config,
        read_only,
        connections,
        services,
        metrics: Arc::new(metrics),
        ready: ready.clone(),
    };
    let process = Process::new(|stops| controller.run(stops).boxed());
    Ok(((process, ready, registry), counted))
}

/// The controller before its start.
struct Controller {
    config: ControllerConfig,
    /// The reason in the flags why no objects may be written. None if there is no such reason.
    read_only: Option<&'static str>,
    connections: Connections,
    services: Arc<Services>,
    metrics: Arc<Metrics>,
    ready: Readiness,
}

// === impl Controller ===

impl Controller {
    async fn run(self, stops: BoxStream<'_, ()>) -> Result<(), Start> {
        let cluster = self.config.objects.config().await?;
        let rules = self.rules(cluster.is_none());
        let lease = self.lease(&rules);
        let replica = cluster.map(|cluster| Replica::elected(cluster, lease));
        let (replica, election) = replica.transpose()?.unzip();
        let _webhook = self.webhook(replica.as_ref(), &rules)?;
        let shared = Shared {
            world: self.world(replica.as_ref()),
            client: replica.as_ref().map(|it| it.client().clone()),
            rules,
            connections: self.connections,
            services: self.services,
            metrics: self.metrics.clone(),
            ready: self.ready,
            config: self.config,
        };
        let mut controllers = Controllers::under(election.flatten());
        if !running(&shared.config).any(|each| each.about == POLICIES) {
            // Without the policy controller, no policies have to be read before the process is
            // ready.
            shared.ready.set_ready();
        }
        let on = running(&shared.config);
        controllers.start_all(on, &shared, replica.as_ref(), &self.metrics.controllers)?;
        Ok(controllers.run(stops, || self.metrics.leads()).await?)
    }

    fn rules(&self, is_of_files: bool) -> Rules {
        let PolicyFlags {
            enforce: _,
            read_only: _,
            take_over,
            default_namespace,
            only_namespace,
            history: _,
        } = &self.config.policies;
        let of_files = is_of_files.then_some("it reads files instead of a cluster");
        Rules {
            read_only: of_files.or(self.read_only),
            takes_over: *take_over,
            default_namespace: default_namespace.clone(),
            is_rehearsed: false,
            only_namespace: only_namespace.clone(),
        }
    }

    /// Returns the Lease for leader election. Returns None if this process writes nothing.
    fn lease(&self, rules: &Rules) -> Option<&LeaseName> {
        let writes = rules.read_only.is_none() || has_others(&self.config);
        self.config.lease.lease().filter(|_| writes)
    }

    /// Returns the world that contains the policies.
    fn world(&self, replica: Option<&Replica>) -> AnyWorld {
        match (&self.config.objects.world, replica) {
            (_, Some(replica)) => {
                let cluster = Cluster::of(replica.client().clone(), Pace::default());
                AnyWorld::Cluster(cluster.reading(READS))
            }
            (path, None) => {
                let path = path.clone().unwrap_or_default();
                AnyWorld::Files(Files::at(path).reading(READS))
            }
        }
    }

    /// Starts to check the availability of the webhook, if a flag names a webhook.
    fn webhook(
        &self,
        replica: Option<&Replica>,
        rules: &Rules,
    ) -> Result<Option<AbortOnDropHandle<()>>, Start> {
        let webhook = self.config.controllers.webhook.as_deref();
        let Some((name, replica)) = webhook.zip(replica) else {
            return Ok(None);
        };
        let writes = self.metrics.controllers.writes("webhook", &["Event"]);
        let identity = identity();
        let events = match rules.read_only {
            None => Some((replica.writing(writes)?, &*identity)),
            Some(_) => None,
        };
        let metrics = self.metrics.webhook.clone();
        let watch = Watch::new(replica.client().clone(), name, metrics, events);
        Ok(Some(AbortOnDropHandle::new(tokio::spawn(watch.run()))))
    }
}

/// Returns the reason in the flags why no objects may be written. Returns None if there is no such
/// reason. Without a flag, the process writes nothing. In a Pod, a flag must specify this
/// explicitly.
fn read_only(
    policies: &PolicyFlags,
    has_others: bool,
    is_in_pod: bool,
) -> Result<Option<&'static str>, Start> {
    let PolicyFlags {
        enforce, read_only, ..
    } = policies;
    if *enforce {
        Ok(None)
    } else if *read_only {
        Ok(Some("it runs with --read-only"))
    } else if is_in_pod && !has_others {
        Err(Start::Flags(UNSAID.into()))
    } else {
        Ok(Some("it runs without --enforce"))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::on_a_workstation([false, false], false, Ok(Some("it runs without --enforce")))]
    #[case::in_a_pod([false, false], true, Err(UNSAID))]
    #[case::enforcing([true, false], true, Ok(None))]
    #[case::looking([false, true], true, Ok(Some("it runs with --read-only")))]
    fn pod_requires_enforce_or_read_only(
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
        let told = read_only(&policies, false, is_in_pod).map_err(|error| error.to_string());
        assert_eq!(told, expected.map_err(str::to_owned));
    }
}
