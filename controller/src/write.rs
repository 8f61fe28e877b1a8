//! Executes the steps of a decision. A write fails if its object has changed since it was read.
//!
//! ```text
//! Desired.steps -- Writer::carry_out --> WrittenStep: an Outcome each, and the PendingWrite to wait for
//! StatusUpdates -- Writer::publish ---> status of the policy, then its compliance events
//! ```
//!
//! This module converts the steps of a policy to writes of `portolan-runtime`. Every write needs
//! the permission of the fence.
//!
//! The field manager `portolan` owns the fields of objects that it created and the fields that it
//! applies. Fields that are replaced as a whole are owned by an update operation.

mod act;
mod context;
mod event;
mod memory;
mod read_only;
mod status;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kube::Client;
use portolan_api::{Contest, ESTABLISHED, OperatorPolicy, PrunedField};
use portolan_core_operatorpolicy::{Desired, Observed, StepOutcome, Target};
use portolan_runtime::{
    FencedClient, FieldRules, PendingWrite, Recorder, ResourceRef, StatusPublisher, StepOrder,
    StepResult, carry_out,
};
use portolan_world::Key;

pub(crate) use self::act::compile;
use self::context::StepContext;
use self::event::recorder;
use self::memory::PolicyMemories;

pub use portolan_runtime::WriteFailure;

use crate::observe::{POLICY_CRD, VERSION};

/// The kinds whose fields are tracked. OperatorGroups and Subscriptions are applied repeatedly.
/// Objects of other kinds are written once.
const RULES: FieldRules = FieldRules {
    contested: &["OperatorGroup", "Subscription"],
    whole: &["config", "selector", "targetNamespaces"],
    predecessor: Some(ESTABLISHED),
};

/// Executes steps and writes statuses.
#[derive(Debug)]
pub struct Writer<R> {
    writer: portolan_runtime::Writer,
    recorder: Recorder,
    reviewer: R,
    schema: StatusPublisher,
    memories: Mutex<PolicyMemories>,
}

/// Checks immediately before an approval if an InstallPlan may still be approved.
pub trait Reviewer: Send + Sync {
    /// Checks that the InstallPlan may be approved now, according to the policies that this process
    /// has read.
    ///
    /// # Errors
    /// Returns the outcome of the step if the InstallPlan may not be approved, or if this is
    /// unknown.
    fn still_allowed(
        &self,
        plan: &Target,
        observed: &Observed,
    ) -> impl Future<Output = Result<(), StepOutcome>> + Send;
}

/// The result of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenStep {
    /// The outcome of the step.
    pub outcome: StepOutcome,
    /// The write that the cache must contain. None if nothing was written.
    pub pending: Option<PendingWrite>,
    /// The policy after the step. None if the step has not written the policy.
    pub policy: Option<Arc<OperatorPolicy>>,
}

// === impl Writer ===

impl<R: Reviewer> Writer<R> {
    /// Creates a writer with this client. `identity` is the name of this process in events: the
    /// name of its Pod or of its machine.
    pub fn new(client: FencedClient, identity: &str, reviewer: R) -> Self {
        Self {
            writer: portolan_runtime::Writer::new(client, RULES),
            recorder: recorder(identity),
            reviewer,
            schema: StatusPublisher::new(POLICY_CRD, VERSION),
            memories: Mutex::default(),
        }
    }

    /// Executes the steps in order. Stops at the first step that has not succeeded.
    pub async fn carry_out(&self, observed: &Observed, desired: &Desired) -> Vec<WrittenStep> {
        let context = StepContext::new(observed, &desired.report, self.writer.session());
        let (context, steps) = (&context, &desired.steps);
        let order = StepOrder::sequence(steps.len());
        let act = |step: usize| self.act(&steps[step].action, context);
        let tried = carry_out(&order, 1, act).await.into_iter();
        let tried = tried.filter_map(|step| match step {
            StepResult::Done(written) => Some(written),
            StepResult::Failed(written) => Some(*written),
            StepResult::Blocked(_) => None,
        });
        tried.collect()
    }

    /// Returns the client for writes.
    pub(crate) fn client(&self) -> Client {
        self.writer.client().client()
    }

    /// Returns the fields in a namespace that another manager repeatedly reverts.
    pub fn contests(&self, namespace: &str) -> Vec<Contest> {
        self.writer.contests(namespace)
    }

    /// Returns the time after which all of these fields may be written again. Returns None if there
    /// are no such fields.
    pub fn contested_until(&self, namespace: &str) -> Option<Instant> {
        self.writer.contested_until(namespace)
    }

    /// Returns the fields in a namespace that the API server did not store as written.
    pub fn pruned(&self, namespace: &str) -> Vec<PrunedField> {
        self.writer.pruned(namespace)
    }

    /// Drops the data about a deleted policy, and about the objects that were written for it.
    pub fn forget(&self, policy: &Key) {
        self.recorder.forget(policy);
        let written = self.memories().forget(policy);
        written.iter().for_each(|object| self.writer.forget(object));
    }

    /// Records that the fields of this object are written for this policy.
    fn remember(&self, policy: &OperatorPolicy, object: &ResourceRef) {
        if self.writer.remembers(object) {
            let mut memories = self.memories();
            memories.with(policy).objects.insert(object.clone());
        }
    }

    fn memories(&self) -> MutexGuard<'_, PolicyMemories> {
        // No code that holds this lock can panic while the data is inconsistent, so a poisoned lock
        // is safe to use.
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl WrittenStep ===

impl WrittenStep {
    /// Returns the policy after these steps.
    pub fn policy_after(all: &[Self], before: &Arc<OperatorPolicy>) -> Arc<OperatorPolicy> {
        let last = all.iter().rev().find_map(|written| written.policy.as_ref());
        last.unwrap_or(before).clone()
    }
}
