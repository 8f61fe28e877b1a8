//! Leader election: only the replica that holds a Lease writes.
//!
//! ```text
//! Election::start -- leads --> the replica writes, each write with a pass of the Fence
//!        |
//!        +-- lost ---> the process ends: a late renewal, or another replica holds the Lease
//!        +-- resign -> on stop: no new write, the running ones end, the Lease is free
//! ```
//!
//! ```no_run
//! use portolan_runtime::lease::{Election, Fence, LeaseRef, Terms};
//!
//! # async fn example(client: kube::Client) -> Result<(), portolan_runtime::lease::LeaseLost> {
//! let election = Election::start(client, LeaseRef::of("portolan", "portolan", "pod-1"), Terms::default());
//! let fence: Fence = election.fence(); // permits nothing yet, and is given to the writer
//! election.leads().await?;
//! tokio::select! {
//!     lost = election.lost() => return Err(lost), // the process ends with it
//!     () = std::future::ready(()) => {}           // the work, until a signal
//! }
//! election.resign().await;
//! # Ok(())
//! # }
//! ```
//!
//! A process with `--no-lease` is the only replica. It has no election and writes with
//! [`Fence::open`].
//!
//! The holder renews the Lease about every five seconds. It may write until ten seconds after it
//! sent the last successful renewal. Another replica takes over the Lease if the Lease did not
//! change during its duration of fifteen seconds. Clocks of different processes are never compared.
//! Each process measures times with a clock that also advances while the process is stopped and
//! while the machine sleeps.

mod campaign;
mod claim;
mod clock;
mod fence;
mod guarded;
mod state;

use kube::Client;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use self::campaign::{Campaign, Phase};
pub use self::claim::Terms;
use self::clock::Moment;
pub use self::fence::Fence;
pub use self::state::{LeaseState, lease_state};

/// A Lease, and the identity of this process in the Lease.
#[derive(Debug, Clone)]
pub struct LeaseRef {
    namespace: String,
    name: String,
    identity: String,
}

/// Leader election: a task that acquires a Lease and renews it until this value is dropped.
#[derive(Debug)]
pub struct Election {
    fence: Fence,
    phase: watch::Receiver<Phase>,
    stop: CancellationToken,
    campaign: AbortOnDropHandle<()>,
}

/// The error that this process is no longer the leader and must end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this replica is no longer the leader: {0}")]
pub struct LeaseLost(String);

/// Returns the name of this process in Leases and events: the name of its Pod or of its machine.
pub fn identity() -> String {
    let name = std::env::var("HOSTNAME").ok();
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "portolan".to_owned())
}

// === impl LeaseRef ===

impl LeaseRef {
    /// Returns the Lease with this namespace and name. The identity contains the name of the Pod or
    /// machine and the start time, so that a restarted process has another identity.
    pub fn of(namespace: &str, name: &str, pod: &str) -> Self {
        let began = Moment::now().as_nanos();
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            identity: format!("{pod}_{}_{began:x}", std::process::id()),
        }
    }

    /// Returns the name of this process in the Lease.
    pub fn identity(&self) -> &str {
        &self.identity
    }
}

// === impl Election ===

impl Election {
    /// Starts to acquire the Lease.
    pub fn start(client: Client, lease_ref: LeaseRef, terms: Terms) -> Self {
        let fence = Fence::closed();
        let stop = CancellationToken::new();
        let (said, phase) = watch::channel(Phase::Waits);
        let campaign = Campaign::new(client, lease_ref, terms, fence.clone());
        let campaign = tokio::spawn(campaign.run(said, stop.clone()));
        Self {
            fence,
            phase,
            stop,
            campaign: AbortOnDropHandle::new(campaign),
        }
    }

    /// Returns the fence, which permits writes only while this process is the leader.
    pub fn fence(&self) -> Fence {
        self.fence.clone()
    }

    /// Waits until this process is the leader. There is no timeout.
    ///
    /// # Errors
    /// Returns an error if this process was the leader and has lost the Lease.
    pub async fn leads(&self) -> Result<(), LeaseLost> {
        match self.until(|phase| *phase != Phase::Waits).await {
            Phase::Leads => Ok(()),
            Phase::Waits => Err(LeaseLost("the election ended".to_owned())),
            Phase::Lost(why) => Err(LeaseLost(why)),
        }
    }

    /// Waits until this process has lost the Lease.
    pub async fn lost(&self) -> LeaseLost {
        match self.until(|phase| matches!(phase, Phase::Lost(_))).await {
            Phase::Lost(why) => LeaseLost(why),
            Phase::Waits | Phase::Leads => LeaseLost("the election ended".to_owned()),
        }
    }

    /// Releases the Lease. After that, no write starts. When the running writes have ended, another
    /// replica can become the leader immediately.
    pub async fn resign(self) {
        self.stop.cancel();
        // If the task has panicked, it holds no Lease that could be released.
        let _ = self.campaign.await;
    }

    /// Waits for a phase that satisfies the condition. After the end of the election, returns the
    /// last phase.
    async fn until(&self, is_so: impl FnMut(&Phase) -> bool) -> Phase {
        let mut phase = self.phase.clone();
        let found = phase.wait_for(is_so).await.map(|phase| phase.clone());
        found.unwrap_or_else(|_| self.phase.borrow().clone())
    }
}
