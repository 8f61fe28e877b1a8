use portolan_core_diagnosis::Code;
use similar_asserts::assert_eq;

use super::*;

fn object(kind: &'static str, name: &str) -> Object {
    Object::new(kind, "harbor", name)
}

fn evidence(field: &str) -> Evidence {
    Evidence {
        object: object("Subscription", "ferry"),
        field: field.to_owned(),
        value: format!("what {field} says"),
    }
}

fn cause(code: Code, state: State) -> Cause {
    Cause {
        code,
        state,
        message: format!("{} is the matter.", code.as_str()),
        quotes: vec![Quote {
            source: "the kubelet".to_owned(),
            text: "no such image".to_owned(),
        }],
        at_fault: object("CatalogSource", "shop"),
        also_at_fault: Vec::new(),
        responsible: Responsible::default(),
        confidence: Confidence {
            certainty: Certainty::Proved,
            reason: "The objects show it.".to_owned(),
        },
        remedy: Remedy::default(),
        blocked_by: None,
        evidence: Vec::new(),
        below: Vec::new(),
    }
}

fn step(action: Action) -> Step {
    Step {
        comment: "Do it".to_owned(),
        action,
    }
}

fn get() -> Step {
    step(Action::Command("kubectl get a".to_owned()))
}

fn procedure(title: &str, steps: Vec<Step>) -> Procedure {
    Procedure {
        title: title.to_owned(),
        steps,
        deletes: format!("{title} deletes this."),
        keeps: format!("{title} keeps this."),
        risk: format!("{title} risks this."),
    }
}

/// Returns a diagnosis with every field set.
fn full_diagnosis() -> Diagnosis {
    let apply = step(Action::Manifest("kind: A\n".to_owned()));
    let remedy = Remedy {
        look: vec![get()],
        fix: Some(procedure("Run.", vec![get(), apply])),
        decide: vec![procedure("Choose.", vec![get()])],
        later: vec![procedure("Wait.", vec![get()])],
    };
    Diagnosis {
        subject: Subject {
            object: object("Subscription", "ferry"),
            package: "ferry".to_owned(),
            csv: "ferry.v1.0.0".to_owned(),
        },
        state: State::Broken,
        headline: "ferry.v1.0.0 does not work.".to_owned(),
        cause: Some(Cause {
            evidence: vec![evidence("spec.source"), evidence("")],
            below: vec![
                Cause {
                    at_fault: object("OperatorGroup", ""),
                    evidence: vec![Evidence {
                        object: object("OperatorGroup", ""),
                        ..evidence("")
                    }],
                    responsible: Responsible {
                        who: "the publisher".to_owned(),
                        action: "Correct it.".to_owned(),
                    },
                    blocked_by: Some(object("Subscription", "pilot")),
                    also_at_fault: vec![object("CatalogSource", "boatyard")],
                    ..cause(Code::DeadEnd, State::Stuck)
                },
                cause(Code::InProgress, State::Working),
            ],
            remedy,
            ..cause(Code::CatalogMissing, State::Broken)
        }),
        victims: vec![object("Subscription", "pilot")],
        meanwhile: vec![Saying {
            said: evidence("status.state"),
            message: "It is not so.".to_owned(),
        }],
        unknowns: vec!["This is not known.".to_owned()],
        untold: None,
    }
}

fn pb_object(kind: &str, name: &str) -> Option<basis::ObjectRef> {
    Some(basis::ObjectRef {
        kind: kind.to_owned(),
        namespace: "harbor".to_owned(),
        name: name.to_owned(),
    })
}

fn pb_evidence(field: &str) -> pb::Evidence {
    pb::Evidence {
        object: pb_object("Subscription", "ferry"),
        field: field.to_owned(),
        value: format!("what {field} says"),
    }
}

fn pb_cause(code: &str, state: PbState) -> pb::Cause {
    pb::Cause {
        code: code.to_owned(),
        state: state.into(),
        message: format!("{code} is the matter."),
        quotes: vec![pb::Quote {
            source: "the kubelet".to_owned(),
            text: "no such image".to_owned(),
        }],
        at_fault: pb_object("CatalogSource", "shop"),
        at_fault_missing: false,
        responsible: None,
        confidence: Some(pb::Confidence {
            certainty: PbCertainty::Proved.into(),
            reason: "The objects show it.".to_owned(),
        }),
        remedy: Some(pb::Remedy::default()),
        evidence: Vec::new(),
        below: Vec::new(),
        blocked_by: None,
        also_at_fault: Vec::new(),
    }
}

fn pb_step(action: pb::step::Action) -> pb::Step {
    pb::Step {
        comment: "Do it".to_owned(),
        action: Some(action),
    }
}

fn pb_get() -> pb::Step {
    pb_step(pb::step::Action::Command("kubectl get a".to_owned()))
}

fn pb_procedure(title: &str, steps: Vec<pb::Step>) -> pb::Procedure {
    pb::Procedure {
        title: title.to_owned(),
        steps,
        deletes: format!("{title} deletes this."),
        keeps: format!("{title} keeps this."),
        risk: format!("{title} risks this."),
    }
}

#[test]
fn encodes_every_field() {
    let apply = pb_step(pb::step::Action::Manifest("kind: A\n".to_owned()));
    let remedy = pb::Remedy {
        look: vec![pb_get()],
        fix: Some(pb_procedure("Run.", vec![pb_get(), apply])),
        decide: vec![pb_procedure("Choose.", vec![pb_get()])],
        later: vec![pb_procedure("Wait.", vec![pb_get()])],
    };
    let root = pb::Cause {
        evidence: vec![pb_evidence("spec.source"), pb_evidence("")],
        below: vec![
            pb::Cause {
                at_fault: pb_object("OperatorGroup", ""),
                at_fault_missing: true,
                evidence: vec![pb::Evidence {
                    object: pb_object("OperatorGroup", ""),
                    ..pb_evidence("")
                }],
                responsible: Some(pb::Responsible {
                    who: "the publisher".to_owned(),
                    action: "Correct it.".to_owned(),
                }),
                blocked_by: pb_object("Subscription", "pilot"),
                also_at_fault: pb_object("CatalogSource", "boatyard").into_iter().collect(),
                ..pb_cause("DeadEnd", PbState::Stuck)
            },
            pb_cause("InProgress", PbState::Working),
        ],
        remedy: Some(remedy),
        ..pb_cause("CatalogMissing", PbState::Broken)
    };
    let expected = pb::OperatorDiagnosis {
        subject: pb_object("Subscription", "ferry"),
        package: "ferry".to_owned(),
        csv: "ferry.v1.0.0".to_owned(),
        state: PbState::Broken.into(),
        headline: "ferry.v1.0.0 does not work.".to_owned(),
        cause: Some(root),
        victims: pb_object("Subscription", "pilot").into_iter().collect(),
        meanwhile: vec![pb::Saying {
            said: Some(pb_evidence("status.state")),
            message: "It is not so.".to_owned(),
        }],
        unknowns: vec!["This is not known.".to_owned()],
    };
    assert_eq!(encode(&full_diagnosis()).diagnosis, Some(expected));
}

#[test]
fn every_state_has_its_own_protobuf_value() {
    let states = [
        State::Well,
        State::Working,
        State::Waiting,
        State::Stuck,
        State::Broken,
    ];
    let reported = states.map(|state| encode_state(state).as_str_name());
    let words = states.map(|state| state.as_str().to_uppercase());
    assert_eq!(reported.map(str::to_owned), words);
}

#[test]
fn every_certainty_has_its_own_protobuf_value() {
    let all = [Certainty::Unknown, Certainty::Likely, Certainty::Proved];
    let reported = all.map(|certainty| {
        let reason = String::new();
        encode_confidence(&Confidence { certainty, reason })
    });
    let reported = reported.map(|it| it.certainty().as_str_name().to_owned());
    assert_eq!(reported, all.map(|it| it.as_str().to_uppercase()));
}
