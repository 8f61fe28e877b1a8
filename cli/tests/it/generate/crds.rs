//! Tests that `portolan generate` reports unsafe changes of CRDs before it writes any output.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use portolan_kit::TempFolder;

use super::{generate, piped, transcript_of};
use crate::program::{portolan, transcript};
use crate::serving::{ANY_PORT, Resolver};

/// Ferry 2.0.0 changes the type of a field.
const FERRY: &str = "ferry=2.0.0 -f tests/fixtures/generate/ferry.yaml";

#[test]
fn diff_names_unsafe_changes_and_how_to_accept_them() {
    assert_snapshot!(transcript_of(&format!("{FERRY} --diff")), @r#"
    [stdout]
    Name    Version   Previous   Available
    --------------------------------------
    ferry   2.0.0     1.0.0      1.1.0
    ropes   1.0.0     -          -

    ferry is not upgraded to ferry.v2.0.0 until this unsafe change of a CRD is accepted:
      ships.ferry.example: v1: .spec.capacity: type: string becomes integer (type string -> integer)
      to accept this, add ferry.v2.0.0 to spec.crdUpgradeSafety.acceptBundles of Operator ferry, or type to acceptChecks
    [stderr]
    ropes 1.0.0 is added, as ferry.v1.1.0 requires package ropes ">=1.0.0"
    warning: ferry is not upgraded to ferry.v2.0.0 until this unsafe change of a CRD is accepted
    [exit 1]
    "#);
    assert_snapshot!(transcript_of(&format!("{FERRY} --diff -o json")), @r#"
    [stdout]
    [
      {
        "name": "ferry",
        "version": "2.0.0",
        "previous": "1.0.0",
        "available": [
          "1.1.0"
        ],
        "unsafeUpdates": [
          {
            "bundle": "ferry.v2.0.0",
            "changes": [
              {
                "crd": "ships.ferry.example",
                "version": "v1",
                "path": ".spec.capacity",
                "check": "type",
                "oldType": "string",
                "newType": "integer",
                "message": "string becomes integer"
              }
            ]
          }
        ]
      },
      {
        "name": "ropes",
        "version": "1.0.0",
        "previous": null,
        "available": []
      }
    ]
    [stderr]
    ropes 1.0.0 is added, as ferry.v1.1.0 requires package ropes ">=1.0.0"
    warning: ferry is not upgraded to ferry.v2.0.0 until this unsafe change of a CRD is accepted
    [exit 1]
    "#);
}

#[test]
fn changed_flag_reports_unsafe_changes_of_unprinted_objects() {
    assert_snapshot!(transcript_of(&format!("{FERRY} --changed")), @r#"
    [stdout]
    ---
    apiVersion: operators.operatorframework.io/v1alpha1
    kind: Operator
    metadata:
      name: ferry
    spec:
      version: "2.0.0"
    ---
    apiVersion: operators.operatorframework.io/v1alpha1
    kind: Operator
    metadata:
      annotations:
        operators.portolan.dev/bundle-image: registry.example/ropes@sha256:c86380ccc43ddbacd8fbf5bfae367be87874391e468911d931b73b39537f12e4
      name: ropes
    spec:
      packageName: ropes
      version: "1.0.0"
    [stderr]
    ropes 1.0.0 is added, as ferry.v1.1.0 requires package ropes ">=1.0.0"
    warning: ferry is not upgraded to ferry.v2.0.0 until this unsafe change of a CRD is accepted:
      ships.ferry.example: v1: .spec.capacity: type: string becomes integer (type string -> integer)
      to accept this, add ferry.v2.0.0 to spec.crdUpgradeSafety.acceptBundles of Operator ferry, or type to acceptChecks
    [exit 1]
    "#);
}

fn ferry(more: &str) -> String {
    format!(
        "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\nmetadata: {{name: ferry}}\n\
         spec: {{packageName: ferry, version: 1.0.0{more}}}\n"
    )
}

#[test]
fn accepted_changes_are_not_reported() {
    for safety in ["acceptBundles: [ferry.v2.0.0]", "acceptChecks: [type]"] {
        let input = ferry(&format!(", crdUpgradeSafety: {{{safety}}}"));
        let output = piped("ferry=2.0.0 -f - --diff", input.as_bytes());
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(!stdout.contains("accept"), "{stdout}");
        assert_eq!(output.status.code(), Some(0), "{safety}: {output:?}");
    }
}

/// The CRD in the dump differs from the CRD in the installed bundle.
#[test]
fn compares_crds_of_world() {
    let folder = TempFolder::empty();
    let definition = serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ships.ferry.example"},
        "spec": {
            "group": "ferry.example", "scope": "Namespaced", "names": {"plural": "ships", "kind": "Ship"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "properties": {
                    "capacity": {"type": "string"}, "cargo": {"type": "string"},
                }}},
            }}}],
        },
    });
    let source = "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\n\
                  metadata: {name: demo, namespace: olm}\nspec: {sourceType: grpc}\n";
    let file = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    file("crd.json", &definition.to_string());
    file("source.yaml", source);
    let mut command = portolan(&format!(
        "generate {FERRY} --diff --catalog olm/demo=tests/fixtures/generate/catalog"
    ));
    let transcript_of = transcript(command.arg("--world").arg(&*folder));
    assert_snapshot!(transcript_of, @r#"
    [stdout]
    Name    Version   Previous   Available
    --------------------------------------
    ferry   2.0.0     1.0.0      1.1.0
    ropes   1.0.0     -          -

    ferry is not upgraded to ferry.v1.1.0 until this unsafe change of a CRD is accepted:
      ships.ferry.example: v1: .spec.cargo: existingFieldRemoval: the field is gone (type string -> none)
      to accept this, add ferry.v1.1.0 to spec.crdUpgradeSafety.acceptBundles of Operator ferry, or existingFieldRemoval to acceptChecks

    ferry is not upgraded to ferry.v2.0.0 until this unsafe change of a CRD is accepted:
      ships.ferry.example: v1: .spec.capacity: type: string becomes integer (type string -> integer)
      to accept this, add ferry.v2.0.0 to spec.crdUpgradeSafety.acceptBundles of Operator ferry, or type to acceptChecks
    [stderr]
    ropes 1.0.0 is added, as ferry.v1.1.0 requires package ropes ">=1.0.0"
    warning: ferry is not upgraded to ferry.v1.1.0 until this unsafe change of a CRD is accepted
    warning: ferry is not upgraded to ferry.v2.0.0 until this unsafe change of a CRD is accepted
    [exit 1]
    "#);
}

/// A deleted operator may have left its CRDs in the cluster. Only a complete dump proves that the
/// CRD does not exist.
#[test]
fn skips_crds_that_files_may_omit() {
    let folder = TempFolder::empty();
    let file = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    let source = "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\n\
                  metadata: {name: demo, namespace: olm}\nspec: {sourceType: grpc}\n";
    file("source.yaml", source);
    let output = || {
        let mut command = portolan(
            "generate ferry=1.0.0 --diff --catalog olm/demo=tests/fixtures/generate/catalog",
        );
        transcript(command.arg("--world").arg(&*folder))
    };
    let partial = output();
    let why = "the CRDs of ferry are not compared: the dump lacks CRDs that the cluster may have: \
     ships.ferry.example";
    assert!(partial.contains(why), "{partial}");

    let dump = serde_json::json!({
        "apiVersion": "portolan.dev/v1", "kind": "Dump", "taken": "1970-01-01T00:00:00Z",
        "by": "a test", "kubernetes": null, "notServed": [], "notSeen": [],
    });
    let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": []});
    fs::create_dir(folder.join("objects")).expect("a folder");
    file(
        "objects/customresourcedefinitions.apiextensions.k8s.io.json",
        &list.to_string(),
    );
    file("dump.json", &dump.to_string());
    let whole = output();
    assert!(!whole.contains("not compared"), "{whole}");
    assert!(whole.contains("ferry   1.0.0"), "{whole}");
}

/// The bundles have no files in the catalog or in a folder, and they have no image.
#[test]
fn reports_why_unavailable_crds_are_not_compared() {
    let folder = TempFolder::empty();
    let catalog = fs::read_to_string(fixture("ferry.yaml")).expect("a catalog");
    let ropes = fs::read_to_string(fixture("ropes.yaml")).expect("a catalog");
    let is_content = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("image:") || line.contains("olm.bundle.object") || line.contains("{data:")
    };
    let lines = catalog.lines().filter(|line| !is_content(line));
    let lines: Vec<_> = lines.collect();
    fs::write(folder.join("ferry.yaml"), lines.join("\n")).expect("a file");
    fs::write(folder.join("ropes.yaml"), ropes).expect("a file");
    let asked = |flag: &str| {
        let mut command = portolan(&format!("generate {FERRY} {flag}"));
        transcript(command.arg(format!("--catalog=demo={}", folder.display())))
    };
    assert_snapshot!(asked("--diff"), @r#"
    [stdout]
    Name    Version   Previous   Available
    --------------------------------------
    ferry   2.0.0     1.0.0      1.1.0
    ropes   1.0.0     -          -

    the CRDs of ferry are not compared: ferry.v1.1.0: the files of ferry.v1.1.0 are not available: no folder of bundles is given (--bundles), catalog demo has no manifests of it, and it does not name an image
    [stderr]
    ropes 1.0.0 is added, as ferry.v1.1.0 requires package ropes ">=1.0.0"
    [exit 0]
    "#);
    let changed = asked("--changed");
    assert_eq!(changed.matches("not compared").count(), 1, "{changed}");
    // No CRD is compared, so nothing is reported.
    assert!(!asked("").contains("not compared"));
}

fn fixture(name: &str) -> std::path::PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.join("tests/fixtures/generate/catalog").join(name)
}

#[test]
fn server_and_files_report_same_unsafe_changes() {
    let catalog = super::CATALOG;
    let resolver = Resolver::start(&mut portolan(&format!(
        "serve resolver --catalog {catalog} {ANY_PORT}"
    )));
    let url = resolver.url();
    for form in ["--diff", "--diff -o json", "--changed"] {
        let line = format!("generate {FERRY} {form}");
        let asked = transcript(&mut portolan(&format!("{line} --server {url}")));
        assert_eq!(asked, transcript(&mut generate(&format!("{FERRY} {form}"))));
    }
}
