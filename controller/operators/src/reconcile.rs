//! From one Operator to what is written for it: ask, decide, write.

use std::sync::Arc;

use futures::future::join_all;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use kube::api::DynamicObject;
use portolan_api::operator::{
    Account, AdoptionStep, ConditionType, FINALIZER, GROUP, OPERATOR, Operator, Reason, Status,
};
use portolan_api::status::ConditionTypes;
use portolan_core_names::{Gvk, ObjectRef};
use portolan_core_operator::{
    Act, Answer, Ask, Basis, Consent, Home, Knowledge, Observation, Step,
};
use portolan_runtime::{
    FencedClient, FieldRules, Mismatch, News, ObservedObject, Outcome, PendingWrite, Propagation,
    Reconciler, Recorder, ResourceRef, Session, StatusPublisher, User, Write, WriteFailure, Writer,
    entered, instant, reference, set,
};
use portolan_world::Key;
use serde_json::{Value, json};

use crate::Catalogs;
use crate::cache::{OperatorCache, OperatorSnapshot};
use crate::decided::{Answers, Decided, Undecided, decided, observation};
use crate::live;

const CRD: &str = "operators.operators.operatorframework.io";
const KIND: &str = "Operator";
const PLANS: &str = "plans.portolan.dev/v1alpha1";
/// The place of the annotation [`RETIRED`](portolan_api::operator::RETIRED). A plan of an Operator
/// always has annotations.
const RETIRED_AT: &str = "/metadata/annotations/operators.portolan.dev~1retired";

/// Moves operators to their desired versions.
#[derive(Debug)]
pub struct OperatorReconciler<C> {
    writer: Writer,
    schema: StatusPublisher,
    recorder: Recorder,
    catalogs: Arc<C>,
    home: Home,
    now: fn() -> Timestamp,
}

/// The reason why a reconciliation ended early.
enum Halt {
    /// An object changed since it was seen.
    Conflict,
    Failure(String),
    /// The Operator changed meanwhile, so it is reconciled again anyway.
    Superseded,
}

// === impl OperatorReconciler ===

impl<C: Catalogs> OperatorReconciler<C> {
    /// Creates a reconciler that writes with this client. `identity` names this process in events:
    /// its Pod or its machine.
    pub fn new(client: FencedClient, identity: &str, catalogs: Arc<C>, home: Home) -> Self {
        Self {
            writer: Writer::new(client, FieldRules::default()),
            schema: StatusPublisher::new(CRD, "v1alpha1"),
            recorder: Recorder::new("portolan-operators", identity),
            catalogs,
            home,
            now: Timestamp::now,
        }
    }

    async fn carry_out(
        &self,
        seen: &OperatorSnapshot<C>,
        pending: &mut Vec<PendingWrite>,
        report: &mut Option<Basis>,
    ) -> Result<Outcome<Option<Basis>>, Halt> {
        let operator = &seen.operator;
        let owed = self
            .recorder
            .settle(self.writer.client(), &operator.metadata);
        owed.await.map_err(Halt::from)?;
        let mut observed = observation(seen, &self.home, (self.now)());
        let Decided { decision, basis } = decided(&mut observed, (self, &seen.surveys)).await?;
        *report = Some(basis);
        let session = self.writer.session();
        // One session sends all writes of an Operator that are not about plans.
        let theirs = decision.steps.iter().find_map(|step| match step {
            Step::As(account, _) => Some(self.session_of(account)),
            _ => None,
        });
        let own = Own {
            session: &session,
            theirs: theirs.as_ref(),
            metadata: &operator.metadata,
            client: self.writer.client(),
        };
        let has_acted = !decision.steps.is_empty();
        let is_gone = decision.steps.contains(&Step::RemoveFinalizer);
        if !is_gone {
            // Report first what is about to start: readers of the status then know the purpose of
            // the plan.
            let told = self.tell(&own, operator, &decision.status).await?;
            pending.extend(told);
        }
        for step in decision.steps {
            if matches!(step, Step::Release { .. }) {
                self.still_allowed(&observed).await?;
            }
            pending.extend(own.write(step).await?);
        }
        Ok(Outcome {
            has_acted,
            requeue_at: decision.until.map(instant),
            ..Outcome::default()
        })
    }

    /// Starts a session as a ServiceAccount.
    fn session_of(&self, account: &Account) -> Session<'_> {
        let user = User::service_account(&account.namespace, &account.name);
        let client = self.writer.client().impersonating(user);
        self.writer.session_by(client)
    }

    /// Checks right before writing that every Operator in the decision may still start to move.
    async fn still_allowed(&self, observed: &Observation) -> Result<(), Halt> {
        let questions = observed.consents.keys().cloned();
        let asked = questions.map(async |question| {
            let ask = Ask::Consent(Box::new(question));
            self.catalogs.answer(&ask).await
        });
        let allowed = Knowledge::Consent(Answer::Known(Consent::Given));
        let answers = join_all(asked).await;
        if answers.iter().all(|answer| *answer == allowed) {
            Ok(())
        } else {
            Err(Halt::Conflict)
        }
    }

    /// Writes the status, if it is another one.
    async fn tell(
        &self,
        own: &Own<'_>,
        operator: &Operator,
        status: &Status,
    ) -> Result<Option<PendingWrite>, Halt> {
        let old = operator.status.clone().unwrap_or_default();
        let written = self
            .schema
            .write(own.session, own.seen(), &json!(old), json!(status))
            .await?;
        let Some(written) = written else {
            return Ok(None);
        };
        for news in news(operator, &old, status, (self.now)()) {
            // If an event cannot be written now, the recorder retries it later.
            let client = self.writer.client();
            let _ = self.recorder.record(client, &operator.metadata, news).await;
        }
        Ok(written.pending)
    }
}

impl<C: Catalogs> Reconciler for OperatorReconciler<C> {
    type Cache = OperatorCache<C>;

    async fn reconcile(&self, _: &Key, seen: OperatorSnapshot<C>) -> Outcome<Option<Basis>> {
        let (mut pending, mut report) = (Vec::new(), None);
        let outcome = self.carry_out(&seen, &mut pending, &mut report).await;
        let outcome = outcome.unwrap_or_else(|halt| match halt {
            Halt::Conflict => Outcome {
                has_conflict: true,
                ..Outcome::default()
            },
            Halt::Failure(sentence) => Outcome {
                failure: Some(sentence),
                ..Outcome::default()
            },
            Halt::Superseded => Outcome::default(),
        });
        Outcome {
            pending,
            report,
            ..outcome
        }
    }

    fn forget(&self, key: &Key) {
        self.recorder.forget(key);
    }
}

impl<C: Catalogs> Answers for OperatorReconciler<C> {
    async fn answer(&self, ask: &Ask) -> Knowledge {
        match ask {
            Ask::Live(query) => live::look(self.writer.client(), query).await,
            Ask::Resources(query) => live::count(self.writer.client(), query).await,
            _ => self.catalogs.answer(ask).await,
        }
    }
}

impl From<Undecided> for Halt {
    fn from(undecided: Undecided) -> Self {
        match undecided {
            Undecided::Superseded => Self::Superseded,
            Undecided::Endless => Self::Failure(undecided.to_string()),
        }
    }
}

impl From<WriteFailure> for Halt {
    fn from(failure: WriteFailure) -> Self {
        match failure {
            WriteFailure::Conflict(_) => Self::Conflict,
            failure => Self::Failure(failure.to_string()),
        }
    }
}

/// The sessions that send the writes of an Operator.
struct Own<'a> {
    session: &'a Session<'a>,
    /// Acts as the ServiceAccount that installs.
    theirs: Option<&'a Session<'a>>,
    metadata: &'a ObjectMeta,
    client: &'a FencedClient,
}

impl Own<'_> {
    fn seen(&self) -> ObservedObject {
        ObservedObject::of(&api_version(), KIND, self.metadata)
    }

    async fn write(&self, step: Step) -> Result<Vec<PendingWrite>, Halt> {
        let there = self.metadata.finalizers.as_deref().unwrap_or_default();
        let write = match step {
            Step::AddFinalizer => Write::add_finalizer(self.seen(), there, FINALIZER),
            Step::RemoveFinalizer => Write::remove_finalizer(self.seen(), there, FINALIZER),
            Step::Create(objects) => return self.create(objects).await,
            Step::Release {
                namespace,
                plan,
                uid,
                version,
            } => {
                let operation = set("/spec/suspend", Some(&json!(false)));
                Some(Write::patch(
                    plan_of(namespace, plan, uid, version),
                    vec![operation],
                ))
            }
            Step::Suspend {
                namespace,
                plan,
                uid,
                version,
            } => {
                let operations = [
                    set("/spec/suspend", Some(&json!(true))),
                    set(RETIRED_AT, Some(&json!("true"))),
                ];
                let seen = plan_of(namespace, plan, uid, version);
                Some(Write::patch(seen, operations.into()))
            }
            Step::Reset {
                namespace,
                plan,
                uid,
                version,
                resume,
                lifecycle,
            } => {
                let resume = resume.then(|| set("/spec/suspend", Some(&json!(false))));
                let lifecycle = lifecycle.map(|it| set("/spec/lifecycle", Some(&it)));
                let seen = plan_of(namespace, plan, uid, version);
                let operations = resume.into_iter().chain(lifecycle).collect();
                Some(Write::patch(seen, operations))
            }
            Step::Delete {
                namespace,
                plan,
                uid,
            } => {
                let seen = plan_of(namespace, plan, uid, String::new());
                Some(Write::delete(seen, Propagation::Background))
            }
            Step::OwnFound {
                namespace,
                plan,
                uid,
                version,
            } => {
                let operation = set("/spec/lifecycle/onFound", Some(&json!("Own")));
                let seen = plan_of(namespace, plan, uid, version);
                Some(Write::patch(seen, vec![operation]))
            }
            Step::DeleteBeside(object) => self.beside(&object).await?,
            Step::As(_, act) => return self.act(act).await,
        };
        match write {
            Some(write) => {
                let written = self.session.write(write).await?;
                Ok(written.pending.into_iter().collect())
            }
            None => Ok(Vec::new()),
        }
    }

    /// Returns the deletion of an object beside a plan; None if the object is gone, or was not
    /// created by the Operator.
    async fn beside(&self, object: &ObjectRef<Gvk>) -> Result<Option<Write>, WriteFailure> {
        let at = ResourceRef::from(object.clone());
        let found = self.client.find(&at).await?;
        let is_own = |found: &DynamicObject| {
            let operator = OPERATOR.of(&found.metadata);
            operator.is_some() && operator == self.metadata.name.as_deref()
        };
        let uid = found.filter(is_own).and_then(|found| found.metadata.uid);
        Ok(uid.map(|uid| {
            let seen = ObservedObject {
                target: at,
                uid,
                version: String::new(),
            };
            Write::delete(seen, Propagation::Background)
        }))
    }

    /// Does something as the ServiceAccount that installs.
    async fn act(&self, act: Act) -> Result<Vec<PendingWrite>, Halt> {
        let session = self.theirs.unwrap_or(self.session);
        let seen = |object: &ObjectRef<Gvk>, uid, version| ObservedObject {
            target: ResourceRef::from(object.clone()),
            uid,
            version,
        };
        let write = match act {
            Act::Patch {
                object,
                uid,
                version,
                operations,
            } => Write::patch(seen(&object, uid, version), operations),
            Act::Delete {
                object,
                uid,
                version,
            } => Write::delete_unchanged(seen(&object, uid, version), Propagation::Background),
            Act::Orphan {
                object,
                uid,
                version,
            } => Write::delete_unchanged(seen(&object, uid, version), Propagation::Orphan),
        };
        let written = session.write(write).await?;
        // The effects on other kinds are not watched.
        let is_seen = |pending: &PendingWrite| {
            matches!(
                pending.kind.as_str(),
                "ClusterServiceVersion" | "Subscription"
            )
        };
        Ok(written.pending.into_iter().filter(is_seen).collect())
    }

    /// Creates a plan and the objects beside it. Their names derive from their content, so existing
    /// ones are identical. An existing plan was not seen, and is a failure.
    async fn create(&self, objects: Vec<Value>) -> Result<Vec<PendingWrite>, Halt> {
        let last = objects.len().saturating_sub(1);
        let mut pending = Vec::new();
        for (place, object) in objects.into_iter().enumerate() {
            match self.session.write(Write::create(object)?).await {
                Ok(written) if place == last => pending.extend(written.pending),
                // The objects beside a plan are not watched.
                Ok(_) => {}
                Err(WriteFailure::Conflict(Mismatch::Exists(_))) if place < last => {}
                Err(WriteFailure::Conflict(conflict)) => {
                    return Err(Halt::Failure(format!("make its plan: {conflict}")));
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Ok(pending)
    }
}

fn plan_of(namespace: String, name: String, uid: String, version: String) -> ObservedObject {
    ObservedObject {
        target: ResourceRef::new(PLANS, "InstallPlan", &*namespace, &name),
        uid,
        version,
    }
}

fn api_version() -> String {
    format!("{GROUP}/v1alpha1")
}

/// Returns the events for the differences between two statuses, if they are worth an event.
fn news(operator: &Operator, before: &Status, after: &Status, now: Timestamp) -> Vec<News> {
    let new = entered(&before.conditions, &after.conditions);
    let told = new.filter(|condition| is_told(condition));
    let mut news: Vec<_> = told
        .map(|condition| News::of_condition(about(operator), condition, is_warning(condition), now))
        .collect();
    news.extend(adoption(operator, before, after, now));
    let available = &after.versions.available;
    if !available.is_empty() && *available != before.versions.available {
        news.push(News {
            about: about(operator),
            related: None,
            is_warning: false,
            reason: ConditionType::UpgradeAvailable.as_str().to_owned(),
            action: "Reconcile".to_owned(),
            message: format!("the catalog has higher versions: {}", available.join(", ")),
            at: now,
            mark: available.join(" "),
        });
    }
    news
}

/// Returns news if an adoption has progressed.
fn adoption(operator: &Operator, before: &Status, after: &Status, now: Timestamp) -> Option<News> {
    let adoption = after.adoption.as_ref()?;
    let was = before.adoption.as_ref().map(|adoption| adoption.step);
    let csv = format!(
        "ClusterServiceVersion {}/{}",
        adoption.namespace, adoption.cluster_service_version
    );
    let message = match adoption.step {
        AdoptionStep::Beside => format!("it is applied beside {csv}"),
        AdoptionStep::Leaving => format!("{csv} goes"),
        AdoptionStep::Adopted => format!("it was taken over from {csv}"),
        AdoptionStep::Unknown => return None,
    };
    (was != Some(adoption.step)).then(|| News {
        about: about(operator),
        related: None,
        is_warning: false,
        reason: Reason::Adopting.as_str().to_owned(),
        action: "Reconcile".to_owned(),
        mark: message.clone(),
        message,
        at: now,
    })
}

/// Returns true if a condition is worth an event. Higher versions and missing dependencies have
/// their own events.
fn is_told(condition: &Condition) -> bool {
    let waits = [
        Reason::Adopting,
        Reason::Checking,
        Reason::NotReady,
        Reason::NotInstalled,
    ];
    let is_silent = match ConditionType::of(condition) {
        Some(ConditionType::UpgradeAvailable | ConditionType::DependenciesMet) => true,
        Some(ConditionType::Ready | ConditionType::Installing | ConditionType::Deprecated)
        | None => false,
    };
    !is_silent && !waits.iter().any(|it| it.as_str() == condition.reason)
}

fn is_warning(condition: &Condition) -> bool {
    let fine = [
        Reason::Installed,
        Reason::UpToDate,
        Reason::Frozen,
        Reason::Applying,
        Reason::Settling,
        Reason::Lockstep,
        Reason::ApprovalRequired,
        Reason::TimeRestricted,
        Reason::Deleting,
    ];
    !fine.iter().any(|it| it.as_str() == condition.reason)
}

fn about(operator: &Operator) -> ObjectReference {
    reference(&api_version(), KIND, &operator.metadata)
}

#[cfg(test)]
mod tests;
