//! The reviews of the approval service. They come from its stream. If the stream is behind, the
//! review is requested with a call.

use std::sync::Arc;

use futures::FutureExt;
use portolan_core_olm::InstallPlan;
use portolan_core_operatorpolicy::{
    Answer, NamespaceState, Observed, PlanReview, State, StepOutcome, Target, UnseenPolicy,
    unseen_policy,
};
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_shell::client::Connection;
use tokio::time::timeout;
use tonic::{Code, Status};

use super::cache::{AnswerCache, Fetched, Question};
use super::changes::{ChangeQueue, Due, Topic};
use super::follow::Follower;
use super::followed::StreamKey;
use super::status::{is_answer, sentence, why};
use super::streams::APPROVAL;
use super::wire;
use super::{Clock, DEADLINE};

/// The reviews of the approval service.
#[derive(Debug)]
pub(super) struct Reviews {
    client: ApprovalClient<Connection>,
    streamed: Follower<PlanReview>,
    changes: Arc<ChangeQueue>,
    /// The reviews of InstallPlans in the version that the controller has read, by namespace, name
    /// and resourceVersion. A review is valid until the review in the stream changes.
    fresh: AnswerCache<(String, String, String), PlanReview, PlanReview>,
}

// === impl Reviews ===

impl Reviews {
    pub(super) fn new(
        client: ApprovalClient<Connection>,
        streamed: Follower<PlanReview>,
        (changes, clock): (Arc<ChangeQueue>, Clock),
    ) -> Self {
        Self {
            client,
            streamed,
            changes,
            fresh: AnswerCache::new(APPROVAL, clock),
        }
    }

    /// Returns the reviews of the InstallPlans in a namespace.
    pub(super) async fn of(&self, state: &NamespaceState) -> Answer<Vec<PlanReview>> {
        let reviews = self.streamed.read(|reviews| {
            let first = StreamKey {
                namespace: state.name.clone(),
                kind: String::new(),
                name: String::new(),
            };
            let reviews = reviews.range(first..);
            let here = reviews.take_while(|(key, _)| key.namespace == state.name);
            here.map(|(_, review)| review.clone()).collect::<Vec<_>>()
        });
        let reviews = match reviews {
            Ok(reviews) => reviews,
            Err(unavailable) => return Answer::Unavailable(unavailable),
        };
        let all = reviews
            .into_iter()
            .map(|review| self.refreshed(state, review));
        Answer::Found(futures::future::join_all(all).await)
    }

    /// Returns the review of the current version of an InstallPlan. The stream does not report a
    /// change of only the resourceVersion. Therefore, if the InstallPlan may be approved, the
    /// review of the current version is requested once.
    async fn refreshed(&self, state: &NamespaceState, review: PlanReview) -> PlanReview {
        let mut plans = state.plans.iter();
        let seen = plans.find(|plan| is_other_state(plan, &review));
        let Some(seen) = seen.filter(|_| review.verdict.state == State::Yes) else {
            return review;
        };
        let version = seen.metadata.resource_version.clone().unwrap_or_default();
        let wanted = version.clone();
        let (namespace, name) = (state.name.clone(), review.plan.clone());
        let about = (namespace.clone(), name.clone(), version);
        let mut client = self.client.clone();
        let call = async move {
            let request = pb::ReviewPlanRequest { namespace, name };
            let answer = client.review_plan(request).await?.into_inner();
            let answer = wire::decode_review(answer.review.unwrap_or_default());
            let is_current = answer.resource_version == wanted;
            Ok(Fetched { answer, is_current })
        };
        let ended = self.fresh.ask(Question {
            about,
            state: review.clone(),
            round: self.streamed.rounds(),
            method: "ReviewPlan",
            call: call.boxed(),
            deadline: DEADLINE,
        });
        let ended = ended.await;
        if let Some(again) = ended.again {
            let topic = Topic::Namespace(state.name.clone());
            self.changes.push_at(Due::Again(topic), again);
        }
        match &ended.answer {
            Answer::Found(fresh) => fresh.clone(),
            Answer::NotAsked | Answer::NotFound(_) | Answer::Unavailable(_) => review,
        }
    }

    /// Requests if an InstallPlan may be approved in exactly this version, with the policies that
    /// this process has read.
    pub(super) async fn still_allowed(
        &self,
        target: &Target,
        observed: &Observed,
    ) -> Result<(), StepOutcome> {
        let request = pb::ReviewPlanRequest {
            namespace: target.namespace.clone().unwrap_or_default(),
            name: target.name.clone(),
        };
        let mut client = self.client.clone();
        let answered = timeout(DEADLINE, client.review_plan(request)).await;
        let answered = answered.unwrap_or_else(|_| Err(Status::deadline_exceeded("")));
        match answered {
            Ok(answer) => {
                let review = answer.into_inner().review.unwrap_or_default();
                allowed(&wire::decode_review(review), target, observed)
            }
            Err(status) if is_answer(&status) && status.code() == Code::NotFound => {
                Err(StepOutcome::Overtaken(sentence(status.message())))
            }
            Err(status) => Err(StepOutcome::Lost(format!(
                "the approval service cannot decide if InstallPlan {} is still allowed: {}",
                name(target),
                why(&status, "ReviewPlan")
            ))),
        }
    }
}

/// Returns true if an InstallPlan is not approved yet and has another version than its review.
fn is_other_state(plan: &InstallPlan, review: &PlanReview) -> bool {
    let metadata = &plan.metadata;
    metadata.name.as_deref() == Some(&*review.plan)
        && metadata.uid.as_deref() == Some(&*review.uid)
        && metadata.resource_version.as_deref() != Some(&*review.resource_version)
        && !plan.spec.approved
}

fn allowed(review: &PlanReview, target: &Target, observed: &Observed) -> Result<(), StepOutcome> {
    let changed = |why: String| {
        let plan = name(target);
        Err(StepOutcome::Overtaken(format!("InstallPlan {plan} {why}")))
    };
    if (&review.uid, &review.resource_version) != (&target.uid, &target.resource_version) {
        return changed("was changed in the meantime".to_owned());
    }
    match review.verdict.state {
        State::Yes => {}
        State::No | State::NotYet => {
            let reason = review.verdict.reasons.first();
            let why = reason.map_or("the approval service gives no reason", |reason| {
                &reason.message
            });
            return changed(format!("is no longer allowed: {why}"));
        }
    }
    match unseen_policy(review, observed) {
        None => Ok(()),
        Some(UnseenPolicy { namespace, name }) => changed(format!(
            "was not reviewed with the current OperatorPolicy {namespace}/{name}"
        )),
    }
}

fn name(target: &Target) -> String {
    match &target.namespace {
        Some(namespace) => format!("{namespace}/{}", target.name),
        None => target.name.clone(),
    }
}

#[cfg(test)]
mod tests;
