//! The messages about a policy: its status, then the events about what is new.

use std::time::Duration;

use jiff::Timestamp;
use portolan_api::{HistoryEvent, OperatorPolicy, OperatorPolicyStatus};
use portolan_core_operatorpolicy::{ComplianceEvent, StatusUpdate};
use portolan_runtime::{PendingWrite, Session};
use serde_json::json;

use super::context::{answered, seen};
use super::event::event_of;
use super::{Reviewer, WriteFailure, Writer};

pub(super) const API_VERSION: &str = "policy.open-cluster-management.io/v1beta1";
pub(super) const KIND: &str = "OperatorPolicy";
/// For how long news may be told late, after a process ended in between: an API server keeps events
/// for an hour, so one that was made is known by its name.
const LATE: Duration = Duration::from_secs(1800);

/// A policy that was written, and what is to be seen of it; None if nothing has changed.
type Rewritten = (OperatorPolicy, Option<PendingWrite>);

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
            result = result.and(self.announce(policy, news).await);
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
            if let Err(failure) = self.announce(policy, news).await {
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
        let change = (&before, json!(status));
        let written = self
            .schema
            .write_keeping(session, seen(policy), change, &policy.spec.paths())
            .await?;
        let Some(written) = written else {
            return Ok(None);
        };
        Ok(Some((answered(written.object, policy)?, written.pending)))
    }

    async fn announce(
        &self,
        policy: &OperatorPolicy,
        news: &ComplianceEvent,
    ) -> Result<(), WriteFailure> {
        let news = event_of(policy, news);
        let client = self.writer.client();
        self.recorder.tell(client, &policy.metadata, news).await
    }

    /// Makes the events of a policy of which nobody knows whether they were made.
    async fn settle(&self, policy: &OperatorPolicy) -> Result<(), WriteFailure> {
        let is_new = !std::mem::replace(&mut self.memories().with(policy).is_told, true);
        let client = self.writer.client();
        let settled = self.recorder.settle(client, &policy.metadata).await;
        if is_new {
            self.announce_again(policy).await.and(settled)
        } else {
            settled
        }
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
