//! Converts the actions of a decision to writes.

use jiff::Timestamp;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use portolan_api::{FINALIZER, OperatorPolicy};
use portolan_core_olm::InstallPlan;
use portolan_core_operatorpolicy::{Action, StepOutcome, Target, render_status};
use portolan_runtime::{
    Expects, ObservedObject, Propagation, ResourceRef, Write, WriteFailure, set,
};
use serde_json::json;

use super::context::{StepContext, answered, observed_policy};
use super::{Reviewer, Writer, WrittenStep};
use crate::observe::POLICY_CRD;

/// Converts an action to a single write. Returns None if the action writes the policy itself.
///
/// # Errors
/// Returns an error if the manifest names no object.
pub(crate) fn compile(action: &Action) -> Result<Option<Write>, WriteFailure> {
    let write = match action {
        Action::Create(manifest) => Write::create(manifest.clone())?,
        Action::Apply(manifest) => Write::apply(manifest.clone())?,
        Action::Replace {
            object,
            field,
            value,
        } => Write::field(target(object), field, value.clone()),
        Action::Approve(plan) => {
            Write::field(target(plan), "/spec/approved", Some(json!(true))).labeled("approve")
        }
        Action::AdoptCsv { subscription, csv } => {
            Write::field(target(subscription), "/status/currentCSV", Some(json!(csv)))
                .on_status()
                .labeled("mend")
        }
        Action::Delete {
            object,
            is_orphaning,
        } => {
            let propagation = if *is_orphaning {
                Propagation::Orphan
            } else {
                Propagation::Background
            };
            // An InstallPlan that waits for approval may have been approved in the meantime.
            // Therefore it is deleted only if it has not changed.
            if object.kind == InstallPlan::KIND {
                Write::delete_unchanged(target(object), propagation)
            } else {
                Write::delete(target(object), propagation)
            }
        }
        Action::AddFinalizer | Action::RemoveFinalizer | Action::WriteStatus => return Ok(None),
    };
    Ok(Some(write))
}

// === impl Writer ===

impl<R: Reviewer> Writer<R> {
    /// Executes one action. Returns an error if the action has not succeeded. Then the following
    /// steps must not be executed.
    pub(super) async fn act(
        &self,
        action: &Action,
        context: &StepContext<'_>,
    ) -> Result<WrittenStep, Box<WrittenStep>> {
        let written = self.attempt(action, context).await;
        let written = written.unwrap_or_else(WrittenStep::not_done);
        if matches!(written.outcome, StepOutcome::Done { .. }) {
            return Ok(written);
        }
        Err(Box::new(written))
    }

    async fn attempt(
        &self,
        action: &Action,
        context: &StepContext<'_>,
    ) -> Result<WrittenStep, StepOutcome> {
        let policy = context.policy();
        let finalizers = policy.metadata.finalizers.as_deref().unwrap_or(&[]);
        match action {
            Action::Approve(plan) => {
                let reviewed = self.reviewer.still_allowed(plan, context.observed);
                reviewed.await?;
            }
            Action::Delete { .. } => self.policy_crd_stays(&policy).await?,
            Action::AdoptCsv { subscription, csv } => {
                let write = self.adopting(subscription, csv).await.map_err(outcome)?;
                return written(context, write).await;
            }
            Action::AddFinalizer => {
                let write = Write::add_finalizer(observed_policy(&policy), finalizers, FINALIZER);
                let write = write.map(|write| kept(write, &policy).labeled("hold"));
                return finalized(context, write).await;
            }
            Action::RemoveFinalizer => {
                let write =
                    Write::remove_finalizer(observed_policy(&policy), finalizers, FINALIZER);
                let write = write.map(|write| kept(write, &policy).labeled("release"));
                return finalized(context, write).await;
            }
            Action::WriteStatus => return self.record(context, &policy).await,
            Action::Create(_) | Action::Apply(_) | Action::Replace { .. } => {}
        }
        match compile(action).map_err(outcome)? {
            Some(write) => {
                self.remember(&policy, &write.target);
                written(context, write).await
            }
            None => Ok(WrittenStep::done(None)),
        }
    }

    /// Returns the write that sets the ClusterServiceVersion in the status of a Subscription. The
    /// Subscription may have no status yet.
    async fn adopting(&self, subscription: &Target, csv: &str) -> Result<Write, WriteFailure> {
        let seen = target(subscription);
        let live = self.writer.client().get(&seen.target).await?;
        let status = &live.data["status"];
        let now = json!(format!("{:.0}", Timestamp::now()));
        let operations = if status.is_object() {
            let mut operations = vec![set("/status/currentCSV", Some(&json!(csv)))];
            if status["lastUpdated"].as_str().is_none_or(str::is_empty) {
                operations.push(set("/status/lastUpdated", Some(&now)));
            }
            operations
        } else {
            let status = json!({"currentCSV": csv, "lastUpdated": now});
            vec![set("/status", Some(&status))]
        };
        Ok(Write::patch(seen, operations).on_status().labeled("mend"))
    }

    /// Returns an error if the policy is being deleted because the OperatorPolicy CRD is being
    /// deleted. In this case, the user has not requested to remove the operator. The watch of
    /// policies may be ahead of the watch of CRDs, so the CRD is read directly.
    async fn policy_crd_stays(&self, policy: &OperatorPolicy) -> Result<(), StepOutcome> {
        if policy.metadata.deletion_timestamp.is_none() {
            return Ok(());
        }
        let client = self.writer.client();
        let crds: Api<CustomResourceDefinition> = Api::all(client.client());
        let crd = client.read(crds.get_metadata(POLICY_CRD)).await;
        let crd = crd.map_err(outcome)?;
        match crd.metadata.deletion_timestamp {
            None => Ok(()),
            Some(_) => Err(StepOutcome::Overtaken(
                "the CRD of OperatorPolicy is being deleted".to_owned(),
            )),
        }
    }

    async fn record(
        &self,
        context: &StepContext<'_>,
        policy: &OperatorPolicy,
    ) -> Result<WrittenStep, StepOutcome> {
        let before = policy.status.clone().unwrap_or_default();
        let update = render_status(context.report, policy, &before, Timestamp::now());
        let written = self.publish_in(&context.session, policy, &[update]).await;
        Ok(match written.map_err(outcome)? {
            Some((policy, pending)) => context.rewrote(policy, pending),
            None => WrittenStep::done(None),
        })
    }
}

/// Makes the write fail if the API server would drop a field of the policy. For a policy that is
/// being deleted, the write may drop fields, because they no longer have an effect.
fn kept(write: Write, policy: &OperatorPolicy) -> Write {
    match policy.metadata.deletion_timestamp {
        None => write.holding(&policy.spec.paths()),
        Some(_) => write,
    }
}

/// Sends a write and returns the outcome.
async fn written(context: &StepContext<'_>, write: Write) -> Result<WrittenStep, StepOutcome> {
    let is_new = matches!(write.expects, Expects::New | Expects::Any);
    let written = context.session.write(write).await.map_err(outcome)?;
    let uid = written.object.and_then(|object| object.metadata.uid);
    let outcome = StepOutcome::Done {
        uid: uid.filter(|_| is_new),
    };
    let pruned = written.pruned.iter();
    let lost: Vec<_> = pruned.flat_map(|each| each.lost()).collect();
    Ok(WrittenStep {
        // If the object is new, its dropped fields are reported together with the object.
        outcome: if lost.is_empty() || is_new {
            outcome
        } else {
            let lost = lost.join(" and ");
            StepOutcome::Overtaken(format!("the API server does not store {lost} as written"))
        },
        pending: written.pending,
        policy: None,
    })
}

async fn finalized(
    context: &StepContext<'_>,
    write: Option<Write>,
) -> Result<WrittenStep, StepOutcome> {
    let Some(write) = write else {
        return Ok(WrittenStep::done(None));
    };
    let written = context.session.write(write).await.map_err(outcome)?;
    let policy = answered(written.object, &context.observed.policy).map_err(outcome)?;
    Ok(context.rewrote(policy, written.pending))
}

// === impl WrittenStep ===

impl WrittenStep {
    pub(super) fn done(pending: Option<portolan_runtime::PendingWrite>) -> Self {
        Self {
            outcome: StepOutcome::Done { uid: None },
            pending,
            policy: None,
        }
    }

    fn not_done(outcome: StepOutcome) -> Self {
        Self {
            outcome,
            pending: None,
            policy: None,
        }
    }
}

/// Converts a failed write to the outcome of its step.
pub(super) fn outcome(failure: WriteFailure) -> StepOutcome {
    match failure {
        WriteFailure::Conflict(conflict) => StepOutcome::Overtaken(conflict.to_string()),
        // Policies apply objects by force, so this failure is unexpected.
        WriteFailure::FieldsOwned(_) => StepOutcome::Refused(failure.to_string()),
        WriteFailure::Refused(why) => StepOutcome::Refused(why),
        WriteFailure::Lost(why) => StepOutcome::Lost(why),
    }
}

fn target(target: &Target) -> ObservedObject {
    ObservedObject {
        target: ResourceRef::new(
            target.api_version,
            target.kind,
            target.namespace.as_deref(),
            &target.name,
        ),
        uid: target.uid.clone(),
        version: target.resource_version.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::policy_that_is_not_deleted(json!(null), &["/spec/allowedCSVs"])]
    #[case::policy_in_deletion(json!("2026-01-01T12:00:00Z"), &[])]
    fn removal_of_the_finalizer_checks_the_spec(
        #[case] deleted: serde_json::Value,
        #[case] held: &[&str],
    ) {
        let policy: OperatorPolicy = serde_json::from_value(json!({
            "apiVersion": "policy.open-cluster-management.io/v1beta1",
            "kind": "OperatorPolicy",
            "metadata": {"name": "ferry", "namespace": "west", "deletionTimestamp": deleted},
            "spec": {"allowedCSVs": ["*"]},
        }))
        .expect("a policy");
        let removal = || {
            let finalizers = [FINALIZER.to_owned()];
            Write::remove_finalizer(observed_policy(&policy), &finalizers, FINALIZER)
                .expect("a write")
        };
        let paths: BTreeSet<String> = held.iter().map(|path| (*path).to_owned()).collect();
        assert_eq!(kept(removal(), &policy), removal().holding(&paths));
    }
}
