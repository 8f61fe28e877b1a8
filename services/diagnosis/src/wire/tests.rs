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

fn cause(code: Code, state: State, cure: Cure) -> Cause {
    Cause {
        code,
        state,
        message: format!("{} is the matter.", code.as_str()),
        guilty: object("CatalogSource", "shop"),
        cure,
        steps: Vec::new(),
        blocked_by: None,
        evidence: Vec::new(),
        below: Vec::new(),
    }
}

fn step(purpose: Purpose) -> Step {
    Step {
        purpose,
        message: format!("To {}", purpose.as_str()),
        command: "kubectl get b".to_owned(),
    }
}

fn fix(message: &str, change: Change) -> Fix {
    Fix {
        message: message.to_owned(),
        change,
        risk: format!("{message} risks this."),
    }
}

const PURPOSES: [Purpose; 4] = [Purpose::Look, Purpose::Again, Purpose::Anew, Purpose::Check];

/// Returns a diagnosis with every field set.
fn full_diagnosis() -> Diagnosis {
    let fixes = vec![
        fix("Run.", Change::Command("kubectl get a".to_owned())),
        fix("Apply.", Change::Manifest("kind: A\n".to_owned())),
    ];
    let other = Cure::External("Somebody has to act.".to_owned());
    Diagnosis {
        subject: Subject {
            object: object("Subscription", "ferry"),
            package: "ferry".to_owned(),
            csv: "ferry.v1.0.0".to_owned(),
        },
        state: State::Broken,
        cause: Some(Cause {
            evidence: vec![evidence("spec.source"), evidence("")],
            below: vec![
                Cause {
                    guilty: object("OperatorGroup", ""),
                    evidence: vec![Evidence {
                        object: object("OperatorGroup", ""),
                        ..evidence("")
                    }],
                    steps: PURPOSES.map(step).to_vec(),
                    blocked_by: Some(object("Subscription", "pilot")),
                    ..cause(Code::DeadEnd, State::Stuck, other)
                },
                cause(Code::InProgress, State::Working, Cure::Time),
            ],
            ..cause(Code::CatalogMissing, State::Broken, Cure::Fixable(fixes))
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

fn pb_cause(code: &str, state: PbState, cure: pb::cause::Cure) -> pb::Cause {
    pb::Cause {
        code: code.to_owned(),
        state: state.into(),
        message: format!("{code} is the matter."),
        guilty: pb_object("CatalogSource", "shop"),
        cure: Some(cure),
        evidence: Vec::new(),
        below: Vec::new(),
        steps: Vec::new(),
        blocked_by: None,
        guilty_missing: false,
    }
}

fn pb_step(purpose: PbPurpose, message: &str) -> pb::Step {
    pb::Step {
        purpose: purpose.into(),
        message: message.to_owned(),
        command: "kubectl get b".to_owned(),
    }
}

fn pb_fix(message: &str, change: pb::fix::Change) -> pb::Fix {
    pb::Fix {
        message: message.to_owned(),
        change: Some(change),
        risk: format!("{message} risks this."),
    }
}

#[test]
fn encodes_every_field() {
    let fixable = pb::cause::Cure::Fixable(pb::Fixable {
        fixes: vec![
            pb_fix("Run.", pb::fix::Change::Command("kubectl get a".to_owned())),
            pb_fix("Apply.", pb::fix::Change::Manifest("kind: A\n".to_owned())),
        ],
    });
    let external = pb::cause::Cure::External(pb::External {
        message: "Somebody has to act.".to_owned(),
    });
    let passing = pb::cause::Cure::Passing(pb::Passing {});
    let root = pb::Cause {
        evidence: vec![pb_evidence("spec.source"), pb_evidence("")],
        below: vec![
            pb::Cause {
                guilty: pb_object("OperatorGroup", ""),
                evidence: vec![pb::Evidence {
                    object: pb_object("OperatorGroup", ""),
                    ..pb_evidence("")
                }],
                steps: vec![
                    pb_step(PbPurpose::Look, "To Look"),
                    pb_step(PbPurpose::Again, "To Again"),
                    pb_step(PbPurpose::Anew, "To Anew"),
                    pb_step(PbPurpose::Check, "To Check"),
                ],
                blocked_by: pb_object("Subscription", "pilot"),
                guilty_missing: true,
                ..pb_cause("DeadEnd", PbState::Stuck, external)
            },
            pb_cause("InProgress", PbState::Working, passing),
        ],
        ..pb_cause("CatalogMissing", PbState::Broken, fixable)
    };
    let expected = pb::OperatorDiagnosis {
        subject: pb_object("Subscription", "ferry"),
        package: "ferry".to_owned(),
        csv: "ferry.v1.0.0".to_owned(),
        state: PbState::Broken.into(),
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
fn every_state_has_its_own() {
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
