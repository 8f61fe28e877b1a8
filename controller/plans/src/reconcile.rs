//! Reconciles one plan: reads the requested facts, decides and writes. Repeats this until no work
//! is left.

mod report;
mod watched;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use portolan_api::plan::{ConditionType, InstallPlan};
use portolan_core_install::{
    Decision, Members, ObjectRef, Outcome as StepOutcome, decide, manager, staged,
};
use portolan_runtime::{
    FencedClient, FieldRules, Outcome, PendingWrite, Reconciler, Recorder, ResourceRef, Session,
    StatusPublisher, User, WriteFailure, Writer,
};
use portolan_world::Key;
use tokio::time::Instant;

use crate::cache::{PlanCache, PlanReport, PlanSnapshot};
use crate::discovery::DiscoveryCache;
use crate::memory::Memory;
use crate::metrics::PlanMetrics;
use crate::news::event_news;
use crate::observe::Looker;
use crate::pending_status::PendingStatus;
use crate::write::{Names, Sent, send};

const CRD: &str = "installplans.plans.portolan.dev";
/// The maximum number of times that a decision may request more facts. After that, the
/// reconciliation fails.
const QUESTIONS: usize = 1000;
/// The number of consecutive failed reads after which the failure is reported. Most failures are
/// temporary.
const FAILED_LOOKS: u32 = 3;
/// The maximum number of rounds of writes. After that, other plans get their turn.
const ROUNDS: usize = 50;

/// Reconciles InstallPlans.
#[derive(Debug)]
pub struct PlanReconciler {
    writer: Writer,
    schema: StatusPublisher,
    recorder: Recorder,
    metrics: PlanMetrics,
    discovery: DiscoveryCache,
    memories: Mutex<BTreeMap<Key, Memory>>,
    now: fn() -> Timestamp,
}

/// A plan that is being reconciled.
struct Plan<'a> {
    reconciler: &'a PlanReconciler,
    key: &'a Key,
    plan: &'a InstallPlan,
    own: Session<'a>,
    memory: Memory,
    /// The last write of the plan itself, which the cache must contain.
    pending: Option<PendingWrite>,
    is_news: bool,
    /// True if this reconciliation has sent a request.
    has_asked: bool,
    /// True if this reconciliation has read the ServiceAccount.
    is_account_fresh: bool,
    /// The time at which the status changes without a change of an object.
    until: Option<Timestamp>,
    /// The members that this reconciliation has written.
    written: BTreeSet<ObjectRef>,
    /// True if members were repaired. The rate of repairs has a separate limit.
    has_put_right: bool,
}

/// The result of a round of reading, deciding and writing.
enum Round {
    /// An object was written, or the status was written.
    Progress,
    Rest,
}

/// The reason why a round has ended early.
enum Halt {
    /// The plan has changed since it was read.
    Conflict,
    Failure(String),
}

// === impl PlanReconciler ===

impl PlanReconciler {
    /// Creates a reconciler that writes with this client. `identity` is the name of this process in
    /// events: the name of its Pod or of its machine.
    pub fn new(client: FencedClient, identity: &str, metrics: PlanMetrics) -> Self {
        Self {
            writer: Writer::new(client, FieldRules::default()),
            schema: StatusPublisher::new(CRD, "v1alpha1"),
            recorder: Recorder::new("portolan-plans", identity),
            metrics,
            discovery: DiscoveryCache::default(),
            memories: Mutex::default(),
            now: Timestamp::now,
        }
    }

    /// Takes the data about a plan out of the map. It is put back after the reconciliation.
    fn take_memory(&self, key: &Key, plan: &InstallPlan) -> Memory {
        let known = self.memories().remove(key);
        let known = known.filter(|known| Some(&known.uid) == plan.metadata.uid.as_ref());
        known.unwrap_or_else(|| Memory::of(plan))
    }

    fn memories(&self) -> std::sync::MutexGuard<'_, BTreeMap<Key, Memory>> {
        // No code that holds this lock can panic while the data is inconsistent, so a poisoned lock
        // is safe to use.
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reconciler for PlanReconciler {
    type Cache = PlanCache;

    async fn reconcile(&self, key: &Key, seen: PlanSnapshot) -> Outcome<PlanReport> {
        let mut memory = self.take_memory(key, &seen.plan);
        if let Some(later) = memory.take_over(&seen, (self.now)()) {
            self.memories().insert(key.clone(), memory);
            return Outcome {
                requeue_at: Some(later.into_std()),
                ..Outcome::default()
            };
        }
        let is_account_fresh = memory.observed.account.is_none();
        let mut plan = Plan {
            reconciler: self,
            key,
            plan: &seen.plan,
            own: self.writer.session(),
            memory,
            pending: None,
            is_news: false,
            has_asked: false,
            is_account_fresh,
            until: None,
            written: BTreeSet::new(),
            has_put_right: false,
        };
        let owed = self
            .recorder
            .settle(self.writer.client(), &seen.plan.metadata);
        let mut outcome = match owed.await {
            Ok(()) => plan.carry_out(seen.is_watched).await,
            Err(failure) => plan.failed(failure.to_string()),
        };
        outcome.pending = plan.pending.take().into_iter().collect();
        plan.memory.let_members_go();
        self.memories().insert(key.clone(), plan.memory);
        outcome
    }

    fn forget(&self, key: &Key) {
        self.memories().remove(key);
        self.recorder.forget(key);
        self.metrics.forget(key);
    }
}

// === impl Plan ===

impl Plan<'_> {
    async fn carry_out(&mut self, is_watched: bool) -> Outcome<PlanReport> {
        if self.memory.observed.plan.terminating_since.is_some() {
            match self.is_retired().await {
                Ok(is_retired) => self.memory.observed.is_retired = is_retired,
                Err(failure) => return self.failed(failure.to_string()),
            }
        }
        for _ in 0..ROUNDS {
            match self.round().await {
                Ok(Round::Progress) => {}
                Ok(Round::Rest) => {
                    return match self.memory.unanswered() {
                        Some(sentence) => self.failed(sentence),
                        None => self.rest(is_watched),
                    };
                }
                Err(Halt::Conflict) => {
                    return Outcome {
                        has_conflict: true,
                        report: self.report(),
                        ..Outcome::default()
                    };
                }
                Err(Halt::Failure(sentence)) => return self.failed(sentence),
            }
        }
        // The limit of rounds is reached, so other plans get their turn.
        Outcome {
            has_acted: true,
            report: self.report(),
            ..Outcome::default()
        }
    }

    /// Returns true if the CRD of InstallPlans is being deleted or does not exist.
    async fn is_retired(&self) -> Result<bool, WriteFailure> {
        let kind = "CustomResourceDefinition";
        let definition = ResourceRef::new("apiextensions.k8s.io/v1", kind, None, CRD);
        let definition = self.reconciler.writer.client().find(&definition).await?;
        Ok(definition.is_none_or(|it| it.metadata.deletion_timestamp.is_some()))
    }

    fn failed(&self, sentence: String) -> Outcome<PlanReport> {
        Outcome {
            failure: Some(sentence),
            requeue_at: self.until.map(portolan_runtime::instant),
            report: self.report(),
            ..Outcome::default()
        }
    }

    fn rest(&mut self, is_watched: bool) -> Outcome<PlanReport> {
        if !self.has_asked || !self.written.is_empty() {
            self.memory.counts_no_look();
        }
        let report = self.report();
        let again = self.memory.again(is_watched, self.is_news);
        let again = again.map(Instant::into_std);
        let until = self.until.map(portolan_runtime::instant);
        let due = self.memory.pending_status.as_ref().map(PendingStatus::due);
        let due = due.map(Instant::into_std);
        Outcome {
            requeue_at: again.into_iter().chain(until).chain(due).min(),
            is_bounded: self.has_put_right,
            report,
            ..Outcome::default()
        }
    }

    /// Reads facts, decides, and executes the decision.
    async fn round(&mut self) -> Result<Round, Halt> {
        let client = self.theirs();
        self.memory.expire_before_deletion();
        let mut decided = self.decide(&client).await;
        if !self.is_account_fresh && decided.as_ref().is_ok_and(|(it, _)| !it.steps.is_empty()) {
            // Before the first write, the ServiceAccount is read again, because its access may have
            // been revoked in the meantime.
            self.is_account_fresh = true;
            if self.memory.observed.account.take().is_some() {
                decided = self.decide(&client).await;
            }
        }
        let (mut decision, members) = match decided {
            Ok(decided) => decided,
            Err(halt) => return Err(self.report_failed_reads(halt).await),
        };
        self.memory.record_reads(None);
        if let Some(verified) = decision.verified.take() {
            self.memory.observed.verified = Some(verified);
        }
        let event = decision.event.take();
        let tally = decision.drift_tally();
        self.reconciler.metrics.count_drift(self.key, tally);
        self.until = decision.until;
        let [next, now] = [&decision.status, &self.memory.observed.status]
            .map(|status| status.is_true(ConditionType::Replaced));
        if next != now {
            // Other plans depend on the condition Replaced, so the status is written before the
            // steps.
            decision.steps.clear();
        }
        let sent = self.send(client, &members, &decision).await;
        self.expect_write(sent.plan.clone());
        if sent.finalizer == Some(false) && self.memory.observed.plan.terminating_since.is_some() {
            // The plan no longer exists, or only finalizers of other controllers delay its
            // deletion. Therefore its status is not written.
            let told = event.map(|event| event_news(self.plan, event, (self.reconciler.now)()));
            let pending_status = self
                .memory
                .pending_status
                .take()
                .map(PendingStatus::into_news);
            self.record_events(pending_status.into_iter().flatten().chain(told))
                .await;
            return Ok(Round::Rest);
        }
        let observed = &self.memory.observed;
        let is_news = decision.is_news(observed, &members, &sent.outcomes);
        let has_written = sent.has_written();
        let is_moved = sent.outcomes.contains(&StepOutcome::Again) && !has_written;
        let is_done = has_written && sent.is_done();
        let failure = sent.failure();
        let status = decision.after(observed, &members, &sent.outcomes);
        self.written.extend(sent.written());
        sent.put(&mut self.memory.observed);
        let is_told = if event.is_none() && failure.is_none() && self.can_wait(&status, is_done) {
            self.defer_status(status);
            false
        } else {
            self.write_status(status, event).await?
        };
        if let Some(failure) = failure {
            // The write may have failed because a permission was revoked, so permissions are
            // reviewed again.
            self.memory.observed.denied();
            return Err(Halt::Failure(failure));
        }
        if is_moved && !is_news && !is_told {
            return Err(Halt::Conflict);
        }
        if has_written || is_news || is_told {
            self.is_news = true;
            self.memory.observed.now = (self.reconciler.now)();
            return Ok(Round::Progress);
        }
        Ok(Round::Rest)
    }

    async fn send(&self, theirs: FencedClient, members: &Members, decision: &Decision) -> Sent {
        if decision.steps.is_empty() {
            return Sent::default();
        }
        let (writer, observed) = (&self.reconciler.writer, &self.memory.observed);
        let merged = observed.plan.merged.iter().map(|lineage| {
            let client = theirs.managed_by(&manager(lineage));
            (lineage.clone(), writer.session_by(client))
        });
        let merged: BTreeMap<_, _> = merged.collect();
        let names = Names {
            own: &self.own,
            theirs: &writer.session_by(theirs),
            merged: &merged,
            plan: &self.plan.metadata,
            written: &self.written,
        };
        let staged = staged(observed, members);
        send(
            &names,
            observed,
            staged.as_ref().unwrap_or(members),
            decision,
        )
        .await
    }

    /// Decides about the plan. Reads facts until the decision requests no more facts.
    async fn decide(&mut self, theirs: &FencedClient) -> Result<(Decision, Arc<Members>), Halt> {
        let Self {
            reconciler, plan, ..
        } = *self;
        let account = self.account().to_owned();
        let looker = Looker {
            own: reconciler.writer.client(),
            theirs,
            discovery: &reconciler.discovery,
            namespace: plan.metadata.namespace.as_deref().unwrap_or_default(),
            account: &account,
            continues_unseen: self.memory.continues_unseen(),
        };
        let mut members = self.memory.read_members();
        for _ in 0..QUESTIONS {
            let decision = decide(&self.memory.observed);
            if decision.asks.is_empty() {
                return Ok((decision, members.unwrap_or_default()));
            }
            self.has_asked = true;
            let known = members.take().unwrap_or_default();
            let staged = staged(&self.memory.observed, &known);
            let asked = staged.as_ref().unwrap_or(&known);
            let looked = looker.look(decision.asks, &mut self.memory.observed, asked);
            looked.await.map_err(|failure| match failure {
                // Only reads have failed, so no write has an unknown outcome.
                WriteFailure::Lost(sentence) => Halt::Failure(sentence),
                failure => Halt::Failure(failure.to_string()),
            })?;
            // The facts that were read may complete the list of members.
            members = Some(known).filter(|known| !known.is_empty());
            members = members.or_else(|| self.memory.read_members());
        }
        let sentence = "the same request is repeated without progress";
        Err(Halt::Failure(sentence.to_owned()))
    }

    /// Returns a client with the identity of the plan's ServiceAccount. Its field manager belongs
    /// to the lineage of the plan.
    fn theirs(&self) -> FencedClient {
        let client = self.reconciler.writer.client();
        client
            .impersonating(User::service_account(self.namespace(), self.account()))
            .managed_by(&manager(&self.memory.observed.plan.lineage))
            .patient(&self.memory.patience)
    }

    fn namespace(&self) -> &str {
        self.plan.metadata.namespace.as_deref().unwrap_or_default()
    }

    /// Returns the name of the plan's ServiceAccount. Returns an empty name for an invalid plan,
    /// for which no requests are sent.
    fn account(&self) -> &str {
        let intent = self.memory.observed.intent.as_ref();
        intent.map_or("", |intent| intent.service_account.as_str())
    }
}
