//! Tests of reports about several clusters.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use portolan_kit::TempFolder;
use serde_json::Value;

use super::cluster::{Cluster, crane, describe_as_dump, openshift};
use super::{SHOP_21, SHOP_22, WORLD};
use crate::program::{portolan, run, transcript};

/// Returns a cluster with an operator that is ready for 4.22.
fn ready() -> Cluster {
    let objects = format!(
        "{}---\n{}",
        openshift("4.21.0"),
        crane("Automatic", "1.0.0")
    );
    let objects = objects.replace("crane", "ferry").replace("1.0.0", "1.1.0");
    Cluster::of(&objects, "ferry: 1.1.0", "ferry: 1.1.0")
}

fn fleet(cluster: &Cluster, line: &str) -> std::process::Command {
    let line = format!("readiness --openshift 4.22 {SHOP_21} {SHOP_22} {WORLD} {line}");
    let mut command = portolan(&line);
    command.arg("--world").arg(&*cluster.world);
    command
}

#[test]
fn table_lists_operators_of_all_clusters_worst_first() {
    let cluster = ready();
    let printed = transcript(&mut fleet(&cluster, ""));
    let printed = printed.replace(&cluster.world.display().to_string(), "WEST");
    // The width of the first column depends on the name of the temporary folder.
    let lines = printed
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn json_has_clusters_and_operators() {
    let cluster = ready();
    let output = run(&mut fleet(&cluster, "-o json"));
    let fleet: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let of = |list: &str, field: &str| {
        let list = fleet[list].as_array().expect("a list");
        list.iter().map(|it| it[field].clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("clusters", "from"), ["OpenShift 4.20", "OpenShift 4.21"]);
    assert_eq!(of("clusters", "ready"), [false, true]);
    assert_eq!(of("operators", "verdict").len(), 7);
}

#[test]
fn reports_why_a_cluster_cannot_be_assessed() {
    let cluster = Cluster::of(&crane("Automatic", "1.0.0"), "crane: 1.0.0", "crane: 1.0.0");
    let printed = transcript(&mut fleet(&cluster, ""));
    assert!(
        printed.contains(": the cluster has no ClusterVersion; use --from RELEASE"),
        "{printed}"
    );
    assert!(
        printed.contains("0 of 2 clusters ready for OpenShift 4.22."),
        "{printed}"
    );
}

/// Returns a folder that contains one dump for each name. The clusters of all dumps are equal.
fn dumps(names: &[&str]) -> TempFolder {
    let folder = TempFolder::empty();
    for name in names {
        let (cluster, to) = (ready(), folder.join(name));
        copy(&cluster.world, &to);
        describe_as_dump(&to);
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file");
        }
    }
}

#[test]
fn folder_of_dumps_is_a_fleet() {
    let folder = dumps(&["east", "west"]);
    fs::create_dir(folder.join("notes")).expect("a folder");
    let line = format!("readiness --openshift 4.22 {SHOP_22} -o json --world");
    let output = run(portolan(&line).arg(&*folder));
    let fleet: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let clusters = fleet["clusters"].as_array().expect("a list");
    let names = clusters
        .iter()
        .map(|it| it["cluster"].as_str().expect("a text"));
    let names = names.map(|it| it.rsplit('/').next().unwrap_or_default());
    assert_eq!(names.collect::<Vec<_>>(), ["east", "west"]);
}

/// One dump cannot be read. The report still contains the other dump.
#[test]
fn unreadable_dump_is_one_row() {
    let folder = dumps(&["east", "west"]);
    fs::write(folder.join("east/dump.json"), "no JSON").expect("a file");
    let line = format!("readiness --openshift 4.22 {SHOP_22} -o wide --world");
    let printed = transcript(portolan(&line).arg(&*folder));
    let mut rows = printed.lines().filter(|line| line.contains("/east "));
    let row = rows.next().unwrap_or_default();
    assert!(row.contains(" not-checked "), "{printed}");
    assert!(printed.contains("/west "), "{printed}");
    assert!(printed.ends_with("[exit 3]"), "{printed}");
}
