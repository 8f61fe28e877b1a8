//! A user who writes policies, and approves the InstallPlans that they allow.

use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::verdict::State;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, World, until};
use serde_json::{Value, json};

use super::policy::Policy;
use super::serving::Serving;
use crate::editor::Editor;

/// A user who writes the policies of a test. The policies are in a namespace of this user.
pub(super) struct Author {
    pub(super) editor: Editor,
    namespace: String,
}

impl Author {
    pub(super) fn of(world: &World) -> Self {
        Self {
            editor: Editor::of(world.client(), world.namespace()),
            namespace: world.namespace().to_owned(),
        }
    }

    pub(super) async fn write(&self, policy: &Policy) -> Result<(), Failure> {
        let body = policy.body(&self.namespace);
        let kind = Kind::OperatorPolicy;
        self.editor.create(kind, &policy.name, body).await
    }

    /// Replaces a policy.
    pub(super) async fn replace(&self, policy: &Policy) -> Result<(), Failure> {
        self.editor
            .delete(Kind::OperatorPolicy, &policy.name)
            .await?;
        self.write(policy).await
    }

    /// Changes the spec of a policy.
    pub(super) async fn rewrite(&self, policy: &str, change: Value) -> Result<(), Failure> {
        let change = json!({"spec": change});
        self.editor
            .patch(Kind::OperatorPolicy, policy, change)
            .await
    }

    /// Approves a plan on the basis of its review, which must allow the plan. If the plan has
    /// changed since the review, it is reviewed again.
    pub(super) async fn approve_on(&self, serving: &Serving, plan: &str) -> Result<(), Failure> {
        until(format!("{plan} to stay unchanged"), PATIENCE, async || {
            let review = serving.review(&self.namespace, plan).await;
            let review = review.map_err(Failure::read("the review"))?;
            let verdict = review.verdict.as_ref().map(pb::Verdict::state);
            assert_eq!(verdict, Some(State::Yes), "{review:?}");
            Ok(Seen::Yes(self.approve(&review).await?))
        })
        .await
    }

    /// Approves the plan of a review. Fails if it is another plan, or in another state than at the
    /// review.
    pub(super) async fn approve(&self, review: &pb::Review) -> Result<(), Failure> {
        let plan = review.plan.as_ref().expect("a review must be of a plan");
        let object = plan.object.as_ref().expect("a plan must have a name");
        let same = json!({"uid": plan.uid, "resourceVersion": plan.resource_version});
        let change = json!({"metadata": same, "spec": {"approved": true}});
        let kind = Kind::InstallPlan;
        self.editor.patch(kind, &object.name, change).await
    }

    /// Tries to approve the plan of a review, which must fail. Returns the status code.
    pub(super) async fn may_not_approve(&self, review: &pb::Review) -> Result<u16, Failure> {
        match self.approve(review).await {
            Err(Failure::Ask(error)) => match *error {
                kube::Error::Api(status) => Ok(status.code),
                error => Err(error.into()),
            },
            Err(failure) => Err(failure),
            Ok(()) => panic!("the plan must be another than that of {review:?}"),
        }
    }
}
