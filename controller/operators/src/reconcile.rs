//! Reconciles one Operator: reads the requested facts, decides and writes.

mod news;
mod own;

use std::sync::Arc;

use futures::future::join_all;
use jiff::Timestamp;
use portolan_api::operator::{Account, GROUP, Operator, Status};
use portolan_core_operator::{
    Answer, Ask, Basis, Home, Knowledge, Observation, PolicyDecision, Step,
};
use portolan_runtime::{
    FencedClient, FieldRules, Outcome, PendingWrite, Reconciler, Recorder, Session,
    StatusPublisher, User, WriteFailure, Writer, instant,
};
use portolan_world::Key;
use serde_json::json;

use crate::Catalogs;
use crate::cache::{OperatorCache, OperatorSnapshot};
use crate::decided::{Answers, Decided, Undecided, decided, observation};
use crate::live;
use news::news;
use own::Own;

const CRD: &str = "operators.operators.operatorframework.io";
const KIND: &str = "Operator";
const PLANS: &str = "plans.portolan.dev/v1alpha1";
/// The JSON pointer to the annotation [`RETIRED`](portolan_api::operator::RETIRED). The InstallPlan
/// of an Operator always has annotations.
const RETIRED_AT: &str = "/metadata/annotations/operators.portolan.dev~1retired";

/// Reconciles Operators.
#[derive(Debug)]
pub struct OperatorReconciler<C> {
    writer: Writer,
    schema: StatusPublisher,
    recorder: Recorder,
    catalogs: Arc<C>,
    home: Home,
    now: fn() -> Timestamp,
}

/// The reason why a reconciliation has ended early.
enum Halt {
    /// An object has changed since it was read.
    Conflict,
    Failure(String),
    /// The Operator has changed in the meantime, so it is reconciled again.
    Superseded,
}

// === impl OperatorReconciler ===

impl<C: Catalogs> OperatorReconciler<C> {
    /// Creates a reconciler that writes with this client. `identity` is the name of this process in
    /// events: the name of its Pod or of its machine.
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
        // The session is shared by all writes that use the permissions of the installing
        // ServiceAccount.
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
            // The status is written before the steps, so that users see why a new InstallPlan is
            // created.
            let told = self.write_status(&own, operator, &decision.status).await?;
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

    /// Starts a session that writes as this ServiceAccount.
    fn session_of(&self, account: &Account) -> Session<'_> {
        let user = User::service_account(&account.namespace, &account.name);
        let client = self.writer.client().impersonating(user);
        self.writer.session_by(client)
    }

    /// Checks immediately before a write that Policies still allow the upgrade of every Operator in
    /// the decision.
    async fn still_allowed(&self, observed: &Observation) -> Result<(), Halt> {
        let questions = observed.consents.keys().cloned();
        let asked = questions.map(async |question| {
            let ask = Ask::Consent(Box::new(question));
            self.catalogs.answer(&ask).await
        });
        let allowed = Knowledge::Consent(Answer::Known(PolicyDecision::Given));
        let answers = join_all(asked).await;
        if answers.iter().all(|answer| *answer == allowed) {
            Ok(())
        } else {
            Err(Halt::Conflict)
        }
    }

    /// Writes the status if it has changed.
    async fn write_status(
        &self,
        own: &Own<'_>,
        operator: &Operator,
        status: &Status,
    ) -> Result<Option<PendingWrite>, Halt> {
        let old = operator.status.clone().unwrap_or_default();
        let written = self
            .schema
            .write(own.session, own.observed(), &json!(old), json!(status))
            .await?;
        let Some(written) = written else {
            return Ok(None);
        };
        for news in news(operator, &old, status, (self.now)()) {
            // If the outcome of an event is unknown, the recorder creates the event again later.
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

fn api_version() -> String {
    format!("{GROUP}/v1alpha1")
}

#[cfg(test)]
mod tests;
