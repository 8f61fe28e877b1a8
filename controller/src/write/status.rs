//! Writes the status of a policy, and then creates the events about its changes.

use std::time::Duration;

use jiff::Timestamp;
use portolan_api::{HistoryEvent, OperatorPolicy, OperatorPolicyStatus};
use portolan_core_operatorpolicy::{ComplianceEvent, StatusUpdate};
use portolan_runtime::{PendingWrite, Session};
use serde_json::json;

use super::context::{answered, observed_policy};
use super::event::event_of;
use super::{Reviewer, WriteFailure, Writer};

pub(super) const API_VERSION: &str = "policy.open-cluster-management.io/v1beta1";
pub(super) const KIND: &str = "OperatorPolicy";
/// The maximum age of an event that is created again after a restart. API servers keep events for
/// an hour. In this time, an existing event is recognized by its name.
const LATE: Duration = Duration::from_secs(1800);

/// A policy that was written, and its pending write. None if the policy has not changed.
type Rewritten = (OperatorPolicy, Option<PendingWrite>);

impl<R: Reviewer> Writer<R> {
    /// Writes the last of these statuses if it differs from the current status. Then creates the
    /// events of all statuses. Returns the new resource version of the policy. Returns None if the
    /// policy was not written.
    ///
    /// # Errors
    /// Returns an error if the status was not written. Also returns an error if an event may not
    /// have been created. The next call for the policy creates this event again.
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

    /// Creates the events for recent history entries of a policy again, oldest first. This is
    /// necessary because a process may have ended after it wrote the status and before it created
    /// the events. Each event is still created only once.
    ///
    /// # Errors
    /// Returns an error if an event may not have been created.
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
        // The first failure is returned only after all events were tried.
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
            .write_keeping(
                session,
                observed_policy(policy),
                change,
                &policy.spec.paths(),
            )
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
        self.recorder.record(client, &policy.metadata, news).await
    }

    /// Creates the events of a policy again that may not have been created yet.
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

/// Converts an entry of the history to an event.
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
