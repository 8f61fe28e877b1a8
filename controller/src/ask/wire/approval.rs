//! Converts the messages of the approval service.

use portolan_core_olm::ApprovalCode;
use portolan_core_operatorpolicy::{
    Allowance, PlanReview, PlannedBundle, ReviewedPolicy, State, Verdict,
};
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::verdict;
use portolan_proto::approval::v1::watch_response;

use super::{decode_key, decode_reasons};
use crate::ask::followed::{Event, Message};
use crate::ask::status::sentence;

pub(in crate::ask) fn decode_approval(response: pb::WatchResponse) -> Message<PlanReview> {
    let pb::WatchResponse {
        epoch,
        revision: _,
        event,
    } = response;
    let event = match event {
        Some(watch_response::Event::Review(review)) => {
            let plan = review.plan.as_ref().and_then(|plan| plan.object.clone());
            Event::Is(decode_key(plan), decode_review(review))
        }
        Some(watch_response::Event::Gone(gone)) => Event::Gone(decode_key(gone.plan)),
        Some(watch_response::Event::Synced(_)) => Event::Synced,
        Some(watch_response::Event::Reset(_)) => Event::Reset,
        Some(watch_response::Event::Heartbeat(_)) | None => Event::Nothing,
    };
    Message { epoch, event }
}

pub(in crate::ask) fn decode_review(review: pb::Review) -> PlanReview {
    let pb::Review {
        plan,
        verdict,
        bundles,
        policies,
        ..
    } = review;
    let plan = plan.unwrap_or_default();
    PlanReview {
        plan: plan.object.unwrap_or_default().name,
        uid: plan.uid,
        resource_version: plan.resource_version,
        verdict: decode_verdict(verdict),
        policies: policies.into_iter().map(decode_standing).collect(),
        bundles: bundles.into_iter().map(decode_bundle).collect(),
    }
}

fn decode_standing(standing: pb::Standing) -> ReviewedPolicy {
    let policy = standing.policy.unwrap_or_default();
    let object = policy.object.unwrap_or_default();
    ReviewedPolicy {
        namespace: object.namespace,
        name: object.name,
        uid: policy.uid,
        generation: standing.generation,
    }
}

fn decode_bundle(bundle: pb::Bundle) -> PlannedBundle {
    let allowances = bundle.allowances.into_iter();
    let fixes = bundle.fixes.into_iter();
    PlannedBundle {
        name: bundle.name,
        package: bundle.package,
        version: bundle.version,
        verdict: decode_verdict(bundle.verdict),
        allowances: allowances.map(decode_allowance).collect(),
        fixes: fixes.map(|fix| sentence(&fix.message)).collect(),
    }
}

fn decode_allowance(allowance: pb::Allowance) -> Allowance {
    Allowance {
        uid: allowance.policy.unwrap_or_default().uid,
        needed_by: allowance.needed_by,
    }
}

fn decode_verdict(verdict: Option<pb::Verdict>) -> Verdict<ApprovalCode> {
    let verdict = verdict.unwrap_or_default();
    Verdict {
        state: decode_state(verdict.state()),
        reasons: decode_reasons(verdict.reasons),
    }
}

/// Decodes a state. A missing state, or a state that this version does not support, becomes
/// [`State::NotYet`].
fn decode_state(state: verdict::State) -> State {
    match state {
        verdict::State::Yes => State::Yes,
        verdict::State::No => State::No,
        verdict::State::NotYet | verdict::State::Unspecified => State::NotYet,
    }
}
