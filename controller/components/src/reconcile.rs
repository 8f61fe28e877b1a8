//! Reconciles one Operator v2alpha1: reads its components, queries catalogs, decides and writes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::ObjectMeta;
use portolan_api::components::{
    ConditionType, FINALIZER, GROUP, Reason, STORAGE, is_deletion_forced,
};
use portolan_api::status::{ConditionTypes, read};
use portolan_core_components::{
    Component, ContentAnswer, Decision, Finalizer, Installation, Knowledge, Observation, Operator,
    Stored, WantedDefinition, decide,
};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_runtime::{
    FencedClient, FieldRules, Mismatch, News, ObservedObject, Outcome, PendingWrite, Reconciler,
    Recorder, Session, Write, WriteFailure, Writer, entered, instant, reference,
};
use portolan_world::Key;
use serde_json::json;

use crate::Catalogs;
use crate::cache::{ComponentCache, ComponentReport, ComponentSnapshot, OperatorSnapshot};
use crate::readings::Readings;
use crate::writes::{change_content, delete_install, give_label, store, take_label};

const INSTALL_VERSION: &str = "operators.coreos.com/v2alpha1";
/// The maximum number of queries about one Operator. There are a few queries about its content, and
/// one query about each bundle while it is being deleted.
const ASKS: usize = 1000;
/// The maximum number of times within an hour that a label is added again after another client has
/// removed it.
const GIVEN: usize = 3;
const WITHIN: SignedDuration = SignedDuration::from_hours(1);
/// The pause before the removal of a label is tried again after it was rejected.
const REFUSED: SignedDuration = SignedDuration::from_mins(1);

/// Reconciles Operators v2alpha1.
#[derive(Debug)]
pub struct ComponentReconciler<C> {
    writer: Writer,
    recorder: Recorder,
    catalogs: Arc<C>,
    wish: WantedDefinition,
    are_installs_made: bool,
    readings: Readings,
    memories: Mutex<BTreeMap<Key, OperatorMemory>>,
    now: fn() -> Timestamp,
}

/// The data about one Operator that the reconciler keeps between two reconciliations.
#[derive(Debug, Clone, Default)]
struct OperatorMemory {
    /// The problems that were already reported.
    told: BTreeSet<String>,
    /// The times at which the label was added to each object.
    given: BTreeMap<ObjectRef<Gvk>, Vec<Timestamp>>,
    /// The labels whose removal was rejected, each with the reason.
    remaining: BTreeMap<ObjectRef<Gvk>, String>,
}

/// A reconciliation that is running.
struct Run<'a> {
    key: &'a Key,
    seen: &'a OperatorSnapshot,
    metadata: ObjectMeta,
    session: Session<'a>,
    pending: Vec<PendingWrite>,
    has_acted: bool,
    has_conflict: bool,
    requeue_at: Option<Timestamp>,
}

// === impl ComponentReconciler ===

impl<C: Catalogs> ComponentReconciler<C> {
    /// Creates a reconciler that writes with this client. `identity` is the name of this process in
    /// events: the name of its Pod or of its machine. `are_installs_made` must be true if this
    /// process creates and reconciles Installs.
    pub fn new(
        client: FencedClient,
        identity: &str,
        catalogs: Arc<C>,
        (wish, are_installs_made): (WantedDefinition, bool),
    ) -> Self {
        Self {
            writer: Writer::new(client, FieldRules::default()),
            recorder: Recorder::new("portolan-components", identity),
            catalogs,
            wish,
            are_installs_made,
            readings: Readings::default(),
            memories: Mutex::default(),
            now: Timestamp::now,
        }
    }

    pub(crate) fn wish(&self) -> &WantedDefinition {
        &self.wish
    }

    pub(crate) fn client(&self) -> &FencedClient {
        self.writer.client()
    }

    pub(crate) fn session(&self) -> Session<'_> {
        self.writer.session()
    }

    fn memories(&self) -> MutexGuard<'_, BTreeMap<Key, OperatorMemory>> {
        // No code that holds this lock can panic while the data is inconsistent, so a poisoned lock
        // is safe to use.
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory(&self, key: &Key) -> OperatorMemory {
        self.memories().get(key).cloned().unwrap_or_default()
    }

    /// Records the current problems of an object. Returns true if at least one of these problems
    /// was not recorded before.
    pub(crate) fn is_news(&self, key: &Key, told: BTreeSet<String>) -> bool {
        let mut memories = self.memories();
        let memory = memories.entry(key.clone()).or_default();
        let is_news = !told.is_subset(&memory.told);
        memory.told = told;
        is_news
    }

    pub(crate) async fn record(&self, key: &Key, news: News) {
        let reconciled = named(key);
        let _ = self.recorder.record(self.client(), &reconciled, news).await;
    }

    async fn carry_out(
        &self,
        key: &Key,
        seen: &OperatorSnapshot,
    ) -> Result<Outcome<Option<ComponentReport>>, WriteFailure> {
        self.recorder.settle(self.client(), &named(key)).await?;
        let metadata = seen.object.metadata();
        let metadata = metadata.map_err(|error| WriteFailure::Refused(error.to_string()))?;
        let mut run = Run {
            key,
            seen,
            metadata,
            session: self.session(),
            pending: Vec::new(),
            has_acted: false,
            has_conflict: false,
            requeue_at: None,
        };
        if self.wish == WantedDefinition::Remove {
            self.let_go(&mut run).await?;
            return Ok(run.into_outcome(None));
        }
        let components = seen.components.clone();
        let components = self
            .readings
            .read(self.client(), key, components, &seen.kinds);
        let components = components.await?;
        let kinds = components.iter().filter_map(|it| it.defined().cloned());
        let kinds = kinds.collect();
        let (observation, decision) = self.decide(&run, components).await;
        let awaited = self.label(&mut run, &decision).await?;
        self.unlabel(&mut run, &decision).await?;
        self.store(&mut run, &observation, &decision).await?;
        self.install(&mut run, decision.installation).await?;
        self.hold(&mut run, decision.finalizer).await?;
        Ok(run.into_outcome(Some(ComponentReport {
            kinds,
            awaited,
            is_ours: None,
        })))
    }

    /// Removes Portolan's finalizer from an Operator.
    async fn let_go(&self, run: &mut Run<'_>) -> Result<(), WriteFailure> {
        self.hold(run, Some(Finalizer::Remove)).await
    }

    async fn decide(&self, run: &Run<'_>, components: Vec<Component>) -> (Observation, Decision) {
        let finalizers = run.metadata.finalizers.iter().flatten();
        let mut observation = Observation {
            operator: Operator {
                name: run.key.name.to_string(),
                uid: run.metadata.uid.clone().unwrap_or_default(),
                generation: run.metadata.generation.unwrap_or_default(),
                stored: stored(&run.metadata),
                is_deleting: run.metadata.deletion_timestamp.is_some(),
                is_deletion_forced: is_deletion_forced(&run.metadata),
                has_finalizer: finalizers.into_iter().any(|it| it == FINALIZER),
            },
            components,
            unseen: run.seen.unseen.clone(),
            subscriptions: (*run.seen.subscriptions).clone(),
            remaining: self.memory(run.key).remaining,
            are_installs_made: self.are_installs_made,
            answer: None,
            fleet: run.seen.fleet.clone(),
            knowledge: Knowledge::new(),
            now: (self.now)(),
        };
        loop {
            let decision = decide(&observation);
            if let Some(ask) = decision.ask {
                let said = if observation.knowledge.len() < ASKS {
                    self.catalogs.content(&ask).await
                } else {
                    ContentAnswer::Unknown(
                        "too many requests for the Operator; retry later".to_owned(),
                    )
                };
                observation.knowledge.insert(ask, said);
            } else if let Some(question) = &decision.question {
                observation.answer = Some(self.catalogs.answer(question).await);
            } else {
                return (observation, decision);
            }
        }
    }

    /// Adds the label to the objects that must have it. Returns the objects that do not exist yet.
    async fn label(
        &self,
        run: &mut Run<'_>,
        decision: &Decision,
    ) -> Result<BTreeSet<ObjectRef<Gvk>>, WriteFailure> {
        let mut awaited = BTreeSet::new();
        let mut told = BTreeSet::new();
        for id in &decision.projected {
            let Some(kind) = run.seen.kinds.of(id) else {
                continue;
            };
            let Some(object) = kind.object(&id.key()) else {
                awaited.insert(id.clone());
                continue;
            };
            let Some(write) = give_label(kind, &object, &run.key.name) else {
                continue;
            };
            if !self.may_give(run.key, id) {
                told.insert(format!(
                    "{id} repeatedly loses its label; the next attempt is in one hour"
                ));
                continue;
            }
            match run.session.write(write).await {
                Ok(written) => {
                    self.gave(run.key, id);
                    run.wrote(written.pending);
                }
                // The watch may be behind, so the conflict does not stop the other writes.
                Err(WriteFailure::Conflict(_)) => run.has_conflict = true,
                Err(WriteFailure::Refused(why)) => {
                    told.insert(format!("{id} cannot be labeled: {why}"));
                }
                Err(failure) => return Err(failure),
            }
        }
        let sentences = told.iter().cloned().collect::<Vec<_>>().join("; ");
        if self.is_news(run.key, told) {
            let operator = &run.key.name;
            tracing::warn!(%operator, "{sentences}");
        }
        Ok(awaited)
    }

    /// Returns true if the label may be added to an object again.
    fn may_give(&self, key: &Key, id: &ObjectRef<Gvk>) -> bool {
        let now = (self.now)();
        let memory = self.memory(key);
        let times = memory.given.get(id).into_iter().flatten();
        let lately = times.filter(|at| now.duration_since(**at) < WITHIN);
        lately.count() < GIVEN
    }

    /// Records that the label was added to an object.
    fn gave(&self, key: &Key, id: &ObjectRef<Gvk>) {
        let now = (self.now)();
        let mut memories = self.memories();
        let memory = memories.entry(key.clone()).or_default();
        let times = memory.given.entry(id.clone()).or_default();
        times.retain(|at| now.duration_since(*at) < WITHIN);
        times.push(now);
    }

    /// Deletes the Install of an Operator. Without an Install, removes the label from the objects
    /// of the Operator.
    async fn unlabel(&self, run: &mut Run<'_>, decision: &Decision) -> Result<(), WriteFailure> {
        let mut remaining = BTreeMap::new();
        let uninstalled = decision.uninstalled.iter().map(|id| (id, true));
        let taken_off = decision.taken_off.iter().map(|id| (id, false));
        for (id, is_deleted) in uninstalled.chain(taken_off) {
            let Some(kind) = run.seen.kinds.of(id) else {
                continue;
            };
            let object = kind.object(&id.key());
            let write = object.and_then(|it| {
                if is_deleted {
                    delete_install(kind, &it)
                } else {
                    take_label(kind, &it, &run.key.name)
                }
            });
            let Some(write) = write else {
                continue;
            };
            match run.session.write(write).await {
                Ok(written) => run.wrote(written.pending),
                Err(WriteFailure::Refused(why)) => {
                    remaining.insert(id.clone(), why);
                }
                Err(failure) => return Err(failure),
            }
        }
        if !remaining.is_empty() {
            run.requeue_at = Some((self.now)() + REFUSED);
        }
        let mut memories = self.memories();
        let memory = memories.entry(run.key.clone()).or_default();
        if memory.remaining != remaining {
            memory.remaining = remaining;
            // The conditions in the status depend on the labels that were removed, so the Operator
            // is reconciled again.
            run.has_acted = true;
        }
        Ok(())
    }

    /// Stores the result of the decision, and reports new problems.
    async fn store(
        &self,
        run: &mut Run<'_>,
        observation: &Observation,
        decision: &Decision,
    ) -> Result<(), WriteFailure> {
        let Some(stored) = &decision.stored else {
            return Ok(());
        };
        let write = store(run.observed(), run.metadata.annotations.is_some(), stored);
        let written = run.session.write(write).await?;
        run.wrote(written.pending);
        let before = conditions(&observation.operator.stored);
        let after = conditions(stored);
        let version = format!("{GROUP}/{STORAGE}");
        for condition in entered(&before, &after).filter(|it| deserves_event(it)) {
            let about = reference(&version, "Operator", &run.metadata);
            let is_warning = is_warning(condition);
            let news = News::of_condition(about, condition, is_warning, observation.now);
            self.record(run.key, news).await;
        }
        Ok(())
    }

    /// Creates or changes the Install of an Operator.
    async fn install(
        &self,
        run: &mut Run<'_>,
        installation: Option<Installation>,
    ) -> Result<(), WriteFailure> {
        let write = match installation {
            None => return Ok(()),
            Some(Installation::Make(install)) => Some(Write::create(install)?),
            Some(Installation::Change {
                name,
                content,
                bundles,
                is_unapproved,
            }) => {
                let id = ObjectRef::new(Gvk::new(INSTALL_VERSION, "Install"), "", &name);
                let kind = run.seen.kinds.of(&id);
                let object = kind.and_then(|it| it.object(&Key::new("", &name)));
                kind.zip(object).and_then(|(kind, object)| {
                    change_content(kind, &object, (&content, bundles.as_deref()), is_unapproved)
                })
            }
        };
        let Some(write) = write else {
            return Ok(());
        };
        match run.session.write(write).await {
            Ok(written) => run.wrote(written.pending),
            // An Install with this name exists without the label of the Operator. The Operator is
            // reconciled again after the next change.
            Err(WriteFailure::Conflict(Mismatch::Exists(why))) => {
                let operator = &run.key.name;
                tracing::warn!(%operator, %why, "an Install with this name exists that does not \
                 belong to the Operator");
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }

    async fn hold(
        &self,
        run: &mut Run<'_>,
        finalizer: Option<Finalizer>,
    ) -> Result<(), WriteFailure> {
        let there = run.metadata.finalizers.clone().unwrap_or_default();
        let seen = run.observed();
        let write = match finalizer {
            None => None,
            Some(Finalizer::Add) => Write::add_finalizer(seen, &there, FINALIZER),
            Some(Finalizer::Remove) => Write::remove_finalizer(seen, &there, FINALIZER),
        };
        if let Some(write) = write {
            let written = run.session.write(write).await?;
            run.wrote(written.pending);
        }
        Ok(())
    }
}

impl<C: Catalogs> Reconciler for ComponentReconciler<C> {
    type Cache = ComponentCache<C>;

    async fn reconcile(
        &self,
        key: &Key,
        snapshot: ComponentSnapshot,
    ) -> Outcome<Option<ComponentReport>> {
        match snapshot {
            ComponentSnapshot::Waiting => Outcome::default(),
            ComponentSnapshot::Definition { has_data } => self.define(key, has_data).await,
            ComponentSnapshot::Operator(seen) => match self.carry_out(key, &seen).await {
                Ok(outcome) => outcome,
                Err(failure) => failed_outcome(&failure),
            },
        }
    }

    fn forget(&self, key: &Key) {
        self.readings.forget(key);
        self.memories().remove(key);
        self.recorder.forget(key);
    }
}

// === impl Run ===

impl Run<'_> {
    fn observed(&self) -> ObservedObject {
        let version = format!("{GROUP}/{STORAGE}");
        ObservedObject::of(&version, "Operator", &self.metadata)
    }

    fn wrote(&mut self, pending: Option<PendingWrite>) {
        self.has_acted = true;
        self.pending.extend(pending);
    }

    fn into_outcome(self, report: Option<ComponentReport>) -> Outcome<Option<ComponentReport>> {
        Outcome {
            pending: self.pending,
            has_acted: self.has_acted,
            has_conflict: self.has_conflict,
            requeue_at: self.requeue_at.map(instant),
            report,
            ..Outcome::default()
        }
    }
}

/// Returns the outcome of a reconciliation that has failed.
pub(crate) fn failed_outcome(failure: &WriteFailure) -> Outcome<Option<ComponentReport>> {
    let has_conflict = matches!(failure, WriteFailure::Conflict(_));
    Outcome {
        has_conflict,
        failure: (!has_conflict).then(|| failure.to_string()),
        ..Outcome::default()
    }
}

/// Returns the metadata of an object for events.
fn named(key: &Key) -> ObjectMeta {
    ObjectMeta {
        name: Some(key.name.to_string()),
        namespace: Some(key.namespace.to_string()).filter(|it| !it.is_empty()),
        ..ObjectMeta::default()
    }
}

fn stored(metadata: &ObjectMeta) -> Stored {
    Stored::of(&json!({"metadata": {"annotations": metadata.annotations}}))
}

fn conditions(stored: &Stored) -> Vec<Condition> {
    let status = stored.status.as_ref();
    let conditions = status.and_then(|it| it.get("conditions"));
    conditions.map(read).unwrap_or_default()
}

/// Returns true if the condition reports a problem when it is True.
fn is_warning(condition: &Condition) -> bool {
    ConditionType::of(condition) != Some(ConditionType::UpdateAvailable)
}

/// Returns true if a change of this condition causes an event, because a user can fix the problem.
fn deserves_event(condition: &Condition) -> bool {
    let removing = [Reason::RemovingLabels, Reason::RemovingInstall];
    let is_removing = removing.iter().any(|it| condition.reason == it.as_str());
    condition.status == "True" && !is_removing
}
