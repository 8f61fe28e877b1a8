//! `--changes` of `portolan upgrades` and `portolan path`: what each hop changes.

use insta::assert_snapshot;
use rstest::rstest;

use crate::program::{FERRY, ferry_upgrades, portolan, run, transcript};

const BUNDLES: &str = "--changes --bundles tests/fixtures/bundles";

/// `portolan path` about the package ferry, from its files.
fn ferry_path(line: &str) -> String {
    transcript(&mut portolan(&format!(
        "path --catalog {FERRY} ferry {line}"
    )))
}

#[test]
fn a_hop_says_what_it_changes() {
    let line = format!("--from ferry.v1.0.0 --to 1.1.0 {BUNDLES}");
    assert_snapshot!(ferry_path(&line), @r#"
    [stdout]
    FROM           TO             VERSION   VIA        CHANNELS   NOTE
    ferry.v1.0.0   ferry.v1.1.0   1.1.0     replaces   stable

    ferry.v1.0.0 -> ferry.v1.1.0:
      breaks: ships.ferry.example storedVersionRemoval: objects are stored in version v1alpha1, which is dropped
      breaks: ships.ferry.example v1: .spec.berths: maximum: 500 is a bound where there was none
      breaks: ships.ferry.example v1: .spec.flag: existingFieldRemoval: the field is gone
      would help: ships.ferry.example: store version v1, write every object once, then take v1alpha1 out of `status.storedVersions`
      versions: ships.ferry.example: v1alpha1 goes, v1 is stored
      may besides: get secrets in the cluster
      other definitions: ships.ferry.example
      comes: 2 objects of RBAC, Service ferries/ferry-controller-service, ValidatingWebhookConfiguration ships.ferry.example and 2 more
      goes: 2 objects of RBAC, Service ferries/ferry-metrics
      changes: Deployment ferries/ferry-controller
      new images: registry.example/ferry:1.1.0
      old images: registry.example/ferry:1.0.0

    `portolan bundle diff PACKAGE OLD NEW` says more.
    [exit 0]
    "#);
    let wide = ferry_path(&format!("{line} -o wide"));
    assert!(
        wide.contains("ClusterRoleBinding ferry.v1.1.0-ferrym"),
        "{wide}"
    );
}

#[test]
fn a_bundle_that_was_not_looked_at_is_never_fine() {
    let told = transcript(&mut ferry_upgrades(&format!(
        "--from ferry.v1.0.0 {BUNDLES}"
    )));
    let (_, hops) = told
        .split_once("ferry.v1.0.0 -> ferry.v1.2.0:\n")
        .expect("a hop");
    let (first, second) = hops.split_once("\n\n").expect("two hops");
    assert!(first.starts_with("  not looked at: "), "{told}");
    assert!(first.contains("registry.example/ferry:v1.2.0"), "{told}");
    assert!(
        second.starts_with("ferry.v1.0.0 -> ferry.v1.1.0:\n  breaks: "),
        "{told}"
    );
    assert!(told.ends_with("[exit 3]"), "{told}");
}

#[test]
fn programs_get_the_changes_beside_the_answer() {
    let line = format!("path --catalog {FERRY} ferry --from ferry.v1.0.0 --to 1.1.0 -o json");
    let read = |line: &str| -> serde_json::Value {
        serde_json::from_slice(&run(&mut portolan(line)).stdout).expect("JSON")
    };
    let mut told = read(&format!("{line} {BUNDLES}"));
    let changes = told.as_object_mut().expect("an object").remove("changes");
    assert_eq!(told, read(&line), "the answer itself is the same");
    let files = "bundle diff tests/fixtures/bundles/ferry/1.0.0 tests/fixtures/bundles/ferry/1.1.0";
    assert_eq!(
        changes,
        Some(serde_json::json!([read(&format!("{files} -o json"))]))
    );

    let line = format!("upgrades --catalog {FERRY} ferry --from ferry.v1.0.0 -o json {BUNDLES}");
    let told = read(&line);
    let why = told["changes"][0]["notLookedAt"]
        .as_str()
        .expect("a sentence");
    assert!(why.contains("registry.example/ferry:v1.2.0"), "{told}");
    assert_eq!(told["changes"][1]["to"], "ferry.v1.1.0");
}

#[rstest]
#[case::bundles_for_nothing(
    "path ferry --from ferry.v1.0.0 --bundles tests/fixtures/bundles",
    "they are looked at for --changes alone"
)]
#[case::again_and_again(
    "upgrades --world deploy/demo --changes --watch",
    "leave one of them out"
)]
#[case::of_a_server(
    "path ferry --from ferry.v1.0.0 --changes --server http://127.0.0.1:1 --bundles tests",
    "a server looks for bundles where its own flags say"
)]
#[case::of_many("upgrades --queries - --changes", "cannot be used with")]
fn what_goes_not_together_is_refused(#[case] line: &str, #[case] expected: &str) {
    let told = transcript(&mut portolan(line));
    assert!(told.contains(expected), "{told}");
    assert!(told.ends_with("[exit 2]"), "{told}");
}

#[test]
fn a_world_brings_its_bundles_along() {
    let told = transcript(&mut portolan(
        "path --world deploy/demo -n ferries ferry --changes",
    ));
    assert_snapshot!(told, @r#"
    [stdout]
    FROM           TO             VERSION   VIA          CHANNELS   NOTE
    ferry.v1.1.0   ferry.v1.3.0   1.3.0     skip range   stable

    ferry.v1.1.0 -> ferry.v1.3.0:
      may besides: get secrets in namespace ferry
      other definitions: ferrys.ferry.example
      comes: 2 objects of RBAC
      goes: 2 objects of RBAC
      changes: Deployment ferry/ferry
      new images: registry.example/ferry-manager:v1.3.0
      old images: registry.example/ferry-manager:v1.1.0

    `portolan bundle diff PACKAGE OLD NEW` says more.
    [exit 0]
    "#);
    let told = transcript(&mut portolan("upgrades --world deploy/demo --changes"));
    assert!(
        told.contains("\nferry.v1.1.0 -> ferry.v1.3.0:\n  may besides:"),
        "{told}"
    );
    assert!(!told.contains("not looked at"), "{told}");
}
