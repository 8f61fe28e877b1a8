//! Writes the results of Policies and PolicyBindings into their statuses.

use std::collections::BTreeSet;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use portolan_api::operator::{GROUP, Operator};
use portolan_api::policy::{BindingStatus, ConditionType, Policy, PolicyBinding, PolicyStatus};
use portolan_api::status::ConditionTypes;
use portolan_core_approval::consent::{
    BindingFacts, OperatorId, PolicyFacts, binding_status, policy_status,
};
use portolan_runtime::{
    Cache, Cached, FencedClient, FieldRules, News, ObservedObject, Outcome, PendingWrite,
    Reconciler, Recorder, StatusPublisher, Warning, WriteFailure, Writer, entered, instant,
    reference,
};
use portolan_world::{Area, Ended, Followed, Key, Notifier, World};
use serde::Serialize;
use serde_json::json;

use crate::cache::cached;
use crate::metrics::BindingMetrics;
use crate::policies::PolicyInformers;

const POLICY: &str = "Policy";
const BINDING: &str = "PolicyBinding";

/// The cache for the statuses of Policies and PolicyBindings. Both kinds are cluster-scoped.
/// Therefore the namespace in a key contains the kind.
#[derive(Debug)]
pub struct PolicyStatusCache {
    operators: Followed<Operator>,
    policies: PolicyInformers,
    notifier: Notifier,
    /// The operators that existed at the last refresh.
    named: BTreeSet<OperatorId>,
}

/// A Policy or a PolicyBinding, with the facts that determine its status.
#[derive(Debug, Clone)]
pub enum PolicyStatusSnapshot {
    Policy(Box<Policy>, PolicyFacts),
    Binding(Box<PolicyBinding>, BindingFacts),
}

/// Writes the statuses of Policies and PolicyBindings.
#[derive(Debug)]
pub struct PolicyStatusReconciler {
    writer: Writer,
    policies: OneKind,
    bindings: OneKind,
    metrics: BindingMetrics,
    now: fn() -> Timestamp,
}

/// The status publisher and the event recorder for objects of one kind.
#[derive(Debug)]
struct OneKind {
    kind: &'static str,
    /// The plural of the kind. It cannot be derived from the kind.
    plural: &'static str,
    schema: StatusPublisher,
    recorder: Recorder,
}

// === impl PolicyStatusCache ===

impl PolicyStatusCache {
    /// Creates a cache of the objects in a world.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn new(world: &impl World) -> Self {
        let notifier = Notifier::default();
        Self {
            operators: Followed::of(world.objects_in(Area::everywhere()), &notifier),
            policies: PolicyInformers::new(world, &notifier),
            notifier,
            named: BTreeSet::new(),
        }
    }

    fn all(&self) -> BTreeSet<Key> {
        let policies = self.policies.policies.all();
        let policies = policies.map(|(key, _)| Key::new(POLICY, &key.name));
        let bindings = self.policies.bindings.all();
        let bindings = bindings.map(|(key, _)| Key::new(BINDING, &key.name));
        policies.chain(bindings).collect()
    }
}

impl Cache for PolicyStatusCache {
    type Snapshot = PolicyStatusSnapshot;
    type Report = ();

    async fn changed(&mut self) -> Result<(), Ended> {
        self.notifier.notified().await
    }

    /// If an object has changed, returns all objects, because each object may affect the status of
    /// every other object. Of Operators, only their names are relevant.
    async fn refresh(&mut self) -> BTreeSet<Key> {
        self.operators.look();
        let has_changed = self.policies.look();
        let named = self.policies.operators(&self.operators);
        if !has_changed && named == self.named {
            return BTreeSet::new();
        }
        self.named = named;
        self.all()
    }

    fn is_synced(&self) -> bool {
        self.operators.is_heard() && self.policies.is_heard()
    }

    fn snapshot(&mut self, key: &Key) -> Option<PolicyStatusSnapshot> {
        let (name, parsed) = (&key.name, &self.policies.parsed);
        if &*key.namespace == POLICY {
            let policy = self.policies.policies.object("", name)?;
            let facts = parsed.policy(name)?;
            Some(PolicyStatusSnapshot::Policy(
                Box::new(policy.clone()),
                facts,
            ))
        } else {
            let binding = self.policies.bindings.object("", name)?;
            let facts = parsed.binding(name, &self.named)?;
            Some(PolicyStatusSnapshot::Binding(
                Box::new(binding.clone()),
                facts,
            ))
        }
    }

    fn cached(&self, write: &PendingWrite) -> Option<Cached> {
        match write.kind.as_str() {
            POLICY => cached(&self.policies.policies, write),
            BINDING => cached(&self.policies.bindings, write),
            _ => None,
        }
    }

    fn reconciled(&mut self, _: &Key, (): ()) -> BTreeSet<Key> {
        BTreeSet::new()
    }

    fn warn(&self, key: &Key, warning: Warning<'_>) {
        let (kind, name) = (&key.namespace, &key.name);
        match warning {
            Warning::Failed(error) => {
                tracing::warn!(%kind, %name, error, "the status could not be written; retrying");
            }
            Warning::Unseen(_) => {
                tracing::warn!(%kind, %name, "the written status is not observed yet");
            }
        }
    }
}

// === impl PolicyStatusReconciler ===

impl PolicyStatusReconciler {
    /// Creates a reconciler that writes with this client. `identity` is the name of this process in
    /// events: the name of its Pod or of its machine.
    pub fn new(client: FencedClient, identity: &str, metrics: BindingMetrics) -> Self {
        let one = |kind, plural, crd| OneKind {
            kind,
            plural,
            schema: StatusPublisher::new(crd, "v1alpha1"),
            recorder: Recorder::new("portolan-operators", identity),
        };
        Self {
            writer: Writer::new(client, FieldRules::default()),
            policies: one(
                POLICY,
                "upgradepolicies",
                "upgradepolicies.operators.operatorframework.io",
            ),
            bindings: one(
                BINDING,
                "upgradepolicybindings",
                "upgradepolicybindings.operators.operatorframework.io",
            ),
            metrics,
            now: Timestamp::now,
        }
    }

    async fn policy(&self, policy: &Policy, facts: &PolicyFacts) -> Result<Outcome, WriteFailure> {
        let (metadata, now) = (&policy.metadata, (self.now)());
        let before = policy.status.clone().unwrap_or_default();
        let (after, until) = policy_status(facts, &before, metadata.generation, now);
        let conditions = |status: &PolicyStatus| status.conditions.clone();
        let pending = self.write_status(&self.policies, metadata, [before, after], conditions, now);
        Ok(Outcome {
            pending: pending.await?.into_iter().collect(),
            requeue_at: until.map(instant),
            ..Outcome::default()
        })
    }

    async fn binding(
        &self,
        binding: &PolicyBinding,
        facts: &BindingFacts,
    ) -> Result<Outcome, WriteFailure> {
        let (metadata, now) = (&binding.metadata, (self.now)());
        let is_broken = facts.refused.is_some() || !facts.missing.is_empty();
        let name = metadata.name.as_deref().unwrap_or_default();
        self.metrics.is(name, is_broken);
        let before = binding.status.clone().unwrap_or_default();
        let after = binding_status(facts, &before, metadata.generation, now);
        let conditions = |status: &BindingStatus| status.conditions.clone();
        let pending = self.write_status(&self.bindings, metadata, [before, after], conditions, now);
        Ok(Outcome {
            pending: pending.await?.into_iter().collect(),
            ..Outcome::default()
        })
    }

    /// Writes a status if it has changed. Creates events for new problems.
    async fn write_status<S: Serialize>(
        &self,
        of: &OneKind,
        metadata: &ObjectMeta,
        statuses: [S; 2],
        conditions: impl Fn(&S) -> Vec<Condition>,
        now: Timestamp,
    ) -> Result<Option<PendingWrite>, WriteFailure> {
        let client = self.writer.client();
        of.recorder.settle(client, metadata).await?;
        let api_version = format!("{GROUP}/v1alpha1");
        let mut seen = ObservedObject::of(&api_version, of.kind, metadata);
        seen.target.plural = Some(of.plural.to_owned());
        let session = self.writer.session();
        let [before, after] = statuses.each_ref().map(|status| json!(status));
        let Some(written) = of.schema.write(&session, seen, &before, after).await? else {
            return Ok(None);
        };
        let [old, new] = statuses.each_ref().map(conditions);
        for condition in entered(&old, &new).filter(|condition| is_wrong(condition)) {
            let about = reference(&api_version, of.kind, metadata);
            let news = News::of_condition(about, condition, true, now);
            // If the outcome of an event is unknown, the recorder creates the event again later.
            let _ = of.recorder.record(client, metadata, news).await;
        }
        Ok(written.pending)
    }
}

impl Reconciler for PolicyStatusReconciler {
    type Cache = PolicyStatusCache;

    async fn reconcile(&self, _: &Key, seen: PolicyStatusSnapshot) -> Outcome {
        let outcome = match &seen {
            PolicyStatusSnapshot::Policy(policy, facts) => self.policy(policy, facts).await,
            PolicyStatusSnapshot::Binding(binding, facts) => self.binding(binding, facts).await,
        };
        outcome.unwrap_or_else(Outcome::from)
    }

    fn forget(&self, key: &Key) {
        let of = match &*key.namespace {
            POLICY => &self.policies,
            _ => {
                self.metrics.forget(&key.name);
                &self.bindings
            }
        };
        of.recorder.forget(&Key::new("", &key.name));
    }
}

fn is_wrong(condition: &Condition) -> bool {
    match ConditionType::of(condition) {
        Some(ConditionType::Accepted) => condition.status != "True",
        Some(ConditionType::Broken) | None => condition.status == "True",
    }
}
