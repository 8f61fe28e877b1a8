use insta::assert_snapshot;
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::health::v1::operator::Manager;
use portolan_proto::health::v1::probe::Outcome;

use super::*;
use crate::health::samples::{catalog, fact, operator, text};

fn everything() -> Everything {
    let broken = ["One", "Two", "Three", "Four", "Five"];
    let mut rope = operator("rope", State::Yes, &[]);
    rope.facts = vec![fact(
        State::Yes,
        "Healthy",
        vec![Fact {
            remark: true,
            ..fact(State::Yes, "StoredVersionsMixed", Vec::new())
        }],
    )];
    let mut tug = operator("tug", State::Yes, &[]);
    tug.set_manager(Manager::ClusterExtension);
    tug.subject = tug.subject.map(|subject| ObjectRef {
        kind: "ClusterExtension".to_owned(),
        namespace: String::new(),
        ..subject
    });
    tug.bundle = std::mem::take(&mut tug.csv);
    let mut shop = catalog("shop", State::Yes, &[]);
    shop.probe = Some(Probe {
        address: "127.0.0.1:50051".to_owned(),
        outcome: Outcome::Answered.into(),
        answered: "2026-01-01T00:00:00Z".to_owned(),
        packages: 7,
        ..Probe::default()
    });
    Everything {
        operators: vec![
            operator("crane", State::NotYet, &["CsvInstalling"]),
            Operator {
                policy: "policies/pin".to_owned(),
                ..operator("ferry", State::No, &broken)
            },
            rope,
            tug,
        ],
        catalogs: vec![catalog("bay", State::No, &["RegistryTimeout"]), shop],
        ..Everything::default()
    }
}

#[test]
fn lists_unhealthy_objects_below_tables_worst_first() {
    assert_snapshot!(text(render(&everything(), Detail::Usual)), @r#"
    NAMESPACE   NAME    MANAGER                       PACKAGE   BUNDLE         HEALTH   REASON
    harbor      crane   OLM                           crane     crane.v1.0.0   NotYet   CsvInstalling
    harbor      ferry   OperatorPolicy policies/pin   ferry     ferry.v1.0.0   No       One
    harbor      rope    OLM                           rope      rope.v1.0.0    Yes      -
    -           tug     ClusterExtension              tug       tug.v1.0.0     Yes      -

    NAMESPACE   CATALOG   CONNECTION   PACKAGES   HEALTH   REASON
    olm         bay       READY        -          No       RegistryTimeout
    olm         shop      READY        7          Yes      -

    Operators: 1 No, 1 NotYet, 2 Yes. Catalogs: 1 No, 1 Yes.

    harbor/ferry: No
      One: It is One.
      Two: It is Two.
      Three: It is Three.
      ... and 2 more (-o wide shows all)

    olm/bay: No
      RegistryTimeout: It is RegistryTimeout.

    harbor/crane: NotYet
      CsvInstalling: It is CsvInstalling.
    "#);
}

#[test]
fn wide_table_shows_everything() {
    assert_snapshot!(text(render(&everything(), Detail::Whole)), @r#"
    NAMESPACE   NAME    MANAGER                       PACKAGE   BUNDLE         VERSION   PHASE       CATALOG    HEALTH   REASON          MESSAGE
    harbor      crane   OLM                           crane     crane.v1.0.0   1.0.0     Succeeded   olm/shop   NotYet   CsvInstalling   It is CsvInstalling.
    harbor      ferry   OperatorPolicy policies/pin   ferry     ferry.v1.0.0   1.0.0     Succeeded   olm/shop   No       One             It is One.
    harbor      rope    OLM                           rope      rope.v1.0.0    1.0.0     Succeeded   olm/shop   Yes      -               -
    -           tug     ClusterExtension              tug       tug.v1.0.0     1.0.0     Succeeded   olm/shop   Yes      -               -

    NAMESPACE   CATALOG   CONNECTION   PACKAGES   ADDRESS           PROBE      ANSWERED               HEALTH   REASON            MESSAGE
    olm         bay       READY        -          -                 unknown    -                      No       RegistryTimeout   It is RegistryTimeout.
    olm         shop      READY        7          127.0.0.1:50051   answered   2026-01-01T00:00:00Z   Yes      -                 -

    Operators: 1 No, 1 NotYet, 2 Yes. Catalogs: 1 No, 1 Yes.

    harbor/ferry: No
      One: It is One.
      Two: It is Two.
      Three: It is Three.
      Four: It is Four.
      Five: It is Five.

    olm/bay: No
      RegistryTimeout: It is RegistryTimeout.

    harbor/crane: NotYet
      CsvInstalling: It is CsvInstalling.

    Remarks:
      harbor/rope: StoredVersionsMixed: It is StoredVersionsMixed.
    "#);
}

#[test]
fn prints_only_tables_if_all_is_healthy() {
    let everything = Everything {
        operators: vec![operator("rope", State::Yes, &[])],
        ..Everything::default()
    };
    assert_snapshot!(text(render(&everything, Detail::Usual)), @r#"
    NAMESPACE   NAME   MANAGER   PACKAGE   BUNDLE        HEALTH   REASON
    harbor      rope   OLM       rope      rope.v1.0.0   Yes      -
    "#);
}

#[test]
fn escapes_control_characters_of_names() {
    let mut hostile = operator("rope", State::No, &["A\u{1b}[31m"]);
    hostile.csv = "rope\n\u{202e}v1".to_owned();
    let everything = Everything {
        operators: vec![hostile],
        ..Everything::default()
    };
    assert_snapshot!(text(render(&everything, Detail::Whole)), @r#"
    NAMESPACE   NAME   MANAGER   PACKAGE   BUNDLE            VERSION   PHASE       CATALOG    HEALTH   REASON        MESSAGE
    harbor      rope   OLM       rope      rope \u{202e}v1   1.0.0     Succeeded   olm/shop   No       A\u{1b}[31m   It is A\u{1b}[31m.

    Operators: 1 No.

    harbor/rope: No
      A\u{1b}[31m: It is A\u{1b}[31m.
    "#);
}
