//! The updater as a process.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Mutex;
use std::time::Duration;

use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use kube::{Client, Config};
use portolan_api::operator::UPDATER;
use portolan_runtime::FencedClient;
use portolan_runtime::lease::{Election, Fence, LeaseLost, LeaseRef, Terms, identity};
use portolan_shell::client::ConnectTo;
use portolan_shell::{ProbeServer, Readiness, Serve, signals};
use portolan_world::ReachCluster;
use thiserror::Error;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::task::AbortOnDropHandle;

use crate::Flags;
use crate::catalogs::Resolver;
use crate::changes::changes;
use crate::metrics::Metrics;
use crate::round::Rounds;
use crate::write::OperatorWriter;

/// The least time from a change to the round that sees it, with whatever else changes until then.
const PACE: Duration = Duration::from_millis(500);
/// The pauses after rounds that fail, the first and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Why the updater does not run.
#[derive(Debug, Error)]
pub enum Start {
    /// It cannot listen.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// The system refuses signal handlers.
    #[error("wait for signals")]
    Signals(#[source] std::io::Error),
    /// The cluster cannot be reached.
    #[error(transparent)]
    Reach(#[from] ReachCluster),
    /// The URL is none of a resolver.
    #[error("ask the resolver")]
    Resolver(#[from] ConnectTo),
    /// Another updater writes now, or may.
    #[error(transparent)]
    Lost(#[from] LeaseLost),
    /// Another updater has the Lease, and keeps it.
    #[error("another updater holds the Lease {0}, and keeps it; wait until it has ended")]
    Held(String),
}

/// An updater that answers probes once it runs.
#[derive(Debug)]
pub struct Listening {
    probe_server: ProbeServer,
    ready: Readiness,
    resolver: Resolver,
    metrics: Metrics,
    flags: Flags,
}

/// Runs the updater until this process is told to stop. Of several the one that holds the Lease writes.
///
/// # Errors
/// It cannot listen, there is no cluster, or another one leads where this one did.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    Listening::under(flags).await?.run(stops).await
}

// === impl Listening ===

impl Listening {
    /// Listens. Nothing is looked at before [`Listening::run`].
    ///
    /// # Errors
    /// It cannot listen, or the URL is none of a resolver.
    pub async fn under(flags: Flags) -> Result<Self, Start> {
        let (metrics, registry) = Metrics::new();
        let ready = Readiness::pending();
        let named = ("updater", ready.clone());
        Ok(Self {
            probe_server: ProbeServer::bind(flags.probes.clone(), named, registry).await?,
            resolver: Resolver::connect(&flags)?,
            ready,
            metrics,
            flags,
        })
    }

    /// The address at which the probes are served.
    pub fn probes_address(&self) -> SocketAddr {
        self.probe_server.probes_address()
    }

    /// As [`serve`], until the first of `stops`: a round that runs then ends first.
    ///
    /// # Errors
    /// As [`serve`].
    pub async fn run(self, stops: impl Stream<Item = ()>) -> Result<(), Start> {
        let Self {
            probe_server,
            ready,
            resolver,
            metrics,
            flags,
        } = self;
        let _probes = AbortOnDropHandle::new(tokio::spawn(probe_server.run()));
        let config = flags.access.config().await?;
        let client = Client::try_from(config.clone()).map_err(unusable)?;
        let election = election(&flags, &client);
        let fence = election.as_ref().map_or_else(Fence::open, Election::fence);
        let rounds = Rounds {
            writer: Some(writer(config, fence, &metrics)?),
            namespace: flags.operators_namespace.clone(),
            client,
            resolver,
            metrics,
            invalid: Mutex::default(),
        };
        ready.set_ready();
        let mut stops = pin!(stops.fuse());
        let ended = tokio::select! {
            ended = lead(&rounds, election.as_ref()) => ended,
            _ = stops.next() => Ok(()),
        };
        if let Some(election) = election {
            election.resign().await;
        }
        tracing::info!("stopped");
        ended
    }
}

/// Waits for the lead, and goes on round after round until it is lost.
async fn lead(rounds: &Rounds, election: Option<&Election>) -> Result<(), Start> {
    if let Some(election) = election {
        election.leads().await?;
    }
    let changes = changes(&rounds.client, &rounds.namespace, rounds.resolver.client());
    let lost = async {
        match election {
            Some(election) => election.lost().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        lost = lost => Err(lost.into()),
        () = go_on(rounds, changes) => Ok(()),
    }
}

/// A round for each change, and after one that failed another one, with pauses that grow.
async fn go_on(rounds: &Rounds, mut changes: BoxStream<'static, ()>) {
    let mut pause = PAUSES.0;
    loop {
        let failed = match rounds.run().await {
            Ok(told) => told.silence(),
            Err(failed) => Some(failed.told()),
        };
        match failed {
            Some(error) => {
                tracing::warn!(error, "Operators are to be looked at again");
                // Whatever changes meanwhile, nothing is tried faster.
                sleep(pause).await;
                pause = (pause * 2).min(PAUSES.1);
            }
            None => {
                pause = PAUSES.0;
                changes.next().await;
                gather(&mut changes).await;
            }
        }
    }
}

/// Waits a moment for what else changes.
async fn gather(changes: &mut BoxStream<'static, ()>) {
    let until = Instant::now() + PACE;
    loop {
        tokio::select! {
            () = sleep_until(until) => return,
            Some(()) = changes.next() => {}
        }
    }
}

/// Leader election; None where nobody has to agree on who writes.
pub(crate) fn election(flags: &Flags, client: &Client) -> Option<Election> {
    let lease = LeaseRef::of(&flags.operators_namespace, UPDATER, &identity());
    let start = || Election::start(client.clone(), lease, Terms::default());
    (!flags.no_lease).then(start)
}

/// It has a client of its own, of which nothing goes on once this process leads no more.
pub(crate) fn writer(
    config: Config,
    fence: Fence,
    metrics: &Metrics,
) -> Result<OperatorWriter, Start> {
    let client = fence.client(config).map_err(unusable)?;
    let client = FencedClient::new(client, fence, metrics.writes.clone());
    Ok(OperatorWriter::new(&client, &identity()))
}

pub(crate) fn unusable(error: kube::Error) -> Start {
    Start::Reach(ReachCluster::Client(Box::new(error)))
}
