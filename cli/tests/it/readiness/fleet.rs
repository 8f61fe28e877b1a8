//! Several clusters in one table.

use insta::assert_snapshot;
use serde_json::Value;

use super::cluster::{Cluster, crane, openshift};
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
    // The width of the first column depends on the name of the folder.
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
fn cluster_that_cannot_be_judged_is_named() {
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
