//! Tests of `portolan bundle` with files: arguments and output.

mod pairs;
mod places;

use std::fs;
use std::process::Command;

use portolan_kit::{TempFolder, assert_same};
use rstest::rstest;
use serde_json::Value;

use crate::program::{portolan, run, transcript};

/// Returns the command for this line. `F` stands for the folder with the fixtures.
fn bundle(line: &str) -> Command {
    let line = line.replace("F/", "tests/fixtures/bundles/ferry/");
    portolan(&format!("bundle {line}"))
}

const OF_CATALOG: &str =
    "--catalog demo=tests/fixtures/catalogs/ferry --bundles tests/fixtures/bundles";

#[rstest]
#[case::render("render F/1.1.0", "render ferry ferry.v1.1.0")]
#[case::render_as_a_list(
    "render F/1.1.0 -o json -n quay",
    "render ferry ferry.v1.1.0 -o json -n quay"
)]
#[case::render_with_own_certificates(
    "render F/1.1.0 --certificates own",
    "render ferry ferry.v1.1.0 --certificates own"
)]
#[case::refuse(
    "render F/1.1.0 -n A --certificates none --watch-namespaces b",
    "render ferry ferry.v1.1.0 -n A --certificates none --watch-namespaces b"
)]
#[case::diff("diff F/1.0.0 F/1.1.0", "diff ferry ferry.v1.0.0 ferry.v1.1.0")]
#[case::diff_for_programs(
    "diff F/1.0.0 F/1.1.0 -o json",
    "diff ferry ferry.v1.0.0 ferry.v1.1.0 -o json"
)]
fn catalog_and_files_give_same_output(#[case] files: &str, #[case] catalog: &str) {
    let of_files = transcript(&mut bundle(files));
    assert!(!of_files.ends_with("[exit 2]"), "{of_files}");
    assert_same!(
        of_files,
        transcript(&mut bundle(&format!("{catalog} {OF_CATALOG}")))
    );
}

#[test]
fn reports_unavailable_bundles_of_catalog() {
    let line = "render ferry ferry.v2.0.0 --catalog demo=tests/fixtures/catalogs/ferry --bundles \
                tests/fixtures/bundles";
    let output = transcript(&mut bundle(line));
    assert!(
        output.contains("cannot be pulled: registry.example cannot be reached"),
        "{output}"
    );
    assert!(output.ends_with("[exit 3]"), "{output}");
    let output = transcript(&mut bundle(
        "render ferry ferry.v9 --catalog demo=tests/fixtures/catalogs/ferry",
    ));
    assert!(
        output.contains("package ferry has no bundle ferry.v9"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn rejects_bundle_flags_with_server() {
    let line =
        "render ferry ferry.v1.0.0 --server http://127.0.0.1:1 --bundles tests/fixtures/bundles";
    let output = transcript(&mut bundle(line));
    assert!(
        output.contains("options for bundles and images cannot be used with --server"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[rstest]
#[case::show(
    "show F/1.0.0",
    "[stdout]
Bundle:          ferry.v1.0.0
Version:         1.0.0
Package:         ferry
Install modes:   AllNamespaces, OwnNamespace
Namespace:       ferries

Provides:
  Ship ferry.example/v1

Requires:
  Harbor harbor.example/v1

Depends on:
  olm.package {\"packageName\":\"harbor\",\"version\":\">=1.0.0\"}

ferries/ferryman may in the cluster:
  get, list, update, watch ships of ferry.example

Images:
  registry.example/ferry:1.0.0
[exit 0]"
)]
#[case::show_the_name("show F/1.0.0 -o name", "[stdout]\nferry.v1.0.0\n[exit 0]")]
#[case::check(
    "check F/1.0.0 F/1.1.0",
    "[stdout]\nChecked 2 bundles and 8 files: 0 errors and 0 warnings\n[exit 0]"
)]
#[case::check_a_broken_one(
    "check F/broken",
    "[stdout]
tests/fixtures/bundles/ferry/broken/manifests/ferry.clusterserviceversion.yaml:18: error: the ClusterServiceVersion owns the CustomResourceDefinition \"ships.ferry.example\", which the bundle does not have (CrdMissing)
tests/fixtures/bundles/ferry/broken/manifests/ferry.clusterserviceversion.yaml:35: warning: the selector of deployment \"ferry-controller\" does not match the labels of its own Pods, which every API server rejects (Selector)
tests/fixtures/bundles/ferry/broken/manifests/ferry.clusterserviceversion.yaml:58: error: ValidatingAdmissionWebhook \"ships.ferry.example\" is served by the deployment \"ferry\", which does not exist (WebhookDeployment)

Checked 1 bundle and 2 files: 2 errors and 1 warning
[exit 1]"
)]
#[case::check_missing_folder(
    "check F/none F/1.0.0",
    "[stdout]
Checked 1 bundle and 5 files: 0 errors and 0 warnings
[stderr]
error: cannot read tests/fixtures/bundles/ferry/none: No such file or directory (os error 2); use a folder with `manifests` and `metadata`, or a tar archive of such a folder
[exit 2]"
)]
#[case::render_without_certificates(
    "render F/1.1.0 --certificates none",
    "[stderr]
error: --certificates: the bundle has webhooks (1), which need a certificate; choose cert-manager, openshift or own
[exit 1]"
)]
#[case::render_with_all_refusals(
    "render F/broken -n A --watch-namespaces b,c",
    "[stderr]
error: manifests/ferry.clusterserviceversion.yaml:18: the ClusterServiceVersion owns the CustomResourceDefinition \"ships.ferry.example\", which the bundle does not have
error: manifests/ferry.clusterserviceversion.yaml:58: ValidatingAdmissionWebhook \"ships.ferry.example\" is served by the deployment \"ferry\", which does not exist
error: --namespace: \"A\" is not a valid name of a namespace: it can contain only lower-case letters, digits and hyphens
error: --watch-namespaces: the bundle does not support MultiNamespace; it supports AllNamespaces
[exit 1]"
)]
#[case::diff(
    "diff F/1.0.0 F/1.1.0",
    "[stdout]
ferry.v1.0.0 -> ferry.v1.1.0

Breaking changes:
  manifests/ships.ferry.example.yaml: ships.ferry.example: storedVersionRemoval: objects are stored in version v1alpha1, which is dropped
  manifests/ships.ferry.example.yaml: ships.ferry.example: v1: .spec.berths: maximum: 500 is a bound where there was none
  manifests/ships.ferry.example.yaml: ships.ferry.example: v1: .spec.flag: existingFieldRemoval: the field is gone

Suggestions:
  ships.ferry.example: store version v1, rewrite every object once, and then remove v1alpha1 from `status.storedVersions`

Versions of CRDs:
  ships.ferry.example: v1alpha1 is removed, v1 is stored

Additional permissions of the operator:
  get secrets in the cluster

Added:
  Service ferries/ferry-controller-service
  ValidatingWebhookConfiguration ships.ferry.example
  Certificate.cert-manager.io ferries/ferry-controller-service-cert
  Issuer.cert-manager.io ferries/ferry-controller-service-cert-selfsigned-issuer
  ClusterRole ferry.v1.1.0-ferrym-6r3f4ywti050xs1wmu9a4v5bhp3n81yieh3vejiezgy
  ClusterRoleBinding ferry.v1.1.0-ferrym-6r3f4ywti050xs1wmu9a4v5bhp3n81yieh3vejiezgy

Removed:
  Service ferries/ferry-metrics
  ClusterRole ferry.v1.0.0-ferrym-c65652rib2daik9h1g9h6xb6rlww8rqjx6c4vemozmn
  ClusterRoleBinding ferry.v1.0.0-ferrym-c65652rib2daik9h1g9h6xb6rlww8rqjx6c4vemozmn

Changed:
  CustomResourceDefinition ships.ferry.example
  Deployment ferries/ferry-controller

Images added:
  registry.example/ferry:1.1.0

Images removed:
  registry.example/ferry:1.0.0
[exit 1]"
)]
#[case::diff_of_the_same(
    "diff F/1.0.0 F/1.0.0",
    "[stdout]\nferry.v1.0.0 -> ferry.v1.0.0\n\nNothing changes.\n[exit 0]"
)]
#[case::the_old_spelling(
    "ferry ferry.v1.0.0 --catalog demo=tests/fixtures/catalogs/ferry",
    "[stdout]
Bundle:     ferry.v1.0.0
Version:    1.0.0
Package:    ferry
Channels:   stable
Image:      registry.example/ferry:v1.0.0
[stderr]
warning: `bundle PACKAGE BUNDLE` is deprecated, and will be removed in the next version; use `bundle show PACKAGE BUNDLE`
[exit 0]"
)]
fn prints_output_of_each_command(#[case] line: &str, #[case] expected: &str) {
    assert_same!(transcript(&mut bundle(line)), expected);
}

#[test]
fn rejects_invalid_arguments() {
    for line in [
        "diff F/1.0.0",
        "render F/1.0.0 --certificates mine",
        "check",
        "check a -o xml",
    ] {
        let output = run(&mut bundle(line));
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(output.stdout.is_empty(), "{line}");
    }
}

fn stdout(line: &str) -> String {
    let output = run(&mut bundle(line));
    String::from_utf8(output.stdout).expect("a text")
}

#[test]
fn renders_same_manifests_as_yaml_and_json() {
    let list: Value = serde_json::from_str(&stdout("render F/1.1.0 -n ns -o json")).expect("JSON");
    assert_eq!(
        (&list["apiVersion"], &list["kind"]),
        (&"v1".into(), &"List".into())
    );
    let yaml = stdout("render F/1.1.0 -n ns");
    // A YAML 1.1 parser would read `on` without quotes as a boolean.
    assert!(yaml.contains("value: \"on\"\n"), "{yaml}");
    let documents = yaml.split("---\n").skip(1);
    let documents: Vec<Value> = documents
        .map(|document| serde_saphyr::from_str(document).expect("YAML"))
        .collect();
    assert_same!(list["items"], Value::Array(documents));
}

#[test]
fn renders_like_olm_v1_only_with_flag() {
    let kinds = |line: &str| {
        let list: Value = serde_json::from_str(&stdout(line)).expect("JSON");
        let items = list["items"].as_array().expect("items").iter();
        let roles = items.filter(|item| item["metadata"]["labels"].is_object());
        roles.count()
    };
    assert_eq!(kinds("render F/1.0.0 -o json"), 4);
    assert_eq!(kinds("render F/1.0.0 -o json --like-olm-v1"), 0);
}

#[test]
fn applies_config_to_deployments() {
    let folder = TempFolder::empty();
    let file = folder.join("config.yaml");
    fs::write(&file, "nodeSelector: {disk: ssd}\n").expect("a file");
    let line = format!("render F/1.1.0 -n ns --config {}", file.display());
    let yaml = stdout(&line);
    assert!(
        yaml.contains("nodeSelector:\n        disk: ssd\n"),
        "{yaml}"
    );
    fs::write(&file, "nodeSelectors: {disk: ssd}\n").expect("a file");
    let output = transcript(&mut bundle(&line));
    assert!(
        output.contains("--config") && output.contains("nodeSelectors"),
        "{output}"
    );
    assert!(output.ends_with("[exit 2]"), "{output}");
}

#[test]
fn warns_that_user_must_create_certificate_secret() {
    let output = transcript(&mut bundle("render F/1.1.0 -n ns --certificates own"));
    assert!(
        output.ends_with(
            "[stderr]\nwarning: create Secret ns/ferry-controller-service-cert of type kubernetes.io/tls with a certificate for ferry-controller-service.ns, ferry-controller-service.ns.svc, ferry-controller-service.ns.svc.cluster.local; the webhooks do not work without the Secret\n[exit 0]"
        ),
        "{output}"
    );
}

#[test]
fn prints_findings_as_json_and_junit() {
    let output: Value = serde_json::from_str(&stdout("check F/broken -o json")).expect("JSON");
    assert_eq!(
        (&output["errors"], &output["warnings"]),
        (&2.into(), &1.into())
    );
    let fault = &output["bundles"][0]["faults"][1];
    assert_eq!(
        (&fault["line"], &fault["code"]),
        (&35.into(), &"Selector".into())
    );
    let junit = stdout("check F/broken F/1.0.0 -o junit");
    assert!(
        junit.contains("tests=\"2\" failures=\"1\" errors=\"0\""),
        "{junit}"
    );
    let output: Value =
        serde_json::from_str(&stdout("diff F/1.0.0 F/1.1.0 -o json")).expect("JSON");
    assert_eq!(output["breaks"][1]["path"], ".spec.berths");
    assert_eq!(output["permissionsGrown"][0], "get secrets in the cluster");
}

/// The archive layouts of `tar -C ferry .` and of `tar ferry/1.0.0`.
#[rstest]
#[case::of_folder_content(&["-C", "tests/fixtures/bundles/ferry/1.0.0", "."])]
#[case::of_the_folder(&["-C", "tests/fixtures/bundles/ferry", "1.0.0"])]
fn reads_archives(#[case] what: &[&str]) {
    let folder = TempFolder::empty();
    let archive = folder.join("ferry.tar.gz");
    let mut tar = crate::program::command("tar");
    assert!(
        run(tar.arg("-czf").arg(&archive).args(what))
            .status
            .success()
    );
    let output = transcript(portolan("bundle check").arg(&archive));
    assert_eq!(
        output,
        "[stdout]\nChecked 1 bundle and 5 files: 0 errors and 0 warnings\n[exit 0]"
    );
}

#[test]
fn rejects_folder_without_bundle() {
    assert_same!(
        transcript(&mut bundle("show F/")),
        "[stderr]\nerror: tests/fixtures/bundles/ferry/: metadata/annotations.yaml: the file is missing\n\
         error: tests/fixtures/bundles/ferry/: manifests: no ClusterServiceVersion\n[exit 3]"
    );
}
