//! Tests of input that is unreadable or invalid. The command prints one error message, and nothing
//! to standard output.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use portolan_kit::TempFolder;
use rstest::rstest;

use super::{generate, piped};
use crate::program::run;

const OPERATOR: &str = "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\nmetadata: {name: redis}\nspec: {packageName: redis, version: 1.5.2}\n";

/// Returns the error message for an invalid input.
fn refused(line: &str, input: &str) -> String {
    let output = piped(line, input.as_bytes());
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[rstest]
#[case::nothing(
    "",
    "standard input is empty; check that the previous command of the pipe succeeds"
)]
#[case::no_yaml("a: [", "standard input:")]
#[case::no_object(
    "a: b",
    "standard input:1: it has no apiVersion and kind, which every object must have"
)]
#[case::no_name(
    "{'apiVersion': 'operators.operatorframework.io/v1alpha1', 'kind': 'Operator', 'spec': {'packageName': 'a'}}",
    "standard input:1: Operator has no name; write metadata.name"
)]
#[case::another_version(
    "{'apiVersion': 'operators.operatorframework.io/v1', 'kind': 'Operator', 'metadata': {'name': 'a'}}",
    "standard input:1: version v1 of Operator is not known; write \
     operators.operatorframework.io/v1alpha1"
)]
#[case::no_package(
    "{'apiVersion': 'operators.operatorframework.io/v1alpha1', 'kind': 'Operator', 'metadata': {'name': 'a'}, 'spec': {}}",
    "standard input:1: Operator a: spec.packageName is missing; write the package of the operator"
)]
#[case::removed_field(
    "{'apiVersion': 'operators.operatorframework.io/v1alpha1', 'kind': 'Operator', 'metadata': {'name': 'a'}, 'spec': {'packageName': 'a', 'packageVersion': '1.0.0'}}",
    "standard input:1: Operator a: spec.packageVersion is not a field of an Operator; write \
     spec.version"
)]
#[case::invalid_status(
    "{'apiVersion': 'operators.operatorframework.io/v1alpha1', 'kind': 'Operator', 'metadata': {'name': 'a'}, 'spec': {'packageName': 'a'}, 'status': {'versions': {'installed': [1]}}}",
    "standard input:1: Operator a: status.versions.installed is [1]; it must be a string"
)]
fn rejects_invalid_input(#[case] input: &str, #[case] why: &str) {
    let output = refused("-f -", &input.replace("'", "\""));
    assert!(output.starts_with(&format!("error: {why}")), "{output}");
    assert_eq!(output.lines().count(), 1, "{output}");
}

#[test]
fn rejects_duplicate_operators() {
    let twice = format!("{OPERATOR}---\n{OPERATOR}");
    assert_eq!(
        refused("-f -", &twice),
        "error: standard input:6: Operator redis is already defined at standard input:1; remove \
         one of the two Operators\n"
    );
    let other = OPERATOR.replace("name: redis", "name: cache");
    assert_eq!(
        refused("-f -", &format!("{OPERATOR}---\n{other}")),
        "error: standard input:1: Operator redis is for package redis, and so is cache at standard \
         input:6; remove one of the two Operators\n"
    );
}

#[test]
fn rejects_duplicate_catalog() {
    let catalog = "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nmetadata: {name: demo, namespace: olm}\n";
    assert_eq!(
        refused("-f -", &format!("{catalog}---\n{catalog}")),
        "error: standard input:5: CatalogSource demo is defined twice; remove one of the two \
         definitions\n"
    );
}

/// Even root cannot read missing paths and circular links, so the test also works as root.
#[test]
fn rejects_unreadable_paths() {
    let folder = TempFolder::empty();
    let ring = folder.join("ring");
    symlink(&ring, &ring).expect("a link");
    fs::create_dir(folder.join("in")).expect("a folder");
    let inner = folder.join("in/ring.yaml");
    symlink(&inner, &inner).expect("a link");
    let assert_rejected = |path: &Path, why: &str| {
        let output = run(generate("redis -f").arg(path));
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        let printed = String::from_utf8(output.stderr).expect("text");
        assert!(
            printed.starts_with(&format!("error: cannot read {why}")),
            "{printed}"
        );
        assert_eq!(printed.lines().count(), 1, "{printed}");
    };
    assert_rejected(
        Path::new("tests/nothing"),
        "tests/nothing: No such file or directory",
    );
    assert_rejected(&ring, &format!("{}: Too many levels", ring.display()));
    assert_rejected(
        &folder.join("in"),
        &format!("{}: Too many levels", inner.display()),
    );
}

#[rstest]
#[case::no_yaml("operators: [", "unclosed bracket '[' at line 1, column 12")]
#[case::no_map("[]", "the manifest is not a map; write operators.install as a list")]
#[case::another_field(
    "{operators: {install: [], remove: []}}",
    "operators has the field \"remove\""
)]
#[case::no_list("{operators: {install: redis}}", "operators.install is not a list")]
#[case::no_name(
    "{operators: {install: [{version: 1.0.0}]}}",
    "operators.install[0]: the entry has no name"
)]
#[case::a_number(
    "{operators: {install: [{name: redis, version: 1.5}]}}",
    "operators.install[0]: version is 1.5; it must be a string, so put it in quotes"
)]
#[case::no_version(
    "{operators: {install: [{name: redis, version: new}]}}",
    "operators.install[0]: "
)]
#[case::another_kind(
    "{apiVersion: v1, kind: Secret, data: {a: b}}",
    "the manifest has the field \"apiVersion\"; write operators.install"
)]
#[case::an_empty_config_map(
    "{apiVersion: v1, kind: ConfigMap}",
    "the ConfigMap has no data; it must contain the manifest"
)]
#[case::a_config_map_of_no_text(
    "{apiVersion: v1, kind: ConfigMap, data: {a: [b]}}",
    "data[\"a\"] is not text; it must contain the manifest"
)]
#[case::a_config_map_of_more(
    "{apiVersion: v1, kind: ConfigMap, data: {a: b, c: d}}",
    "the ConfigMap has a and c; it must contain only the manifest"
)]
#[case::a_config_map_of_no_yaml(
    "{apiVersion: v1, kind: ConfigMap, data: {a: '['}}",
    "data[\"a\"]: unclosed bracket '[' at line 1, column 1"
)]
#[case::a_config_map_of_no_manifest(
    "{apiVersion: v1, kind: ConfigMap, data: {a: '{operators: {}}'}}",
    "data[\"a\"]: operators.install is not a list"
)]
fn rejects_invalid_manifest(#[case] manifest: &str, #[case] why: &str) {
    let folder = TempFolder::empty();
    let file = folder.join("manifest.yaml");
    fs::write(&file, manifest).expect("a file");
    let output = run(generate("-d").arg(&file));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty());
    let printed = String::from_utf8_lossy(&output.stderr);
    let place = format!("error: {}: {why}", file.display());
    assert!(printed.starts_with(&place), "{printed}");
}

#[rstest]
#[case::nothing("", "nothing is requested; name an operator")]
#[case::deleted_of_nothing(
    "--delete redis",
    "--delete removes an operator from the input of -f; add -f"
)]
#[case::removed_of_nothing(
    "--autoremove",
    "--autoremove removes operators from the input of -f; add -f"
)]
#[case::a_table_of_objects("redis -o table", "-o table requires --diff")]
#[case::one_pipe_for_two(
    "-f - -d -",
    "standard input (-) is given twice, but can be read only once; use a file instead of one -"
)]
#[case::deleted_and_asked_for(
    "redis --delete redis -f tests/fixtures/generate/repo",
    "redis is both requested and deleted"
)]
fn rejects_invalid_arguments(#[case] line: &str, #[case] why: &str) {
    let output = run(&mut generate(line));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty());
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(printed.starts_with(&format!("error: {why}")), "{printed}");
}
