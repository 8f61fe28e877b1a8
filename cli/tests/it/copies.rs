//! Copies of ClusterServiceVersions, and what they cost.

use insta::assert_snapshot;
use portolan_kit::{TempFolder, world};

use crate::program::{portolan, transcript};

fn harbor() -> TempFolder {
    let world = world()
        .namespace("olm")
        .global_operator_group()
        .csv("ferry.v1.0.0", "Succeeded")
        .namespace("tugs")
        .operator_group_for("some", &["harbor", "pier"])
        .csv("tug.v2.0.0", "Succeeded")
        .namespace("pier")
        .copied_csv("ferry.v1.0.0", "olm")
        .copied_csv("tug.v2.0.0", "tugs")
        .copied_csv("barge.v3.0.0", "scrapyard")
        .namespace("harbor")
        .copied_csv("ferry.v1.0.0", "olm");
    world.temp()
}

fn output(line: &str) -> String {
    transcript(
        portolan(&format!("copies {line}"))
            .arg("--world")
            .arg(harbor().as_ref()),
    )
}

#[test]
fn copies_are_counted_and_what_retires_them_is_told() {
    assert_snapshot!(output(""), @r#"
    [stdout]
    INSTALLED IN   NAME           COPIES   EACH     TOGETHER   RETIRED BY
    olm            ferry.v1.0.0   2        1.3 kB   2.7 kB     disableCopiedCSVs
    scrapyard      barge.v3.0.0   1        -        -          OLM (the original is gone)
    tugs           tug.v2.0.0     1        1.3 kB   1.3 kB     its OperatorGroup

    4 copies of 3 operators, 4.1 kB together.

    2 of them (2.7 kB) go where OLM no longer copies operators that watch all namespaces:
      kubectl patch olmconfig cluster --type merge -p '{"spec":{"features":{"disableCopiedCSVs":true}}}'
    Who lists ClusterServiceVersions of a namespace then no longer sees these operators there; `portolan installed` tells them.

    No switch retires the copies of an operator that watches some namespaces: they go with these targets of its OperatorGroup.

    It is of no use to delete single copies: OLM makes them again.
    [exit 0]
    "#);
}

#[test]
fn programs_read_the_same() {
    assert_snapshot!(output("-o yaml"), @r"
    [stdout]
    bytes: 4167
    copies: 4
    operators:
    - bytes: 2796
      bytesEach: 1398
      copies: 2
      name: ferry.v1.0.0
      namespace: olm
      watchesAll: true
    - bytes: 0
      copies: 1
      name: barge.v3.0.0
      namespace: scrapyard
      watchesAll: false
    - bytes: 1371
      bytesEach: 1371
      copies: 1
      name: tug.v2.0.0
      namespace: tugs
      watchesAll: false
    retirableBytes: 2796
    retirableCopies: 2
    [exit 0]
    ");
    assert_snapshot!(output("-o name"), @r"
    [stdout]
    clusterserviceversion.operators.coreos.com/ferry.v1.0.0
    clusterserviceversion.operators.coreos.com/barge.v3.0.0
    clusterserviceversion.operators.coreos.com/tug.v2.0.0
    [exit 0]
    ");
}

#[test]
fn nothing_copied_is_told_as_nothing() {
    let folder = world()
        .namespace("olm")
        .csv("ferry.v1.0.0", "Succeeded")
        .temp();
    assert_snapshot!(transcript(portolan("copies --world").arg(folder.as_ref())), @r"
    [stderr]
    OLM has copied nothing.
    [exit 0]
    ");
}

#[test]
fn files_without_operators_are_another_place() {
    let folder = world().namespace("harbor").temp();
    assert_snapshot!(transcript(portolan("copies --world").arg(folder.as_ref())), @r"
    [stderr]
    error: the files have no ClusterServiceVersion, so that there is nothing to answer from: is it the right place (--world)? `portolan dump` writes all that is needed
    [exit 2]
    ");
}
