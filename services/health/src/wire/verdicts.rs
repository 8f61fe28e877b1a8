//! Encodes verdicts and facts.

use portolan_core_health::{Fact, Object, ObjectVersion, Reason, State, Verdict};
use portolan_proto::basis::v1 as basis;
use portolan_proto::health::v1 as pb;

pub(super) fn encode_verdict(verdict: &Verdict) -> pb::Verdict {
    let Verdict { state, reasons } = verdict;
    pb::Verdict {
        state: encode_state(*state).into(),
        reasons: reasons.iter().map(encode_reason).collect(),
    }
}

pub(super) fn encode_facts(facts: &[Fact]) -> Vec<pb::Fact> {
    facts.iter().map(encode_fact).collect()
}

pub(super) fn encode_object(object: &Object) -> basis::ObjectRef {
    let Object {
        kind,
        namespace,
        name,
    } = object;
    basis::ObjectRef {
        kind: kind.to_string(),
        namespace: namespace.clone(),
        name: name.clone(),
    }
}

fn encode_state(state: State) -> pb::verdict::State {
    match state {
        State::Yes => pb::verdict::State::Yes,
        State::NotYet => pb::verdict::State::NotYet,
        State::No => pb::verdict::State::No,
    }
}

/// Encodes a reason without its state. Clients derive the state from the facts and from the order
/// of the reasons, which the API defines.
fn encode_reason(reason: &Reason) -> basis::Reason {
    let Reason {
        state: _,
        code,
        object,
        message,
    } = reason;
    basis::Reason {
        code: code.as_str().to_owned(),
        message: message.clone(),
        object: Some(encode_object(object)),
    }
}

fn encode_fact(fact: &Fact) -> pb::Fact {
    let Fact {
        observed,
        state,
        code,
        message,
        detail,
        // The message contains it.
        quote: _,
        is_remark,
        below,
    } = fact;
    pb::Fact {
        observed: Some(encode_observed(observed)),
        state: encode_state(*state).into(),
        code: code.as_str().to_owned(),
        message: message.clone(),
        detail: detail.clone(),
        remark: *is_remark,
        facts: encode_facts(below),
    }
}

fn encode_observed(observed: &ObjectVersion) -> basis::Observed {
    let ObjectVersion {
        object,
        uid,
        resource_version,
    } = observed;
    basis::Observed {
        object: Some(encode_object(object)),
        uid: uid.clone(),
        resource_version: resource_version.clone(),
        digest: String::new(),
    }
}
