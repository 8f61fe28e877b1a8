//! Converts the messages of the health service.

use portolan_core_olm::HealthCode;
use portolan_core_operatorpolicy::{Catalog, HealthFact, Operator, State, Verdict};
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::operator::Manager;
use portolan_proto::health::v1::verdict;
use portolan_proto::health::v1::watch_response;

use super::{decode_key, decode_reasons};
use crate::ask::followed::{Event, Message, StreamKey};
use crate::ask::status::sentence;
use crate::ask::streams::HealthItem;

/// The kind of objects that represent catalogs.
pub(in crate::ask) const CATALOG_SOURCE: &str = "CatalogSource";

/// The kinds of facts whose nested facts describe separate objects. The nested facts of all other
/// kinds are causes.
const OUTER: [&str; 2] = ["Subscription", "ClusterServiceVersion"];

pub(in crate::ask) fn decode_health(response: pb::WatchResponse) -> Message<HealthItem> {
    let pb::WatchResponse {
        epoch,
        revision: _,
        event,
    } = response;
    let event = match event {
        // Policies manage only operators of OLM v0, so other operators are ignored.
        Some(watch_response::Event::Operator(operator)) if is_of_another(&operator) => {
            Event::Nothing
        }
        Some(watch_response::Event::Operator(operator)) => {
            let (key, judged) = decode_operator(operator);
            Event::Is(key, judged)
        }
        Some(watch_response::Event::Catalog(catalog)) => {
            let (key, judged) = decode_catalog(catalog);
            Event::Is(key, judged)
        }
        Some(watch_response::Event::Gone(gone)) => Event::Gone(decode_key(gone.subject)),
        Some(watch_response::Event::Synced(_)) => Event::Synced,
        Some(watch_response::Event::Reset(_)) => Event::Reset,
        Some(watch_response::Event::Heartbeat(_)) | None => Event::Nothing,
    };
    Message { epoch, event }
}

/// Returns true if an installer other than OLM v0 manages the operator. Older servers report only
/// operators of OLM v0.
fn is_of_another(operator: &pb::Operator) -> bool {
    !matches!(operator.manager(), Manager::Unspecified | Manager::Olm)
}

fn decode_operator(operator: pb::Operator) -> (StreamKey, HealthItem) {
    let pb::Operator {
        subject,
        package,
        csv,
        verdict,
        facts,
        ..
    } = operator;
    let mut flat = Vec::new();
    facts.iter().for_each(|fact| flatten(fact, &mut flat));
    let operator = Operator {
        csv,
        verdict: decode_verdict(verdict),
        facts: flat,
    };
    (
        decode_key(subject),
        HealthItem::Operator { package, operator },
    )
}

fn decode_catalog(catalog: pb::Catalog) -> (StreamKey, HealthItem) {
    let pb::Catalog {
        subject,
        connection_state,
        verdict,
        ..
    } = catalog;
    let key = decode_key(subject);
    let catalog = Catalog {
        name: format!("{}/{}", key.namespace, key.name),
        connection_state,
        verdict: decode_verdict(verdict),
    };
    (key, HealthItem::Catalog(catalog))
}

fn decode_verdict(verdict: Option<pb::Verdict>) -> Verdict<HealthCode> {
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

fn flatten(fact: &pb::Fact, flat: &mut Vec<HealthFact>) {
    let observed = fact.observed.clone().unwrap_or_default();
    let object = observed.object.unwrap_or_default();
    let is_outer = OUTER.contains(&object.kind.as_str());
    let cause = cause(fact).filter(|_| !is_outer);
    flat.push(HealthFact {
        kind: object.kind,
        namespace: object.namespace,
        name: object.name,
        uid: observed.uid,
        resource_version: observed.resource_version,
        state: decode_state(fact.state()),
        code: fact.code.as_str().into(),
        message: match cause {
            Some(cause) => format!("{}: {}", sentence(&fact.message), sentence(&cause.message)),
            None => sentence(&fact.message),
        },
    });
    if is_outer {
        fact.facts.iter().for_each(|each| flatten(each, flat));
    }
}

/// Returns the most deeply nested fact that explains a fact. On each level, this is the first fact
/// that has failed. If no fact has failed, it is the first fact that is not ready.
fn cause(fact: &pb::Fact) -> Option<&pb::Fact> {
    let of = |state| fact.facts.iter().find(|each| each.state() == state);
    let first = of(verdict::State::No).or_else(|| of(verdict::State::NotYet))?;
    Some(cause(first).unwrap_or(first))
}
