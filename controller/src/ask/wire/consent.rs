//! Converts the decision if an Operator may be upgraded.

use jiff::Timestamp;
use portolan_core_approval::consent::{Ground, Move, OperatorId, Version};
use portolan_core_operator::{Answer, ConsentQuestion, PolicyDecision};
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::verdict::State;

use super::super::status::sentence;

/// A policy or binding on which a decision is based, in a form that both processes can compare.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::ask) struct SeenGround {
    kind: String,
    name: String,
    uid: String,
    generation: u32,
    is_broken: bool,
}

pub(in crate::ask) fn encode_consent(
    question: &ConsentQuestion,
    at: Timestamp,
) -> pb::ReviewUpgradeRequest {
    let Move {
        operator: OperatorId {
            kind,
            namespace,
            name,
        },
        package,
        labels,
        from,
        to,
    } = &question.asked;
    pb::ReviewUpgradeRequest {
        kind: kind.as_str().to_owned(),
        namespace: namespace.clone(),
        name: name.clone(),
        labels: labels.clone().into_iter().collect(),
        package: package.clone(),
        from: from.as_ref().map(encode_version),
        to: Some(encode_version(to)),
        at: at.to_string(),
    }
}

fn encode_version(version: &Version) -> pb::MovedVersion {
    let Version { bundle, version } = version.clone();
    pb::MovedVersion { bundle, version }
}

/// Decodes a decision. Returns no decision if a fact is unknown and no later time is known.
pub(in crate::ask) fn decode_consent(
    response: pb::ReviewUpgradeResponse,
) -> Answer<PolicyDecision> {
    let until = response.next.parse().ok();
    let verdict = response.verdict.unwrap_or_default();
    let state = verdict.state();
    let why: Vec<_> = verdict
        .reasons
        .iter()
        .map(|reason| sentence(&reason.message))
        .collect();
    match state {
        State::Yes => Answer::Known(PolicyDecision::Given),
        State::NotYet if until.is_none() => {
            Answer::Unavailable(format!("approval: {}", why.join("; ")))
        }
        State::NotYet | State::No => Answer::Known(PolicyDecision::Withheld { why, until }),
        State::Unspecified => Answer::Unavailable(
            "the approval service gave no \
         verdict"
                .to_owned(),
        ),
    }
}

pub(in crate::ask) fn decode_ground(ground: &pb::Ground) -> SeenGround {
    let observed = ground.object.clone().unwrap_or_default();
    let object = observed.object.unwrap_or_default();
    SeenGround {
        kind: object.kind,
        name: object.name,
        uid: observed.uid,
        generation: ground.generation,
        is_broken: ground.broken,
    }
}

pub(in crate::ask) fn seen_ground(ground: &Ground) -> SeenGround {
    SeenGround {
        kind: ground.object.kind.to_owned(),
        name: ground.object.name.clone(),
        uid: ground.uid.clone(),
        generation: ground.generation,
        is_broken: ground.is_broken,
    }
}
