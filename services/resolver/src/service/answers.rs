//! From a message to its answer, for the questions that are asked in more than one way.

use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::{
    batch_find_path_response as path, batch_list_upgrades_response as upgrades,
};

use crate::question::Refusal;
use crate::{Snapshot, wire};

pub(crate) fn list_upgrades(
    snapshot: &Snapshot,
    request: &pb::ListUpgradesRequest,
) -> Result<pb::ListUpgradesResponse, Refusal> {
    let question = wire::decode_list_upgrades(request)?;
    let answer = question.ask(snapshot)?;
    Ok(wire::encode_list_upgrades(&question, &answer))
}

pub(crate) fn find_path(
    snapshot: &Snapshot,
    request: &pb::FindPathRequest,
) -> Result<pb::FindPathResponse, Refusal> {
    let question = wire::decode_find_path(request)?;
    let answer = question.ask(snapshot)?;
    Ok(wire::encode_find_path(&question, &answer))
}

pub(crate) fn resolve(
    snapshot: &Snapshot,
    request: &pb::ResolveRequest,
) -> Result<pb::ResolveResponse, Refusal> {
    let question = wire::decode_resolve(request)?;
    let answer = question.ask(snapshot)?;
    Ok(wire::encode_resolve(&question, &answer))
}

pub(crate) fn predict_olm(
    snapshot: &Snapshot,
    request: &pb::PredictOlmRequest,
) -> Result<pb::PredictOlmResponse, Refusal> {
    let question = wire::decode_predict_olm(request)?;
    let answer = question.ask(snapshot)?;
    Ok(wire::encode_predict_olm(&question, &answer))
}

/// An answer, or why there is none: in a batch, one question never costs another.
pub(crate) fn tell_upgrades(
    snapshot: &Snapshot,
    request: &pb::BatchListUpgradesRequest,
) -> pb::BatchListUpgradesResponse {
    let question = request.question.clone().unwrap_or_default();
    let outcome = match list_upgrades(snapshot, &question) {
        Ok(answer) => upgrades::Outcome::Answer(answer),
        Err(refusal) => upgrades::Outcome::Refused(wire::encode_refused(&refusal)),
    };
    pb::BatchListUpgradesResponse {
        outcome: Some(outcome),
    }
}

/// An answer, or why there is none.
pub(crate) fn tell_path(
    snapshot: &Snapshot,
    request: &pb::BatchFindPathRequest,
) -> pb::BatchFindPathResponse {
    let question = request.question.clone().unwrap_or_default();
    let outcome = match find_path(snapshot, &question) {
        Ok(answer) => path::Outcome::Answer(answer),
        Err(refusal) => path::Outcome::Refused(wire::encode_refused(&refusal)),
    };
    pb::BatchFindPathResponse {
        outcome: Some(outcome),
    }
}
