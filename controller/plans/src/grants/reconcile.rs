//! Reconciles one Install: reads the requested facts, decides and writes.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::installs::{ConditionType, FINALIZER, GROUP, Install, Reason, Status, VERSION};
use portolan_api::status::ConditionTypes;
use portolan_core_grants::{Approvals, Decision, Observation, Step, decide};
use portolan_runtime::{
    FencedClient, FieldRules, Mismatch, News, ObservedObject, Outcome, PendingWrite, Propagation,
    Reconciler, Recorder, ResourceRef, Session, StatusPublisher, Write, WriteFailure, Writer,
    entered, instant, reference,
};
use portolan_world::Key;
use serde_json::{Value, json};

use crate::discovery::DiscoveryCache;
use crate::grants::cache::{GrantCache, GrantSnapshot};
use crate::grants::observe::look;
use crate::grants::{ApprovalKey, Images};

const CRD: &str = "installs.operators.coreos.com";
const KIND: &str = "Install";
/// The maximum number of times that a decision may request more facts. After that, the
/// reconciliation fails.
const ROUNDS: usize = 20;

/// Reconciles Installs.
#[derive(Debug)]
pub struct GrantReconciler<I> {
    writer: Writer,
    schema: StatusPublisher,
    recorder: Recorder,
    discovery: DiscoveryCache,
    images: I,
    approvals: Option<ApprovalKey>,
    /// The namespace in which ServiceAccounts for Installs are created.
    home: String,
    now: fn() -> Timestamp,
}

// === impl GrantReconciler ===

impl<I: Images> GrantReconciler<I> {
    /// Creates a reconciler that writes with this client. `identity` is the name of this process in
    /// events: the name of its Pod or of its machine.
    pub fn new(
        client: FencedClient,
        identity: &str,
        images: I,
        (home, approvals): (&str, Option<ApprovalKey>),
    ) -> Self {
        Self {
            writer: Writer::new(client, FieldRules::default()),
            schema: StatusPublisher::new(CRD, VERSION),
            recorder: Recorder::new("portolan-grants", identity),
            discovery: DiscoveryCache::default(),
            images,
            approvals,
            home: home.to_owned(),
            now: Timestamp::now,
        }
    }

    /// Decides about an Install. Reads facts until the decision requests no more facts.
    async fn decide(&self, seen: &GrantSnapshot) -> Result<Decision, WriteFailure> {
        let mut observed = Observation {
            install: seen.install.clone(),
            home: self.home.clone(),
            groups: seen.groups.clone(),
            approvals: match &self.approvals {
                Some(_) => Approvals::On,
                None => Approvals::Off,
            },
            now: (self.now)(),
            ..Observation::default()
        }
        .with_plans(seen.plans.iter().cloned());
        for _ in 0..ROUNDS {
            let decision = decide(&observed);
            if decision.asks.is_empty() {
                return Ok(decision);
            }
            let asks = decision.asks;
            let client = self.writer.client();
            let others = (&self.images, self.approvals.as_ref());
            look(client, &self.discovery, others, asks, &mut observed).await?;
        }
        let sentence = "the same request is repeated without progress";
        Err(WriteFailure::Refused(sentence.to_owned()))
    }

    async fn carry_out(
        &self,
        seen: &GrantSnapshot,
        pending: &mut Vec<PendingWrite>,
    ) -> Result<Outcome, WriteFailure> {
        let install = &*seen.install;
        let client = self.writer.client();
        self.recorder.settle(client, &install.metadata).await?;
        let decision = self.decide(seen).await?;
        let session = self.writer.session();
        let has_acted = !decision.steps.is_empty();
        if !decision.steps.contains(&Step::RemoveFinalizer) {
            // The status is written before the steps, so that users see why a new InstallPlan is
            // created.
            pending.extend(
                self.write_status(&session, install, &decision.status)
                    .await?,
            );
        }
        for step in decision.steps {
            pending.extend(write(&session, install, step).await?);
        }
        Ok(Outcome {
            has_acted,
            requeue_at: decision.until.map(instant),
            ..Outcome::default()
        })
    }

    /// Writes the status if it has changed.
    async fn write_status(
        &self,
        session: &Session<'_>,
        install: &Install,
        status: &Status,
    ) -> Result<Option<PendingWrite>, WriteFailure> {
        let old = install.status.clone().unwrap_or_default();
        let (seen, before) = (of(install), json!(old));
        let written = self.schema.write(session, seen, &before, json!(status));
        let Some(written) = written.await? else {
            return Ok(None);
        };
        let new = entered(&old.conditions, &status.conditions).filter(|it| is_reported(it));
        for condition in new {
            let about = reference(&api_version(), KIND, &install.metadata);
            let news = News::of_condition(about, condition, is_warning(condition), (self.now)());
            // If the outcome of an event is unknown, the recorder creates the event again later.
            let client = self.writer.client();
            let _ = self.recorder.record(client, &install.metadata, news).await;
        }
        Ok(written.pending)
    }
}

impl<I: Images> Reconciler for GrantReconciler<I> {
    type Cache = GrantCache;

    async fn reconcile(&self, _: &Key, seen: GrantSnapshot) -> Outcome {
        let mut pending = Vec::new();
        let outcome = self.carry_out(&seen, &mut pending).await;
        let outcome = outcome.unwrap_or_else(Outcome::from);
        Outcome { pending, ..outcome }
    }

    fn forget(&self, key: &Key) {
        self.recorder.forget(key);
    }
}

async fn write(
    session: &Session<'_>,
    install: &Install,
    step: Step,
) -> Result<Vec<PendingWrite>, WriteFailure> {
    let there = install.metadata.finalizers.as_deref().unwrap_or_default();
    let write = match step {
        Step::AddFinalizer => Write::add_finalizer(of(install), there, FINALIZER),
        Step::RemoveFinalizer => Write::remove_finalizer(of(install), there, FINALIZER),
        Step::Unapprove => {
            let word = Some(json!("Unapproved"));
            Some(Write::field(of(install), "/spec/approval", word))
        }
        Step::Create(objects) => return create(session, objects).await,
        Step::Delete {
            namespace,
            plan,
            uid,
        } => {
            let version = "plans.portolan.dev/v1alpha1";
            let seen = ObservedObject {
                target: ResourceRef::new(version, "InstallPlan", &*namespace, &plan),
                uid,
                version: String::new(),
            };
            Some(Write::delete(seen, Propagation::Background))
        }
    };
    let Some(write) = write else {
        return Ok(Vec::new());
    };
    let written = session.write(write).await?;
    Ok(written.pending.into_iter().collect())
}

/// Creates objects whose names are derived from their content, so an existing object is identical.
/// ServiceAccounts, and the objects that belong to an InstallPlan, are not watched.
async fn create(
    session: &Session<'_>,
    objects: Vec<Value>,
) -> Result<Vec<PendingWrite>, WriteFailure> {
    let mut pending = Vec::new();
    for object in objects {
        let is_seen = object["kind"] == "InstallPlan";
        match session.write(Write::create(object)?).await {
            Ok(written) if is_seen => pending.extend(written.pending),
            Ok(_) => {}
            Err(WriteFailure::Conflict(Mismatch::Exists(_))) if !is_seen => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(pending)
}

fn of(install: &Install) -> ObservedObject {
    ObservedObject::of(&api_version(), KIND, &install.metadata)
}

fn api_version() -> String {
    format!("{GROUP}/{VERSION}")
}

/// Returns true if a change of this condition must cause an event.
fn is_reported(condition: &Condition) -> bool {
    let told = [
        Reason::Installed,
        Reason::InstallPlanFailed,
        Reason::KindNotServed,
        Reason::RoleNotFound,
        Reason::ServiceAccountNotOwned,
        Reason::UnsatisfiedPermissions,
        Reason::NotApproved,
    ];
    let is_fault = ConditionType::of(condition) == Some(ConditionType::ContentImportError);
    is_fault && condition.status == "True" || told.iter().any(|it| it.as_str() == condition.reason)
}

fn is_warning(condition: &Condition) -> bool {
    let fine = [
        Reason::Installed,
        Reason::UnsatisfiedPermissions,
        Reason::NotApproved,
    ];
    !fine.iter().any(|it| it.as_str() == condition.reason)
}
