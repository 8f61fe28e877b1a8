//! Writes what was decided, and nothing that the cluster has moved past.
//!
//! ```text
//! Desired.steps -- Writer::carry_out --> Written: an Outcome each, and the PendingWrite to wait for
//! Told ---------- Writer::tell -------> status of the policy, then its compliance events
//! ```
//!
//! Whatever is changed is changed only if it is as it was seen: each request carries the uid and,
//! but for deletions, the resource version. What an earlier step of the same list wrote counts as
//! seen. Every write goes through one function, which holds the [`Fence`] and the deadline.
//!
//! Fields are owned under the name `portolan`: those of an object that it made, and those that it
//! applies. Fields that are written whole belong to nobody's field set but that of the update.

mod act;
mod apply;
mod contest;
mod course;
mod event;
mod kept;
mod line;
mod mention;
mod met;
mod ownership;
mod patch;
mod place;
mod schema;
mod status;
mod trail;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kube::Client;
use portolan_api::OperatorPolicy;
use portolan_core_operatorpolicy::{Contest, Desired, Observed, Outcome, Target, Unkept};
use portolan_runtime::PendingWrite;
use portolan_runtime::lease::Fence;
use portolan_world::Key;

use self::contest::Contests;
use self::course::Course;
use self::kept::Losses;
use self::line::Line;
pub use self::line::WriteFailure;
use self::met::Met;
pub use self::schema::Schema;
use self::status::Schemas;
use crate::metrics::Writes;

/// Writes what was decided.
#[derive(Debug)]
pub struct Writer<R> {
    line: Line,
    /// How this process is called in events: its pod, or its machine.
    identity: String,
    reviewer: R,
    schemas: Schemas,
    contests: Mutex<Contests>,
    losses: Mutex<Losses>,
    met: Mutex<Met>,
}

/// Says once more, right before an InstallPlan is approved, whether it may be.
pub trait Reviewer: Send + Sync {
    /// Whether the plan may be approved now, by the policies as they are seen.
    ///
    /// # Errors
    /// It may not, or nobody can tell; the step ends so.
    fn still_allowed(
        &self,
        plan: &Target,
        observed: &Observed,
    ) -> impl Future<Output = Result<(), Outcome>> + Send;
}

/// How one step went.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// How.
    pub outcome: Outcome,
    /// What the world shows once it has heard of it; None if nothing was written.
    pub pending: Option<PendingWrite>,
    /// The policy as it is now, if the step wrote it.
    pub policy: Option<Arc<OperatorPolicy>>,
}

// === impl Writer ===

impl<R: Reviewer> Writer<R> {
    /// One that writes while the fence permits it, in the name of `identity`.
    pub fn new(client: Client, fence: Fence, identity: &str, reviewer: R) -> Self {
        Self {
            line: Line::new(client, fence),
            identity: identity.to_owned(),
            reviewer,
            schemas: Schemas::default(),
            contests: Mutex::default(),
            losses: Mutex::default(),
            met: Mutex::default(),
        }
    }

    /// The same, and its writes are counted.
    pub(crate) fn counting(mut self, writes: Writes) -> Self {
        self.line = self.line.counting(writes);
        self
    }

    /// Carries out the steps in their order, up to the first that is not done.
    pub async fn carry_out(&self, observed: &Observed, desired: &Desired) -> Vec<Written> {
        let mut course = Course::new(observed, &desired.report);
        let mut all = Vec::new();
        for step in &desired.steps {
            if let Some(object) = place::contested(&step.action) {
                self.met().with(&observed.policy).objects.insert(object);
            }
            let written = self.act(&step.action, &mut course).await;
            let is_done = matches!(written.outcome, Outcome::Done { .. });
            all.push(written);
            if !is_done {
                break;
            }
        }
        all
    }

    /// Whom it writes to.
    pub(crate) fn client(&self) -> Client {
        self.line.client()
    }

    /// The fields in a namespace that somebody else changes back again and again.
    pub fn contests(&self, namespace: &str) -> Vec<Contest> {
        self.memory().contests(namespace, Instant::now())
    }

    /// When the last of these is over; None if there is none.
    pub fn contested_until(&self, namespace: &str) -> Option<Instant> {
        self.memory().until(namespace, Instant::now())
    }

    /// What the API server did not keep of what was written in a namespace.
    pub fn unkept(&self, namespace: &str) -> Vec<Unkept> {
        self.losses().of(namespace, Instant::now())
    }

    fn losses(&self) -> MutexGuard<'_, Losses> {
        self.losses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets a policy that is gone, and what was written for it.
    pub fn forget(&self, policy: &Key) {
        let written = self.met().forget(policy);
        for object in written {
            self.memory().forget(&object);
            self.losses().forget(&object);
        }
    }

    fn met(&self) -> MutexGuard<'_, Met> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory(&self) -> MutexGuard<'_, Contests> {
        // Nothing in there panics half way, so what it holds is whole.
        self.contests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Written ===

impl Written {
    /// The policy as it is after these steps.
    pub fn policy_after(all: &[Self], before: &Arc<OperatorPolicy>) -> Arc<OperatorPolicy> {
        let last = all.iter().rev().find_map(|written| written.policy.as_ref());
        last.unwrap_or(before).clone()
    }
}
