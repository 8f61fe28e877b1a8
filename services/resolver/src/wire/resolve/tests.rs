use portolan_core_names::{BundleName, PackageName, Version};
use rstest::rstest;

use super::*;

fn wish(package: &str, range: &str) -> pb::Wish {
    pb::Wish {
        package: package.to_owned(),
        range: range.to_owned(),
        ..Default::default()
    }
}

fn operator(name: &str) -> pb::InstalledOperator {
    pb::InstalledOperator {
        name: name.to_owned(),
        described: true,
        ..Default::default()
    }
}

fn about(wishes: Vec<pb::Wish>, installed: Vec<pb::InstalledOperator>) -> pb::ResolveRequest {
    pb::ResolveRequest {
        wishes,
        installed,
        ..Default::default()
    }
}

fn requiring(requires: pb::Requirements) -> pb::ResolveRequest {
    let operator = pb::InstalledOperator {
        requires: Some(requires),
        ..operator("a.v1")
    };
    about(vec![wish("a", "")], vec![operator])
}

fn constraint(json: String) -> pb::ResolveRequest {
    requiring(pb::Requirements {
        constraints: vec!["{}".to_owned(), json],
        ..Default::default()
    })
}

#[test]
fn question_is_decoded_with_all_fields() {
    let request = pb::ResolveRequest {
        mode: pb::mode::Kind::Each.into(),
        steps: 7,
        ..about(
            vec![pb::Wish {
                channel: "stable".to_owned(),
                catalog: "olm/demo".to_owned(),
                ..wish("a", ">=1.0.0 <2.0.0")
            }],
            vec![
                pb::InstalledOperator {
                    version: "1.2.3".to_owned(),
                    package: "b".to_owned(),
                    provides: vec![pb::Api {
                        group: String::new(),
                        version: "v1".to_owned(),
                        kind: "Node".to_owned(),
                    }],
                    requires: Some(pb::Requirements {
                        packages: vec![pb::requirements::Package {
                            name: "c".to_owned(),
                            range: "whatever".to_owned(),
                        }],
                        constraints: vec![r#"{"not": {}, "all": 1}"#.to_owned()],
                        ..Default::default()
                    }),
                    properties: vec![pb::installed_operator::Property {
                        r#type: "hull".to_owned(),
                        value: r#" {"wood": "oak"} "#.to_owned(),
                    }],
                    ..operator("b.v1")
                },
                pb::InstalledOperator {
                    described: false,
                    ..operator("d.v1")
                },
            ],
        )
    };
    let Resolve(question) = decode_resolve(&request).expect("it must be a question");
    let parsed = "must be parsed";
    assert_eq!(
        question.wishes[0].to_string(),
        "a@>=1.0.0 <2.0.0 channel=stable catalog=olm/demo"
    );
    assert_eq!(
        (question.mode, question.budget),
        (Mode::Each, Budget { steps: 7 })
    );
    let api = Api {
        group: "".into(),
        version: "v1".into(),
        kind: "Node".into(),
    };
    let required = PackageRequirement {
        package: PackageName::parse("c").expect(parsed),
        text: "whatever".into(),
        range: None,
    };
    let facts = OperatorFacts {
        provides: BTreeSet::from([api]),
        requires: Requirements {
            packages: vec![required],
            constraints: vec![Arc::new(Constraint::parse(r#"{"all":1,"not":{}}"#))],
            ..Default::default()
        },
        properties: vec![Property {
            kind: "hull".into(),
            value: r#"{"wood":"oak"}"#.into(),
        }],
    };
    let known = InstalledOperator {
        name: BundleName::parse("b.v1").expect(parsed),
        version: Some(Version::new(1, 2, 3)),
        package: Some(PackageName::parse("b").expect(parsed)),
        facts: Some(Arc::new(facts)),
    };
    let named = InstalledOperator::named(BundleName::parse("d.v1").expect(parsed));
    assert_eq!(question.installed, [known, named]);
}

#[rstest]
#[case::no_wish(
    about(vec![], vec![]),
    "wishes: it is empty; add at least one requirement"
)]
#[case::wishes_without_end(
    about(vec![wish("a", ""); 1_001], vec![]),
    "wishes: 1001 are given; at most 1000 are allowed"
)]
#[case::operators_without_end(
    about(vec![wish("a", "")], vec![operator("a.v1"); 10_001]),
    "installed: 10001 are given; at most 10000 are allowed"
)]
#[case::package(
    about(vec![wish("a", ""), wish("Quay", "")], vec![]),
    "wishes[1].package: \"Quay\" is not a package name: at column 1, "
)]
#[case::range(
    about(vec![wish("a", ""), wish("b", ">=1.0.0 =>2")], vec![]),
    "wishes[1].range: \">=1.0.0 =>2\" is not a version range: at column 9, "
)]
#[case::operator_without_a_name(
    about(vec![wish("a", "")], vec![operator("")]),
    "installed[0].name: \"\" is not a bundle name: at column 1, "
)]
#[case::kind(
    requiring(pb::Requirements { apis: vec![pb::Api::default()], ..Default::default() }),
    "installed[0].requires.apis[0].version: it is empty; an API requires it"
)]
#[case::no_constraint(
    constraint("[]".to_owned()),
    "installed[0].requires.constraints[1]: a constraint is an object"
)]
#[case::constraint_without_end(
    constraint(" ".repeat(131_073)),
    "installed[0].requires.constraints[1]: it has 131073 bytes; at most 131072 are"
)]
#[case::described_after_all(
    about(vec![wish("a", "")], vec![pb::InstalledOperator {
        described: false,
        provides: vec![pb::Api::default()],
        ..operator("a.v1")
    }]),
    "installed[0].described: this field is false, so provided"
)]
#[case::mode(
    pb::ResolveRequest { mode: 9, ..about(vec![wish("a", "")], vec![]) },
    "mode: 9 is unknown to this server, which supports TOGETHER, EACH"
)]
#[case::steps(
    pb::ResolveRequest { steps: 1_000_001, ..about(vec![wish("a", "")], vec![]) },
    "steps: 1000001 is more than the maximum of 1000000"
)]
fn refusal_names_its_field(#[case] request: pb::ResolveRequest, #[case] said: &str) {
    let refusal = decode_resolve(&request).expect_err("it must be refused");
    assert!(refusal.to_string().starts_with(said), "{refusal}");
}
