//! Tests of `--changes` in `portolan upgrades` and `portolan path`: the changes that each hop
//! makes.

use insta::assert_snapshot;
use rstest::rstest;

use crate::program::{FERRY, ferry_upgrades, portolan, run, transcript};

const BUNDLES: &str = "--changes --bundles tests/fixtures/bundles";

/// Returns the output of `portolan path` for the package ferry in the catalog of the fixtures.
fn ferry_path(line: &str) -> String {
    transcript(&mut portolan(&format!(
        "path --catalog {FERRY} ferry {line}"
    )))
}

#[test]
fn prints_changes_of_each_hop() {
    let line = format!("--from ferry.v1.0.0 --to 1.1.0 {BUNDLES}");
    assert_snapshot!(ferry_path(&line), @r#"
    [stdout]
    FROM           TO             VERSION   VIA        CHANNELS   NOTE
    ferry.v1.0.0   ferry.v1.1.0   1.1.0     replaces   stable

    ferry.v1.0.0 -> ferry.v1.1.0:
      breaking: ships.ferry.example storedVersionRemoval: objects are stored in version v1alpha1, which is dropped
      breaking: ships.ferry.example v1: .spec.berths: maximum: 500 is a bound where there was none
      breaking: ships.ferry.example v1: .spec.flag: existingFieldRemoval: the field is gone
      suggestion: ships.ferry.example: store version v1, rewrite every object once, and then remove v1alpha1 from `status.storedVersions`
      versions: ships.ferry.example: v1alpha1 is removed, v1 is stored
      new permissions: get secrets in the cluster
      CRDs changed: ships.ferry.example
      added: 2 RBAC objects, Service ferries/ferry-controller-service, ValidatingWebhookConfiguration ships.ferry.example and 2 more
      removed: 2 RBAC objects, Service ferries/ferry-metrics
      changed: Deployment ferries/ferry-controller
      images added: registry.example/ferry:1.1.0
      images removed: registry.example/ferry:1.0.0

    `portolan bundle diff PACKAGE OLD NEW` shows details.
    [exit 0]
    "#);
    let wide = ferry_path(&format!("{line} -o wide"));
    assert!(
        wide.contains("ClusterRoleBinding ferry.v1.1.0-ferrym"),
        "{wide}"
    );
}

#[test]
fn unreadable_bundle_gives_exit_code_3() {
    let output = transcript(&mut ferry_upgrades(&format!(
        "--from ferry.v1.0.0 {BUNDLES}"
    )));
    let (_, hops) = output
        .split_once("ferry.v1.0.0 -> ferry.v1.2.0:\n")
        .expect("a hop");
    let (first, second) = hops.split_once("\n\n").expect("two hops");
    assert!(first.starts_with("  not compared: "), "{output}");
    assert!(first.contains("registry.example/ferry:v1.2.0"), "{output}");
    assert!(
        second.starts_with("ferry.v1.0.0 -> ferry.v1.1.0:\n  breaking: "),
        "{output}"
    );
    assert!(output.ends_with("[exit 3]"), "{output}");
}

#[test]
fn json_contains_changes_and_the_result() {
    let line = format!("path --catalog {FERRY} ferry --from ferry.v1.0.0 --to 1.1.0 -o json");
    let read = |line: &str| -> serde_json::Value {
        serde_json::from_slice(&run(&mut portolan(line)).stdout).expect("JSON")
    };
    let mut output = read(&format!("{line} {BUNDLES}"));
    let changes = output.as_object_mut().expect("an object").remove("changes");
    assert_eq!(output, read(&line), "the answer itself is the same");
    let files = "bundle diff tests/fixtures/bundles/ferry/1.0.0 tests/fixtures/bundles/ferry/1.1.0";
    assert_eq!(
        changes,
        Some(serde_json::json!([read(&format!("{files} -o json"))]))
    );

    let line = format!("upgrades --catalog {FERRY} ferry --from ferry.v1.0.0 -o json {BUNDLES}");
    let output = read(&line);
    let why = output["changes"][0]["notLookedAt"]
        .as_str()
        .expect("a sentence");
    assert!(why.contains("registry.example/ferry:v1.2.0"), "{output}");
    assert_eq!(output["changes"][1]["to"], "ferry.v1.1.0");
}

#[rstest]
#[case::bundles_for_nothing(
    "path ferry --from ferry.v1.0.0 --bundles tests/fixtures/bundles",
    "--bundles requires --changes"
)]
#[case::again_and_again(
    "upgrades --world deploy/demo --changes --watch",
    "--changes and --watch cannot be combined"
)]
#[case::of_a_server(
    "path ferry --from ferry.v1.0.0 --changes --server http://127.0.0.1:1 --bundles tests",
    "options for bundles and images cannot be used with --server"
)]
#[case::of_many("upgrades --queries - --changes", "cannot be used with")]
fn rejects_conflicting_flags(#[case] line: &str, #[case] expected: &str) {
    let output = transcript(&mut portolan(line));
    assert!(output.contains(expected), "{output}");
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn reads_bundles_from_world() {
    let output = transcript(&mut portolan(
        "path --world deploy/demo -n ferries ferry --changes",
    ));
    assert_snapshot!(output, @r#"
    [stdout]
    FROM           TO             VERSION   VIA          CHANNELS   NOTE
    ferry.v1.1.0   ferry.v1.3.0   1.3.0     skip range   stable

    ferry.v1.1.0 -> ferry.v1.3.0:
      new permissions: get secrets in namespace ferry
      CRDs changed: ferrys.ferry.example
      added: 2 RBAC objects
      removed: 2 RBAC objects
      changed: Deployment ferry/ferry
      images added: registry.example/ferry-manager:v1.3.0
      images removed: registry.example/ferry-manager:v1.1.0

    `portolan bundle diff PACKAGE OLD NEW` shows details.
    [exit 0]
    "#);
    let output = transcript(&mut portolan("upgrades --world deploy/demo --changes"));
    assert!(
        output.contains("\nferry.v1.1.0 -> ferry.v1.3.0:\n  new permissions:"),
        "{output}"
    );
    assert!(!output.contains("not processed"), "{output}");
}
