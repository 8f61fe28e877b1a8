//! Decodes queries about upgrades, and encodes their results.

use jiff::Timestamp;
use portolan_api::policy::SubjectKind;
use portolan_core_approval::consent::{
    Ground, Move, Object, OperatorId, Reason, UpgradeReview, Version,
};
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::watch_upgrades_response::{Answer, Event, Heartbeat, Synced};
use portolan_proto::basis::v1 as basis;
use portolan_scaffold::Message;

use super::decode_name;
use crate::judges::{ReviewUpgrade, ReviewedUpgrade};
use crate::news::Answered;
use crate::question::{RequestError, WatchUpgrades};

/// The code of a reason about missing facts. The core crate has no such code.
const UNSEEN: &str = "NotObserved";
const TOO_LONG: &str = "RuleFailed";
/// The maximum number of queries in one watch request.
const MOST: usize = 1000;

pub(crate) fn decode_review_upgrade(
    request: &pb::ReviewUpgradeRequest,
    now: Timestamp,
) -> Result<ReviewUpgrade, RequestError> {
    let asked = decode_move(request)?;
    let at = match request.at.as_str() {
        "" => now,
        at => at.parse().map_err(|_| {
            field(
                "at",
                "invalid time; use a form such as 2026-11-28T12:00:00Z",
            )
        })?,
    };
    Ok(ReviewUpgrade { asked, at })
}

/// Decodes a watch request. Each result is valid for the time at which it is sent.
pub(crate) fn decode_watch_upgrades(
    request: &pb::WatchUpgradesRequest,
) -> Result<WatchUpgrades, RequestError> {
    let pb::WatchUpgradesRequest { upgrades } = request;
    if upgrades.is_empty() || upgrades.len() > MOST {
        let message = format!(
            "{} questions are given; 1 to  questions are allowed{MOST}",
            upgrades.len()
        );
        return Err(field("upgrades", &message));
    }
    let asked = upgrades.iter().map(|upgrade| {
        if upgrade.at.is_empty() {
            return decode_move(upgrade);
        }
        let message = "a watch always uses the current time; leave this field empty, or use \
            ReviewUpgrade";
        Err(field("at", message))
    });
    Ok(WatchUpgrades {
        asked: asked.collect::<Result<_, _>>()?,
    })
}

fn decode_move(request: &pb::ReviewUpgradeRequest) -> Result<Move, RequestError> {
    let pb::ReviewUpgradeRequest {
        kind,
        namespace,
        name,
        labels,
        package,
        from,
        to,
        at: _,
    } = request;
    let kind = decode_kind(kind)?;
    let operator = OperatorId {
        kind,
        namespace: decode_namespace(kind, namespace)?,
        name: decode_name("name", name)?,
    };
    Ok(Move {
        operator,
        package: package.clone(),
        labels: labels.clone().into_iter().collect(),
        from: from.as_ref().map(decode_version),
        to: decode_version(
            to.as_ref()
                .ok_or_else(|| field("to", "the version to install is missing; set this field"))?,
        ),
    })
}

fn decode_kind(kind: &str) -> Result<SubjectKind, RequestError> {
    let known = SubjectKind::parse(kind);
    known.ok_or_else(|| field("kind", "the kind must be Operator or OperatorPolicy"))
}

fn decode_namespace(kind: SubjectKind, namespace: &str) -> Result<String, RequestError> {
    match (kind, namespace) {
        (SubjectKind::Operator, "") => Ok(String::new()),
        (SubjectKind::Operator, _) => Err(field(
            "namespace",
            "an Operator is cluster-scoped; leave this field empty",
        )),
        (SubjectKind::OperatorPolicy, namespace) => decode_name("namespace", namespace),
    }
}

fn field(field: &'static str, message: &str) -> RequestError {
    RequestError::Field {
        field,
        message: message.to_owned(),
    }
}

fn decode_version(version: &pb::MovedVersion) -> Version {
    let pb::MovedVersion { bundle, version } = version.clone();
    Version { bundle, version }
}

pub(crate) fn encode_review_upgrade(answer: &ReviewedUpgrade) -> pb::ReviewUpgradeResponse {
    let ReviewedUpgrade {
        question,
        review,
        unseen,
        grounds,
    } = answer;
    let operator = &question.asked.operator;
    let unseen: Vec<_> = unseen
        .iter()
        .map(|why| about(operator, UNSEEN, why))
        .collect();
    let at = question.at.to_string();
    let grounds = grounds.iter().map(encode_ground).collect();
    let Some(review) = review else {
        let why = "The rules were not evaluated in time, so the upgrade is not allowed; retry";
        let reasons = vec![about(operator, TOO_LONG, why)];
        return pb::ReviewUpgradeResponse {
            verdict: Some(verdict(pb::verdict::State::NotYet, reasons)),
            at,
            grounds,
            ..pb::ReviewUpgradeResponse::default()
        };
    };
    let UpgradeReview {
        allows,
        reasons,
        remarks,
        next,
    } = review;
    let said: Vec<_> = reasons.iter().map(encode_reason).collect();
    let (denied, allowed_by) = if *allows {
        (unseen, said)
    } else {
        ([said, unseen].concat(), Vec::new())
    };
    let state = match (denied.is_empty(), allows, next) {
        (true, ..) => pb::verdict::State::Yes,
        // The state is NotYet if facts are missing, or if the upgrade will be allowed at a later
        // time.
        (false, true, _) | (false, false, Some(_)) => pb::verdict::State::NotYet,
        (false, false, None) => pb::verdict::State::No,
    };
    pb::ReviewUpgradeResponse {
        verdict: Some(verdict(state, denied)),
        allowed_by,
        remarks: remarks.iter().map(encode_reason).collect(),
        at,
        next: next.map(|next| next.to_string()).unwrap_or_default(),
        grounds,
    }
}

pub(crate) fn encode_upgrade_message(message: Message<Answered>) -> pb::WatchUpgradesResponse {
    let Message {
        epoch,
        revision,
        event,
    } = message;
    pb::WatchUpgradesResponse {
        epoch,
        revision,
        event: Some(match event {
            portolan_scaffold::Event::Change(Answered { place, answer }) => Event::Answer(Answer {
                // The conversion cannot fail, because the number of queries is far below the
                // maximum of `u32`.
                place: u32::try_from(place).unwrap_or(u32::MAX),
                answer: Some(encode_review_upgrade(&answer)),
            }),
            portolan_scaffold::Event::Synced => Event::Synced(Synced {}),
            portolan_scaffold::Event::Heartbeat => Event::Heartbeat(Heartbeat {}),
        }),
    }
}

fn encode_ground(ground: &Ground) -> pb::Ground {
    let Ground {
        object: Object {
            kind,
            namespace,
            name,
        },
        uid,
        generation,
        is_broken,
    } = ground;
    pb::Ground {
        object: Some(basis::Observed {
            object: Some(super::encode_object(kind, namespace, name)),
            uid: uid.clone(),
            ..basis::Observed::default()
        }),
        generation: *generation,
        broken: *is_broken,
    }
}

fn verdict(state: pb::verdict::State, reasons: Vec<basis::Reason>) -> pb::Verdict {
    pb::Verdict {
        state: state.into(),
        reasons,
    }
}

fn about(operator: &OperatorId, code: &str, message: &str) -> basis::Reason {
    let OperatorId {
        kind,
        namespace,
        name,
    } = operator;
    basis::Reason {
        code: code.to_owned(),
        message: message.to_owned(),
        object: Some(super::encode_object(kind.as_str(), namespace, name)),
    }
}

fn encode_reason(reason: &Reason) -> basis::Reason {
    let Reason {
        code,
        message,
        object: Object {
            kind,
            namespace,
            name,
        },
    } = reason;
    basis::Reason {
        code: code.as_str().to_owned(),
        message: message.clone(),
        object: Some(super::encode_object(kind, namespace, name)),
    }
}
