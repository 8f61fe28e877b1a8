//! Views of operators and their problems.

use super::catalogs::a_graph;
use super::objects::an_object_table;
use crate::view::{
    BlockedVersion, Cause, CheckedObject, DiagnosedObject, Diagnoses, Event, Follower, ObjectKind,
    Operator, OperatorPage, Origin, Plan, Quote, Remedy, RouteHop, ShownObject, State, Versions,
};

pub(in crate::tests) fn an_operator(text: &str) -> Operator {
    Operator {
        origin: Origin::Olm,
        namespace: text.to_owned(),
        name: text.to_owned(),
        package: text.to_owned(),
        bundle: text.to_owned(),
        version: text.to_owned(),
        next: text.to_owned(),
        wanted: text.to_owned(),
        window: text.to_owned(),
        catalog: text.to_owned(),
        channel: text.to_owned(),
        state: State::Stuck,
        why: text.to_owned(),
    }
}

pub(in crate::tests) fn some_diagnoses(text: &str) -> Diagnoses {
    Diagnoses {
        operators: vec![(an_operator(text), Some(a_cause(text)))],
        others: vec![DiagnosedObject {
            page: Some(ShownObject::of(ObjectKind::Install, text, text)),
            kind: text.to_owned(),
            namespace: text.to_owned(),
            name: text.to_owned(),
            state: State::Broken,
            cause: Some(a_cause(text)),
        }],
    }
}

pub(in crate::tests) fn a_cause(text: &str) -> Cause {
    let remedy = || Remedy {
        message: text.to_owned(),
        scripts: vec![text.to_owned()],
        notes: vec![text.to_owned()],
    };
    let cause = Cause {
        state: State::Broken,
        code: text.to_owned(),
        message: text.to_owned(),
        quotes: vec![Quote {
            source: text.to_owned(),
            text: text.to_owned(),
        }],
        headline: text.to_owned(),
        at_fault: text.to_owned(),
        who: text.to_owned(),
        action: text.to_owned(),
        confidence: text.to_owned(),
        look: vec![remedy()],
        fix: Some(remedy()),
        decide: vec![remedy(), remedy()],
        later: vec![remedy()],
        below: Vec::new(),
    };
    Cause {
        below: vec![cause.clone()],
        ..cause
    }
}

pub(in crate::tests) fn a_fact(text: &str) -> CheckedObject {
    let fact = CheckedObject {
        object: text.to_owned(),
        state: State::Broken,
        code: text.to_owned(),
        message: text.to_owned(),
        below: Vec::new(),
    };
    CheckedObject {
        below: vec![fact.clone()],
        ..fact
    }
}

pub(in crate::tests) fn a_plan(text: &str) -> Plan {
    Plan {
        origin: Origin::Olm,
        namespace: text.to_owned(),
        name: text.to_owned(),
        phase: text.to_owned(),
        state: State::Waiting,
        why: vec![text.to_owned()],
        bundles: vec![text.to_owned()],
        fixes: vec![text.to_owned()],
    }
}

pub(in crate::tests) fn an_operator_page(text: &str) -> OperatorPage {
    OperatorPage {
        operator: an_operator(text),
        facts: vec![a_fact(text)],
        cause: Ok(Some(a_cause(text))),
        versions: Ok(Versions {
            recommended: text.to_owned(),
            next: vec![Follower {
                name: text.to_owned(),
                version: text.to_owned(),
                channels: vec![text.to_owned()],
                deprecation: text.to_owned(),
            }],
            blocked: vec![BlockedVersion {
                name: text.to_owned(),
                version: text.to_owned(),
                why: text.to_owned(),
            }],
            reasons: vec![text.to_owned()],
        }),
        way: Ok(vec![RouteHop {
            bundle: text.to_owned(),
            version: text.to_owned(),
            notes: vec![text.to_owned()],
        }]),
        graph: Ok(a_graph(text)),
        plans: Ok(vec![a_plan(text)]),
        tables: vec![an_object_table(text)],
        events: Ok(vec![Event {
            at: text.to_owned(),
            object: text.to_owned(),
            reason: text.to_owned(),
            message: text.to_owned(),
        }]),
    }
}
