//! Writes a note that a policy is not enforced. The note is added to the status of the policy,
//! which may contain the status of another controller. If writing the status would remove fields
//! from the policy, an Event contains the note instead.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::status::{ConditionTypes, find};
use portolan_api::{ConditionType, FINALIZER, OperatorPolicy, OperatorPolicyStatus};
use portolan_runtime::{News, Write, set};
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

use super::context::observed_policy;
use super::event::itself;
use super::{Reviewer, WriteFailure, Writer};

/// The type of the condition that contains the note.
const TYPE: ConditionType = ConditionType::ValidPolicySpec;
/// The reason of the Event.
const READ_ONLY: &str = "ReadOnly";
/// The action of the Event.
const RECONCILE: &str = "Reconcile";
/// The text between the message of another controller and the note.
const OURS: &str = "; Portolan: ";

impl<R: Reviewer> Writer<R> {
    /// Writes the note to the condition `ValidPolicySpec`, once for each generation of a policy.
    /// Other parts of the status are kept. If another client overwrites the note, the note is not
    /// written again, because both clients could otherwise write endlessly. `supposed` is the
    /// status that the policy would have.
    ///
    /// # Errors
    /// Returns an error if the note was not written and may be retried.
    pub async fn note_read_only(
        &self,
        policy: &OperatorPolicy,
        why: &str,
        supposed: &OperatorPolicyStatus,
    ) -> Result<(), WriteFailure> {
        let metadata = &policy.metadata;
        let generation = metadata.generation.unwrap_or_default();
        let Some(why) = reason(policy, why) else {
            return Ok(());
        };
        if self.memories().with(policy).noted_generation == Some(generation) {
            return Ok(());
        }
        if let Some(operations) = operations(policy.status.as_ref(), &why, supposed) {
            match self.amend_status(policy, operations).await {
                Err(WriteFailure::Refused(why)) => {
                    tracing::warn!(
                        error = why,
                        "the status of a policy that is not reconciled \
                        could not be written"
                    );
                }
                amended => amended?,
            }
        }
        self.memories().with(policy).noted_generation = Some(generation);
        Ok(())
    }

    /// Reports the note in an Event and in the log, once for each generation of a policy. The
    /// policy itself is not written, because the API server would drop the fields that the served
    /// CRD lacks.
    ///
    /// # Errors
    /// Returns an error if the API server does not respond. The next call creates the Event.
    pub async fn report_read_only(
        &self,
        policy: &OperatorPolicy,
        why: &str,
    ) -> Result<(), WriteFailure> {
        let client = self.writer.client();
        self.recorder.settle(client, &policy.metadata).await?;
        let Some(message) = reason(policy, why) else {
            return Ok(());
        };
        let generation = policy.metadata.generation.unwrap_or_default();
        let noted = self
            .memories()
            .with(policy)
            .noted_generation
            .replace(generation);
        if noted == Some(generation) {
            return Ok(());
        }
        let news = News {
            about: itself(policy),
            related: None,
            is_warning: true,
            reason: READ_ONLY.to_owned(),
            action: RECONCILE.to_owned(),
            message,
            at: Timestamp::now(),
            mark: READ_ONLY.to_owned(),
        };
        self.recorder.record(client, &policy.metadata, news).await
    }

    async fn amend_status(
        &self,
        policy: &OperatorPolicy,
        operations: Vec<Value>,
    ) -> Result<(), WriteFailure> {
        let write = Write::patch(observed_policy(policy), operations).holding(&policy.spec.paths());
        let write = write.on_status().labeled("mention");
        self.writer.client().write(&write).await.map(drop)
    }
}

/// Returns the text of the note. Returns None if the policy is being deleted and no longer has
/// Portolan's finalizer.
fn reason(policy: &OperatorPolicy, why: &str) -> Option<String> {
    let metadata = &policy.metadata;
    let mut finalizers = metadata.finalizers.iter().flatten();
    match metadata.deletion_timestamp {
        None => Some(why.to_owned()),
        Some(_) if finalizers.any(|each| each == FINALIZER) => Some(format!(
            "{why}; the policy is being deleted, and its finalizer {FINALIZER} stays until then"
        )),
        Some(_) => None,
    }
}

/// Returns the operations that add the note to a status. Returns None if the status already
/// contains the note. Also returns None if there is nothing to write yet.
fn operations(
    status: Option<&OperatorPolicyStatus>,
    why: &str,
    supposed: &OperatorPolicyStatus,
) -> Option<Vec<Value>> {
    let conditions = status.map_or(&[][..], |status| &status.conditions);
    let place = conditions
        .iter()
        .position(|each| ConditionType::of(each) == Some(TYPE));
    if let Some(place) = place {
        let message = &conditions[place].message;
        let at = format!("/status/conditions/{place}");
        // An earlier note in the message may be outdated, so it is replaced.
        let theirs = message.split(OURS).next().unwrap_or_default();
        let told = json!(format!("{theirs}{OURS}{why}"));
        let is_told = message.contains(why);
        return (!is_told).then(|| {
            vec![
                json!({"op": "test", "path": format!("{at}/type"), "value": TYPE.as_str()}),
                set(&format!("{at}/message"), Some(&told)),
            ]
        });
    }
    let own = find(&supposed.conditions, TYPE)?;
    Some(vec![added(status, conditions, own)])
}

/// Returns the operation that adds a condition to a status without a condition of this type.
fn added(status: Option<&OperatorPolicyStatus>, others: &[Condition], own: &Condition) -> Value {
    match (status, others) {
        (None, _) => set("/status", Some(&json!({"conditions": [own]}))),
        (Some(_), []) => set("/status/conditions", Some(&json!([own]))),
        (Some(_), _) => set("/status/conditions/-", Some(&json!(own))),
    }
}
