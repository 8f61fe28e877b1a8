//! Tests of `portolan copies`: the copies of ClusterServiceVersions, and their size.

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
fn counts_copies_and_prints_the_command_that_disables_copies() {
    assert_snapshot!(output(""), @r#"
    [stdout]
    INSTALLED IN   NAME           COPIES   SIZE     TOTAL SIZE   REMOVED BY
    olm            ferry.v1.0.0   2        1.3 kB   2.7 kB       disableCopiedCSVs
    scrapyard      barge.v3.0.0   1        -        -            OLM (the original was deleted)
    tugs           tug.v2.0.0     1        1.3 kB   1.3 kB       its OperatorGroup

    4 copies of 3 operators, 4.1 kB in total.

    2 copies (2.7 kB) can be removed, because OLM can stop copying the ClusterServiceVersions of operators that watch all namespaces:
      kubectl patch olmconfig cluster --type merge -p '{"spec":{"features":{"disableCopiedCSVs":true}}}'
    After that, `kubectl get csv -n NAMESPACE` no longer lists these operators. Use `portolan installed` to list them.

    Copies of an operator that watches selected namespaces cannot be disabled. To remove a copy, remove its namespace from the OperatorGroup of the operator.

    Do not delete copies manually: OLM creates them again.
    [exit 0]
    "#);
}

#[test]
fn prints_copies_as_yaml_and_names() {
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
fn reports_no_copies() {
    let folder = world()
        .namespace("olm")
        .csv("ferry.v1.0.0", "Succeeded")
        .temp();
    assert_snapshot!(transcript(portolan("copies --world").arg(folder.as_ref())), @r"
    [stderr]
    No copies found.
    [exit 0]
    ");
}

#[test]
fn rejects_files_without_csvs() {
    let folder = world().namespace("harbor").temp();
    assert_snapshot!(transcript(portolan("copies --world").arg(folder.as_ref())), @r"
    [stderr]
    error: the files contain no ClusterServiceVersion; check the path of --world, or create the files with `portolan dump`
    [exit 2]
    ");
}
