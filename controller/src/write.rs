//! Writes what was decided, and nothing that the cluster has moved past.
//!
//! ```text
//! Desired.steps -- Writer::carry_out --> Written: an Outcome each, and the PendingWrite to wait for
//! StatusUpdates -- Writer::publish ---> status of the policy, then its compliance events
//! ```
//!
//! The verbs of a policy compile into writes of the runtime: whatever is changed is changed only if
//! it is as it was seen, and every write passes the fence.
//!
//! Fields are owned under the name `portolan`: those of an object that it made, and those that it
//! applies. Fields that are written whole belong to nobody's field set but that of the update.

mod act;
mod context;
mod event;
mod memory;
mod read_only;
mod status;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kube::Client;
use portolan_api::{ESTABLISHED, OperatorPolicy};
use portolan_core_operatorpolicy::{Contest, Desired, Observed, PrunedField, StepOutcome, Target};
use portolan_runtime::{
    FencedClient, FieldRules, ObjectRef, Order, PendingWrite, Recorder, StatusPublisher, Step,
    carry_out,
};
use portolan_world::Key;

pub(crate) use self::act::compile;
use self::context::StepContext;
use self::event::recorder;
use self::memory::PolicyMemories;

pub use portolan_runtime::WriteFailure;

use crate::observe::{POLICY_CRD, VERSION};

/// OperatorGroups and Subscriptions are kept as policies want them; all else is written once.
const RULES: FieldRules = FieldRules {
    contested: &["OperatorGroup", "Subscription"],
    whole: &["config", "selector", "targetNamespaces"],
    predecessor: Some(ESTABLISHED),
};

/// Writes what was decided.
#[derive(Debug)]
pub struct Writer<R> {
    writer: portolan_runtime::Writer,
    recorder: Recorder,
    reviewer: R,
    schema: StatusPublisher,
    memories: Mutex<PolicyMemories>,
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
    ) -> impl Future<Output = Result<(), StepOutcome>> + Send;
}

/// The result of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Its outcome.
    pub outcome: StepOutcome,
    /// The write that the world is to show; None if nothing was written.
    pub pending: Option<PendingWrite>,
    /// The policy as it is now, if the step wrote it.
    pub policy: Option<Arc<OperatorPolicy>>,
}

// === impl Writer ===

impl<R: Reviewer> Writer<R> {
    /// One that writes by this client. `identity` is how this process is called in events: its pod, or
    /// its machine.
    pub fn new(client: FencedClient, identity: &str, reviewer: R) -> Self {
        Self {
            writer: portolan_runtime::Writer::new(client, RULES),
            recorder: recorder(identity),
            reviewer,
            schema: StatusPublisher::new(POLICY_CRD, VERSION),
            memories: Mutex::default(),
        }
    }

    /// Carries out the steps in their order, up to the first that is not done.
    pub async fn carry_out(&self, observed: &Observed, desired: &Desired) -> Vec<Written> {
        let context = StepContext::new(observed, &desired.report, self.writer.session());
        let (context, steps) = (&context, &desired.steps);
        let order = Order::sequence(steps.len());
        let act = |step: usize| self.act(&steps[step].action, context);
        let tried = carry_out(&order, 1, act).await.into_iter();
        let tried = tried.filter_map(|step| match step {
            Step::Done(written) => Some(written),
            Step::Failed(written) => Some(*written),
            Step::Blocked(_) => None,
        });
        tried.collect()
    }

    /// The client of the API server that it writes to.
    pub(crate) fn client(&self) -> Client {
        self.writer.client().client()
    }

    /// The fields in a namespace that somebody else changes back again and again.
    pub fn contests(&self, namespace: &str) -> Vec<Contest> {
        let contests = self.writer.contests(namespace).into_iter();
        contests
            .map(|contest| Contest {
                kind: contest.kind,
                name: contest.name,
                field: contest.field,
                manager: contest.manager,
            })
            .collect()
    }

    /// When the last of these is over; None if there is none.
    pub fn contested_until(&self, namespace: &str) -> Option<Instant> {
        self.writer.contested_until(namespace)
    }

    /// Returns the fields of objects in a namespace that the API server did not keep as they were
    /// written.
    pub fn pruned(&self, namespace: &str) -> Vec<PrunedField> {
        let pruned = self.writer.pruned(namespace).into_iter();
        pruned.map(pruned_field).collect()
    }

    /// Forgets a policy that is gone, and what was written for it.
    pub fn forget(&self, policy: &Key) {
        self.recorder.forget(policy);
        let written = self.memories().forget(policy);
        written.iter().for_each(|object| self.writer.forget(object));
    }

    /// Keeps in mind for which policy the fields of an object are written.
    fn remember(&self, policy: &OperatorPolicy, object: &ObjectRef) {
        if self.writer.remembers(object) {
            let mut memories = self.memories();
            memories.with(policy).objects.insert(object.clone());
        }
    }

    fn memories(&self) -> MutexGuard<'_, PolicyMemories> {
        // Nothing in there panics half way, so what it holds is whole.
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pruned_field(pruned: portolan_runtime::PrunedField) -> PrunedField {
    PrunedField {
        kind: pruned.kind,
        name: pruned.name,
        field: pruned.field,
        wrote: pruned.wrote,
        kept: pruned.kept,
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
