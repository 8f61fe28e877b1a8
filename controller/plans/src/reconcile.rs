//! Reconciles one plan: reads, decides and writes, until there is nothing left to do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::{ApiResource, GroupVersionKind};
use portolan_api::plan::{ConditionType, InstallPlan, Status};
use portolan_core_install::{
    Decision, Discovery, Event, GroupKind, Members, ObjectRef, Observation, Outcome as StepOutcome,
    decide, manager, only_repairs, time_to_ready, unlooked,
};
use portolan_runtime::{
    Expected, FencedClient, FieldRules, News, ObservedObject, Outcome, PendingWrite, Reconciler,
    Recorder, ResourceRef, Session, StatusPublisher, User, WriteFailure, Writer,
};
use portolan_world::{Gvk, Key};
use serde_json::json;
use tokio::time::Instant;

use crate::cache::{PlanCache, PlanReport, PlanSnapshot, Watched};
use crate::discovery::DiscoveryCache;
use crate::memory::Memory;
use crate::metrics::PlanMetrics;
use crate::news::{news, told};
use crate::observe::Looker;
use crate::untold::Untold;
use crate::write::{API_VERSION, KIND, Names, Sent, object_ref, send};

const CRD: &str = "installplans.plans.portolan.dev";
/// The maximum number of times that a decision may ask for more reads. Then the round is aborted.
const QUESTIONS: usize = 1000;
/// The number of failed reads in a row before that is reported. Most failures are over a moment
/// later.
const FAILED_LOOKS: u32 = 3;
/// The rounds of writes after which other plans have their turn.
const ROUNDS: usize = 50;

/// Carries out plans.
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

/// A plan while it is reconciled.
struct Plan<'a> {
    reconciler: &'a PlanReconciler,
    key: &'a Key,
    plan: &'a InstallPlan,
    own: Session<'a>,
    memory: Memory,
    /// The last write of its status.
    pending: Option<PendingWrite>,
    is_news: bool,
    /// True if any request was sent.
    has_asked: bool,
    /// True if the ServiceAccount was read in this reconciliation.
    is_account_fresh: bool,
    /// The time when the report changes without any other change.
    until: Option<Timestamp>,
    /// The members that were written.
    written: BTreeSet<ObjectRef>,
    /// True if members were repaired. The number of repairs is limited.
    has_put_right: bool,
}

/// The result of a round.
enum Round {
    /// Something was written or reported.
    Progress,
    Rest,
}

/// The reason why a round ended early.
enum Halt {
    /// The plan itself changed since it was seen.
    Conflict,
    Failure(String),
}

// === impl PlanReconciler ===

impl PlanReconciler {
    /// Creates a reconciler that writes with this client. `identity` names this process in events:
    /// its Pod or its machine.
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

    /// Takes the memory of a plan out; it is put back when its reconciliation has ended.
    fn take_memory(&self, key: &Key, plan: &InstallPlan) -> Memory {
        let known = self.memories().remove(key);
        let known = known.filter(|known| Some(&known.uid) == plan.metadata.uid.as_ref());
        known.unwrap_or_else(|| Memory::of(plan))
    }

    fn memories(&self) -> std::sync::MutexGuard<'_, BTreeMap<Key, Memory>> {
        // No holder panics half way, so the data is intact.
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
        // The others have their turn.
        Outcome {
            has_acted: true,
            report: self.report(),
            ..Outcome::default()
        }
    }

    /// Returns true if the CRD of plans is being deleted, or is gone.
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
        let due = self.memory.untold.as_ref().map(Untold::due);
        let due = due.map(Instant::into_std);
        Outcome {
            requeue_at: again.into_iter().chain(until).chain(due).min(),
            is_bounded: self.has_put_right,
            report,
            ..Outcome::default()
        }
    }

    /// Reads, decides, and carries out the decision.
    async fn round(&mut self) -> Result<Round, Halt> {
        let client = self.theirs();
        self.memory.expire_before_deletion();
        let mut decided = self.decide(&client).await;
        if !self.is_account_fresh && decided.as_ref().is_ok_and(|(it, _)| !it.steps.is_empty()) {
            // Check the ServiceAccount again before writing, because access may have been revoked
            // meanwhile.
            self.is_account_fresh = true;
            if self.memory.observed.account.take().is_some() {
                decided = self.decide(&client).await;
            }
        }
        let (mut decision, members) = match decided {
            Ok(decided) => decided,
            Err(halt) => return Err(self.unlooked(halt).await),
        };
        self.memory.looked(None);
        if let Some(calm) = decision.calm.take() {
            self.memory.observed.calm = Some(calm);
        }
        let event = decision.event.take();
        let tally = decision.drift_tally();
        self.reconciler.metrics.count_drift(self.key, tally);
        self.until = decision.until;
        let [next, now] = [&decision.status, &self.memory.observed.status]
            .map(|status| status.is_true(ConditionType::Replaced));
        if next != now {
            // Other plans depend on this report, so it is written before anything else.
            decision.steps.clear();
        }
        let sent = self.send(client, &members, &decision).await;
        self.pend(sent.plan.clone());
        if sent.finalizer == Some(false) && self.memory.observed.plan.terminating_since.is_some() {
            // The plan is gone, or only others hold it. There is nothing more to report.
            let told = event.map(|event| told(self.plan, event, (self.reconciler.now)()));
            let untold = self.memory.untold.take().map(Untold::into_news);
            self.tell_news(untold.into_iter().flatten().chain(told))
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
        let is_told = if event.is_none() && failure.is_none() && self.waits(&status, is_done) {
            self.put_off(status);
            false
        } else {
            self.tell(status, event).await?
        };
        if let Some(failure) = failure {
            // A permission may have been revoked.
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

    /// Reports that something cannot be read, once that has lasted for a while.
    async fn unlooked(&mut self, halt: Halt) -> Halt {
        let Halt::Failure(why) = &halt else {
            return halt;
        };
        self.memory.looked(Some(why));
        if self.memory.failed_looks >= FAILED_LOOKS {
            let status = unlooked(&self.memory.observed, why);
            // The API server may refuse this write too. It is retried with the next read.
            let _ = self.tell(status, None).await;
        }
        halt
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
        send(&names, observed, members, decision).await
    }

    /// Reads everything that the decision asks for, and decides.
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
            goes_on_unseen: self.memory.goes_on_unseen(),
        };
        let mut members = self.memory.read_members();
        for _ in 0..QUESTIONS {
            let decision = decide(&self.memory.observed);
            if decision.asks.is_empty() {
                return Ok((decision, members.unwrap_or_default()));
            }
            self.has_asked = true;
            let known = members.take().unwrap_or_default();
            let looked = looker.look(decision.asks, &mut self.memory.observed, &known);
            looked.await.map_err(|failure| match failure {
                // Reads were in progress, so no write was lost.
                WriteFailure::Lost(sentence) => Halt::Failure(sentence),
                failure => Halt::Failure(failure.to_string()),
            })?;
            // The reads may have made the members known.
            members = Some(known).filter(|known| !known.is_empty());
            members = members.or_else(|| self.memory.read_members());
        }
        let sentence = "the same is asked for again and again";
        Err(Halt::Failure(sentence.to_owned()))
    }

    /// Returns true if the status can be written later, because it reports nothing but repairs.
    fn waits(&mut self, status: &Status, is_done: bool) -> bool {
        let Memory {
            observed, untold, ..
        } = &mut self.memory;
        // The number of such repairs is limited.
        let is_put_right = is_done && status.repairs != observed.status.repairs;
        self.has_put_right |= is_put_right;
        let Some(untold) = untold else {
            return is_put_right && only_repairs(&observed.status, status);
        };
        let now = Instant::now();
        if is_put_right {
            untold.goes_on(now);
        }
        // The state after the repair is reported with it.
        only_repairs(untold.told(), status) && (is_put_right || now < untold.due())
    }

    /// Leaves a status to be written a moment later.
    fn put_off(&mut self, status: Status) {
        let news = news(
            self.plan,
            &self.memory.observed.status,
            &status,
            (self.reconciler.now)(),
        );
        let before = std::mem::replace(&mut self.memory.observed.status, status);
        let untold = &mut self.memory.untold;
        untold
            .get_or_insert_with(|| Untold::begin(before, Instant::now()))
            .add(news);
    }

    /// Writes the status, if it is another one. Returns whether it was.
    async fn tell(&mut self, status: Status, event: Option<Event>) -> Result<bool, Halt> {
        let untold = self.memory.untold.as_ref();
        let before = json!(untold.map_or(&self.memory.observed.status, Untold::told));
        let seen = ObservedObject::of(API_VERSION, KIND, &self.plan.metadata);
        let schema = &self.reconciler.schema;
        let written = schema
            .write(&self.own, seen, &before, json!(status))
            .await
            .map_err(|failure| match failure {
                WriteFailure::Conflict(_) => Halt::Conflict,
                failure => Halt::Failure(format!("its status: {failure}")),
            })?;
        let untold = self.memory.untold.take().map(Untold::into_news);
        let Some(written) = written else {
            self.tell_news(untold.into_iter().flatten()).await;
            return Ok(false);
        };
        self.pend(written.pending);
        let now = (self.reconciler.now)();
        let told = event.map(|event| told(self.plan, event, now));
        let news = news(self.plan, &self.memory.observed.status, &status, now);
        let all = untold.into_iter().flatten().chain(news).chain(told);
        self.tell_news(all).await;
        self.count_time_to_ready(&status);
        self.memory.observed.status = status;
        Ok(true)
    }

    fn count_time_to_ready(&self, status: &Status) {
        let created = self.plan.metadata.creation_timestamp.as_ref();
        let before = &self.memory.observed.status;
        let took = created.and_then(|Time(created)| time_to_ready(*created, before, status));
        if let Some(took) = took {
            self.reconciler.metrics.count_ready(took);
        }
    }

    /// Creates events. If one cannot be written now, the recorder retries it later.
    async fn tell_news(&self, all: impl IntoIterator<Item = News>) {
        let (client, of) = (self.reconciler.writer.client(), &self.plan.metadata);
        for news in all {
            let _ = self.reconciler.recorder.record(client, of, news).await;
        }
    }

    /// Remembers a pending write. Of several writes in a row, the cache must show the last.
    fn pend(&mut self, pending: Option<PendingWrite>) {
        let Some(pending) = pending else {
            return;
        };
        if let Expected::Version(version) = &pending.after {
            let version = version.parse().ok();
            self.memory.written = version.map(|version| (version, Instant::now()));
        }
        self.pending = Some(PendingWrite {
            before: self.plan.metadata.resource_version.clone(),
            ..pending
        });
    }

    /// Returns a client that acts as the ServiceAccount, with the field manager of the lineage.
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

    /// Returns the ServiceAccount; empty for an invalid plan, which makes no requests.
    fn account(&self) -> &str {
        let intent = self.memory.observed.intent.as_ref();
        intent.map_or("", |intent| intent.service_account.as_str())
    }

    /// Returns the members to watch: all, once the first may exist.
    fn report(&self) -> PlanReport {
        let Observation {
            status,
            discovery,
            plan,
            ..
        } = &self.memory.observed;
        let (Some(_), Some(discovery)) = (&status.record, discovery) else {
            return PlanReport(None);
        };
        let members = self.memory.members();
        PlanReport(members.map(|members| {
            Watched {
                user: User::service_account(self.namespace(), self.account()),
                kinds: resources(&members, discovery),
                members: members
                    .iter()
                    .map(|member| member.identity.clone())
                    .chain(status.jobs.iter().map(|job| plan.job(&job.job)))
                    .collect(),
            }
        }))
    }
}

/// Returns the served resources of the members, and of Jobs.
fn resources(members: &Members, discovery: &Discovery) -> BTreeMap<GroupKind, ApiResource> {
    let resources = members.iter().filter_map(|member| {
        let at = object_ref(discovery, &member.identity, Some(&member.version))?;
        Some((member.identity.kind.clone(), at))
    });
    let jobs = (!members.jobs().is_empty()).then(|| {
        let kind = GroupKind::job();
        let any = ObjectRef {
            kind: kind.clone(),
            ..ObjectRef::default()
        };
        Some((kind, object_ref(discovery, &any, Some("v1"))?))
    });
    let all = resources.chain(jobs.flatten());
    all.filter_map(|(kind, at)| Some((kind, resource(&at)?)))
        .collect()
}

fn resource(at: &ResourceRef) -> Option<ApiResource> {
    let Gvk {
        group,
        version,
        kind,
    } = &at.object.kind;
    let kind = GroupVersionKind::gvk(group, version, kind);
    Some(ApiResource::from_gvk_with_plural(
        &kind,
        at.plural.as_deref()?,
    ))
}
