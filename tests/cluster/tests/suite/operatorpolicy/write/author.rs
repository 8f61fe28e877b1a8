//! A writer for tests, and the policy that it has observed.

use std::sync::Arc;

use kube::Client;
use kube::api::DynamicObject;
use portolan_api::{ConditionType, OperatorPolicy, Reason};
use portolan_controller::write::{Reviewer, Writer, WrittenStep};
use portolan_core_operatorpolicy::{
    Action, Condition, ConditionReason, Desired, Observed, Status, Step, StepOutcome, Target,
};
use portolan_rig::{Failure, Kind};
use portolan_runtime::lease::Fence;
use portolan_runtime::{Expected, FencedClient, PendingWrite, Writes};
use serde_json::{Value, json};

use crate::operatorpolicy::bare::Bare;

/// A writer, and the observed policy.
pub(in crate::operatorpolicy) struct Author {
    pub(in crate::operatorpolicy) writer: Writer<Judge>,
    pub(in crate::operatorpolicy) policy: Arc<OperatorPolicy>,
}

/// A reviewer that returns the same decision for each plan.
pub(in crate::operatorpolicy) struct Judge(Result<(), StepOutcome>);

impl Reviewer for Judge {
    async fn still_allowed(&self, _: &Target, _: &Observed) -> Result<(), StepOutcome> {
        self.0.clone()
    }
}

impl Author {
    /// Returns an author that may write and approve.
    pub(in crate::operatorpolicy) fn of(bare: &Bare) -> Self {
        Self::reviewing(bare, Ok(()))
    }

    /// Returns an author. The reviewer returns this decision.
    pub(super) fn reviewing(bare: &Bare, verdict: Result<(), StepOutcome>) -> Self {
        Self {
            writer: writer(&bare.client, Fence::open(), Judge(verdict)),
            policy: Arc::default(),
        }
    }

    /// Returns an author that writes with this client, while the Fence permits writes.
    pub(in crate::operatorpolicy) fn fenced(client: &Client, fence: Fence) -> Self {
        Self {
            writer: writer(client, fence, Judge(Ok(()))),
            policy: Arc::default(),
        }
    }

    /// Creates a policy with this metadata, and reads it.
    pub(super) async fn policy(&mut self, bare: &Bare, metadata: Value) -> Result<(), Failure> {
        let body = json!({
            "metadata": metadata,
            "spec": {
                "remediationAction": "enforce",
                "complianceType": "musthave",
                "upgradeApproval": "Automatic",
                "subscription": {"name": "hull"},
            },
        });
        bare.create("kubectl", Kind::OperatorPolicy, "hull", body)
            .await?;
        self.look(bare).await
    }

    /// Reads the policy again.
    pub(super) async fn look(&mut self, bare: &Bare) -> Result<(), Failure> {
        let policy = bare.read(Kind::OperatorPolicy, "hull").await?;
        let policy = serde_json::from_value(policy).map_err(Failure::read("a policy"))?;
        self.policy = Arc::new(policy);
        Ok(())
    }

    pub(in crate::operatorpolicy) async fn does(&self, action: Action) -> WrittenStep {
        let mut all = self.does_all(vec![action]).await;
        all.pop().expect("a step is tried")
    }

    pub(super) async fn does_all(&self, actions: Vec<Action>) -> Vec<WrittenStep> {
        let desired = Desired {
            steps: actions.into_iter().map(step).collect(),
            ..Desired::default()
        };
        self.writer
            .carry_out(&Observed::alone(self.policy.clone()), &desired)
            .await
    }
}

fn writer(client: &Client, fence: Fence, judge: Judge) -> Writer<Judge> {
    let client = FencedClient::new(client.clone(), fence, Writes::default());
    Writer::new(client, "pod-1", judge)
}

fn step(action: Action) -> Step {
    let type_ = ConditionType::SubscriptionCompliant;
    Step {
        action,
        type_,
        done: Condition {
            type_,
            status: Status::True,
            reason: ConditionReason::Ours(Reason::SubscriptionMatches),
            message: "it is done".to_owned(),
            violates: false,
            since: None,
        },
        related: Vec::new(),
    }
}

/// Returns the manifest of the Subscription in this test, with these additional fields in its spec.
pub(in crate::operatorpolicy) fn subscription(bare: &Bare, more: Value) -> Value {
    let mut manifest = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": "hull", "namespace": &*bare.namespace},
        "spec": {"name": "hull", "source": "fleet", "sourceNamespace": "olm"},
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        manifest["spec"][field] = value.clone();
    }
    manifest
}

/// Returns the manifest with a precondition, so that only the object `there` can be changed.
pub(super) fn for_this(mut manifest: Value, there: &DynamicObject) -> Value {
    manifest["metadata"]["uid"] = json!(there.metadata.uid);
    manifest["metadata"]["resourceVersion"] = json!(there.metadata.resource_version);
    manifest
}

pub(in crate::operatorpolicy) fn target(
    api_version: &'static str,
    kind: &'static str,
    object: &DynamicObject,
) -> Target {
    let metadata = object.metadata.clone();
    Target {
        api_version,
        kind,
        namespace: metadata.namespace,
        name: metadata.name.unwrap_or_default(),
        uid: metadata.uid.unwrap_or_default(),
        resource_version: metadata.resource_version.unwrap_or_default(),
    }
}

/// Returns the message of a step that failed because its object had changed since it was read.
pub(super) fn changed(outcome: &StepOutcome) -> &str {
    match outcome {
        StepOutcome::Overtaken(why) => why,
        StepOutcome::Done { .. } | StepOutcome::Refused(_) | StepOutcome::Lost(_) => {
            panic!("the object must have changed: {outcome:?}")
        }
    }
}

/// Returns the message of a step that the API server rejects.
pub(super) fn refused(outcome: &StepOutcome) -> &str {
    match outcome {
        StepOutcome::Refused(why) => why,
        StepOutcome::Done { .. } | StepOutcome::Overtaken(_) | StepOutcome::Lost(_) => {
            panic!("it must be refused: {outcome:?}")
        }
    }
}

pub(super) fn done(written: &WrittenStep) {
    assert!(
        matches!(written.outcome, StepOutcome::Done { .. }),
        "{written:?}"
    );
}

/// Returns the resource version of the object that was written.
pub(super) fn version(pending: &PendingWrite) -> &str {
    match &pending.after {
        Expected::Version(version) => version,
        Expected::Gone(uid) => panic!("{uid} must exist"),
    }
}
