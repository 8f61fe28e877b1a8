//! Tests of `portolan readiness` with the files of a small cluster and the catalogs of two later
//! releases.

mod apis;
mod cluster;
mod fleet;
mod reported;
mod rules;
mod server;
mod steps;

use std::fs;

use insta::assert_snapshot;
use portolan_kit::TempFolder;
use rstest::rstest;
use serde_json::Value;

use crate::program::{portolan, run, transcript};

const WORLD: &str = "--world tests/fixtures/readiness/world";
const SHOP_21: &str = "--via 4.21=olm/shop=tests/fixtures/readiness/shop-4.21";
const SHOP_22: &str = "--catalog olm/shop=tests/fixtures/readiness/shop-4.22";

fn readiness(line: &str) -> String {
    transcript(&mut portolan(&format!("readiness {WORLD} {line}")))
}

/// Returns the verdict of each operator in the output of this command line.
fn verdicts(line: &str) -> Vec<String> {
    let output = run(&mut portolan(&format!("readiness {WORLD} {line} -o json")));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let operators = report["operators"].as_array().expect("a list");
    let verdicts = operators.iter().map(|operator| {
        let [name, verdict] =
            ["name", "verdict"].map(|field| operator[field].as_str().expect("a text"));
        format!("{name} {verdict}")
    });
    let mut verdicts: Vec<_> = verdicts.collect();
    verdicts.sort();
    verdicts
}

#[test]
fn lists_steps_in_chronological_order() {
    assert_snapshot!(readiness(&format!("--openshift 4.22 {SHOP_21} {SHOP_22}")));
}

#[test]
fn wide_report_lists_updates_after_the_upgrade() {
    let wide = readiness(&format!("--openshift 4.22 {SHOP_21} {SHOP_22} -o wide"));
    assert!(
        wide.contains("docks/ferry: update from ferry.v1.1.0 to ferry.v2.0.0."),
        "{wide}"
    );
}

#[test]
fn markdown_has_the_same_steps() {
    assert_snapshot!(readiness(&format!(
        "--openshift 4.22 {SHOP_21} {SHOP_22} -n docks -o markdown"
    )));
}

#[test]
fn json_has_a_verdict_for_each_operator() {
    assert_eq!(
        verdicts(&format!("--openshift 4.22 {SHOP_21} {SHOP_22}")),
        [
            "beacon switch-channel-after",
            "ferry ready",
            "gauge blocked",
            "pilot package-gone",
            "trident update-first",
            "tug update-between",
        ]
    );
}

/// The catalog for 4.21 is missing, so nothing is known about this release. An operator that is not
/// ready for the target release is still reported as not ready.
#[rstest]
#[case::of_the_target(SHOP_21, "ferry not-checked")]
#[case::of_the_release_in_between(SHOP_22, "ferry not-checked")]
fn operator_is_never_ready_if_catalog_is_missing(#[case] given: &str, #[case] ferry: &str) {
    let verdicts = verdicts(&format!("--openshift 4.22 {given}"));
    assert!(verdicts.contains(&ferry.to_owned()), "{verdicts:?}");
    assert!(
        verdicts.iter().all(|it| !it.ends_with(" ready")),
        "{verdicts:?}"
    );
}

#[test]
fn unreachable_registry_gives_exit_code_3() {
    let line = "--openshift 4.21 -n docks --catalog olm/shop=grpc://127.0.0.1:1";
    let printed = readiness(line);
    assert!(
        printed.contains("Unknown if ready for OpenShift 4.21"),
        "{printed}"
    );
    assert!(printed.ends_with("[exit 3]"), "{printed}");
}

#[test]
fn upgrade_to_next_release_requires_no_via_catalog() {
    let shop = "--catalog olm/shop=tests/fixtures/readiness/shop-4.21";
    let printed = readiness(&format!("--openshift 4.21 {shop} -n docks"));
    assert_snapshot!(printed);
}

#[rstest]
#[case::no_target("", "use --openshift RELEASE, --kubernetes RELEASE or --check DIR")]
#[case::no_release("--openshift four", "\"four\" is not a minor release, such as 4.22")]
#[case::same_release("--openshift 4.20", "no upgrade leads from release 4.20 to 4.20")]
#[case::kubernetes_of_openshift("--kubernetes 1.35", "use --openshift RELEASE")]
#[case::release_elsewhere(
    "--openshift 4.21 --via 4.22=olm/shop=tests/fixtures/readiness/shop-4.22",
    "--via 4.22: the cluster does not pass this release between OpenShift 4.20 and OpenShift 4.21"
)]
#[case::no_place("--openshift 4.22 --via 4.21", "`4.21` is not RELEASE=NAME=PLACE")]
#[case::missing_folder("--openshift 4.21 --catalog olm/shop=./nowhere", "nowhere")]
fn rejects_invalid_targets_and_catalogs(#[case] line: &str, #[case] message: &str) {
    let printed = readiness(line);
    assert!(
        printed.contains(message) && printed.ends_with("[exit 2]"),
        "{printed}"
    );
}

/// A cluster without OpenShift does not report its release, so the user must specify it.
#[test]
fn requires_from_flag_if_kubernetes_release_is_unknown() {
    let world = TempFolder::empty();
    let source = "tests/fixtures/readiness/world/cluster.yaml";
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
    let text = fs::read_to_string(format!("{root}{source}")).expect("a file");
    // Removes the first document, which is the ClusterVersion.
    let (_, rest) = text.split_once("---\n").expect("several documents");
    fs::write(world.join("cluster.yaml"), rest).expect("a file");
    let line = format!("readiness --kubernetes 1.35 {SHOP_22} -n storage --world");
    let ask = |more: &[&str]| {
        let mut command = portolan(&line);
        transcript(command.arg(&*world).args(more))
    };
    let refused = ask(&[]);
    assert!(
        refused.contains("use --from RELEASE, such as --from 1.34"),
        "{refused}"
    );
    let answered = ask(&["--from", "1.33"]);
    assert!(
        answered.contains("Not ready for Kubernetes 1.35"),
        "{answered}"
    );
}

/// For operators that OLM v0 does not manage, the catalog contains the maximum release. OLM v1 uses
/// all catalogs that a ClusterExtension selects.
#[test]
fn judges_operators_of_every_installer() {
    let world = TempFolder::empty();
    let objects = r#"
{"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
 "status": {"desired": {"version": "4.21.0"}}}
---
{"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "hub"}}
---
{"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": "gauge"},
 "spec": {"namespace": "gauge", "source": {"catalog": {"packageName": "gauge"}}},
 "status": {"install": {"bundle": {"name": "gauge.v0.11.0", "version": "0.11.0"}}}}
---
{"apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator", "metadata": {"name": "trident"},
 "spec": {"packageName": "trident", "channels": ["stable"]},
 "status": {"bundle": {"name": "trident.v1.1.0", "catalog": "hub"}, "versions": {"installed": "1.1.0"}}}
"#;
    for (number, object) in objects.split("---").enumerate() {
        fs::write(world.join(format!("{number}.json")), object).expect("a file");
    }
    let now = world.join("clustercatalogs/hub");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/readiness");
    for package in ["gauge", "trident"] {
        let folder = now.join(package);
        fs::create_dir_all(&folder).expect("a folder");
        let catalog = format!("{root}/shop-4.21/{package}/catalog.yaml");
        fs::copy(catalog, folder.join("catalog.yaml")).expect("a file");
    }
    let line =
        "readiness --openshift 4.22 --catalog hub=tests/fixtures/readiness/shop-4.22 --world";
    assert_snapshot!(transcript(portolan(line).arg(&*world)));
}
