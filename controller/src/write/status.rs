//! What is said of a policy: its status, then what is new about it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use portolan_api::{HistoryEvent, OperatorPolicy, OperatorPolicyStatus};
use portolan_core_operatorpolicy::{ComplianceEvent, StatusUpdate};
use portolan_runtime::{ObjectRef, PendingWrite, Session, Write};
use serde_json::json;
use tokio::sync::Mutex;

use super::context::{answered, seen};
use super::event::event;
use super::{Reviewer, Schema, WriteFailure, Writer};
use crate::observe::POLICY_CRD;

pub(super) const API_VERSION: &str = "policy.open-cluster-management.io/v1beta1";
pub(super) const KIND: &str = "OperatorPolicy";
/// How long a schema is taken for the one that is served.
const SCHEMA_LASTS: Duration = Duration::from_secs(600);
/// For how long news may be told late, after a process ended in between: an API server keeps events
/// for an hour, so one that was made is known by its name.
const LATE: Duration = Duration::from_secs(1800);

/// A policy that was written, and what is to be seen of it; None if nothing has changed.
type Rewritten = (OperatorPolicy, Option<PendingWrite>);

/// The schema that is served, and when it was read.
#[derive(Debug, Default)]
pub(super) struct Schemas(Mutex<Option<(Instant, Arc<Schema>)>>);

impl<R: Reviewer> Writer<R> {
    /// Tells the last of these statuses, if it is not what the policy says already, and after it
    /// the news of all of them. The resource version of the policy is the new one; None if it was
    /// not written.
    ///
    /// # Errors
    /// The status is not written; or it is, and nobody knows of the news, which the next call
    /// about the policy tries again.
    pub async fn publish(
        &self,
        policy: &OperatorPolicy,
        updates: &[StatusUpdate],
    ) -> Result<Option<String>, WriteFailure> {
        let written = self
            .publish_in(&self.writer.session(), policy, updates)
            .await?;
        Ok(written.and_then(|(policy, _)| policy.metadata.resource_version))
    }

    /// Tells what is young of the history of a policy once more, the oldest first: a process that
    /// ended after it wrote a status may not have told it. It is told only once, however often it
    /// is said.
    ///
    /// # Errors
    /// Nobody knows whether all of it was told.
    pub async fn announce_again(&self, policy: &OperatorPolicy) -> Result<(), WriteFailure> {
        let history = policy.status.iter().flat_map(|status| &status.history);
        let young = history
            .filter_map(news)
            .take_while(|news| Timestamp::now().duration_since(news.at) < late());
        let young: Vec<_> = young.collect();
        let mut result = Ok(());
        for news in young.iter().rev() {
            let event = event(policy, news, &self.identity);
            result = result.and(self.announce(policy, event).await);
        }
        result
    }

    pub(super) async fn publish_in(
        &self,
        session: &Session<'_>,
        policy: &OperatorPolicy,
        updates: &[StatusUpdate],
    ) -> Result<Option<Rewritten>, WriteFailure> {
        self.settle(policy).await?;
        let Some(last) = updates.last() else {
            return Ok(None);
        };
        let written = self.write_status(session, policy, &last.status).await?;
        // Each of them is tried, or owed, before the first failure is told.
        let mut result = Ok(written);
        for news in updates.iter().filter_map(|update| update.event.as_ref()) {
            let event = event(policy, news, &self.identity);
            if let Err(failure) = self.announce(policy, event).await {
                result = Err(failure);
            }
        }
        result
    }

    async fn write_status(
        &self,
        session: &Session<'_>,
        policy: &OperatorPolicy,
        status: &OperatorPolicyStatus,
    ) -> Result<Option<Rewritten>, WriteFailure> {
        let before = json!(policy.status.clone().unwrap_or_default());
        let status = json!(status);
        if status == before {
            return Ok(None);
        }
        let status = self.schema().await?.cut(status);
        if status == before {
            return Ok(None);
        }
        let write = Write::status(seen(policy), status).labeled("tell");
        let written = session.write(write).await?;
        Ok(Some((answered(written.object)?, written.pending)))
    }

    /// The schema of policies that the API server goes by.
    async fn schema(&self) -> Result<Arc<Schema>, WriteFailure> {
        let mut known = self.schemas.0.lock().await;
        if let Some((_, schema)) = known.as_ref().filter(|(at, _)| at.elapsed() < SCHEMA_LASTS) {
            return Ok(schema.clone());
        }
        let crd = ObjectRef {
            api_version: "apiextensions.k8s.io/v1".to_owned(),
            kind: "CustomResourceDefinition".to_owned(),
            plural: None,
            namespace: None,
            name: POLICY_CRD.to_owned(),
        };
        let crd = self.writer.client().get(&crd).await;
        let schema = match crd {
            Ok(crd) => Schema::of(&crd.data),
            // The API server itself drops what it does not know.
            Err(WriteFailure::Refused(why)) => {
                tracing::warn!(error = why, "the schema of policies may not be read");
                Schema::any()
            }
            Err(failure) => return Err(failure),
        };
        let schema = Arc::new(schema);
        *known = Some((Instant::now(), schema.clone()));
        Ok(schema)
    }

    /// Makes an event, once: its name says what it is about.
    async fn announce(&self, policy: &OperatorPolicy, event: Event) -> Result<(), WriteFailure> {
        let write = Write::create(json!(event))?;
        match self.writer.client().write(&write).await {
            Ok(_) | Err(WriteFailure::Changed(_)) => Ok(()),
            Err(WriteFailure::Refused(why)) => {
                tracing::warn!(error = why, "an event is refused");
                Ok(())
            }
            Err(lost) => {
                self.memories().with(policy).owed.push(event);
                Err(lost)
            }
        }
    }

    /// Makes the events of a policy of which nobody knows whether they were made.
    async fn settle(&self, policy: &OperatorPolicy) -> Result<(), WriteFailure> {
        let (owed, is_new) = {
            let mut memories = self.memories();
            let known = memories.with(policy);
            let is_new = !std::mem::replace(&mut known.is_told, true);
            (std::mem::take(&mut known.owed), is_new)
        };
        let mut result = match is_new {
            true => self.announce_again(policy).await,
            false => Ok(()),
        };
        for event in owed {
            result = result.and(self.announce(policy, event).await);
        }
        result
    }
}

/// A line of a history, as news.
fn news(line: &HistoryEvent) -> Option<ComplianceEvent> {
    let message = line.message.clone()?;
    Some(ComplianceEvent {
        is_compliant: message.starts_with("Compliant;"),
        message,
        at: line.last_timestamp.as_ref()?.0,
    })
}

fn late() -> jiff::SignedDuration {
    jiff::SignedDuration::try_from(LATE).unwrap_or_default()
}
