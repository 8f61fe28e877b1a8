//! Runs several controllers in one process, with one Lease and one shutdown.

use std::pin::pin;
use std::time::Duration;

use futures::{Stream, StreamExt};
use portolan_scaffold::Start;
use portolan_world::Ended;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::driver::{Driver, Reconciler};
use crate::lease::{Election, LeaseLost};

#[cfg(test)]
mod tests;

/// The time for running reconciliations to finish after the stop signal.
const DRAIN: Duration = Duration::from_secs(25);

/// The controllers of a process. Each controller has a separate task, queue and concurrency limit,
/// so that a failing kind does not block other kinds.
#[derive(Debug)]
pub struct Controllers {
    /// The leader election. None if this process may always write.
    election: Option<Election>,
    leads: CancellationToken,
    stop: CancellationToken,
    tasks: JoinSet<Result<(), Ended>>,
}

/// The reason why the controllers stopped without a stop signal.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The cache of a controller has ended.
    #[error(transparent)]
    Ended(#[from] Ended),
    /// Another replica is the leader or may be the leader.
    #[error(transparent)]
    Lost(#[from] LeaseLost),
    /// A controller panicked.
    #[error("cannot reconcile in the background")]
    Join(#[from] JoinError),
}

// === impl Start ===

impl From<LeaseLost> for Start {
    fn from(lost: LeaseLost) -> Self {
        Self::Lost(lost.into())
    }
}

impl From<Stopped> for Start {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Ended(ended) => ended.into(),
            Stopped::Lost(lost) => lost.into(),
            Stopped::Join(source) => Self::Join {
                what: "reconcile",
                source,
            },
        }
    }
}

// === impl Controllers ===

impl Controllers {
    /// Creates an empty set of controllers. They start to reconcile when this process is the
    /// leader.
    pub fn under(election: Option<Election>) -> Self {
        Self {
            election,
            leads: CancellationToken::new(),
            stop: CancellationToken::new(),
            tasks: JoinSet::new(),
        }
    }

    /// Starts a controller. It watches its objects from now on, and reconciles when this process is
    /// the leader.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn start<R: Reconciler>(&mut self, driver: Driver<R>) {
        let leads = self.leads.clone().cancelled_owned();
        self.tasks.spawn(driver.run(leads, self.stop.clone()));
    }

    /// Starts a reconcile loop that is not a [`Driver`]. The loop begins when this process is the
    /// leader. It must shut down in order when the token is cancelled.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn start_loop<L: Future<Output = ()> + Send + 'static>(
        &mut self,
        run: impl FnOnce(CancellationToken) -> L + Send + 'static,
    ) {
        let (leads, stop) = (self.leads.clone(), self.stop.clone());
        self.tasks.spawn(async move {
            tokio::select! {
                () = leads.cancelled() => run(stop.clone()).await,
                () = stop.cancelled() => {}
            }
            Ok(())
        });
    }

    /// Runs until the first item of `stops`. After that, no reconciliation starts, and running
    /// reconciliations can finish. The second item of `stops` ends them early. `on_lead` is called
    /// when this process becomes the leader.
    ///
    /// # Errors
    /// Returns an error if a controller has ended, or if this process was the leader and another
    /// replica took over.
    pub async fn run(
        mut self,
        stops: impl Stream<Item = ()>,
        on_lead: impl FnOnce(),
    ) -> Result<(), Stopped> {
        let stopped = {
            let mut stops = pin!(stops.fuse());
            let mut leads = pin!(leads(self.election.as_ref()));
            let mut lost = pin!(lost(self.election.as_ref()));
            let mut on_lead = Some(on_lead);
            loop {
                tokio::select! {
                    ended = one(&mut self.tasks) => return ended,
                    lost = &mut lost => return Err(lost.into()),
                    () = &mut leads, if on_lead.is_some() => {
                        on_lead.take().into_iter().for_each(|lead| lead());
                        self.leads.cancel();
                    }
                    _ = stops.next() => break,
                }
            }
            tracing::info!(timeout = ?DRAIN, "draining");
            self.stop.cancel();
            tokio::select! {
                ended = all(&mut self.tasks) => ended,
                lost = lost => Err(lost.into()),
                () = tokio::time::sleep(DRAIN) => Ok(()),
                Some(()) = stops.next() => Ok(()),
            }
        };
        // A write that is still running would delay the release of the Lease.
        self.tasks.shutdown().await;
        if let Some(election) = self.election {
            election.resign().await;
        }
        tracing::info!("stopped");
        stopped
    }
}

/// Waits for the first controller to end.
async fn one(tasks: &mut JoinSet<Result<(), Ended>>) -> Result<(), Stopped> {
    match tasks.join_next().await {
        Some(ended) => Ok(ended??),
        None => std::future::pending().await,
    }
}

/// Waits until all controllers have ended.
async fn all(tasks: &mut JoinSet<Result<(), Ended>>) -> Result<(), Stopped> {
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// Waits until this process is the leader. If the process loses the Lease before, the future never
/// returns, because [`lost`] reports the loss.
async fn leads(election: Option<&Election>) {
    let Some(election) = election else {
        return;
    };
    tracing::info!("waiting for leadership");
    if election.leads().await.is_err() {
        std::future::pending::<()>().await;
    }
    tracing::info!("this replica is the leader");
}

async fn lost(election: Option<&Election>) -> LeaseLost {
    match election {
        Some(election) => election.lost().await,
        None => std::future::pending().await,
    }
}
