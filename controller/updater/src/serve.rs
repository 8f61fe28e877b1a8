//! Runs the updater as a process.

use std::time::Duration;

use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use portolan_api::operator::UPDATER;
use portolan_runtime::lease::identity;
use portolan_runtime::{ControllerMetrics, Controllers, LeaseName, Process, Replica, Start};
use portolan_shell::client::Connection;
use portolan_shell::{Bound, ProbeServer, Readiness};
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::catalogs::Resolver;
use crate::changes::changes;
use crate::metrics::Metrics;
use crate::round::Rounds;
use crate::write::OperatorWriter;
use crate::{Flags, UpdaterConfig};

/// The minimum time between a change and the round for it. Other changes in this time do not cause
/// more rounds.
const PACE: Duration = Duration::from_millis(500);
/// The first and the maximum pause after a round that failed.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Runs the updater until SIGTERM or Ctrl-C. If there are several replicas, only the holder of the
/// Lease writes.
///
/// # Errors
/// Returns an error if it cannot listen, there is no cluster, or this replica loses the Lease.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    portolan_runtime::serve(listen(flags)).await
}

/// Opens the sockets. Objects are read after [`Process::run`] is called. If the process receives a
/// signal to stop during a round, this round is completed first.
///
/// # Errors
/// Returns an error if it cannot listen, or the URL of the resolver is invalid.
pub async fn listen(flags: Flags) -> Result<Process, Start> {
    let (metrics, registry) = Metrics::new();
    let ready = Readiness::pending();
    let named = ("updater", ready.clone());
    let probe_server = ProbeServer::bind(flags.probes.clone(), named, registry).await?;
    let resolver = Resolver::connect(&flags)?;
    let parts = (resolver, metrics, ready);
    let config = flags.config();
    Ok(Process::new(|stops| run(config, parts, stops).boxed()).probed(probe_server))
}

/// Returns an updater that runs inside another process and queries its resolver. `server` serves
/// the probes and metrics of the updater. Rounds are counted in the metrics of the other
/// controllers.
pub fn beside(
    config: UpdaterConfig,
    (resolver, counted): (Connection, ControllerMetrics),
    server: &mut Bound,
) -> Process {
    let resolver = Resolver::over(resolver, &config.catalog_namespaces);
    let (metrics, registry) = Metrics::beside(counted);
    let ready = Readiness::pending();
    server.answer_for(("updater", ready.clone()), registry);
    let parts = (resolver, metrics, ready);
    Process::new(|stops| run(config, parts, stops).boxed())
}

async fn run(
    updater: UpdaterConfig,
    (resolver, metrics, ready): (Resolver, Metrics, Readiness),
    stops: BoxStream<'_, ()>,
) -> Result<(), Start> {
    let config = updater.access.config().await?;
    let (replica, election) = Replica::elected(config, lease(&updater).as_ref())?;
    let rounds = rounds(&updater, &replica, resolver, metrics)?;
    ready.set_ready();
    let mut controllers = Controllers::under(election);
    controllers.start_loop(|stop| go_on(rounds, stop));
    Ok(controllers.run(stops, || {}).await?)
}

/// Runs a round after each change. A round that fails is repeated after a pause, which grows with
/// each failure.
async fn go_on(rounds: Rounds, stop: CancellationToken) {
    let resolver = rounds.resolver.client();
    let mut changes = changes(&rounds.client, &rounds.namespace, resolver);
    let mut pause = PAUSES.0;
    while !stop.is_cancelled() {
        let failed = match rounds.run().await {
            Ok(told) => told.silence(),
            Err(failed) => Some(failed.message()),
        };
        let next = async {
            match failed {
                Some(error) => {
                    tracing::warn!(error, "reconciling Operators failed; the updater retries");
                    // Changes during the pause do not shorten it.
                    sleep(pause).await;
                    pause = (pause * 2).min(PAUSES.1);
                }
                None => {
                    pause = PAUSES.0;
                    changes.next().await;
                    gather(&mut changes).await;
                }
            }
        };
        tokio::select! {
            () = next => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Waits a moment, so that one round handles several changes.
pub(crate) async fn gather(changes: &mut BoxStream<'static, ()>) {
    let until = Instant::now() + PACE;
    loop {
        tokio::select! {
            () = sleep_until(until) => return,
            Some(()) = changes.next() => {}
        }
    }
}

/// Returns the Lease for the election of a leader. Returns None if the updater writes without a
/// Lease.
pub(crate) fn lease(config: &UpdaterConfig) -> Option<LeaseName> {
    let lease = LeaseName {
        namespace: config.operators_namespace.clone(),
        name: UPDATER.to_owned(),
    };
    (!config.no_lease).then_some(lease)
}

/// Creates the rounds of this replica.
pub(crate) fn rounds(
    config: &UpdaterConfig,
    replica: &Replica,
    resolver: Resolver,
    metrics: Metrics,
) -> Result<Rounds, Start> {
    let client = replica.writing(metrics.writes())?;
    let writer = OperatorWriter::new(&client, &identity());
    Ok(Rounds {
        writer: Some(writer),
        namespace: config.operators_namespace.clone(),
        client: replica.client().clone(),
        resolver,
        metrics,
        invalid: Default::default(),
    })
}
