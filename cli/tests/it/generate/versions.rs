//! Tests of the version that `portolan generate` selects for an operator.

use std::fs;

use insta::assert_snapshot;
use portolan_kit::TempFolder;
use rstest::rstest;
use serde_json::json;

use super::{CLUSTER, REPOSITORY, generate, printed, printed_of, transcript_of};
use crate::program::transcript;

/// Returns the version that the command selects for redis. The installed version is 1.5.2.
fn version(request: &str, input: &str) -> String {
    let mut command = generate(&format!("{input} -o json"));
    let output = crate::program::run(command.arg(request));
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let items = list["items"].as_array().expect("a list");
    let redis = items
        .iter()
        .find(|item| item["metadata"]["name"] == "redis");
    let redis = redis.expect("a redis");
    redis["spec"]["version"].as_str().expect("text").to_owned()
}

#[rstest]
#[case::by_itself("redis", "4.5.6")]
#[case::latest("redis=latest", "4.5.6")]
#[case::a_version("redis=2.0.1", "2.0.1")]
#[case::z_stream("redis=latest-z-stream", "1.5.3")]
#[case::y_stream("redis=latest-y-stream", "1.5.3")]
#[case::at_least("redis>=1.5.2", "4.5.6")]
#[case::above("redis>1.5.2", "4.5.6")]
#[case::behind_a_sign("redis=>=1.5.2", "4.5.6")]
#[case::a_range("redis>=1.5.2 <4.0.0", "2.0.1")]
#[case::a_wildcard("redis=1.5.x", "1.5.3")]
fn accepts_each_form_of_version_request(#[case] request: &str, #[case] expected: &str) {
    assert_eq!(version(request, CLUSTER), expected);
}

#[rstest]
#[case::z_stream("redis=latest-z-stream")]
#[case::y_stream("redis=latest-y-stream")]
fn relative_version_without_input_selects_latest(#[case] request: &str) {
    assert_eq!(version(request, ""), "4.5.6");
}

/// The Operators in a Git repository have no status.
#[test]
fn relative_version_starts_at_spec_version_without_status() {
    assert_eq!(version("redis=latest-z-stream", REPOSITORY), "1.5.3");
}

#[test]
fn rejects_relative_version_without_installed_version() {
    let input = b"apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\nmetadata: {name: redis}\nspec: {packageName: redis, version: \">=1.0.0\"}\n";
    let output = super::piped("redis=latest-z-stream -f -", input);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: redis@latest-patch: the installed version is unknown, because spec.version is a \
         range; pass the Operator with its status, as printed by kubectl get -o yaml\n"
    );
}

#[test]
fn rejects_version_missing_from_catalogs() {
    assert_snapshot!(transcript_of("prometheus=9.9.9"), @"
    [stderr]
    error: prometheus@9.9.9: no catalog has this version of package prometheus; it has 2.0.4, 1.2.4, 1.2.3, 1.1.5, 1.1.4 and 3 others
    [exit 2]
    ");
    assert_snapshot!(transcript_of("promtheus"), @"
    [stderr]
    error: no catalog has package promtheus; did you mean prometheus?
    [exit 2]
    ");
}

#[test]
fn rejects_downgrade() {
    assert_snapshot!(transcript_of(&format!("prometheus=1.1.1 {REPOSITORY}")), @"
    [stderr]
    error: prometheus@1.1.1: the installed version 1.2.4 is higher; set spec.unsafeAllowDowngrades: true of the Operator to allow the downgrade
    [exit 2]
    ");
}

#[test]
fn rejects_unreachable_version_with_remedy() {
    assert_snapshot!(
        "generate_unreachable",
        transcript_of(&format!("island=2.0.0 {}", island()))
    );
}

fn island() -> &'static str {
    "-f tests/fixtures/generate/island.yaml"
}

#[test]
fn latest_is_newest_reachable_version() {
    assert_snapshot!(transcript_of(&format!("island {} --diff", island())), @"
    [stdout]
    Name     Version   Previous   Available
    ---------------------------------------
    island   1.1.0     1.0.0      -
    [exit 0]
    ");
}

/// Two operators require the same version of each other. The second operator is only a dependency,
/// and is upgraded together with the first operator.
#[test]
fn added_dependency_is_upgraded_together() {
    let before = printed("locka=1.0.0");
    let output = super::piped("locka=latest -f - --diff", &before);
    assert_snapshot!(String::from_utf8_lossy(&output.stdout), @"
    Name    Version   Previous   Available
    --------------------------------------
    locka   2.0.0     1.0.0      -
    lockb   2.0.0     1.0.0      -
    ");
}

/// An operator with a pinned version is not upgraded, even if it is requested.
#[test]
fn pinned_operator_keeps_its_version() {
    let before = printed("locka=1.0.0 lockb=1.0.0");
    let output = super::piped("lockb=2.0.0 -f -", &before);
    assert_eq!(output.status.code(), Some(2));
    assert_snapshot!("generate_pinned", String::from_utf8_lossy(&output.stderr));
}

/// The file lacks the dependencies of an operator, for example because a user wrote the file by
/// hand.
#[test]
fn adds_missing_dependencies_of_current_version() {
    assert_snapshot!(transcript_of("prometheus=1.2.4 -f tests/fixtures/generate/repo/Operator-prometheus.yaml --diff"), @r#"
    [stdout]
    Name     Version   Previous   Available
    ---------------------------------------
    alerts   2.0.0     -          -
    [stderr]
    alerts 2.0.0 is added, as prometheus.v1.2.4 requires package alerts ">=1.0.0"
    [exit 0]
    "#);
}

/// Only the intermediate version 1.1.0 requires ropes. The versions 1.0.0 and 2.0.0 do not require
/// ropes.
#[test]
fn adds_dependencies_of_intermediate_versions() {
    let before = printed("ferry=1.0.0");
    let after = printed_of("ferry=2.0.0 -f -", &before);
    assert_snapshot!("generate_on_the_way", String::from_utf8_lossy(&after));
}

#[test]
fn warns_about_choice_among_api_providers() {
    assert_snapshot!(transcript_of("boat --diff"), @"
    [stdout]
    Name    Version   Previous   Available
    --------------------------------------
    asail   1.0.0     -          -
    boat    1.0.0     -          -
    [stderr]
    warning: boat.v1.0.0 requires API sea.example/v1/Sail, which several packages provide: asail is selected, not bsail; to select another package, request this package by name
    asail 1.0.0 is added, as boat.v1.0.0 requires API sea.example/v1/Sail
    [exit 1]
    ");
    assert_snapshot!(transcript_of("boat bsail --diff"), @"
    [stdout]
    Name    Version   Previous   Available
    --------------------------------------
    boat    1.0.0     -          -
    bsail   1.0.0     -          -
    [exit 0]
    ");
}

/// Kite 1.1.0 requires Kubernetes 1.28.0, and Kite 2.0.0 requires 1.34.0. Kite 1.0.0 runs on each
/// version.
#[rstest]
#[case::new_enough("v1.34.1+vendor", "kite", "2.0.0")]
#[case::too_old_for_the_latest("1.33.9", "kite", "1.1.0")]
#[case::too_old_for_a_range("1.33.9", "kite>=1.0.0", "1.1.0")]
#[case::old("v1.20.0", "kite", "1.0.0")]
fn skips_versions_that_need_a_newer_kubernetes(
    #[case] kubernetes: &str,
    #[case] request: &str,
    #[case] expected: &str,
) {
    let line = format!("{request} --kubernetes {kubernetes} --diff -o json --allow-warnings");
    let changes: serde_json::Value = serde_json::from_slice(&printed(&line)).expect("JSON");
    assert_eq!(changes[0]["version"], expected);
}

#[test]
fn reports_versions_that_need_a_newer_kubernetes() {
    assert_snapshot!(transcript_of("kite --kubernetes 1.28.3 --diff"), @"
    [stdout]
    Name   Version   Previous   Available
    -------------------------------------
    kite   1.1.0     -          -
    [stderr]
    warning: kite changes to 1.1.0, not to 2.0.0: that version needs Kubernetes 1.34.0, but the Kubernetes version is 1.28.3
    [exit 1]
    ");
    assert_snapshot!(transcript_of("kite=2.0.0 --kubernetes 1.28.3"), @"
    [stderr]
    error: kite 2.0.0 needs Kubernetes 1.34.0, but the Kubernetes version is 1.28.3
    [exit 2]
    ");
    assert_snapshot!(transcript_of("kite>1.0.0 --kubernetes 1.20.0"), @"
    [stderr]
    error: kite 2.0.0 needs Kubernetes 1.34.0, but the Kubernetes version is 1.20.0
    [exit 2]
    ");
    assert_snapshot!(transcript_of("kite --kubernetes new"), @"
    [stderr]
    error: invalid value 'new' for '--kubernetes <VERSION>': invalid Kubernetes version; use a form such as 1.34.1

    For more information, try '--help'.
    [exit 2]
    ");
}

/// Glider 1.1.0 requires Kubernetes 1.34.0. The versions before and after it run on Kubernetes
/// 1.28.
#[test]
fn rejects_path_through_version_for_newer_kubernetes() {
    let folder = TempFolder::empty();
    let operator = concat!(
        "apiVersion: operators.operatorframework.io/v1alpha1\n",
        "kind: Operator\nmetadata: {name: glider}\n",
        "spec: {packageName: glider, version: 1.0.0}\n",
    );
    fs::write(folder.join("glider.yaml"), operator).expect("a file");
    let transcript_of = |request: &str, kubernetes: &str| {
        let line = format!("{request} --kubernetes {kubernetes} --diff -f");
        transcript(generate(&line).arg(&*folder))
    };
    assert_snapshot!(transcript_of("glider=1.2.0", "1.34.0"), @"
    [stdout]
    Name     Version   Previous   Available
    ---------------------------------------
    glider   1.2.0     1.0.0      1.1.0
    [exit 0]
    ");
    assert_snapshot!(transcript_of("glider=1.2.0", "1.28.3"), @"
    [stderr]
    error: glider 1.2.0 cannot be reached: a version on the upgrade path needs a newer Kubernetes than 1.28.3
    [exit 2]
    ");
    assert_snapshot!(transcript_of("glider", "1.28.3"), @"
    [stdout]
    Name   Version   Previous   Available
    -------------------------------------
    [stderr]
    warning: glider changes to 1.0.0, not to 1.2.0: a version on the upgrade path needs a newer Kubernetes than 1.28.3
    [exit 1]
    ");
}

/// If the catalogs come from a cluster or from its dump, the command also reads the Kubernetes
/// version there.
#[test]
fn reads_kubernetes_version_from_dump() {
    let dump = json!({
        "apiVersion": "portolan.dev/v1",
        "kind": "Dump",
        "taken": "1970-01-01T00:00:00Z",
        "by": "a test",
        "kubernetes": "v1.28.3-gke.100",
        "notServed": [],
        "notSeen": [],
    });
    let folder = TempFolder::empty();
    fs::write(folder.join("dump.json"), dump.to_string()).expect("a file");
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/generate/repo/CatalogSource-demo.yaml"
    );
    fs::copy(source, folder.join("demo.yaml")).expect("a file");
    let catalog = "--catalog olm/demo=tests/fixtures/generate/catalog";
    let mut command = crate::program::portolan(&format!("generate kite --diff {catalog}"));
    let transcript_of = transcript(command.arg("--world").arg(&*folder));
    assert_snapshot!(transcript_of, @"
    [stdout]
    Name   Version   Previous   Available
    -------------------------------------
    kite   1.1.0     -          -
    [stderr]
    warning: kite changes to 1.1.0, not to 2.0.0: that version needs Kubernetes 1.34.0, but the Kubernetes version is 1.28.3
    [exit 1]
    ");
}

/// A request is carried out completely or not at all. If two requests conflict, the first request
/// takes precedence.
#[test]
fn command_is_atomic_and_earlier_command_takes_precedence() {
    assert_eq!(
        transcript(&mut generate("locka=1.0.0 lockb=2.0.0"))
            .matches("[stdout]")
            .count(),
        0
    );
    let first = printed("locka=1.0.0");
    let second = super::piped("lockb=2.0.0 -f -", &first);
    assert_eq!(second.status.code(), Some(2), "{second:?}");
    let second = printed_of("redis=latest -f -", &first);
    assert_snapshot!(
        "generate_one_after_the_other",
        String::from_utf8_lossy(&second)
    );
}

#[test]
fn marks_requested_operators_but_not_dependencies() {
    let printed = String::from_utf8(printed("prometheus")).expect("text");
    let (alerts, prometheus) = printed.split_at(printed.rfind("---\n").expect("two documents"));
    assert!(
        !alerts.contains("operators.portolan.dev/explicit"),
        "{alerts}"
    );
    assert!(
        prometheus.contains("operators.portolan.dev/explicit: \"true\""),
        "{prometheus}"
    );
}

#[test]
fn warns_if_bundle_image_has_changed() {
    let before = String::from_utf8(printed("redis=1.5.2")).expect("text");
    let digest = before.split("sha256:").nth(1).expect("a digest");
    let digest = digest.split_whitespace().next().expect("a digest");
    let before = before.replace(digest, &"0".repeat(64));
    let output = super::piped("redis=1.5.2 -f -", before.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(
        "generate_another_bundle",
        String::from_utf8_lossy(&output.stderr)
    );
}
