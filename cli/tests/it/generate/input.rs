//! Tests of input files, and of warnings about them.

use std::fs;

use insta::assert_snapshot;
use portolan_kit::TempFolder;
use serde_json::json;

use super::{CLUSTER, REPOSITORY, generate, piped, printed, printed_of, transcript_of};
use crate::program::transcript;

/// Returns the documents with these names, in this order.
fn documents(names: &[&str]) -> Vec<String> {
    let read = names.iter().map(|name| {
        let path = format!(
            "{}/../tests/fixtures/generate/repo/{name}.yaml",
            env!("CARGO_MANIFEST_DIR")
        );
        fs::read_to_string(path).expect("a file")
    });
    read.collect()
}

const ALL: [&str; 4] = [
    "CatalogSource-demo",
    "Operator-alerts",
    "Operator-prometheus",
    "Operator-redis",
];

#[test]
fn gives_same_output_for_pipe_file_and_folder() {
    let folder = printed(&format!("redis=2.0.1 {REPOSITORY}"));
    let text = documents(&ALL).join("---\n");
    assert_eq!(printed_of("redis=2.0.1 -f -", text.as_bytes()), folder);
    let file = TempFolder::empty();
    fs::write(file.join("all.yaml"), &text).expect("a file");
    let line = format!("redis=2.0.1 -f {}", file.join("all.yaml").display());
    assert_eq!(printed(&line), folder);
}

#[test]
fn gives_same_output_for_yaml_json_documents_and_lists() {
    let text = documents(&ALL).join("---\n");
    let json = printed_of("-f - -o json", text.as_bytes());
    assert_eq!(
        printed_of("redis=2.0.1 -f - -o yaml", &json),
        printed_of("redis=2.0.1 -f -", text.as_bytes())
    );
}

/// Like kubectl, the command reads subfolders only with `-R`.
#[test]
fn reads_nested_folders_only_with_recursive_flag() {
    let ropes = "name: ropes\n";
    let flat = String::from_utf8(printed(REPOSITORY)).expect("text");
    assert!(!flat.contains(ropes));
    let deep = String::from_utf8(printed(&format!("{REPOSITORY} -R"))).expect("text");
    assert!(deep.contains(ropes));
}

/// The order of documents and catalogs does not affect the output.
#[test]
fn output_is_independent_of_input_order() {
    let expected = printed_of(
        "redis prometheus -f -",
        documents(&ALL).join("---\n").as_bytes(),
    );
    let mut names = ALL;
    for _ in 0..names.len() {
        names.rotate_left(1);
        let text = documents(&names).join("---\n");
        assert_eq!(
            printed_of("redis prometheus -f -", text.as_bytes()),
            expected
        );
    }
    names.reverse();
    let text = documents(&names).join("---\n");
    assert_eq!(
        printed_of("redis prometheus -f -", text.as_bytes()),
        expected
    );
    let catalogs = ["alerts", "prometheus", "redis"]
        .map(|name| format!("--catalog {name}=tests/fixtures/generate/catalog/{name}.yaml"));
    let one = |catalogs: &[String]| {
        let line = format!("generate redis prometheus {}", catalogs.join(" "));
        transcript(&mut crate::program::portolan(&line))
    };
    let mut reversed = catalogs.clone();
    reversed.reverse();
    assert_eq!(one(&catalogs), one(&reversed));
}

/// The output keeps labels, annotations, unknown fields, the status and catalogs. It omits fields
/// that the API server writes.
#[test]
fn keeps_unrequested_fields_unchanged() {
    let again = printed(CLUSTER);
    assert_snapshot!("generate_unchanged", String::from_utf8_lossy(&again));
    let changed = printed(&format!("prometheus=1.1.2 {CLUSTER}"));
    let (again, changed) = (String::from_utf8(again), String::from_utf8(changed));
    let (again, changed) = (again.expect("text"), changed.expect("text"));
    let gone = |one: &str, other: &str| {
        let lines = one.lines().filter(|line| !other.contains(line));
        lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(gone(&again, &changed), ["version: \"1.1.1\""]);
    let new = gone(&changed, &again);
    assert_eq!(new.len(), 2, "{new:?}");
    assert_eq!(new[1], "version: \"1.1.2\"");
}

/// The command skips objects of other kinds, and objects of OLM's kind with the same name,
/// Operator.
#[test]
fn warns_about_skipped_objects() {
    let input = br#"
apiVersion: v1
kind: Service
metadata: {name: a}
---
apiVersion: v1
kind: Service
metadata: {name: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
---
apiVersion: operators.coreos.com/v1
kind: Operator
metadata: {name: redis.databases}
"#;
    let output = piped("redis=1.5.2 -f - --diff", input);
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"
    warning: Operator redis.databases is of operators.coreos.com, whose objects OLM writes; it is ignored, and no other Operator is in the input, so no operator is treated as installed: get the Operators with kubectl get operators.operators.operatorframework.io
    warning: 1 Deployment and 2 Services of the input ignored: only Operators, CatalogSources and ClusterCatalogs are read
    ");
}

/// Operators of OLM's API group are skipped, and do not affect the output.
#[test]
fn skips_operators_of_olm_group() {
    let own = documents(&ALL).join("---\n");
    let foreign = |name: &str| {
        format!(
            "---\napiVersion: operators.coreos.com/v1\nkind: Operator\nmetadata: {{name: {name}}}\n"
        )
    };
    // One of these Operators of OLM has the name of an Operator in the input, and the other has the
    // name of a package.
    let both = format!("{own}{}{}", foreign("redis"), foreign("ropes.harbor"));
    let output = piped("redis=2.0.1 -f -", both.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"warning: Operator redis and \
                                                                ropes.harbor are of \
                                                                operators.coreos.com, whose \
                                                                objects OLM writes; they are \
                                                                ignored: \
                                                                get the Operators with kubectl get \
                                                                operators.operators.operatorframework.io");
    assert_eq!(
        output.stdout,
        printed_of("redis=2.0.1 -f -", own.as_bytes())
    );
}

/// Users can apply the output later, and store it in a Git repository. The output keeps the status,
/// because the next command in a pipe needs the installed version.
#[test]
fn drops_fields_written_by_api_server() {
    let input = br#"
apiVersion: operators.operatorframework.io/v1alpha1
kind: Operator
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"operators.operatorframework.io/v1alpha1","kind":"Operator"}
  creationTimestamp: "2026-11-26T12:00:00Z"
  finalizers: [operators.portolan.dev/plans, harbor.example/books]
  generation: 3
  labels: {team: harbor}
  managedFields:
  - {manager: kubectl, operation: Apply}
  name: redis
  resourceVersion: "812"
  uid: 0ea3b5b2-7d3a-4c5f-9a53-0c0de0d2c2f1
spec: {packageName: redis, version: 1.5.2}
status:
  versions: {installed: 1.5.2}
---
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: demo, namespace: olm, resourceVersion: "7", uid: "8"}
spec: {sourceType: grpc, image: "registry.example/demo:v1"}
"#;
    let once = printed_of("redis=latest-z-stream -f -", input);
    assert_snapshot!(
        "generate_without_what_a_server_writes",
        String::from_utf8_lossy(&once)
    );
    assert_eq!(printed_of("redis=latest-z-stream -f -", &once), once);
}

#[test]
fn warns_about_status_of_another_version() {
    let cluster = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/generate/cluster/operators.yaml"
    ));
    let cluster = cluster.expect("a file");
    for key in ["resolver", "deppy", "controller"] {
        let skewed = cluster.replacen("controller: 0.2.0", &format!("{key}: 7.0.0"), 1);
        let output = piped("-f -", skewed.as_bytes());
        assert_eq!(output.status.code(), Some(1));
        assert!(!output.stdout.is_empty());
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            printed,
            format!(
                "warning: standard input:2: status.versions.{key} of Operator redis is 7.0.0, but \
                 this program is 0.2.0: the results may differ; use the version of the cluster\n"
            )
        );
    }
}

#[test]
fn files_win_over_cluster_with_warning() {
    let folder = TempFolder::empty();
    let live = documents(&ALL).join("---\n").replace("1.5.2", "1.5.3");
    fs::write(folder.join("world.yaml"), live).expect("a file");
    let mut command = crate::program::portolan(&format!(
        "generate redis=2.0.1 --diff {REPOSITORY} --catalog olm/demo=tests/fixtures/generate/catalog"
    ));
    let transcript_of = transcript(command.arg("--world").arg(folder.join("world.yaml")));
    assert_snapshot!("generate_live", transcript_of);
}

/// The status contains an upgrade path. The path is useless if the version at its start is no
/// longer installed.
#[test]
fn warns_about_stale_status_in_file() {
    let folder = TempFolder::empty();
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/generate/cluster/operators.yaml"
    );
    let live = fs::read_to_string(file).expect("a file");
    let live = live.replace("installed: 1.5.2", "installed: 1.5.3");
    fs::write(folder.join("world.yaml"), live).expect("a file");
    let mut command = crate::program::portolan(&format!(
        "generate redis=2.0.1 --diff {CLUSTER} --catalog olm/demo=tests/fixtures/generate/catalog"
    ));
    let transcript_of = transcript(command.arg("--world").arg(folder.join("world.yaml")));
    assert_snapshot!(transcript_of, @"
    [stdout]
    Name    Version   Previous   Available
    --------------------------------------
    redis   2.0.1     1.5.2      1.5.3
    [stderr]
    warning: tests/fixtures/generate/cluster/operators.yaml:2: status.versions.installed of Operator redis is 1.5.2, but the cluster now has 1.5.3: remove the status from the file, or get the Operator again
    [exit 1]
    ");
}

/// If the input contains the object of a catalog, the command uses the priority in this object.
#[test]
fn applies_priority_of_input_catalog() {
    let catalogs = "--catalog olm/demo=tests/fixtures/generate/catalog \
                    --catalog other=tests/fixtures/generate/catalog";
    let line = format!("generate redis=2.0.1 --diff {catalogs}");
    assert_snapshot!(transcript(&mut crate::program::portolan(&line)), @"
    [stderr]
    error: package redis: olm/demo and other have the package with the same priority; give one of the catalogs a higher priority
    [exit 2]
    ");
    let transcript_of = transcript(&mut crate::program::portolan(&format!("{line} {CLUSTER}")));
    assert!(transcript_of.ends_with("[exit 0]"), "{transcript_of}");
}

#[test]
fn manifest_lists_all_operators_and_other_operators_are_deleted() {
    let manifest = "-d tests/fixtures/generate/manifest.yaml";
    assert_snapshot!(transcript_of(&format!("{manifest} {REPOSITORY} --diff")), @"
    [stdout]
    Name         Version   Previous   Available
    -------------------------------------------
    alerts       2.0.0     1.0.0      -
    prometheus   2.0.4     1.2.4      -
    redis        -         1.5.2      -
    [stderr]
    alerts changes to 2.0.0, because other operators require this version
    redis is removed, because the manifest does not name this operator, and no operator needs it
    [exit 0]
    ");
    assert_snapshot!(transcript_of(&format!("{manifest} {REPOSITORY} redis=2.0.1 --diff")), @"
    [stdout]
    Name         Version   Previous   Available
    -------------------------------------------
    alerts       2.0.0     1.0.0      -
    prometheus   2.0.4     1.2.4      -
    redis        2.0.1     1.5.2      1.5.3
    [stderr]
    alerts changes to 2.0.0, because other operators require this version
    [exit 0]
    ");
    assert_snapshot!("generate_manifest", transcript_of(manifest));
}

/// The manifest can also be in a ConfigMap, so that a cluster can store it. The command reads the
/// ConfigMap from a file or a pipe, as YAML or JSON.
#[test]
fn reads_manifest_from_config_map() {
    let manifest = "tests/fixtures/generate/manifest.yaml";
    let expected = printed(&format!("-d {manifest} {REPOSITORY}"));
    let text = fs::read_to_string(format!("{}/../{manifest}", env!("CARGO_MANIFEST_DIR")));
    let config_map = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "operators", "resourceVersion": "3"},
        "data": {"operators.yaml": text.expect("a file")},
    });
    let config_map = config_map.to_string();
    let folder = TempFolder::empty();
    fs::write(folder.join("map.json"), &config_map).expect("a file");
    let line = format!("-d {} {REPOSITORY}", folder.join("map.json").display());
    assert_eq!(printed(&line), expected);
    let line = format!("-d - {REPOSITORY}");
    assert_eq!(printed_of(&line, config_map.as_bytes()), expected);
}

#[test]
fn rejects_two_versions_of_one_package() {
    let manifest = "-d tests/fixtures/generate/manifest.yaml";
    assert_snapshot!(transcript_of(&format!("{manifest} prometheus=1.2.3")), @"
    [stderr]
    error: prometheus@2.0.4 and prometheus@1.2.3 are both requested; request one version of prometheus
    [exit 2]
    ");
    assert_eq!(
        printed(&format!("{manifest} prometheus")),
        printed(manifest)
    );
    assert_eq!(
        transcript(&mut generate("redis=1.5.2 redis=1.5.3"))
            .matches("[stdout]")
            .count(),
        0
    );
}
